"""The port of notices: messages in users' inboxes, which may also be sent by mail."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from vfs.access import Role
from vfs.ports.wake_signal import WakeSignal

EXCERPT = 200
"""Number of characters of a comment that a notice quotes."""


class NoticeSubject(NamedTuple):
    """The subject of a notice: an item, or a comment on it, by numbers that are never reused."""

    item: int
    comment: int | None = None


class ChosenLevels(NamedTuple):
    """The levels that a user chose: `there` for the subject of a notice, `usual` for the account."""

    there: str | None
    usual: str | None


@dataclass(frozen=True, slots=True)
class Notice:
    """A message to a user: its `kind`, its `level`, and the path it is about.

    If it is about an item, the path is below the item, and words in braces in the text are replaced when it
    is read. `comment`: the beginning of the comment that it is about (one character more than EXCERPT means
    that the comment is longer). `role`: the user's role in the group whose item it is; the offered role while
    `pending`. `caused_by`: words for its cause (vfs.cause).
    """

    id: int
    user: str
    created_on: str
    kind: str
    level: str
    path: str
    text: str
    item: int | None = None
    comment: str | None = None
    role: Role | None = None
    pending: bool = False
    caused_by: str = ""


class Notices(WakeSignal, Protocol):
    """The store of users' inboxes. It records which of their notices are still to be mailed.

    A notice is deleted with the item or the comment that it is about. A notice of a share (kind `shared`) is
    deleted when the share is revoked, that of an invitation (`invite`) when it is answered or revoked, and
    that of a connection (`connected`) when it ends.
    """

    def add(
        self, user: str, kind: str, path: str, text: str, *, about: NoticeSubject | None = None,
        level: str = "info", mail: bool = False, source: str = "",
    ) -> Notice:  # fmt: skip
        """Add a notice, and delete one of the same kind, path and item from the same `source`.

        The source is `@` and the user who caused it, or a text that identifies a job or a group. With ""
        nothing is deleted. A user keeps the newest 50 from each source, the newest 500 caused by other users,
        and the newest 1,000 of the rest, which notices caused by users never displace.
        """

    def of(self, user: str) -> Sequence[Notice]:
        """Return the user's notices, newest first; one statement."""

    def count(self, user: str) -> int:
        """Return the number of the user's notices about items that the user sees; one statement, no texts."""

    def chosen_levels(self, kind: str, users: Collection[str], item: int) -> Mapping[str, ChosenLevels]:
        """Return the levels these users chose for notices of a kind on an item; one statement per 500."""

    def listening(self, kind: str, item: int) -> Mapping[str, ChosenLevels]:
        """Return the same for an item's owner and every user who chose a level there; one statement."""

    def find(self, user: str, id: int) -> Notice | None:
        """Return the user's notice with that number, or None."""

    def remove(self, user: str, id: int) -> bool:
        """Remove a notice. Return False if there was none."""

    def dismiss(self, user: str, ids: Collection[int]) -> int:
        """Remove several of the user's notices. Return the number of those that existed."""

    def withdraw(self, item: int, kind: str, path: str | None = None) -> None:
        """Remove the notices of a kind about an item from all inboxes; only those of `path`, if given."""

    def unsent(self) -> Sequence[Notice]:
        """Return the oldest notices that are to be mailed, at most 100."""

    def take(self, id: int) -> bool:
        """Claim the mailing of a notice. Returns True to one caller only."""

    def give_back(self, id: int) -> None:
        """Release a notice whose mail could not be sent, so that this is retried."""
