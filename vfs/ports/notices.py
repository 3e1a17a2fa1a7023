"""The port to notices: what users are told in their inboxes, and what of it is mailed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from vfs.access import Role

EXCERPT = 200
"""Letters of a comment that a notice quotes."""


class NoticeSubject(NamedTuple):
    """The thing that a notice is about: an item, or a comment on it, by numbers never given twice."""

    item: int
    comment: int | None = None


class ChosenLevels(NamedTuple):
    """The levels that somebody chose: `there` at the thing that a notice is about, `usual` in the account."""

    there: str | None
    usual: str | None


@dataclass(frozen=True, slots=True)
class Notice:
    """A message to a user: its `kind`, its `level`, and the path it is about.

    If it is about an item, the path is below the item, and words in braces in the text are replaced when it
    is read. `comment`: the beginning of the comment that it is about (one letter more than EXCERPT means that
    the comment goes on). `role`: the user's role in the group whose item it is, or the offered one while
    `pending`.
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


class Notices(Protocol):
    """Keeps the inboxes of users, and which of their notices are still to be mailed.

    A notice goes for good with the item or the comment that it is about; one of a share (kind `shared`) when
    the share is taken back, one of an invitation (`invite`) when that was answered or taken back, and one of
    a connection (`connected`) when that ends.
    """

    def add(
        self, user: str, kind: str, path: str, text: str, *, about: NoticeSubject | None = None,
        level: str = "info", mail: bool = False, source: str = "",
    ) -> Notice:  # fmt: skip
        """A new notice, in place of one of the same kind about the same from the same `source`.

        The source is `@` and a user whose doing it is, or a text that tells a job or a group from others;
        "" folds nothing. A user has the newest 50 from each source, the newest 500 that are other people's
        doing, and the newest 1,000 of the rest, which people's doing never pushes out.
        """
        ...

    def of(self, user: str) -> Sequence[Notice]:
        """The user's notices, newest first; one statement."""
        ...

    def count(self, user: str) -> int:
        """The number of the user's notices of things that the user sees; one statement, no texts."""
        ...

    def wishes(self, kind: str, users: Collection[str], item: int) -> Mapping[str, ChosenLevels]:
        """The levels that these users chose for notices of a kind about an item; one statement for 500."""
        ...

    def listening(self, kind: str, item: int) -> Mapping[str, ChosenLevels]:
        """The same for an item's owner and everyone who chose a level there; one statement."""
        ...

    def find(self, user: str, id: int) -> Notice | None:
        """The user's notice with that number."""
        ...

    def remove(self, user: str, id: int) -> bool:
        """Take a notice away; False when there was none."""
        ...

    def dismiss(self, user: str, ids: Collection[int]) -> int:
        """Take several of the user's notices away at once; how many there were."""
        ...

    def withdraw(self, item: int, kind: str, path: str | None = None) -> None:
        """Take the notices of a kind about an item out of all inboxes: those of a path, or of all."""
        ...

    def unsent(self) -> Sequence[Notice]:
        """The oldest notices that are to be mailed, at most 100."""
        ...

    def take(self, id: int) -> bool:
        """Take the mailing of a notice upon oneself; True for one caller alone."""
        ...

    def give_back(self, id: int) -> None:
        """The mail could not be sent: let it be tried again."""
        ...

    def wake(self, seen: int, seconds: float | None) -> int:
        """Block until there may be something to mail; a number to pass as `seen` the next time.

        Start with 0, which returns at once. What happens after a call returns makes the next one return at
        once.
        """
        ...

    def signal(self) -> None:
        """Wake who waits."""
        ...
