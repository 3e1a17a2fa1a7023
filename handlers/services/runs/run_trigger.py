"""Triggers: all runs are ordered here, whether by a request, a mail or a schedule.

A run has the rights of the people behind the job, which are checked now and at each use.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from chains.runs.records import Order, Run
from chains.runs.states import Overlap, Status, run_id
from handlers.services.references import References, Refusal, chain_of, plan_of, text_of
from handlers.services.runs.kept_inputs import NO_INPUT, StoredInput
from handlers.services.runs.overlaps import OVERLAP, Overlapping, admit_overlap, note_skipped
from handlers.services.world import World
from vfs.errors import Conflict, QuotaReached
from vfs.ports.clock import stamp
from vfs.ports.disk import require_disk_space
from vfs.ports.items import Item
from vfs.ports.quotas import QuotaName, Quotas

API, MAIL = "api", "email"
"""What triggers runs."""

LONGEST_SOURCE = 300
"""Characters of a run's source: it is in every listing of runs."""


class RunRequest(NamedTuple):
    """The origin of a run: the trigger, the `source` that it names, and the user `by` whom.

    The source is one word for a client program; for an event it is a kind and what it happened to. The id of
    the run contains the first digits of the `request`, if there is one.
    """

    trigger: str
    source: str
    by: str
    request: str | None = None

    @classmethod
    def of_event(cls, kind: str, subject: str, by: str) -> RunRequest:
        """Return the origin of a run that an event started: the API, as clients know no other word for it.

        The source is `push @me/words`. No client program has a blank in its name.
        """
        source = f"{kind} {subject}"
        return cls(API, source if len(source) <= LONGEST_SOURCE else f"{source[: LONGEST_SOURCE - 1]}…", by)


class NoChain(Conflict):
    """Raised if a job has no chain, so that there is nothing to run."""

    def __init__(self) -> None:
        super().__init__("the job has no chain yet: write one to config/chains, then trigger it again")


class OrderedRun(NamedTuple):
    """A recorded run; if it was rejected, with the `refusal`."""

    run: Run
    refusal: Refusal | None


def run_job(
    world: World,
    job: Item,
    ask: RunRequest,
    bring: Callable[[], StoredInput],
    check: Callable[[], None],
    *,
    is_long: bool = False,
) -> OrderedRun:
    """Order a run whose caller waits; `bring` gets its input after the quota is checked.

    If the input takes long to receive (`is_long`), the chain's rights are checked before that, too. Raises
    NoChain, what `check` and `bring` raise, QuotaReached, NoSpace and Unavailable.
    """
    _admit(world, job)
    references = References(world)
    if is_long:
        wanted, refusal = _draft_whole(references, world, job, ask, NO_INPUT)
        if refusal is not None:
            return _record(world, job, wanted, refusal)
        # Receiving it may take long: look everything up again.
        references = References(world)
    return order(world, references, job, ask, bring(), check=check)


def order(
    world: World,
    references: References,
    job: Item,
    ask: RunRequest,
    brought: StoredInput,
    *,
    check: Callable[[], None] = lambda: None,
    is_awaited: bool = True,
) -> OrderedRun:
    """Order a run of a job and record it: `processing`, or `rejected` if its chain lacks a right.

    `check` raises a late refusal. If no caller waits, a run beyond the owner's quota and one that is skipped
    are recorded as rejected, too. Raises NoChain, Overlapping, QuotaReached, NoSpace and Unavailable, after
    discarding the input.
    """
    try:
        check()
        wanted, refusal = _draft_whole(references, world, job, ask, brought)
        try:
            return _record(world, job, wanted, refusal)
        except (Overlapping, QuotaReached) as error:
            if is_awaited:
                raise
            return _record(world, job, wanted, Refusal(error.detail))
    except BaseException:
        if brought.folder is not None:
            world.code.folders.discard(brought.folder)
        raise


def order_all(world: World, asks: Iterable[tuple[Item, RunRequest]]) -> Sequence[Run]:
    """Order all of the runs or none, with few statements; return the rejected ones.

    No caller waits for them. A run of a job without a chain has no plan, and fails with that message. A run
    that is skipped, as an earlier one of its job has not ended, is noted in the job's activity.
    """
    rejected, orders = list[Run](), list[Order]()
    rooms, references = _RunsLeft(world.service.quotas), References(world)
    with world.atomic():
        for job, ask in asks:
            wanted, refusal = order_of(references, job, ask, NO_INPUT, _new_id(world, job, ask.request))
            refusal = refusal or rooms.refusal(job.owner)
            if refusal is not None:
                rejected.append(_record(world, job, wanted, refusal).run)
                continue
            try:
                admit_overlap(world, wanted)
                orders.append(wanted)
            except Overlapping as skipped:
                note_skipped(world, job, skipped)
        world.code.runs.queue.submit_all(orders)
    return rejected


