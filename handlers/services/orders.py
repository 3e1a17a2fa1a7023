"""What a trigger of any kind makes of a job: the order for a run, its chain's references looked up with the
rights of the two people behind them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from chains.language.ast import Chain, Ref, RepoRef
from chains.language.chain import parse
from chains.plan.compiler import compile_chain
from chains.plan.model import ImageSource, JobSource, Plan, Source
from chains.runs.records import Order, Run
from chains.runs.rights import people
from chains.runs.states import Status
from handlers.services.references import Refusal, chain_of, configured, looking_up, mounted, said
from handlers.services.rights import may, other_writer
from vfs.errors import Invalid
from vfs.ports.world import Item, stamp

LOOKED_UP = ("items", "leaves", "grants")


@dataclass(frozen=True, slots=True)
class Asked:
    """A wish for a run: its id, how and by whom it is triggered,
    and the folder of its input (None: an empty one).
    """

    id: str
    trigger: str
    source: str
    by: str
    input: str | None


def ordered(world: Any, job: Item, asked: Asked) -> tuple[Order, Refusal | None]:
    """The order that a job's leaves make of a wish, and what forbids it; without a chain it has no plan."""
    leaves = configured(world, job)
    chain = leaves.get("config/chains")
    order = Order(
        job=job.id,
        id=asked.id,
        trigger=asked.trigger,
        source=asked.source,
        by=asked.by,
        plan=None,
        input=asked.input,
        claim=said(leaves, "config/access") or None,
        spaces=said(leaves, "config/spaces"),
        author=chain.author if chain is not None else None,
    )
    stored = said(leaves, "config/plan")
    if not stored:
        return order, None
    try:
        mounts = mounted(world, people(job.owner, order.author), order.spaces)
        found = order_plan(world, job, order.author, order.claim, stored)
        return replace(order, plan=replace(found, mounts=mounts)), None
    except Refusal as refusal:
        return order, refusal


def once(world: Any) -> Any:
    """The world as it is seen for several orders in one transaction: what is looked up is looked up once."""
    once = {port: _Once(getattr(world, port)) for port in LOOKED_UP}
    return replace(world, **once, code=replace(world.code, builds=_Once(world.code.builds)))


class _Once:
    """A port that is only read from: a question that was answered is answered the same."""

    def __init__(self, port: Any) -> None:
        self._port = port

    def __getattr__(self, name: str) -> Any:
        answers = cache(getattr(self._port, name))
        setattr(self, name, answers)
        return answers


def recorded(world: Any, order: Order, refusal: Refusal | None) -> Run:
    """The run of an order in the book: `processing`, or `rejected` with the reason in its log (decisions 20).

    What a rejected run was sent is thrown away.
    """
    if refusal is None:
        run: Run = world.code.runs.queue.submit(order)
        return run
    if order.input is not None:
        world.code.folders.discard(order.input)
    with world.atomic():
        run = world.code.runs.queue.submit(replace(order, input=None), Status.REJECTED)
        world.code.runs.states.record(run.key, lines=[(stamp(world.clock.now()), "error", str(refusal))])
    return run


def order_plan(world: Any, job: Item, author: str | None, claim: str | None, stored: str) -> Plan:
    """The plan of a job's stored chain.

    Raises Refusal where execute access is missing (R-10), and where a job with a claim would hand its
    credential to an image that others can push (R-11).
    """
    chain = chain_of(stored)
    if claim is not None:
        guard(world, job, chain)
    try:
        return compile_chain(chain, looking_up(world, job.owner, author))
    except Invalid as mistake:
        raise Refusal(mistake.detail) from None


def open_circle(place: Any, sent: str) -> str:
    """The text of a chain, once the jobs in it that the caller may use do not run this job again.

    Raises Mistake naming the circle.
    """
    world, job, chain = place.world, place.here, parse(sent)

    def look_up(ref: Ref, _: JobSource | None) -> Source:
        owner = ref.owner or job.owner
        if isinstance(ref, RepoRef):
            return ImageSource(owner, ref.repo, ref.label, None, None)
        found = world.items.find("job", owner, ref.job, place.me)
        if found is None:
            return ImageSource(owner, ref.job, "", None, None)
        item = found.item
        leaf = world.leaves.get(item.id, "config/plan") if may(world, place.me, found, "x") else None
        inner = chain_of(leaf.text) if leaf is not None and leaf.text else Chain((), ())
        if item.id == job.id:
            inner = chain
        return JobSource(owner, item.name, item.id, item.shortname, inner)

    compile_chain(chain, look_up)
    return sent


def guard(world: Any, job: Item, chain: Chain) -> None:
    """Raise Refusal unless every image of the chain's own steps
    comes from a repo that only the job's owner can write.
    """
    for step in chain.steps:
        if not isinstance(step.ref, RepoRef):
            continue
        owner = step.ref.owner or job.owner
        found = world.items.find("repo", owner, step.ref.repo, job.owner)
        if owner != job.owner or (found is not None and other_writer(world, found.item.id) is not None):
            raise Refusal(
                f"the job has config/access set, and others can push to @{owner}/{step.ref.repo}: "
                "use a repo that only the owner can write, or clear config/access"
            )
