"""Alerts of jobs: a schedule that did not run in time, and a run that takes too long."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from statistics import median

from chains.runs.records import Run, RunEnd
from chains.runs.states import Status
from chains.schedules.timetable import Firing, moment
from handlers.services.alerts.alert_rules import new_alert, report_state, with_state
from handlers.services.world import World
from vfs.ports.alerts import AlertState, KeptAlert
from vfs.ports.clock import stamp
from vfs.ports.items import Item

FOLDER = "config/alerts"
LATE, SLOW, TO = "late", "slow", "to"
FILES = tuple(f"{FOLDER}/{name}" for name in (LATE, SLOW, TO))
ENABLED, SCHEDULE = "config/enabled", "schedule"
GRACE = timedelta(minutes=15)
"""How long a run of the schedule may wait for a runner before that is late."""
FEWEST, NEWEST, TIMES = 5, 20, 3
"""A run is slow that takes TIMES the usual time: of the NEWEST successful runs, if there are FEWEST."""
SHORTEST = 60.0
"""Seconds that no run is slow in."""


def expect_runs(world: World, firings: Sequence[Firing]) -> None:
    """Have the runs of these planned times watched, and report those without one as late.

    Call it in the transaction that takes them. A locked account is as a paused job: it is not late.
    """
    now, jobs = world.clock.now(), {one.due.item.id: one for one in firings if not one.due.locked}
    texts = world.leaves.texts_of(list(jobs), FILES)
    watched = {job: one for job, one in jobs.items() if _is_on(texts.get(job, {}), LATE)}
    begun = [job for job, one in watched.items() if one.at is not None]
    world.social.alerts.expect(begun, FOLDER, LATE, stamp(now), stamp(now + GRACE))
    for job in sorted(watched.keys() - set(begun)):
        one = watched[job]
        planned = one.due.planned[:16].replace("T", " ")
        said = f"its run of {planned} (UTC) did not begin, as the scheduler was down then."
        kept = world.social.alerts.locked(job, FOLDER).get(LATE) or new_alert(world, job, FOLDER, LATE)
        _turn(world, one.due.item, kept, AlertState.ON, said, texts.get(job, {}))


def run_began(world: World, run: Run) -> None:
    """End the alert of a late schedule, and watch how long the run takes. Call it as the run begins."""
    texts = world.leaves.texts_of([run.job], FILES).get(run.job, {})
    if run.trigger == SCHEDULE:
        late = world.social.alerts.locked(run.job, FOLDER).get(LATE)
        found = world.items.at(run.job, None) if late is not None and late.state is AlertState.ON else None
        if late is not None and found is not None:
            said = f"its schedule runs again, with the run {run.id}."
            _turn(world, found.item, late, AlertState.WELL, said, texts)
    took = world.code.runs.reader.durations(run.job, NEWEST) if _is_on(texts, SLOW) else ()
    if len(took) >= FEWEST:
        limit = timedelta(seconds=max(TIMES * median(took), SHORTEST))
        watched = new_alert(world, run.job, FOLDER, f"{SLOW} {run.id}", f"{median(took):.0f}")
        world.social.alerts.keep(replace(watched, due=stamp(world.clock.now() + limit)))


def run_over(world: World, end: RunEnd) -> None:
    """End the alert of a slow run. Call it in the transaction that ends the run."""
    slow = world.social.alerts.locked(end.job, FOLDER).get(f"{SLOW} {end.id}")
    if slow is None:
        return
    found = world.items.at(end.job, None)
    if slow.state is AlertState.ON and found is not None:
        texts = world.leaves.texts_of([end.job], FILES).get(end.job, {})
        said = f"the run {end.id}, which took long, has ended: {end.status}."
        _turn(world, found.item, slow, AlertState.WELL, said, texts)
    world.social.alerts.drop(end.job, FOLDER, [slow.rule])


def rest(world: World, job: int) -> None:
    """Forget that a schedule is late, because it is paused or gone."""
    world.social.alerts.drop(job, FOLDER, [LATE])


def late_due(world: World, item: Item, alert: KeptAlert) -> None:
    """Judge whether a run of the schedule waits too long. Call it in a transaction, with the alert locked.

    One that waits for an earlier run, as config/overlap says, is not late.
    """
    texts = world.leaves.texts_of([item.id], FILES).get(item.id, {})
    going, now = world.code.runs.reader.going(item.id), world.clock.now()
    waiting = [run for run in going if _is_planned(run)]
    if not waiting or not _is_on(texts, LATE):
        world.social.alerts.keep(replace(alert, due=None))
        return
    run = waiting[0]
    is_free = not run.alone or run is going[0]
    due = moment(run.created_on) + GRACE
    if is_free and due <= now:
        said = (
            f"the run {run.id} of its schedule waits for a runner for {GRACE.seconds // 60} minutes or more."
        )
        _turn(world, item, alert, AlertState.ON, said, texts)
    else:
        world.social.alerts.keep(replace(alert, due=stamp(due if due > now else now + GRACE)))


def _is_planned(run: Run) -> bool:
    """Return whether a run of the schedule was not taken by a runner yet."""
    return run.trigger == SCHEDULE and run.started_on is None and run.status is Status.PROCESSING


def slow_due(world: World, item: Item, alert: KeptAlert) -> None:
    """Judge whether a run takes too long. Call it in a transaction, with the alert locked.

    The time in which it waits for the answer to a hold is no concern of the run.
    """
    id = alert.rule.removeprefix(f"{SLOW} ")
    texts = world.leaves.texts_of([item.id], FILES).get(item.id, {})
    run = next((run for run in world.code.runs.reader.going(item.id) if run.id == id), None)
    if run is None or not _is_on(texts, SLOW):
        world.social.alerts.drop(item.id, alert.rel, [alert.rule])
    elif run.status is Status.WAITING:
        later = max(TIMES * float(alert.former or 0), SHORTEST)
        due = stamp(world.clock.now() + timedelta(seconds=later))
        world.social.alerts.keep(replace(alert, due=due))
    else:
        said = f"the run {id} takes more than {TIMES} times as long as usual, which is {alert.former} s."
        _turn(world, item, alert, AlertState.ON, said, texts)


def _turn(
    world: World, item: Item, alert: KeptAlert, state: AlertState, said: str, texts: Mapping[str, str]
) -> None:
    """Keep an alert in a state, and report a change, unless it was switched off."""
    # A late schedule may have further runs that wait.
    again = alert.due or stamp(world.clock.now() + GRACE)
    after = replace(with_state(world, alert, state), due=None if state is AlertState.ON else again)
    world.social.alerts.keep(after)
    word, _, run = alert.rule.partition(" ")
    if state is alert.state or not _is_on(texts, word):
        return
    below = f"runs/{run}" if run else FOLDER
    report_state(world, item, after, said, to=texts.get(FILES[-1], ""), below=below, link=run, source=word)


def _is_on(texts: Mapping[str, str], name: str) -> bool:
    return texts.get(f"{FOLDER}/{name}") != "false"
