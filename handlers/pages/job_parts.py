"""Common parts of the pages of jobs and runs: addresses, the chain, rows of runs and of steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chains.language.ast import Chain, Phase
from handlers.pages.chain_drawing import ChainDrawing, StepBox, draw_chain
from handlers.pages.framing.moments import lasting
from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest


def draw_plan(chain: Chain) -> tuple[ChainDrawing, ChainDrawing] | None:
    """Return the drawing of a chain that is not running."""
    nodes = [
        StepBox(
            step.label,
            f"{step.ref}" + (" · once per file" if step.fan_out else ""),
            before="planned" if Phase.BEFORE in step.holds else "",
            after="planned" if Phase.AFTER in step.holds else "",
        )
        for step in chain.steps
    ]
    return draw_chain(nodes, chain.edges)


def words(names: Iterable[str], edges: Sequence[Sequence[str]]) -> str:
    """Return a drawing in words, for readers who cannot see it."""
    said = ", ".join(f"{one} to {two}" for one, two in edges)
    return f"The chain: {said}" if said else f"The chain has one step: {', '.join(names)}"


def history(request: PageRequest, job: ItemPath, most: int) -> list[Mapping[str, Any]]:
    """Return the rows of the newest runs that the caller may read, newest first."""
    return [{"name": row.name, **row.extra} for row in request.peek(job.api / "runs", ())[:most]]


MOST_SHOWN = 60
FIRST = ("failed", "running", "canceled", "pending", "success")


@dataclass(frozen=True, slots=True)
class Folded:
    """A step with the rows of its replicas: the number in each state, and those that are shown."""

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
        """A note for a box: the duration, or the progress of the replicas."""
        if self.replicas and self.status in ("running", "failed"):
            return f"{self.counts.get('success', 0)} of {self.replicas} files done"
        if "output_of" in self.row:
            return "not repeated"
        seconds = self.row["duration"]
        took = lasting(seconds) if seconds is not None else self.status
        if self.row.get("attempt", 1) > 1:
            took = f"{took} · attempt {self.row['attempt']}"
        return f"{took} · {self.replicas} files" if self.replicas else took


def fold(rows: Iterable[Mapping[str, Any]]) -> list[Folded]:
    """Return the steps in their order."""
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
