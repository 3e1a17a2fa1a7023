"""Orders of runs: requests, hooks, mails, schedules and events all order runs here.

A run has the rights of the people behind the job, which are checked now and at each use. While earlier runs
of the job have not ended, config/overlap says what a new one does.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from time import monotonic
from typing import NamedTuple

from chains.runs.records import INFO, Order, Run
from chains.runs.states import CANCELED, Event, Overlap, Status, run_id
from handlers.services.references import References, Refusal, chain_of, plan_of, text_of
from handlers.services.run_notices import withdraw_waiting
from handlers.services.runs.kept_inputs import (
    FILES,
    NO_INPUT,
    EarlierInput,
    StoredInput,
    discarding,
    store_input,
)
from handlers.services.viewer import Viewer
from handlers.services.world import World
from vfs.body import Body
from vfs.cause import CAUSE, RUN
from vfs.errors import Conflict, Denied, QuotaReached
from vfs.ports.clock import stamp
from vfs.ports.disk import require_disk_space
from vfs.ports.items import Item
from vfs.ports.quotas import QuotaName, Quotas

API, MAIL, SCHEDULE = "api", "email", "schedule"
"""What triggers runs."""
OVERLAP = "config/overlap"
SKIPPED = "skipped a run"
"""Words in the `activity` of a job for a planned time that got no run; the path is that of the run before."""
MOST_AT_ONCE = 30
"""Runs of one job within a second whose ids have digits of one request."""
UNHELD = (
    "this credential has the scope propose: it starts jobs whose chain has a hold (such as  report!), and "
    "only from their beginning; a person has to start this one"
)
LONGEST_SOURCE = 300
"""Characters of a run's source: it is in every listing of runs."""


class RunRequest(NamedTuple):
    """The origin of a run: the trigger, the `source` that it names, and the user `by` whom.

    The source is one word for a client program; for an event it is a kind and what it happened to. With
    `must_hold`, the credential only starts runs that a person has to answer.
    """

    trigger: str
    source: str
    by: str
    must_hold: bool = False

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


class Overlapping(Conflict):
    """Raised if a run is skipped, as an earlier one of its job has not ended."""

    def __init__(self, earlier: Run, overlap: Overlap) -> None:
        super().__init__(
            f"the run {earlier.id} of the job has not ended, and {OVERLAP} is {overlap}: wait for its end, "
            f"or set {OVERLAP} to allow, queue or cancel",
            run=earlier.id,
            run_status=str(earlier.status),
        )
        self.earlier = earlier


class OrderedRun(NamedTuple):
    """A recorded run; if it was rejected, with the `refusal`."""

    run: Run
    refusal: Refusal | None


def require_room(world: World, job: Item) -> None:
    """Raise NoSpace on a full disk, QuotaReached if the job's owner may not have one more run."""
    require_disk_space(world.service.disk)
    world.service.quotas.admit_more(job.owner, QuotaName.RUNS, 1)


def run_job(viewer: Viewer, ask: RunRequest, sent: Body | EarlierInput) -> OrderedRun:
    """Order a run for a caller who waits, with what the caller sends or with the input of an earlier run.

    Files may take long to arrive: what the chain may use is looked up before, too, and afterwards whether the
    caller still may run the job. Raises as `store_input` and `order` do, and what the caller is refused with.
    """
    world, job, began = viewer.world, viewer.item, monotonic()
    require_room(world, job)
    if not isinstance(sent, EarlierInput) and sent.media == FILES:
        draft, refusal = _draft(world, job, ask, NO_INPUT)
        if refusal is not None:
            return _record(world, job, draft, refusal)
    stored = store_input(world, job, sent)
    with discarding(world, stored):
        viewer.check_since(began)
    return order(world, job, ask, stored)


def order(
    world: World, job: Item, ask: RunRequest, stored: StoredInput, *, is_awaited: bool = True
) -> OrderedRun:
    """Order a run of a job and record it: `processing`, or `rejected` if its chain lacks a right.

    If no caller waits, a run beyond the owner's quota and one that is skipped are recorded as rejected, too.
    Raises NoChain, Overlapping, QuotaReached, NoSpace and Unavailable, after discarding the input.
    """
    with discarding(world, stored):
        draft, refusal = _draft(world, job, ask, stored)
        try:
            return _record(world, job, draft, refusal)
        except (Overlapping, QuotaReached) as error:
            if is_awaited:
                raise
            return _record(world, job, draft, Refusal(error.detail))


