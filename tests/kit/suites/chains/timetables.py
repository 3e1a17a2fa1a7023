"""Promises of schedules, of every keeper (chains.schedules.timetable.Schedules)."""

from __future__ import annotations

from datetime import timedelta
from typing import Protocol

from chains.language.mistake import Mistake
from chains.schedules.timetable import Due, Firing, Schedules, moment
from tests.kit.suites.chains import NEVER, SOON, at_once, while_waiting
from tests.kit.suites.kernel import EmptyWorld, raises

NEXT = "2026-01-02T03:05:00.000Z"
AFTER_NEXT = "2026-01-02T03:06:00.000Z"
LATER = "2026-01-02T04:30:00.000Z"


class TimedWorld(EmptyWorld, Protocol):
    """An empty world whose clock stands at four minutes and some seconds past three, with its schedules."""

    @property
    def schedules(self) -> Schedules: ...


def job(empty_world: TimedWorld, name: str = "nightly", **leaves: str) -> int:
    """A job with these leaves of its configuration; its id."""
    item = empty_world.items.create("job", "alice", name)
    for rel, text in leaves.items():
        empty_world.leaves.put(item.id, f"config/{rel}", text, "alice")
    return item.id


def the_due(empty_world: TimedWorld) -> Due:
    """The one job that is due when it is due first."""
    first = empty_world.schedules.first()
    assert first is not None
    (due,) = empty_world.schedules.due(moment(first), 10)
    return due


def took(schedules: Schedules, due: Due, at: str | None, then: str) -> bool:
    """Whether a job that is due was taken, to fire at one stamp and to come again at another."""
    firing = Firing(due, moment(at) if at is not None else None, moment(then))
    taken = list(schedules.take([firing]))
    assert taken in ([], [firing])
    return bool(taken)


class SchedulesSuite:
    """Promises of planning."""

    def test_a_schedule_is_planned_for_its_next_time(self, empty_world: TimedWorld) -> None:
        schedules, made = empty_world.schedules, job(empty_world)
        assert schedules.first() is None
        schedules.set(made, "30 4 * * * # tea", True)
        assert schedules.first() == LATER
        assert list(schedules.due(moment(LATER) - timedelta(milliseconds=1), 10)) == []
        due = the_due(empty_world)
        assert (due.item.id, due.item.owner, due.item.name) == (made, "alice", "nightly")
        assert (due.schedule.expression, due.schedule.zone, due.planned) == ("30 4 * * *", "UTC", LATER)

    def test_the_earliest_are_due_first_up_to_the_limit(self, empty_world: TimedWorld) -> None:
        late, early = job(empty_world, "late"), job(empty_world, "early")
        empty_world.schedules.set(late, "30 4 * * *", True)
        empty_world.schedules.set(early, "* * * * *", True)
        dues = empty_world.schedules.due(moment(LATER), 10)
        assert [due.item.id for due in dues] == [early, late]
        assert [due.item.id for due in empty_world.schedules.due(moment(LATER), 1)] == [early]

    def test_what_says_nothing_or_is_not_enabled_is_not_planned(self, empty_world: TimedWorld) -> None:
        schedules, made = empty_world.schedules, job(empty_world)
        schedules.set(made, "* * * * *", False)
        assert schedules.first() is None
        schedules.set(made, "* * * * *", True)
        schedules.set(made, "# not now", True)
        assert schedules.first() is None
        schedules.set(made, "* * * * *", True)
        schedules.set(made, "* * * * *", False)
        assert schedules.first() is None
        with raises(Mistake):
            schedules.set(made, "every day", True)

    def test_the_same_text_keeps_its_time_and_another_gets_a_new_one(self, empty_world: TimedWorld) -> None:
        schedules, made = empty_world.schedules, job(empty_world)
        schedules.set(made, "* * * * *", True)
        empty_world.clock.forward(3600)
        schedules.set(made, "* * * * *", True)
        assert schedules.first() == NEXT
        schedules.set(made, "*/2 * * * *", True)
        assert schedules.first() == "2026-01-02T04:06:00.000Z"

    def test_a_time_is_taken_once_however_many_take_it(self, empty_world: TimedWorld) -> None:
        schedules, made = empty_world.schedules, job(empty_world)
        schedules.set(made, "* * * * *", True)
        due = the_due(empty_world)
        taken = at_once(*[lambda: took(schedules, due, NEXT, AFTER_NEXT)] * 4)
        assert sorted(map(str, taken)) == ["False", "False", "False", "True"]
        assert schedules.first() == AFTER_NEXT
        assert schedules.last_fired(made, NEXT) == NEXT
        assert schedules.last_fired(made, "2026-01-02T03:04:59.999Z") is None
        assert schedules.last_fired(made + 1, NEXT) is None

    def test_a_time_that_comes_again_has_no_second_run(self, empty_world: TimedWorld) -> None:
        schedules, made = empty_world.schedules, job(empty_world)
        schedules.set(made, "* * * * *", True)
        due = the_due(empty_world)
        assert took(schedules, due, NEXT, AFTER_NEXT)
        schedules.replan()
        assert the_due(empty_world) == due
        assert not took(schedules, due, NEXT, AFTER_NEXT)
        assert schedules.first() == AFTER_NEXT

    def test_of_several_those_are_taken_that_stand_as_they_stood(self, empty_world: TimedWorld) -> None:
        schedules, jobs = empty_world.schedules, [job(empty_world, f"j{number}") for number in range(90)]
        for made in jobs:
            schedules.set(made, "* * * * *", True)
        dues = schedules.due(moment(NEXT), 100)
        times = [moment(NEXT) if number % 2 else None for number in range(90)]
        firings = [Firing(due, at, moment(LATER)) for due, at in zip(dues, times, strict=True)]
        schedules.set(jobs[3], "30 4 * * *", True)
        assert took(schedules, dues[5], None, AFTER_NEXT)
        assert list(schedules.take(firings)) == [*firings[:3], firings[4], *firings[6:]]
        fired = [number for number, made in enumerate(jobs) if schedules.last_fired(made, LATER) == NEXT]
        assert fired == [1, *range(7, 90, 2)]
        assert [due.item.id for due in schedules.due(moment(AFTER_NEXT), 100)] == [jobs[5]]
        assert list(schedules.take(firings)) == []
        assert list(schedules.take([])) == []

    def test_a_time_may_pass_without_a_run(self, empty_world: TimedWorld) -> None:
        schedules, made = empty_world.schedules, job(empty_world)
        schedules.set(made, "* * * * *", True)
        assert took(schedules, the_due(empty_world), None, LATER)
        assert schedules.last_fired(made, LATER) is None
        assert schedules.first() == LATER

    def test_a_changed_schedule_is_not_taken_as_it_was(self, empty_world: TimedWorld) -> None:
        schedules, made = empty_world.schedules, job(empty_world)
        schedules.set(made, "* * * * *", True)
        due = the_due(empty_world)
        schedules.set(made, "30 4 * * *", True)
        assert not took(schedules, due, NEXT, AFTER_NEXT)
        assert schedules.first() == LATER

    def test_firings_are_forgotten(self, empty_world: TimedWorld) -> None:
        schedules, made = empty_world.schedules, job(empty_world)
        schedules.set(made, "* * * * *", True)
        assert took(schedules, the_due(empty_world), NEXT, LATER)
        schedules.forget(moment(NEXT))
        assert schedules.last_fired(made, LATER) == NEXT
        schedules.forget(moment(LATER))
        assert schedules.last_fired(made, LATER) is None

    def test_a_removed_job_is_not_planned(self, empty_world: TimedWorld) -> None:
        schedules, made = empty_world.schedules, job(empty_world)
        schedules.set(made, "* * * * *", True)
        due = the_due(empty_world)
        empty_world.items.remove(due.item)
        assert schedules.first() is None
        assert not took(schedules, due, NEXT, LATER)

    def test_a_transaction_takes_its_plans_back(self, empty_world: TimedWorld) -> None:
        schedules, made = empty_world.schedules, job(empty_world)
        with raises(ZeroDivisionError), empty_world.atomic():
            schedules.set(made, "* * * * *", True)
            raise ZeroDivisionError
        assert schedules.first() is None


