"""Schedules: a firing orders a run as any trigger does, and says so when it comes late."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from chains.runs.records import Order, Run
from chains.runs.states import run_id
from chains.schedules.timetable import Firing, moment
from handlers.rules.jobs import LEGACY
from handlers.services.orders import Wish, order_of, record
from handlers.services.references import References, Refusal
from handlers.services.run_notices import notify_rejected
from handlers.services.world import World
from vfs.errors import NoSpace, Unavailable
from vfs.ports.quotas import QuotaName, Quotas

TRIGGER = "schedule"
SOURCE = "scheduler"
LATE = timedelta(minutes=1)

log = logging.getLogger("curlew")


def fire(world: World, firings: Sequence[Firing]) -> None:
    """Order the runs of jobs that are due, in one transaction; each by itself when that cannot be.

    Raises Unavailable and NoSpace, having done nothing of what failed: it stays due.
    """
    with world.session():
        try:
            _fire(world, firings)
        except (Unavailable, NoSpace):
            raise
        except Exception:
            for firing in firings:
                _fire_alone(world, firing)


def remarks(world: World, run: Run) -> Sequence[str]:
    """Lines in the log of a run on how it came to be: a missed time, keys that nothing executes."""
    return (*_late(world, run), *_legacy(world, run))


def _legacy(world: World, run: Run) -> Sequence[str]:
    """A line that names the keys of former job types which the job holds (decisions 31b)."""
    if not world.service.settings.legacy_jobs:
        return ()
    held = [name for name in LEGACY if world.leaves.get(run.job, f"config/{name}") is not None]
    return (f"Nothing executes config/{', config/'.join(held)}: only the chain runs.",) if held else ()


def _late(world: World, run: Run) -> Sequence[str]:
    """A line on the planned time, when that was missed (decisions 28)."""
    if run.trigger != TRIGGER:
        return ()
    planned = world.code.schedules.last_fired(run.job, run.created_on)
    if planned is None or moment(run.created_on) - moment(planned) < LATE:
        return ()
    late = round((moment(run.created_on) - moment(planned)).total_seconds() / 60)
    return (
        f"This run was planned for {planned} and comes {late} minute{'s' if late > 1 else ''} late: "
        "the scheduler was down then.",
    )


def _fire_alone(world: World, firing: Firing) -> None:
    """One that cannot be ordered, for a mistake of the server's own, is passed over."""
    try:
        _fire(world, [firing])
    except (Unavailable, NoSpace):
        raise
    except Exception:
        log.exception("job %d could not be started by its schedule", firing.due.job.id)
        world.code.schedules.take([replace(firing, at=None)])


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


def _fire(world: World, firings: Sequence[Firing]) -> None:
    """Those that nobody else has taken, all or none."""
    with world.atomic():
        taken = world.code.schedules.take(firings)
        orders: list[Order] = []
        rooms = _Rooms(world.service.quotas)
        references = References(world)
        for due in (firing.due for firing in taken if firing.at is not None):
            id = run_id(world.clock.now(), secrets.token_hex(4))
            order, refusal = order_of(references, due.job, Wish(id, TRIGGER, SOURCE, due.job.owner, None))
            refusal = refusal or rooms.refusal(due.job.owner)
            if refusal is None:
                orders.append(order)
            else:
                notify_rejected(world, record(world, due.job, order, refusal))
        world.code.runs.queue.submit_all(orders)
    for due in (firing.due for firing in taken if firing.at is None):
        why = "the account is locked" if due.locked else "an hour is too late"
        skipped = "the run of %s/%s that was planned for %s is skipped: %s"
        log.warning(skipped, due.job.owner, due.job.name, due.planned, why)
