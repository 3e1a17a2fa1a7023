"""The compiler of a chain to a plan: it inserts the jobs that the chain refers to, and orders the steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from graphlib import TopologicalSorter
from heapq import heappop, heappush
from itertools import product

from chains.language.ast import Chain, Phase, Ref
from chains.language.mistake import Mistake
from chains.plan.model import (
    PLAIN,
    ComposedStep,
    Hold,
    JobSource,
    Plan,
    PlannedStep,
    Source,
    StepConfig,
)

DEPTH = 8
STEPS = 10_000
EDGES = 50_000
NAME = 200


class PlanFault(StrEnum):
    """The mistakes of a chain that are found only when its references are resolved."""

    RECURSION = "recursion"
    TOO_DEEP = "too_deep"
    TOO_MANY = "too_many"
    LONG_NAME = "long_name"


SourceKey = tuple[Ref, int | None]
"""A reference, with the item of the job whose chain contains it; None for the planned chain."""


def source_key(ref: Ref, inside: JobSource | None) -> SourceKey:
    """Return the key of a reference. A short one inside a referenced job gets that job's owner.

    Different accounts are responsible for each job, and may use different items (R-10).
    """
    if inside is None:
        return ref, None
    return ref if ref.owner is not None else replace(ref, owner=inside.owner), inside.job_item


def compile_chain(
    chain: Chain, sources: Mapping[SourceKey, Source], steps: Mapping[str, StepConfig] | None = None
) -> Plan:
    """Return the plan of `chain`, whose references are resolved to `sources`.

    `steps` are the configurations of its steps by label. Jobs more than 8 levels deep need no sources for
    their own chains. Raises Mistake for a cycle of jobs or more than 8 levels of them, for more than 10,000
    steps or 50,000 edges in all, or a name of more than 200 characters.
    """
    splice = _Splice(sources, steps or {})
    splice.add(chain, None, ())
    return splice.plan()


def too_many_steps() -> Mistake:
    """Return the refusal of a chain that has too many steps with its jobs."""
    reason = f"the chain with its jobs has more than {STEPS} steps: use smaller jobs"
    return Mistake(PlanFault.TOO_MANY, reason)


class _Splice:
    """A collector of the rows, edges and holds of a chain and of the jobs inside it."""

    def __init__(self, sources: Mapping[SourceKey, Source], steps: Mapping[str, StepConfig]) -> None:
        self.sources, self.steps = sources, steps
        self.rows: dict[str, PlannedStep] = {}
        self.composed: dict[str, ComposedStep] = {}
        self.firsts: dict[str, tuple[str, ...]] = {}
        self.lasts: dict[str, tuple[str, ...]] = {}
        self.edges: list[tuple[str, str]] = []
        self.holds: list[tuple[str, Phase]] = []

    def add(self, chain: Chain, parent: str | None, trail: tuple[JobSource, ...]) -> None:
        """Add the chain of the step `parent`; `trail` are the jobs around it, outermost first."""
        prefix = f"{parent}__" if parent else ""
        configs = trail[-1].steps if trail else self.steps
        for step in chain.steps:
            name = prefix + step.label
            if len(name) > NAME:
                reason = f'the step "{name[:60]}..." has a name beyond {NAME} characters: shorten the labels'
                raise Mistake(PlanFault.LONG_NAME, reason)
            self.holds += [(name, phase) for phase in step.holds if phase is Phase.BEFORE]
            source = self.sources[source_key(step.ref, trail[-1] if trail else None)]
            if isinstance(source, JobSource):
                self.compose(name, source, parent, trail)
            else:
                config = configs.get(step.label, PLAIN)
                self.row(PlannedStep(name, 0, source, step.fan_out, (), parent, config))
            self.holds += [(name, phase) for phase in step.holds if phase is Phase.AFTER]
        for before, after in chain.edges:
            self.join(self.lasts[prefix + before], self.firsts[prefix + after])

    def row(self, step: PlannedStep) -> None:
        if len(self.rows) == STEPS:
            raise too_many_steps()
        self.rows[step.name] = step
        self.firsts[step.name] = self.lasts[step.name] = (step.name,)

    def compose(self, name: str, job: JobSource, parent: str | None, trail: tuple[JobSource, ...]) -> None:
        items = [outer.job_item for outer in trail]
        if job.job_item in items:
            circle = " -> ".join(str(source) for source in (*trail[items.index(job.job_item) :], job))
            reason = f"the jobs run each other in a circle: {circle}; take one out of the other's chain"
            raise Mistake(PlanFault.RECURSION, reason)
        if len(trail) == DEPTH:
            reason = f'jobs are nested deeper than {DEPTH} at "{name}": use {job} further out'
            raise Mistake(PlanFault.TOO_DEEP, reason)
        self.composed[name] = ComposedStep(
            name, job.owner, job.job, job.job_item, job.shortname, parent, job.author, job.spaces, job.mounts
        )
        self.add(job.chain, name, (*trail, job))
        led = {after for _, after in job.chain.edges}
        leading = {before for before, _ in job.chain.edges}
        inner = {step.label: f"{name}__{step.label}" for step in job.chain.steps}
        self.firsts[name] = tuple(
            row for label in inner if label not in led for row in self.firsts[inner[label]]
        )
        self.lasts[name] = tuple(
            row for label in inner if label not in leading for row in self.lasts[inner[label]]
        )

    def join(self, lasts: tuple[str, ...], firsts: tuple[str, ...]) -> None:
        if len(self.edges) + len(lasts) * len(firsts) > EDGES:
            reason = f"the chain and its jobs have more than {EDGES} edges: put a step between the jobs"
            raise Mistake(PlanFault.TOO_MANY, reason)
        self.edges += product(lasts, firsts)

    def plan(self) -> Plan:
        predecessors: dict[str, list[str]] = {name: [] for name in self.rows}
        for before, after in self.edges:
            predecessors[after].append(before)
        ordinals = {name: ordinal for ordinal, name in enumerate(_order(predecessors))}
        steps = (
            replace(self.rows[name], ordinal=ordinal, predecessors=tuple(predecessors[name]))
            for name, ordinal in ordinals.items()
        )
        edges = sorted(self.edges, key=lambda edge: (ordinals[edge[0]], ordinals[edge[1]]))
        holds = sorted((self.hold(*mark, ordinals) for mark in self.holds), key=lambda hold: hold.ordinal)
        return Plan(tuple(steps), tuple(edges), tuple(holds), tuple(self.composed.values()))

    def hold(self, name: str, phase: Phase, ordinals: Mapping[str, int]) -> Hold:
        if phase is Phase.BEFORE:
            return Hold(name, phase, min(ordinals[first] for first in self.firsts[name]), self.firsts[name])
        return Hold(name, phase, max(ordinals[last] for last in self.lasts[name]), self.lasts[name])


def _order(predecessors: Mapping[str, list[str]]) -> list[str]:
    """Return the names in topological order, and otherwise in the order of their first mention."""
    mentioned = list(predecessors)
    places = {name: place for place, name in enumerate(mentioned)}
    sorter = TopologicalSorter(predecessors)
    sorter.prepare()
    order: list[str] = []
    waiting: list[int] = []
    while sorter.is_active():
        for name in sorter.get_ready():
            heappush(waiting, places[name])
        order.append(mentioned[heappop(waiting)])
        sorter.done(order[-1])
    return order
