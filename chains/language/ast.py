"""The parts of a chain (references, steps, edges) as values, as text and as JSON data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

NAME = r"[a-z0-9][a-z0-9_-]{0,63}"

_SHORT = re.compile(NAME)
_IMAGE_LABEL = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}"
_REPO = re.compile(rf"@(?P<owner>{NAME})/(?P<repo>{NAME})(?::(?P<label>{_IMAGE_LABEL}))?")
_JOB = re.compile(rf"/?(?:u/(?P<owner>{NAME})/)?j/(?P<job>{NAME})")


class Phase(StrEnum):
    """The side of a step, before or after it, on which a hold is."""

    BEFORE = "before"
    AFTER = "after"


@dataclass(frozen=True, slots=True)
class RepoRef:
    """A repo's image: `@owner/repo:label`, or short `repo`, whose `owner` None means the job's owner."""

    owner: str | None
    repo: str
    label: str = "latest"

    @property
    def short(self) -> bool:
        """Whether the reference is only the repo's name."""
        return self.owner is None

    def __str__(self) -> str:
        return self.repo if self.owner is None else f"@{self.owner}/{self.repo}:{self.label}"


@dataclass(frozen=True, slots=True)
class JobRef:
    """A job as a step: `/u/<owner>/j/<job>`, or `/j/<job>`, whose `owner` None means the job's owner."""

    owner: str | None
    job: str

    def __str__(self) -> str:
        return f"/j/{self.job}" if self.owner is None else f"/u/{self.owner}/j/{self.job}"


Ref = RepoRef | JobRef


@dataclass(frozen=True, slots=True)
class Step:
    """A step: its label, its repo or job, whether it runs once per input file, and its holds."""

    label: str
    ref: Ref
    fan_out: bool = False
    holds: tuple[Phase, ...] = ()


@dataclass(frozen=True, slots=True)
class Chain:
    """A chain without cycles: steps in the order of first mention, edges as pairs of labels."""

    steps: tuple[Step, ...]
    edges: tuple[tuple[str, str], ...]


def reference(text: str) -> Ref | None:
    """Return the reference that `text` spells, or None if it spells none.

    The forms are `repo`, `@owner/repo[:label]`, `[/]u/<owner>/j/<job>` and `[/]j/<job>` (decisions 19).
    """
    if _SHORT.fullmatch(text):
        return RepoRef(None, text)
    if repo := _REPO.fullmatch(text):
        return RepoRef(repo["owner"], repo["repo"], repo["label"] or "latest")
    if job := _JOB.fullmatch(text):
        return JobRef(job["owner"], job["job"])
    return None


def to_data(chain: Chain) -> dict[str, Any]:
    """Return the chain as JSON data, stored beside the text so that a trigger need not parse it."""
    steps = [
        {
            "label": step.label,
            "ref": str(step.ref),
            "fan_out": step.fan_out,
            "holds": [str(hold) for hold in step.holds],
        }
        for step in chain.steps
    ]
    return {"steps": steps, "edges": [list(edge) for edge in chain.edges]}


def from_data(data: Mapping[str, Any]) -> Chain:
    """Return the chain that `to_data` wrote. Raise ValueError for any other data."""
    return Chain(
        tuple(_step(step) for step in data["steps"]),
        tuple((before, after) for before, after in data["edges"]),
    )


def _step(data: Mapping[str, Any]) -> Step:
    ref = reference(data["ref"])
    if ref is None:
        raise ValueError(f'"{data["ref"]}" is not a reference')
    return Step(data["label"], ref, data["fan_out"], tuple(Phase(hold) for hold in data["holds"]))