def order_all(world: World, asks: Iterable[tuple[Item, RunRequest]]) -> Sequence[Run]:
    """Order all of the runs or none, with few statements; return the rejected ones.

    No caller waits for them. A run of a job without a chain has no plan, and fails with that message. A run
    that is skipped, as an earlier one of its job has not ended, is noted in the job's activity.
    """
    rejected, orders = list[Run](), list[Order]()
    rooms, references = _RunsLeft(world.service.quotas), References(world)
    with world.atomic():
        for job, ask in asks:
            wanted, refusal = order_of(references, job, ask, NO_INPUT, _new_id(world, job))
            refusal = refusal or rooms.refusal(job.owner)
            if refusal is not None:
                rejected.append(_record(world, job, wanted, refusal).run)
                continue
            try:
                _admit_overlap(world, wanted)
                orders.append(wanted)
            except Overlapping as skipped:
                note_skipped(world, job, skipped)
        world.code.runs.queue.submit_all(orders)
    return rejected


def order_of(
    references: References, job: Item, ask: RunRequest, stored: StoredInput = NO_INPUT, id: str = ""
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
        input=stored.folder,
        claim=text_of(leaves, "config/access") or None,
        spaces=text_of(leaves, "config/spaces"),
        author=chain.author if chain is not None else None,
        kept=stored.kept,
        behind=stored.behind,
        overlap=Overlap(text_of(leaves, OVERLAP) or Overlap.ALLOW),
    )
    chain_text = text_of(leaves, "config/plan")
    if not chain_text:
        return order, None
    try:
        plan = plan_of(references, job, order, chain_of(chain_text))
    except Refusal as refusal:
        return order, refusal
    if stored.resumed is not None:
        return stored.resumed.order(references, order, plan), None
    return replace(order, plan=plan), None


def _draft(world: World, job: Item, ask: RunRequest, stored: StoredInput) -> tuple[Order, Refusal | None]:
    """Return the order of a job with a chain, and its refusal. Raises NoChain without one, and Denied."""
    id = _new_id(world, job)
    draft, refusal = order_of(References(world), job, ask, stored, id)
    if draft.plan is None and refusal is None:
        raise NoChain
    if ask.must_hold and draft.plan is not None and (stored.resumed is not None or not draft.plan.holds):
        raise Denied(UNHELD)
    return draft, refusal


def _new_id(world: World, job: Item) -> str:
    """Return the id of a new run, with digits of the request that caused it, however indirectly.

    If a run of the job has this id, the new one counts as of a second later.
    """
    now, (kind, _, name) = world.clock.now(), CAUSE.get().partition(" ")
    digits = name.rpartition("-")[2] if kind == RUN else name
    for later in range(MOST_AT_ONCE) if digits else ():
        own = run_id(now + timedelta(seconds=later), digits)
        if world.code.runs.reader.get(job.id, own) is None:
            return own
    return run_id(now, secrets.token_hex(4))


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
        _admit_overlap(world, order)
        require_room(world, job)
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


def _admit_overlap(world: World, order: Order) -> None:
    """Apply the order's overlap to the earlier runs of its job. Call it in the transaction that records it.

    Raises Overlapping if the run is to be skipped. Of scheduled runs at most one waits for its turn, since
    what it will find is the same for all.
    """
    if order.overlap is Overlap.ALLOW:
        return
    world.code.runs.queue.lock(order.job)
    going = world.code.runs.reader.going(order.job)
    if order.overlap is Overlap.CANCEL:
        for run in going:
            _cancel(world, run, order)
        return
    waiting = (run for run in going if run.trigger == SCHEDULE and run.started_on is None)
    blocking = going[:1] if order.overlap is Overlap.SKIP else waiting if order.trigger == SCHEDULE else ()
    for run in blocking:
        raise Overlapping(run, order.overlap)


def note_skipped(world: World, job: Item, skipped: Overlapping) -> None:
    """Record in the job's `activity` that a planned time got no run."""
    world.social.actions.add(job.id, job.owner, SKIPPED, f"runs/{skipped.earlier.id}", loose=True)


def lock_runs(world: World, jobs: Iterable[Item]) -> None:
    """Lock the runs that new runs of the jobs may cancel: before the jobs' schedules, to avoid deadlocks."""
    ids = sorted(job.id for job in jobs)
    for job, texts in sorted(world.leaves.texts_of(ids, (OVERLAP,)).items()):
        if texts.get(OVERLAP) == Overlap.CANCEL:
            world.code.runs.queue.lock(job)
            for run in world.code.runs.reader.going(job):
                world.code.runs.states.record(run.key)


def _cancel(world: World, run: Run, order: Order) -> None:
    """Cancel a run, or decline the hold at which it waits, as a newer run takes its place."""
    states = world.code.runs.states
    states.record(run.key)
    present = world.code.runs.reader.by_key(run.key)
    if present is None or present.status.ended or present.status is Status.CANCELING:
        return
    said = f"The run {order.id} takes the place of this one: {OVERLAP} is {Overlap.CANCEL}."
    lines = [(stamp(world.clock.now()), INFO, said)]
    if present.status is Status.WAITING:
        states.record(run.key, lines=[*lines, (stamp(world.clock.now()), INFO, CANCELED)])
        states.settle(run.key, Event.DECLINE, order.by, None)
        withdraw_waiting(world, run.job, run.id)
    else:
        states.event(run.key, Event.CANCEL, lines=lines)
