"""Overview: the open runs, builds, holds, mails and hooks of all accounts, for the operator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

ALL = 1 << 62


class OpenRun(NamedTuple):
    """A top-level run that has not ended, as `@owner/job/run`: state, start of the state, who triggered it.

    It is `queued` until a runner has taken it, then `running`; otherwise the state is its status.
    """

    run: str
    state: str
    since: str
    by: str
    trigger: str
    runner: str | None


class OpenBuild(NamedTuple):
    """A build that has not ended, as `@owner/repo:label`: its state, when and by whom it was requested."""

    build: str
    state: str
    since: str
    by: str
    runner: str | None


class OpenTally(NamedTuple):
    """The number of open entries, and the stamp of the oldest (None if there is none)."""

    number: int = 0
    since: str | None = None


class AccountUse(NamedTuple):
    """An account's own items and bytes, and their limits. An organisation's founder pays for it."""

    name: str
    kind: str
    locked: bool
    items: int
    items_limit: int
    storage: int
    storage_limit: int


class WaitingMails(NamedTuple):
    """The numbers of waiting mails.

    `sent`: mails of accounts, one for each recipient. `own`: mails of the service itself. `tried`: mails of
    both kinds that failed at least once. `notices`: notices with a mail due. `inbound`: mails to groups that
    are not handled yet.
    """

    sent: int
    own: int
    tried: int
    notices: int
    inbound: int


class Overview(Protocol):
    """A view across all accounts. Each call is a fixed number of statements."""

    def runs(self, most: int = ALL) -> Sequence[OpenRun]:
        """Return the open runs, oldest first."""

    def tally_runs(self) -> Mapping[str, OpenTally]:
        """Return the open runs by state. Runs that a runner has taken are dated by their start."""

    def builds(self, most: int = ALL) -> Sequence[OpenBuild]:
        """Return the open builds, oldest first."""

    def tally_builds(self) -> Mapping[str, OpenTally]:
        """Return the open builds by state."""

    def tally_holds(self) -> OpenTally:
        """Return the holds at which runs wait for an answer."""

    def ended_runs(self, since: str, most: int) -> Mapping[tuple[str, str], int]:
        """Return the number of top-level runs ended since a stamp, by status and trigger, up to `most`."""

    def accounts(self, after: str, most: int) -> Sequence[AccountUse]:
        """Return the accounts whose names sort after `after`, by name."""

    def mails(self) -> WaitingMails:
        """Return the numbers of waiting mails."""

    def hooks(self) -> Mapping[str, int]:
        """Return the numbers of messages of hooks that `wait` or are `failing`, and of `paused` hooks."""

    def lost_labels(self) -> int:
        """Return the number of repo labels whose image was found to be missing."""

    def count_runners(self) -> Mapping[str, int]:
        """Return the number of runners that are `working`, `without_podman` or `late`.

        A runner is late when its lease has expired without being ended.
        """

    def silent_runners(self) -> Mapping[str, str]:
        """Return the late runners, with the stamp at which their lease expired."""