def order_of(
    references: References, job: Item, ask: RunRequest, brought: StoredInput = NO_INPUT, id: str = ""
) -> tuple[Order, Refusal | None]:
    """Return the order for a job as it is now, and its refusal; without a chain it has no plan."""
    leaves = references.config(job)
    chain = leaves.get("config/chains")
    order = Order(
        job=job.id,
        id=id,
        trigger=ask.trigger,
        source=ask.source,
        by=ask.by,
        plan=None,
        input=brought.folder,
        claim=text_of(leaves, "config/access") or None,
        spaces=text_of(leaves, "config/spaces"),
        author=chain.author if chain is not None else None,
        kept=brought.kept,
        behind=brought.behind,
        overlap=Overlap(text_of(leaves, OVERLAP) or Overlap.ALLOW),
    )
    stored = text_of(leaves, "config/plan")
    if not stored:
        return order, None
    try:
        plan = plan_of(references, job, order, chain_of(stored))
    except Refusal as refusal:
        return order, refusal
    if brought.resumed is not None:
        return brought.resumed.order(references, order, plan), None
    return replace(order, plan=plan), None


def _draft_whole(
    references: References, world: World, job: Item, ask: RunRequest, brought: StoredInput
) -> tuple[Order, Refusal | None]:
    """Return the order of a job with a chain, and its refusal. Raises NoChain without one."""
    id = _new_id(world, job, ask.request)
    wanted, refusal = order_of(references, job, ask, brought, id)
    if wanted.plan is None and refusal is None:
        raise NoChain
    return wanted, refusal


def _new_id(world: World, job: Item, request: str | None) -> str:
    """Return the id of a new run, with the digits of the request's id unless that was used before."""
    now = world.clock.now()
    if request is not None:
        own = run_id(now, request)
        if world.code.runs.reader.get(job.id, own) is None:
            return own
    return run_id(now, secrets.token_hex(4))


def _admit(world: World, job: Item) -> None:
    """Raise NoSpace on a full disk, QuotaReached if the job's owner may not have one more run."""
    require_disk_space(world.service.disk)
    world.service.quotas.admit_more(job.owner, QuotaName.RUNS, 1)


def _record(world: World, job: Item, order: Order, refusal: Refusal | None) -> OrderedRun:
    """Record an order: `processing`, or `rejected` with the reason in its log (decisions 20).

    The input of a rejected run is discarded. If it raises QuotaReached, NoSpace or Unavailable, nothing was
    recorded.
    """
    runs, folders = world.code.runs, world.code.folders
    if refusal is not None:
        if order.input is not None:
            folders.discard(order.input)
        with world.atomic():
            run = runs.queue.submit(replace(order, input=None), Status.REJECTED)
            runs.states.record(run.key, lines=[(stamp(world.clock.now()), "error", str(refusal))])
        return OrderedRun(run, refusal)
    if order.input is not None:
        # With several hosts, the input is stored for all of them.
        shared = world.code.run_files
        files = shared.store(folders.path(order.input), order.job) if shared is not None else None
        order = replace(order, tally=folders.tally(order.input), files=files)
    with world.atomic():
        admit_overlap(world, order)
        _admit(world, job)
        run = runs.queue.submit(order)
    if order.files is not None and order.input is not None:
        folders.discard(order.input)
    return OrderedRun(run, None)


@dataclass(slots=True)
class _RunsLeft:
    """Number of runs that each owner may still start, queried once per owner in a transaction."""

    quotas: Quotas
    left: dict[str, int] = field(default_factory=dict)

    def refusal(self, owner: str) -> Refusal | None:
        """Count one more run; return its refusal if the quota is reached."""
        if owner not in self.left:
            self.left[owner] = self.quotas.one(owner, QuotaName.RUNS).room
        self.left[owner] -= 1
        if self.left[owner] >= 0:
            return None
        return Refusal(f"the account {owner} has as many runs under way as it may: wait until one has ended")
