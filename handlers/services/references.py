"""References of jobs, in chains and config/spaces, looked up with the rights of the people behind them."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from chains.builds.run_store import Built
from chains.language.ast import Chain, JobRef, Ref, RepoRef, from_data
from chains.plan.compiler import DEPTH, STEPS, SourceKey, compile_chain, source_key, too_many_steps
from chains.plan.model import ImageSource, JobSource, MountedSpace, Plan, Source, StepConfig
from chains.runs.records import Order
from handlers.rules.job_files import configs_of
from handlers.rules.mounts import parse as parse_mounts
from handlers.services.build_images import lack_of_image
from handlers.services.rights import absence_of, may, other_writer, place_of, refusal_of
from handlers.services.world import World
from vfs.access import people_behind, people_in_turn
from vfs.errors import Invalid
from vfs.ports.items import Found, Item
from vfs.ports.leaves import Leaf

T = TypeVar("T")


class Refusal(Exception):
    """Raised if the chain uses something that its owner or author may not use; `str()` names it."""


class References:
    """Looks up what orders refer to, and caches the results."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._answers: dict[tuple[object, ...], object] = {}

    def find(self, kind: str, owner: str, name: str, person: str) -> Found | None:
        """Return an item with its grants for a person."""
        return self._once(
            ("find", kind, owner, name, person),
            lambda: self._world.items.find(kind, owner, name, person),
        )

    def config(self, job: Item) -> Mapping[str, Leaf]:
        """Return the configuration files of a job, by their paths."""
        return self._once(
            ("config", job.id),
            lambda: {leaf.rel: leaf for leaf in self._world.leaves.texts(job.id, "config")},
        )

    def steps(self, job: Item) -> Mapping[str, StepConfig]:
        """Return the configurations of a job's steps, by label."""
        return configs_of({rel: leaf.text or "" for rel, leaf in self.config(job).items()})

    def image(self, repo: Item, label: str) -> Built | None:
        """Return the image built for a label of a repo."""
        return self._once(("image", repo.id, label), lambda: self._world.code.builds.image(repo.id, label))

    def lack(self, repo: Item, label: str, *, is_read: bool) -> str:
        """Return why a label of a repo has no image; details of its build only if `is_read`."""
        return self._once(
            ("lack", repo.id, label, is_read),
            lambda: lack_of_image(self._world, repo.id, label, is_read=is_read),
        )

    def writer(self, item: Item) -> str | None:
        """Return the target of a share that lets another user write an item; None without one."""
        return self._once(("writer", item.id), lambda: other_writer(self._world, item.id))

    def may_push(self, source: ImageSource, *, claimed: bool) -> bool:
        """Return whether the user who pushed the commit of an image may push to its repo now.

        For a job with a claim (`claimed`) only its owner may.
        """
        pusher = None
        if source.item is not None and source.commit is not None:
            pusher = self._world.code.builds.pusher(source.item, source.commit)
        if not pusher or (claimed and pusher != source.owner):
            return False
        found = self.find("repo", source.owner, source.repo, pusher)
        return found is not None and self.allows(pusher, found, "rw")

    def allows(self, person: str, found: Found, letters: str) -> bool:
        """Return whether permission letters are granted to a person for an item."""
        return may(self._world, person, found, letters)

    def mounts(self, owner: str, author: str | None, spaces: str) -> tuple[MountedSpace, ...]:
        """Return the spaces that a config/spaces mounts.

        Raises Refusal unless the people behind a job may read them, and write those mounted rw (R-10).
        """
        mounted = []
        for mount in parse_mounts(spaces):
            letters = "rw" if mount.writable else "r"
            for person in people_in_turn(owner, author):
                found = self.find("space", mount.owner, mount.space, person)
                if found is None and person == mount.owner:
                    raise Refusal(absence_of("space", mount.owner, mount.space))
                if found is None or not self.allows(person, found, letters):
                    raise Refusal(refusal_of(person, place_of("space", mount.owner, mount.space), letters))
                item = found.item.id
            mounted.append(MountedSpace(mount.name, item, mount.writable, mount.owner, mount.space))
        return tuple(mounted)

    def _once(self, key: tuple[object, ...], ask: Callable[[], T]) -> T:
        if key not in self._answers:
            self._answers[key] = ask()
        answer: T = self._answers[key]  # type: ignore[assignment]
        return answer


def plan_of(references: References, job: Item, order: Order, chain: Chain) -> Plan:
    """Return the plan of an order's chain, with the spaces that it mounts.

    Raises Refusal if access is missing (R-10), or if a job with a claim would pass its credential to an image
    that others can push (R-11).
    """
    mounts = references.mounts(job.owner, order.author, order.spaces)
    if order.claim is not None:
        guard(references, job, chain)
    configs = references.steps(job)
    try:
        sources = _look_up_all(chain, partial(_look_up, references, job.owner, order.author))
        plan = compile_chain(chain, sources, configs)
    except Invalid as mistake:
        raise Refusal(mistake.detail) from None
    return replace(plan, mounts=mounts)


