"""The plan of a run as values: steps with their sources, edges, holds; and its conversion to plain data."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import Any

from chains.language.ast import Chain, Phase

MOST_RETRIES = 10
LONGEST_BACKOFF = 3_600.0

NEVER = ((64, 78),)
"""The exit codes that are not retried by default: those of wrong usage, input and configuration."""


@dataclass(frozen=True, slots=True)
class StepConfig:
    """The configuration of a step at the trigger of its run.

    `backoff`: seconds before the second attempt; each further wait is twice as long. `retry_on`: ranges of
    exit codes that are retried (None: all but `NEVER`). `timeout` (seconds), `memory` (bytes) and `cpus` are
    None for the server's limits.
    """

    retries: int = 0
    backoff: float = 10.0
    retry_on: tuple[tuple[int, int], ...] | None = None
    timeout: float | None = None
    memory: int | None = None
    cpus: float | None = None

    @property
    def attempts(self) -> int:
        """The largest number of attempts."""
        return 1 + self.retries

    def retries_code(self, code: int) -> bool:
        """Return whether an attempt that ended with this exit code is followed by another."""
        if self.retry_on is None:
            return not _within(code, NEVER)
        return _within(code, self.retry_on)

    def wait_after(self, attempt: int) -> float:
        """Return the seconds between an attempt and the next."""
        return min(self.backoff * 2.0 ** (attempt - 1), LONGEST_BACKOFF)


PLAIN = StepConfig()
"""The configuration of a step without settings."""


def _within(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(low <= code <= high for low, high in ranges)


HEADLINE = "Chain: "
ARROW = " -> "


@dataclass(frozen=True, slots=True)
class ImageSource:
    """A repo's image: `image_id` None when it was never built, `commit` None when none is recorded.

    `item` is the repo's item id; None when there was no such repo, or an earlier release recorded the plan.
    `lack`: why there was no image at the trigger, as text to follow a colon.
    """

    owner: str
    repo: str
    label: str
    image_id: str | None
    commit: str | None
    item: int | None = None
    lack: str = ""

    def __str__(self) -> str:
        return f"@{self.owner}/{self.repo}:{self.label}"


@dataclass(frozen=True, slots=True)
class MountedSpace:
    """A space mounted at `/mnt/<name>`, read-only unless `writable`.

    `space` is its item id, `owner` and `called` are its names in config/spaces.
    """

    name: str
    space: int
    writable: bool
    owner: str
    called: str


@dataclass(frozen=True, slots=True)
class JobSource:
    """A job whose chain replaces a step; `job_item` is its item id.

    `author` wrote its chain last, `spaces` is its config/spaces and `mounts` the mounts in it. `steps` are
    the configurations of its steps, by label.
    """

    owner: str
    job: str
    job_item: int
    shortname: str
    chain: Chain
    author: str | None = None
    spaces: str = ""
    mounts: tuple[MountedSpace, ...] | None = None
    steps: Mapping[str, StepConfig] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"/u/{self.owner}/j/{self.job}"


Source = ImageSource | JobSource


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """A row of `steps`. `parent` is the composed step that contains it, None at the top level."""

    name: str
    ordinal: int
    source: ImageSource
    fan_out: bool
    predecessors: tuple[str, ...]
    parent: str | None
    config: StepConfig = PLAIN


@dataclass(frozen=True, slots=True)
class ComposedStep:
    """A step that is a job, and so a child run: it has no row; its steps have its name as `parent`.

    `spaces`: the job's config/spaces at the trigger. `mounts`: the mounts for its steps (None in plans of
    earlier releases). `author`: the last author of its chain.
    """

    name: str
    owner: str
    job: str
    job_item: int
    shortname: str
    parent: str | None
    author: str | None = None
    spaces: str = ""
    mounts: tuple[MountedSpace, ...] | None = None


@dataclass(frozen=True, slots=True)
class Hold:
    """A possible stop: `step` is the marked step.

    `steps`: the planned steps before or after the hold: the marked step, or if that is a job, its first or
    last steps. `ordinal`: the position of the hold, that of the first or last of these.
    """

    step: str
    phase: Phase
    ordinal: int
    steps: tuple[str, ...]


@dataclass(frozen=True)
class Plan:
    """The plan of a run: steps in a stable topological order, edges between their names, holds.

    `mounts` are those of the steps of the top level (None in plans of earlier releases).
    """

    steps: tuple[PlannedStep, ...]
    edges: tuple[tuple[str, str], ...]
    holds: tuple[Hold, ...] = ()
    composed: tuple[ComposedStep, ...] = ()
    mounts: tuple[MountedSpace, ...] | None = None

    @cached_property
    def ends(self) -> tuple[PlannedStep, ...]:
        """Steps without successors: their output is the result; several have a folder each."""
        leading = {before for before, _ in self.edges}
        return tuple(step for step in self.steps if step.name not in leading)

    def step(self, name: str) -> PlannedStep:
        """Return the step with a name. Raises KeyError."""
        return self._by_name[name]

    def headline(self) -> str:
        """Return the first line of the run's log (interface, "Runs" rule 2)."""
        return headline(step.name for step in self.steps)

    def lines(self) -> tuple[str, ...]:
        """Return a line for each step for the log, with its image and, if recorded, its commit."""
        return tuple(f"{step.name}: {step.source}{_built_from(step.source)}" for step in self.steps)

    @cached_property
    def _by_name(self) -> dict[str, PlannedStep]:
        return {step.name: step for step in self.steps}


