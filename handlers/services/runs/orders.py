"""Orders: triggers of any kind made into runs, with the rights of the people behind the job."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from chains.language.ast import Chain, Ref, RepoRef
from chains.plan.compiler import compile_chain
from chains.plan.model import ImageSource, JobSource, Plan, Source
from chains.runs.records import KeptInput, Order, Reasons, Run
from chains.runs.states import Status
from handlers.services.references import References, Refusal, chain_of, resolve_for, text_of
from handlers.services.world import World
from vfs.access import people_behind
from vfs.errors import Invalid
from vfs.ports.clock import stamp
from vfs.ports.disk import require_room
from vfs.ports.items import Item
from vfs.ports.quotas import QuotaName


@dataclass(frozen=True, slots=True)
class Wish:
    """A wish for a run: its id, how and by whom it is triggered, the folder of its input (None: empty).

    `kept` is what of the input outlives the run, `behind` who brought it for an earlier run.
    """

    id: str
    trigger: str
    source: str
    by: str
    input: str | None
    kept: KeptInput | None = None
    behind: Reasons = field(default_factory=dict)


def order_of(references: References, job: Item, wish: Wish) -> tuple[Order, Refusal | None]:
    """The order that a job's leaves make of a wish, and its refusal; without a chain it has no plan."""
    leaves = references.config(job)
    chain = leaves.get("config/chains")
    order = Order(
        job=job.id,
        id=wish.id,
        trigger=wish.trigger,
        source=wish.source,
        by=wish.by,
        plan=None,
        input=wish.input,
        claim=text_of(leaves, "config/access") or None,
        spaces=text_of(leaves, "config/spaces"),
        author=chain.author if chain is not None else None,
        kept=wish.kept,
        behind=wish.behind,
    )
    stored = text_of(leaves, "config/plan")
    if not stored:
        return order, None
    try:
        mounts = references.mounts(people_behind(job.owner, order.author), order.spaces)
        plan = _plan(references, job, order, chain_of(stored))
        return replace(order, plan=replace(plan, mounts=mounts)), None
    except Refusal as refusal:
        return order, refusal


def admit_run(world: World, job: Item, more: int = 1) -> None:
    """Raise NoSpace on a full disk, QuotaReached when the job's owner may not have so many more runs."""
    require_room(world.service.disk)
    world.service.quotas.admit_more(job.owner, QuotaName.RUNS, more)


def record(world: World, job: Item, order: Order, refusal: Refusal | None) -> Run:
    """The run of an order in the book: `processing`, or `rejected` with the reason in its log (decisions 20).

    The input of a rejected run is thrown away. Raises QuotaReached, NoSpace and Unavailable, having recorded
    nothing.
    """
    runs = world.code.runs
    if refusal is None:
        if order.input is not None:
            order = _with_input(world, order, order.input)
        with world.atomic():
            admit_run(world, job)
            run = runs.queue.submit(order)
        if order.files is not None and order.input is not None:
            world.code.folders.discard(order.input)
        return run
    if order.input is not None:
        world.code.folders.discard(order.input)
    with world.atomic():
        run = runs.queue.submit(replace(order, input=None), Status.REJECTED)
        runs.states.record(run.key, lines=[(stamp(world.clock.now()), "error", str(refusal))])
    return run


def _with_input(world: World, order: Order, name: str) -> Order:
    """An order with what the book says of its input, which is stored for all hosts if there are several.

    Raises NoSpace, QuotaReached and Unavailable.
    """
    folders, shared = world.code.folders, world.code.run_files
    files = shared.store(folders.path(name), order.job) if shared is not None else None
    return replace(order, tally=folders.tally(name), files=files)


def _plan(references: References, job: Item, order: Order, chain: Chain) -> Plan:
    """The plan of a job's chain.

    Raises Refusal where execute access is missing (R-10), and where a job with a claim would hand its
    credential to an image that others can push (R-11).
    """
    if order.claim is not None:
        guard(references, job, chain)
    try:
        return compile_chain(chain, resolve_for(references, job.owner, order.author))
    except Invalid as mistake:
        raise Refusal(mistake.detail) from None


def admit_chain(references: References, job: Item, chain: Chain, person: str) -> None:
    """Raise Mistake naming the circle in which a chain runs its own job, by jobs that the person may use."""

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

    compile_chain(chain, look_up)


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
