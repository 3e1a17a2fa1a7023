"""Overview: what goes on and waits for all accounts, as whoever runs the server looks at it."""

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
    """The mails that have not left: of accounts, of the service itself, and those of both tried in vain."""

    sent: int
    own: int
    tried: int


class Overview(Protocol):
    """Reads of all accounts together: each is a fixed number of statements, and answers what it is asked."""

    def runs(self, most: int = ALL) -> Sequence[OpenRun]:
        """The open runs, oldest first."""
        ...

    def count_runs(self) -> Mapping[str, int]:
        """The open runs of each state that there are any of."""
        ...

    def builds(self, most: int = ALL) -> Sequence[OpenBuild]:
        """The open builds, oldest first."""
        ...

    def count_builds(self) -> Mapping[str, int]:
        """The open builds of each state that there are any of."""
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

    def silent_runners(self) -> Mapping[str, str]:
        """The runners whose lease ran out and was not ended, with the stamp at which it ran out."""
        ...