def headline(names: Iterable[str]) -> str:
    """Return the first line of the log of a run with these steps (interface, "Runs" rule 2)."""
    return HEADLINE + ARROW.join(names)


def steps_named(line: str) -> list[str]:
    """Return the steps in the first line of a log; none for any other line."""
    return line.removeprefix(HEADLINE).split(ARROW) if line.startswith(HEADLINE) else []


def to_data(plan: Plan) -> dict[str, Any]:
    """Return the plan as plain data for JSON."""
    return {
        "steps": [_step_data(step) for step in plan.steps],
        "edges": [list(edge) for edge in plan.edges],
        "holds": [_fields(hold) for hold in plan.holds],
        "composed": [
            _fields(composed) | {"mounts": _mounts_data(composed.mounts)} for composed in plan.composed
        ],
        "mounts": _mounts_data(plan.mounts),
    }


def from_data(data: Mapping[str, Any]) -> Plan:
    """Return the plan that `to_data` wrote."""
    return Plan(
        tuple(_step(step) for step in data["steps"]),
        tuple((before, after) for before, after in data["edges"]),
        tuple(
            Hold(hold["step"], Phase(hold["phase"]), hold["ordinal"], tuple(hold["steps"]))
            for hold in data["holds"]
        ),
        tuple(
            ComposedStep(**{**composed, "mounts": _mounts(composed.get("mounts"))})
            for composed in data["composed"]
        ),
        _mounts(data.get("mounts")),
    )


def _mounts_data(mounts: Collection[MountedSpace] | None) -> list[dict[str, Any]] | None:
    return None if mounts is None else [_fields(mounted) for mounted in mounts]


def _mounts(data: Collection[Mapping[str, Any]] | None) -> tuple[MountedSpace, ...] | None:
    return None if data is None else tuple(MountedSpace(**mounted) for mounted in data)


def _fields(value: PlannedStep | ImageSource | Hold | ComposedStep | MountedSpace) -> dict[str, Any]:
    named = ((one.name, getattr(value, one.name)) for one in fields(value))
    return {name: list(one) if isinstance(one, tuple) else one for name, one in named}


def _step_data(step: PlannedStep) -> dict[str, Any]:
    data = _fields(step) | {"source": _fields(step.source), "config": asdict(step.config)}
    if step.config == PLAIN:
        del data["config"]
    return data


def _step(data: Mapping[str, Any]) -> PlannedStep:
    source, predecessors = ImageSource(**data["source"]), tuple(data["predecessors"])
    config = _config(data["config"]) if "config" in data else PLAIN
    return PlannedStep(**{**data, "source": source, "predecessors": predecessors, "config": config})


def _config(data: Mapping[str, Any]) -> StepConfig:
    ranges = data["retry_on"]
    codes = None if ranges is None else tuple((low, high) for low, high in ranges)
    return StepConfig(**{**data, "retry_on": codes})


def _built_from(source: ImageSource) -> str:
    return f" (commit {source.commit})" if source.commit else ""
