"""Parts that the pages of jobs and of runs share: addresses, the chain as written, rows of runs, commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chains.language.ast import Chain, Phase
from handlers.pages.chain_drawing import ChainDrawing, StepBox, draw_chain
from handlers.pages.request import PageRequest
from handlers.rules.addresses import API
from vfs.path import Path

SIGNED = 'curl -H "Authorization: Bearer $TOKEN"'


@dataclass(frozen=True, slots=True)
class JobPath:
    """A job, as the address of its page names it."""

    user: str
    job: str

    @property
    def api(self) -> Path:
        """Its folder in the tree."""
        return API / ("users", self.user, "code", "jobs", self.job)

    @property
    def page(self) -> Path:
        """Its page."""
        return Path(("u", self.user, "j", self.job))


@dataclass(frozen=True, slots=True)
class Command:
    """A line for a terminal that does, or shows, what the page does."""

    what: str
    line: str


def draw_plan(chain: Chain) -> tuple[ChainDrawing, ChainDrawing] | None:
    """The drawing of a chain that is not running."""
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
    """A drawing in words, for those who do not see it."""
    said = ", ".join(f"{one} to {two}" for one, two in edges)
    return f"The chain: {said}" if said else f"The chain has one step: {', '.join(names)}"


def history(request: PageRequest, job: JobPath, most: int) -> list[Mapping[str, Any]]:
    """The newest runs that the caller may read, newest first, each as its row tells of it."""
    return [{"name": row.name, **row.extra} for row in request.peek(job.api / "runs", ())[:most]]
