"""Cycles of triggers: jobs that would start each other without end, refused when a file is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from chains.language.ast import JobRef
from chains.language.mistake import Mistake
from chains.language.result_lines import parse_results
from chains.language.trigger_lines import TriggerKind, TriggerLine, parse_triggers
from handlers.rules.mounts import parse as parse_mounts
from handlers.services.references import References, chain_of, text_of
from handlers.services.rights import place_of
from handlers.services.runs.job_triggers import NEEDS, TRIGGERS
from handlers.services.world import World
from vfs.errors import Invalid
from vfs.ports.items import Item, ItemName

SPACES, RESULTS, PLAN = "config/spaces", "config/results", "config/plan"
MOST_JOBS = 100
"""Jobs that are looked at for one write. What is further away is bounded by the setting `trigger_runs`."""


def admit_no_cycle(world: World, job: Item, person: str, files: Mapping[str, str]) -> None:
    """Raise Invalid if a job with these new files would start itself, as far as the person may read."""
    walk = _CauseWalk(world, References(world), job, person, files)
    if way := walk.way_to(job):
        steps = " <- ".join((*way, place_of("job", job.owner, job.name)))
        raise Invalid(
            f"the job would start itself again and again: {steps} (<- is: started by). "
            "Take out one of these lines, or write to another space"
        )


@dataclass
class _CauseWalk:
    """A walk from a job to all that starts it."""

    world: World
    references: References
    job: Item
    person: str
    files: Mapping[str, str]
    seen: set[int] = field(default_factory=set)

    def way_to(self, end: Item) -> list[str]:
        """Return the jobs and spaces from the job back to itself; empty if there is no such way."""
        paths = [(end, [place_of("job", end.owner, end.name)])]
        while paths:
            now, way = paths.pop()
            for cause, place in self._causes(now):
                further = [*way, place] if place else way
                if cause.id == end.id:
                    return further
                if cause.id not in self.seen and len(self.seen) < MOST_JOBS:
                    self.seen.add(cause.id)
                    paths.append((cause, [*further, place_of("job", cause.owner, cause.name)]))
        return []

    def _causes(self, job: Item) -> Iterator[tuple[Item, str]]:
        """Yield the jobs that start a job, with the space between the two."""
        for line in _parsed(self._text(job, TRIGGERS)):
            owner = line.owner or job.owner
            if line.kind is TriggerKind.AFTER:
                found = self.references.find("job", owner, line.name, self.person)
                if found is not None and self.references.allows(self.person, found, NEEDS):
                    yield found.item, ""
            if line.kind is TriggerKind.CHANGED:
                for writer in self._writers(owner, line.name):
                    yield writer, place_of("space", owner, line.name)

    def _writers(self, owner: str, space: str) -> Iterator[Item]:
        """Yield the jobs whose runs may write to a space, as steps of other jobs too."""
        direct = [
            job
            for rel in (SPACES, RESULTS)
            for job in self._naming(ItemName("s", owner, space), rel)
            if (owner, space) in self._written(job)
        ]
        yield from direct
        for job in direct:
            yield from self._naming(ItemName("j", job.owner, job.name), PLAN)

    def _naming(self, named: ItemName, rel: str) -> Iterator[Item]:
        """Yield the jobs that name an item in a file, as far as the person may read them."""
        ids = [id for id, _ in self.world.code.triggers.naming(named, rel, MOST_JOBS)]
        for id in (*ids, *((self.job.id,) if rel in self.files else ())):
            found = self.world.items.at(id, self.person)
            if found is None or not self.references.allows(self.person, found, NEEDS):
                continue
            if rel != PLAN or _has_step(self._text(found.item, rel), found.item.owner, named):
                yield found.item

    def _written(self, job: Item) -> set[tuple[str, str]]:
        """Return the owners and names of the spaces that a job writes to itself."""
        try:
            mounts = parse_mounts(self._text(job, SPACES))
            results = parse_results(self._text(job, RESULTS))
        except Invalid:
            return set()
        mounted = {(mount.owner, mount.space) for mount in mounts if mount.writable}
        fed = {
            (line.target.owner or job.owner, line.target.name)
            for line in results
            if line.target.letter == "s"
        }
        return mounted | fed

    def _text(self, job: Item, rel: str) -> str:
        if job.id == self.job.id and rel in self.files:
            return self.files[rel]
        return text_of(self.references.config(job), rel)


def _parsed(text: str) -> Iterator[TriggerLine]:
    try:
        yield from parse_triggers(text)
    except Mistake:
        return


def _has_step(plan: str, owner: str, named: ItemName) -> bool:
    """Return whether a stored chain runs a job as a step."""
    refs = (step.ref for step in chain_of(plan).steps) if plan else ()
    jobs = (ref for ref in refs if isinstance(ref, JobRef))
    return any((ref.owner or owner, ref.job) == (named.owner, named.name) for ref in jobs)
