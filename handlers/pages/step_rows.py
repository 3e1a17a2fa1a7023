"""Rows of `steps` folded: a step with its replicas counted, the ones worth a look first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from handlers.pages.framing.moments import lasting

MOST_SHOWN = 60
FIRST = ("failed", "running", "canceled", "pending", "success")


@dataclass(frozen=True, slots=True)
class Folded:
    """A step, and the rows of its replicas: how many there are in which state, and those that are shown."""

    row: Mapping[str, Any]
    counts: Mapping[str, int]
    shown: tuple[Mapping[str, Any], ...]

    @property
    def name(self) -> str:
        """Its label."""
        return str(self.row["name"])

    @property
    def status(self) -> str:
        """Its state."""
        return str(self.row["status"])

    @property
    def replicas(self) -> int:
        """The number of its replicas."""
        return sum(self.counts.values())

    @property
    def note(self) -> str:
        """A note for a box: how long it took, or how far its replicas are."""
        if self.replicas and self.status in ("running", "failed"):
            return f"{self.counts.get('success', 0)} of {self.replicas} files done"
        seconds = self.row["duration"]
        took = lasting(seconds) if seconds is not None else self.status
        return f"{took} · {self.replicas} files" if self.replicas else took


def fold(rows: Iterable[Mapping[str, Any]]) -> list[Folded]:
    """The steps in their order."""
    own: dict[str, Mapping[str, Any]] = {}
    replicas: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["replica_index"] is None:
            own[row["name"]] = row
        else:
            replicas.setdefault(row["name"], []).append(row)
    return [_fold_step(row, replicas.get(name, [])) for name, row in own.items()]


def _fold_step(row: Mapping[str, Any], replicas: list[Mapping[str, Any]]) -> Folded:
    counts = Counter(one["status"] for one in replicas)
    shown = sorted(replicas, key=lambda one: (FIRST.index(one["status"]), one["replica_index"]))
    return Folded(
        row, {word: counts[word] for word in reversed(FIRST) if counts[word]}, tuple(shown[:MOST_SHOWN])
    )