class RebuildSuite:
    """Promises of a start."""

    def test_the_leaves_are_the_truth(self, empty_world: TimedWorld) -> None:
        schedules = empty_world.schedules
        planned = job(empty_world, "planned", schedule="30 4 * * *", enabled="true")
        paused = job(empty_world, "paused", schedule="* * * * *", enabled="false")
        bare = job(empty_world, "bare")
        odd = job(empty_world, "odd", schedule="TZ=Atlantis/Center * * * * *")
        for other in (paused, bare, odd):
            schedules.set(other, "* * * * *", True)
        schedules.rebuild()
        assert [due.item.id for due in schedules.due(moment(LATER), 10)] == [planned]

    def test_what_was_missed_meanwhile_stays_due(self, empty_world: TimedWorld) -> None:
        made = job(empty_world, schedule="* * * * *")
        empty_world.schedules.rebuild()
        empty_world.clock.forward(600)
        empty_world.schedules.rebuild()
        assert empty_world.schedules.first() == NEXT
        empty_world.leaves.put(made, "config/schedule", "*/5 * * * *", "alice")
        empty_world.schedules.rebuild()
        assert empty_world.schedules.first() == "2026-01-02T03:15:00.000Z"

    def test_after_the_clock_was_set_back_everything_is_planned_again(self, empty_world: TimedWorld) -> None:
        made = job(empty_world, schedule="* * * * *")
        empty_world.schedules.rebuild()
        empty_world.clock.forward(40 * 86_400)
        due = the_due(empty_world)
        at = empty_world.clock.now()
        empty_world.schedules.take([Firing(due, at, at + timedelta(minutes=1))])
        empty_world.clock.forward(-40 * 86_400)
        empty_world.schedules.rebuild()
        assert empty_world.schedules.first() == NEXT
        assert empty_world.schedules.due(moment(NEXT), 10)[0].item.id == made


class TimetableWakeSuite:
    """Promises of waiting."""

    def test_a_change_wakes_who_waits(self, empty_world: TimedWorld) -> None:
        schedules, made = empty_world.schedules, job(empty_world)
        seen = schedules.wake(0, None)
        woken, late = while_waiting(
            lambda: schedules.wake(seen, NEVER), lambda: schedules.set(made, "* * * * *", True)
        )
        assert woken != seen
        assert late < SOON
        assert isinstance(woken, int)
        again, late = while_waiting(lambda: schedules.wake(woken, NEVER), schedules.signal)
        assert again != woken
        assert late < SOON
