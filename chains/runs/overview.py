"""Overview: what goes on and waits for all accounts, as the operator sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

ALL = 1 << 62


class OpenRun(NamedTuple):
    """A top-level run that has not ended, by `@owner/job/run`: its state, since when, and who started it.

    It is `queued` until a runner has taken it, then `running`; else the state is its status.
    """

    run: str
    state: str
    since: str
    by: str
    trigger: str
    runner: str | None


class OpenBuild(NamedTuple):
    """A build that has not ended, by `@owner/repo:label`: its state, when it was asked for, and by whom."""

    build: str
    state: str
    since: str
    by: str
    runner: str | None


class OpenTally(NamedTuple):
    """The number of those that are open, and the stamp since when the oldest is; None if there is none."""

    number: int = 0
    since: str | None = None


class AccountUse(NamedTuple):
    """An account with its own items and bytes, and the limits of these; an organisation's founder pays."""

    name: str
    kind: str
    locked: bool
    items: int
    items_limit: int
    storage: int
    storage_limit: int


class WaitingMails(NamedTuple):
    """The mails that wait.

    `sent`: those of accounts, one for each recipient. `own`: those of the service itself. `tried`: those of
    both that were tried in vain. `notices`: notices with a mail due. `inbound`: those to groups that
    nobody has handled yet.
    """

    sent: int
    own: int
    tried: int
    notices: int
    inbound: int


class Overview(Protocol):
    """Reads of all accounts together: each is a fixed number of statements, and answers what it is asked."""

    def runs(self, most: int = ALL) -> Sequence[OpenRun]:
        """The open runs, oldest first."""
        ...

    def tally_runs(self) -> Mapping[str, OpenTally]:
        """The open runs of each state that there are any of; those that a runner has, by their start."""
        ...

    def builds(self, most: int = ALL) -> Sequence[OpenBuild]:
        """The open builds, oldest first."""
        ...

    def tally_builds(self) -> Mapping[str, OpenTally]:
        """The open builds of each state that there are any of."""
        ...

    def tally_holds(self) -> OpenTally:
        """The holds at which runs wait for people."""
        ...

    def ended_runs(self, since: str, most: int) -> Mapping[tuple[str, str], int]:
        """The top-level runs that ended since a stamp, by status and trigger; of `most` of them."""
        ...

    def accounts(self, after: str, most: int) -> Sequence[AccountUse]:
        """The accounts whose names come after another, by name."""
        ...

    def mails(self) -> WaitingMails:
        """The mails that wait."""
        ...

    def lost_labels(self) -> int:
        """The number of labels of repos that point at an image that was found to be gone."""
        ...

    def count_runners(self) -> Mapping[str, int]:
        """The runners that are `working`, `without_podman` or `late`.

        One is late when its lease ran out and was not ended.
        """
        ...

    def silent_runners(self) -> Mapping[str, str]:
        """The runners that are late, with the stamp at which their lease ran out."""
        ...
