"""Schedules: orders of due runs, mails and snapshots."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from chains.runs.records import Run
from chains.schedules.timetable import SNAPSHOTS, Firing, moment
from handlers.rules.job_files import LEGACY
from handlers.services.alerts.job_alerts import expect_runs
from handlers.services.run_notices import notify_rejected
from handlers.services.runs.run_trigger import SCHEDULE, RunRequest, lock_runs, order_all
from handlers.services.snapshots import day_in
from handlers.services.world import World
from vfs.errors import NoSpace, Unavailable
from vfs.ports.clock import stamp

SOURCE = "scheduler"
LATE = timedelta(minutes=1)

log = logging.getLogger("curlew")


def fire(world: World, firings: Sequence[Firing]) -> None:
    """Order due runs, mails and snapshots, in one transaction, or each in its own if that fails.

    Raises Unavailable and NoSpace; failed firings stay due.
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
    """Return lines for the log of a run about its origin: a missed time, ignored keys."""
    return (*_late(world, run), *_legacy(world, run))


def _legacy(world: World, run: Run) -> Sequence[str]:
    """Return a line that names the job's keys of former job types (decisions 31b)."""
    if not world.service.settings.legacy_jobs:
        return ()
    held = [name for name in LEGACY if world.leaves.get(run.job, f"config/{name}") is not None]
    return (f"Nothing executes config/{', config/'.join(held)}: only the chain runs.",) if held else ()


def _late(world: World, run: Run) -> Sequence[str]:
    """Return a line with the planned time, if the run is late (decisions 28)."""
    if run.trigger != SCHEDULE:
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
    """Fire one item; skip it if it fails because of a bug."""
    try:
        _fire(world, [firing])
    except (Unavailable, NoSpace):
        raise
    except Exception:
        log.exception("the item %d could not be started by its schedule", firing.due.item.id)
        world.code.schedules.take([replace(firing, at=None)])


def _fire(world: World, firings: Sequence[Firing]) -> None:
    """Take the firings that no other process has taken, all or none."""
    with world.atomic():
        lock_runs(world, [firing.due.item for firing in firings])
        taken = world.code.schedules.take(firings)
        kinds, jobs = world.service.kinds, []
        for firing in taken:
            snapshot = firing.due.rel == SNAPSHOTS
            if not snapshot and not kinds[firing.due.item.kind].recipients:
                jobs.append(firing)
            elif firing.at is not None:
                named = day_in(firing.at, firing.due.schedule.zone) if snapshot else ""
                cause = f"{'snapshot' if snapshot else ''} scheduled for {stamp(firing.at)}".lstrip()
                world.social.mails.order(firing.due.item.id, cause, named)
        begun = [one.due.item for one in jobs if one.at is not None]
        for run in order_all(world, [(job, RunRequest(SCHEDULE, SOURCE, job.owner)) for job in begun]):
            notify_rejected(world, run)
        expect_runs(world, jobs)
    for due in (firing.due for firing in taken if firing.at is None):
        why = "the account is locked" if due.locked else "an hour is too late"
        skipped = "what was planned for %s of the %s %s/%s is skipped: %s"
        log.warning(skipped, due.planned, due.item.kind, due.item.owner, due.item.name, why)
