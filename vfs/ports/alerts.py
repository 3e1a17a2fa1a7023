"""The port of alerts: their states, and the times at which they are evaluated."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class AlertState(StrEnum):
    """The state of an alert; UNCLEAR: it cannot be evaluated, for example a text in place of a number."""

    WELL = "well"
    ON = "on"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class KeptAlert:
    """An alert of an item: a `rule` for the file at the path `rel` inside the item.

    `since`: the time stamp at which it got its state. `former`: the value for the next comparison. `due`: the
    time stamp at which it is evaluated without a change of the file (None: never).
    """

    item: int
    rel: str
    rule: str
    state: AlertState
    since: str
    former: str | None = None
    due: str | None = None


class Alerts(Protocol):
    """The store of the states of alerts. They are deleted with their item."""

    def of(self, item: int, rel: str) -> Mapping[str, KeptAlert]:
        """Return the alerts on a path of an item by their rules."""

    def locked(self, item: int, rel: str) -> Mapping[str, KeptAlert]:
        """Return the same, and block other transactions that call this for the path until this one ends."""

    def keep(self, alert: KeptAlert) -> None:
        """Store an alert, and replace the previous one."""

    def expect(self, items: Collection[int], rel: str, rule: str, now: str, due: str) -> None:
        """Plan the evaluation of an alert of each item at `due`, unless it is planned earlier."""

    def drop(self, item: int, rel: str, rules: Collection[str] | None = None) -> None:
        """Delete the alerts on a path by these rules; all if None."""

    def move(self, item: int, rel: str, new: str) -> None:
        """Move the alerts of a path to another one."""

    def due(self, now: str, most: int) -> Sequence[KeptAlert]:
        """Return alerts whose evaluation is due now, earliest first."""

    def first(self) -> str | None:
        """Return the earliest time stamp of a planned evaluation; None if there is none."""
