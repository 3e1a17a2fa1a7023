"""Triggers: every run is ordered here, whether a request, a mail or a schedule asks for it."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from chains.runs.records import Order, Run
from chains.runs.states import run_id
from handlers.services.references import References, Refusal
from handlers.services.runs.kept_inputs import NO_INPUT, Brought
from handlers.services.runs.orders import Wish, order_of, record
from handlers.services.world import World
from vfs.errors import QuotaReached
from vfs.ports.items import Item
from vfs.ports.quotas import QuotaName, Quotas

API, MAIL, SCHEDULE = "api", "email", "schedule"
"""What triggers runs."""


class RunAsk(NamedTuple):
    """The asker of a run: one of the triggers, the `source` that it names, and `by` whom.

    The id of the run has the first digits of the `request`, where there is one.
    """

    trigger: str
    source: str
    by: str
    request: str | None = None


class NoChain(Exception):
    """Raised where a job has no chain, so that there is nothing to run."""


class OrderedRun(NamedTuple):
    """A run as it was recorded; a rejected one with the `refusal`."""

    run: Run
    refusal: Refusal | None


def order(
    world: World,
    job: Item,
    ask: RunAsk,
    brought: Brought,
    *,
    check: Callable[[], None] = lambda: None,
    references: References | None = None,
    is_awaited: bool = True,
) -> OrderedRun:
    """Order a run of a job and record it: `processing`, or `rejected` where its chain uses what it may not.

    `check` raises what forbids the run after all. Where nobody awaits it, one beyond the owner's quota is
    recorded as rejected, too. Raises NoChain, and what `record` does; what was brought is discarded then.
    """
    try:
        check()
        wanted, refusal = _draft_whole(references or References(world), world, job, ask, brought)
        try:
            return OrderedRun(record(world, job, wanted, refusal), refusal)
        except QuotaReached as error:
            if is_awaited:
                raise
            refusal = Refusal(error.detail)
            return OrderedRun(record(world, job, wanted, refusal), refusal)
    except BaseException:
        if brought.folder is not None:
            world.code.folders.discard(brought.folder)
        raise


def reject_early(world: World, job: Item, ask: RunAsk) -> OrderedRun | None:
    """The rejected run of a job whose chain uses what it may not, recorded before any input is taken.

    None without such a refusal. Raises NoChain.
    """
    wanted, refusal = _draft_whole(References(world), world, job, ask, NO_INPUT)
    return OrderedRun(record(world, job, wanted, refusal), refusal) if refusal is not None else None


def order_all(world: World, asks: Iterable[tuple[Item, RunAsk]]) -> Sequence[Run]:
    """Order runs that nobody awaits, with few statements and all or none; those that were rejected.

    A job without a chain has a run without a plan, which fails and says so.
    """
    rejected, orders = list[Run](), list[Order]()
    rooms, references = _Rooms(world.service.quotas), References(world)
    with world.atomic():
        for job, ask in asks:
            wanted, refusal = _draft(references, world, job, ask, NO_INPUT)
            refusal = refusal or rooms.refusal(job.owner)
            if refusal is None:
                orders.append(wanted)
            else:
                rejected.append(record(world, job, wanted, refusal))
        world.code.runs.queue.submit_all(orders)
    return rejected


def _draft(
    references: References, world: World, job: Item, ask: RunAsk, brought: Brought
) -> tuple[Order, Refusal | None]:
    """The order that an ask makes of a job as it is now, and its refusal."""
    id = _new_id(world, job, ask.request)
    wish = Wish(id, ask.trigger, ask.source, ask.by, brought.folder, brought.kept, brought.behind)
    return order_of(references, job, wish)


def _draft_whole(
    references: References, world: World, job: Item, ask: RunAsk, brought: Brought
) -> tuple[Order, Refusal | None]:
    """The same of a job that has a chain. Raises NoChain where it has none."""
    wanted, refusal = _draft(references, world, job, ask, brought)
    if wanted.plan is None and refusal is None:
        raise NoChain
    return wanted, refusal


def _new_id(world: World, job: Item, request: str | None) -> str:
    """The id of a new run: with the request's own digits, unless a client sends one request id again."""
    now = world.clock.now()
    if request is not None:
        own = run_id(now, request)
        if world.code.runs.reader.get(job.id, own) is None:
            return own
    return run_id(now, secrets.token_hex(4))


@dataclass(slots=True)
class _Rooms:
    """Runs that each owner may still have, asked once in a transaction however many jobs are due."""

    quotas: Quotas
    left: dict[str, int] = field(default_factory=dict)

    def refusal(self, owner: str) -> Refusal | None:
        """The refusal of one run more, which is counted when there is none."""
        if owner not in self.left:
            self.left[owner] = self.quotas.one(owner, QuotaName.RUNS).room
        self.left[owner] -= 1
        if self.left[owner] >= 0:
            return None
        return Refusal(f"the account {owner} has as many runs under way as it may: wait until one has ended")
