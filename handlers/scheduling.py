"""What a schedule's firing does: a run is ordered as by any trigger, and says so when it comes late."""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta

from chains.book import Run
from chains.run import Status, run_id
from chains.timer import Timer
from chains.timetable import Firing, moment
from handlers.announce import rejected
from handlers.house import House
from handlers.trees.jobs import LEGACY
from handlers.trees.order import Asked, ordered, recorded
from handlers.world import World
from vfs.errors import NoSpace, Unavailable

TRIGGER = "schedule"
SOURCE = "scheduler"
LATE = timedelta(minutes=1)

log = logging.getLogger("curlew")


@contextmanager
def scheduling(house: House) -> Iterator[Timer]:
    """Fires what is scheduled, in a thread, until it is left."""
    timer = timer_of(house)
    thread = threading.Thread(target=timer.loop, name="timer", daemon=True)
    thread.start()
    try:
        yield timer
    finally:
        timer.stop()
        thread.join(10)


def timer_of(house: House) -> Timer:
    """The timer of a world."""
    world = house.world
    return Timer(world.schedules, house.lead, world.clock, lambda firings: fire(world, firings))


def fire(world: World, firings: Sequence[Firing]) -> None:
    """Order the runs of jobs that are due, in one transaction; each by itself when that cannot be.

    Raises Unavailable and NoSpace, having done nothing of what failed: it stays due.
    """
    with world.session():
        locked = {owner for owner in {one.due.job.owner for one in firings} if _locked(world, owner)}
        try:
            with world.atomic():
                for firing in firings:
                    _fire(world, firing, firing.due.job.owner in locked)
        except (Unavailable, NoSpace):
            raise
        except Exception:
            for firing in firings:
                _fire_alone(world, firing, firing.due.job.owner in locked)


def remarks(world: World, run: Run) -> Sequence[str]:
    """What the log of a run says of how it came to be: a missed time, keys that nothing executes."""
    return (*_late(world, run), *_unexecuted(world, run))


def _unexecuted(world: World, run: Run) -> Sequence[str]:
    """A line that names the keys of former job types which the job holds (decisions 31b)."""
    if not world.settings.legacy_jobs:
        return ()
    held = [name for name in LEGACY if world.leaves.get(run.job, f"config/{name}") is not None]
    return (f"Nothing executes config/{', config/'.join(held)}: only the chain runs.",) if held else ()


def _late(world: World, run: Run) -> Sequence[str]:
    """What it says of its planned time, when that was missed (decisions 28)."""
    if run.trigger != TRIGGER:
        return ()
    planned = world.schedules.fired(run.job, run.created_on)
    if planned is None or moment(run.created_on) - moment(planned) < LATE:
        return ()
    late = round((moment(run.created_on) - moment(planned)).total_seconds() / 60)
    return (
        f"This run was planned for {planned} and comes {late} minute{'s' if late > 1 else ''} late: "
        "the scheduler was down then.",
    )


def _fire_alone(world: World, firing: Firing, locked: bool) -> None:
    """One that cannot be ordered, for a mistake of the server's own, is passed over."""
    try:
        with world.atomic():
            _fire(world, firing, locked)
    except (Unavailable, NoSpace):
        raise
    except Exception:
        log.exception("job %d could not be started by its schedule", firing.due.job.id)
        world.schedules.take(firing.due, None, firing.next)


def _locked(world: World, name: str) -> bool:
    """Whether a job's owner is kept out, and so its jobs do not start by themselves."""
    owner = world.users.find(name)
    return owner is not None and owner.locked


def _fire(world: World, firing: Firing, locked: bool) -> None:
    job = firing.due.job
    if not world.schedules.take(firing.due, None if locked else firing.at, firing.next):
        return
    if locked:
        skipped = "the run of %s/%s that was planned for %s is skipped: the account is locked"
        log.warning(skipped, job.owner, job.name, firing.due.planned)
        return
    if firing.at is None:
        skipped = "the run of %s/%s that was planned for %s is skipped: an hour is too late"
        log.warning(skipped, job.owner, job.name, firing.due.planned)
        return
    id = run_id(world.clock.now(), secrets.token_hex(4))
    order, refusal = ordered(world, job, Asked(id, TRIGGER, SOURCE, job.owner, None))
    run = recorded(world, order, refusal)
    if run.status is Status.REJECTED:
        rejected(world, run)
