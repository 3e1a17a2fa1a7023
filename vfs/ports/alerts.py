"""The port of alerts: the state of each one, and when a clock has to judge it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class AlertState(StrEnum):
    """The state of an alert; UNCLEAR: it cannot be judged, such as a text in place of a number."""

    WELL = "well"
    ON = "on"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class KeptAlert:
    """An alert of an item: by a `rule`, on what is at the path `rel` inside the item.

    `since`: the time stamp at which it got its state. `former`: what the next judgement is compared with.
    `due`: the time stamp at which a clock judges it (None: no clock does).
    """

    item: int
    rel: str
    rule: str
    state: AlertState
    since: str
    former: str | None = None
    due: str | None = None


class Alerts(Protocol):
    """Stores the states of alerts. They are deleted with their item."""

    def of(self, item: int, rel: str) -> Mapping[str, KeptAlert]:
        """Return the alerts on a path of an item by their rules."""

    def locked(self, item: int, rel: str) -> Mapping[str, KeptAlert]:
        """Return the same; no other transaction that calls this for the path goes on until this one ends."""

    def keep(self, alert: KeptAlert) -> None:
        """Store an alert in place of a former one."""

    def expect(self, items: Collection[int], rel: str, rule: str, now: str, due: str) -> None:
        """Have a clock judge an alert of each item at `due`, unless it does so earlier."""

    def drop(self, item: int, rel: str, rules: Collection[str] | None = None) -> None:
        """Delete the alerts on a path by these rules; all if None."""

    def move(self, item: int, rel: str, new: str) -> None:
        """Move the alerts of a path to another one."""

    def due(self, now: str, most: int) -> Sequence[KeptAlert]:
        """Return alerts that a clock has to judge by now, earliest first."""

    def first(self) -> str | None:
        """Return the earliest time stamp at which a clock has to judge an alert; None if there is none."""
