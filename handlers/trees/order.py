"""What a trigger of any kind makes of a job: the order for a run, its chain's references looked up with the
rights of the two people behind them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from chains.book import Order, Run
from chains.chain import parse
from chains.plan import ImageSource, JobSource, Plan, Source, plan
from chains.run import Status
from chains.steps import Chain, JobRef, Ref, RepoRef, from_data
from handlers.rules.mounts import parse as parse_mounts
from handlers.trees.sharing import writer
from vfs.access import RUNNABLE, Access, Caller, reached
from vfs.errors import Invalid
from vfs.world import Found, Item, Leaf, stamp


class Refusal(Exception):
    """The chain uses something that its owner or its author may not use; `str()` says what."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A wish for a run: its id, how and by whom it is triggered, and the folder of its input (None: an empty
    one).
    """

    id: str
    trigger: str
    source: str
    by: str
    input: str | None


def ordered(world: Any, job: Item, asked: Asked) -> tuple[Order, Refusal | None]:
    """The order that a job's leaves make of a wish, and what forbids it; without a chain it has no plan."""
    leaves = {leaf.rel: leaf for leaf in world.leaves.texts(job.id, "config")}
    chain = leaves.get("config/chains")
    order = Order(
        job=job.id,
        id=asked.id,
        trigger=asked.trigger,
        source=asked.source,
        by=asked.by,
        plan=None,
        input=asked.input,
        claim=_text(leaves, "config/access") or None,
        spaces=_text(leaves, "config/spaces"),
        author=chain.author if chain is not None else None,
    )
    stored = _text(leaves, "config/plan")
    if not stored:
        return order, None
    try:
        mountable(world, job, order)
        return replace(order, plan=order_plan(world, job, order.author, order.claim, stored)), None
    except Refusal as refusal:
        return order, refusal


def recorded(world: Any, order: Order, refusal: Refusal | None) -> Run:
    """The run of an order in the book: `processing`, or `rejected` with the reason in its log (decisions 20).

    What a rejected run was sent is thrown away.
    """
    if refusal is None:
        run: Run = world.runs.submit(order)
        return run
    if order.input is not None:
        world.folders.discard(order.input)
    with world.atomic():
        run = world.runs.submit(replace(order, input=None), Status.REJECTED)
        world.runs.record(run.key, lines=[(stamp(world.clock.now()), "error", str(refusal))])
    return run


def order_plan(world: Any, job: Item, author: str | None, claim: str | None, stored: str) -> Plan:
    """The plan of a job's stored chain.

    Raises Refusal where execute access is missing (R-10), and where a job with a claim would hand its
    credential to an image that others can push (R-11).
    """
    chain = _chain(stored)
    if claim is not None:
        guard(world, job, chain)
    try:
        return plan(chain, _LookUp(world, job, author))
    except Invalid as mistake:
        raise Refusal(mistake.detail) from None


def open_circle(place: Any, sent: str) -> str:
    """The text of a chain, once the jobs in it that the caller may use do not run this job again.

    Raises Mistake naming the circle.
    """
    world, job, chain = place.world, place.here, parse(sent)

    def look_up(ref: Ref) -> Source:
        owner = ref.owner or job.owner
        if isinstance(ref, RepoRef):
            return ImageSource(owner, ref.repo, ref.label, None, None)
        found = world.items.find("job", owner, ref.job, place.me)
        if found is None:
            return ImageSource(owner, ref.job, "", None, None)
        item = found.item
        access = reached(item.owner, "job", found.reaches, Caller(place.me), RUNNABLE)
        leaf = world.leaves.get(item.id, "config/plan") if Access.EXECUTE in access else None
        inner = _chain(leaf.text) if leaf is not None and leaf.text else Chain((), ())
        if item.id == job.id:
            inner = chain
        return JobSource(owner, item.name, item.id, item.shortname, inner)

    plan(chain, look_up)
    return sent


def mountable(world: Any, job: Item, order: Order) -> None:
    """Raise Refusal unless both people may read what config/spaces mounts, and write what is mounted rw
    (R-10).
    """
    for mount in parse_mounts(order.spaces):
        needed = Access.READ | Access.WRITE if mount.writable else Access.READ
        for person in sorted({job.owner, order.author or job.owner}):
            found: Found | None = world.items.find("space", mount.owner, mount.space, person)
            access = Access(0)
            if found is not None:
                access = reached(found.item.owner, "space", found.reaches, Caller(person), RUNNABLE)
            if needed not in access:
                letters = "rw" if mount.writable else "r"
                raise Refusal(
                    f"@{person} may not use /u/{mount.owner}/s/{mount.space}: its owner has to share it with "
                    f"{letters}"
                )


def guard(world: Any, job: Item, chain: Chain) -> None:
    """Raise Refusal unless every image of the chain's own steps comes from a repo that only the job's owner
    can write.
    """
    for step in chain.steps:
        if not isinstance(step.ref, RepoRef):
            continue
        owner = step.ref.owner or job.owner
        found = world.items.find("repo", owner, step.ref.repo, job.owner)
        if owner != job.owner or (found is not None and writer(world, found.item.id) is not None):
            raise Refusal(
                f"the job has config/access set, and others can push to @{owner}/{step.ref.repo}: "
                "use a repo that only the owner can write, or clear config/access"
            )


class _LookUp:
    """Answers references for the job's owner and the last writer of its chain: both need `x` on everything
    used.
    """

    def __init__(self, world: Any, job: Item, author: str | None) -> None:
        self.world = world
        self.job = job
        self.people = {job.owner, author or job.owner}

    def __call__(self, ref: Ref) -> Source:
        if isinstance(ref, RepoRef):
            return self.image(ref, ref.owner or self.job.owner)
        return self.inner(ref, ref.owner or self.job.owner)

    def image(self, ref: RepoRef, owner: str) -> ImageSource:
        item = self.usable("repo", owner, ref.repo, f"@{owner}/{ref.repo}")
        built = self.world.builds.image(item.id, ref.label) if item is not None else None
        image, commit = (built.image, built.commit) if built is not None else (None, None)
        return ImageSource(owner, ref.repo, ref.label, image, commit)

    def inner(self, ref: JobRef, owner: str) -> JobSource:
        item = self.usable("job", owner, ref.job, f"/u/{owner}/j/{ref.job}")
        leaf = self.world.leaves.get(item.id, "config/plan") if item is not None else None
        if item is None or leaf is None or not leaf.text:
            raise Refusal(f"the job /u/{owner}/j/{ref.job} has no chain")
        return JobSource(owner, item.name, item.id, item.shortname, _chain(leaf.text))

    def usable(self, kind: str, owner: str, name: str, spelled: str) -> Item | None:
        """The item, when everybody behind the chain may execute it; None when the job's owner has none of
        that name.
        """
        item: Item | None = None
        for person in sorted(self.people):
            found: Found | None = self.world.items.find(kind, owner, name, person)
            if found is None:
                if owner == self.job.owner:
                    return None
                raise Refusal(f"@{person} may not use {spelled}: its owner has to share it with x")
            access = reached(found.item.owner, kind, found.reaches, Caller(person), RUNNABLE)
            if Access.EXECUTE not in access:
                raise Refusal(f"@{person} may not use {spelled}: its owner has to share it with x")
            item = found.item
        return item


def _chain(text: str) -> Chain:
    return from_data(json.loads(text))


def _text(leaves: Mapping[str, Leaf], rel: str) -> str:
    leaf = leaves.get(rel)
    return leaf.text or "" if leaf is not None else ""