def admit_chain(references: References, job: Item, chain: Chain, person: str) -> None:
    """Raise Mistake naming the cycle if a chain runs its own job through jobs that the person may use."""

    def look_up(ref: Ref, _: JobSource | None) -> Source:
        owner = ref.owner or job.owner
        if isinstance(ref, RepoRef):
            return ImageSource(owner, ref.repo, ref.label, None, None)
        found = references.find("job", owner, ref.job, person)
        if found is None:
            return ImageSource(owner, ref.job, "", None, None)
        item, stored = found.item, ""
        if item.id != job.id and references.allows(person, found, "x"):
            stored = text_of(references.config(item), "config/plan")
        inner = chain if item.id == job.id else chain_of(stored) if stored else Chain((), ())
        return JobSource(owner, item.name, item.id, item.shortname, inner)

    compile_chain(chain, _look_up_all(chain, look_up))


def guard(references: References, job: Item, chain: Chain) -> None:
    """Raise Refusal unless every image of the chain is of a repo that only the job's owner can write."""
    for step in chain.steps:
        if not isinstance(step.ref, RepoRef):
            continue
        owner = step.ref.owner or job.owner
        found = references.find("repo", owner, step.ref.repo, job.owner)
        if owner != job.owner or (found is not None and references.writer(found.item) is not None):
            raise Refusal(
                f"the job has config/access set, and others can push to @{owner}/{step.ref.repo}: "
                "use a repo that only the owner can write, or clear config/access"
            )


def _look_up_all(
    chain: Chain, look_up: Callable[[Ref, JobSource | None], Source]
) -> Mapping[SourceKey, Source]:
    """Return all that a chain and the chains of its jobs refer to, each looked up once.

    Jobs that the compiler would refuse, as they are too deep, are not looked into. Raises Mistake if the
    chains have more steps than fit into all levels of jobs.
    """
    sources, known, count = dict[SourceKey, Source](), set[int](), 0
    waiting = deque[tuple[Chain, JobSource | None, int]]([(chain, None, 0)])
    while waiting:
        now, inside, depth = waiting.popleft()
        count += len(now.steps)
        if count > STEPS * (DEPTH + 1):
            raise too_many_steps()
        for step in now.steps:
            key = source_key(step.ref, inside)
            if key in sources:
                continue
            source = sources[key] = look_up(key[0], inside)
            if isinstance(source, JobSource) and source.job_item not in known and depth < DEPTH:
                known.add(source.job_item)
                waiting.append((source.chain, source, depth + 1))
    return sources


def _look_up(
    references: References, owner: str, author: str | None, ref: Ref, inside: JobSource | None
) -> Source:
    """Return what a reference names, if the owner and author of the chain that has it may use it (R-10)."""
    user = _User(references, owner, author)
    if inside is not None:
        user = _User(references, inside.owner, inside.author)
    return user.image(ref) if isinstance(ref, RepoRef) else user.job(ref)


@dataclass(frozen=True, slots=True)
class _User:
    """A job's owner and the last writer of its chain, who use what it refers to."""

    references: References
    owner: str
    author: str | None

    def image(self, ref: RepoRef) -> ImageSource:
        owner = ref.owner or self.owner
        item = self.usable("repo", owner, ref.repo)
        if item is None:
            return ImageSource(owner, ref.repo, ref.label, None, None)
        built = self.references.image(item, ref.label)
        if built is None:
            lack = self.references.lack(item, ref.label, is_read=self._may_read(owner, ref.repo))
            return ImageSource(owner, ref.repo, ref.label, None, None, item.id, lack)
        return ImageSource(owner, ref.repo, ref.label, built.image, built.commit, item.id)

    def job(self, ref: JobRef) -> JobSource:
        owner = ref.owner or self.owner
        item = self.usable("job", owner, ref.job)
        leaves = self.references.config(item) if item is not None else {}
        stored, spaces = text_of(leaves, "config/plan"), text_of(leaves, "config/spaces")
        if item is None:
            raise Refusal(absence_of("job", owner, ref.job))
        if not stored:
            raise Refusal(
                f"the job {place_of('job', owner, ref.job)} has no chain yet: write one to its config/chains"
            )
        author = leaves["config/chains"].author if "config/chains" in leaves else None
        mounts = self.references.mounts(item.owner, author, spaces)
        chain, steps = chain_of(stored), self.references.steps(item)
        return JobSource(owner, item.name, item.id, item.shortname, chain, author, spaces, mounts, steps)

    def _may_read(self, owner: str, repo: str) -> bool:
        """Return whether all people behind the chain may read a repo, and so the log of its builds."""
        for person in people_behind(self.owner, self.author):
            found = self.references.find("repo", owner, repo, person)
            if found is None or not self.references.allows(person, found, "r"):
                return False
        return True

    def usable(self, kind: str, owner: str, name: str) -> Item | None:
        """Return the item if all people behind the chain may execute it; None if the owner has none."""
        item: Item | None = None
        for person in people_in_turn(self.owner, self.author):
            found = self.references.find(kind, owner, name, person)
            if found is None and owner == self.owner:
                return None
            if found is None or not self.references.allows(person, found, "x"):
                raise Refusal(refusal_of(person, place_of(kind, owner, name), "x"))
            item = found.item
        return item


def chain_of(text: str) -> Chain:
    """Return the chain that a job stores as JSON."""
    return from_data(json.loads(text))


def text_of(leaves: Mapping[str, Leaf], rel: str) -> str:
    """Return the text of a file; "" if it is missing."""
    leaf = leaves.get(rel)
    return leaf.text or "" if leaf is not None else ""
