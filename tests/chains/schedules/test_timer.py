"""What is due is fired once, by one timer of many, at its time or soon after it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chains.language.schedule import Schedule, parse
from chains.schedules.timer import FOLLOW_SECONDS, LOOK_SECONDS, Timer
from chains.schedules.timetable import LATEST, Due, Firing, Schedules, firing, moment
from storage.upkeep.leader import FileLead
from tests.kit.suites.chains import at_once
from tests.kit.suites.chains.timetables import job
from tests.kit.suites.kernel import StillClock
from tests.kit.world import StoredWorld, sqlite_in
from vfs.errors import Unavailable
from vfs.ports.clock import stamp
from vfs.ports.items import Item

SECONDS = 120.0
JOB = Item(1, "job", "alice", "nightly", "Jobby", "", "")
START = datetime(2026, 3, 1, tzinfo=UTC)
NOW = datetime(2026, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC)


def the(text: str) -> Schedule:
    """The schedule that a text says."""
    schedule = parse(text)
    assert schedule is not None
    return schedule


class TestFiring:
    @pytest.mark.parametrize(
        "text,planned,at,then",
        [
            ("* * * * *", "03:04", "03:04", "03:05"),
            ("4 * * * *", "03:04", "03:04", "04:04"),
            ("*/10 * * * *", "02:10", "03:00", "03:10"),
            ("30 * * * *", "01:30", "02:30", "03:30"),
            ("5 2 * * *", "02:05", "02:05", None),
            ("4 2 * * *", "02:04", None, None),
            ("0 0 * * *", "00:00", None, None),
        ],
    )
    def test_the_last_missed_time_is_run_within_an_hour(
        self, text: str, planned: str, at: str | None, then: str | None
    ) -> None:
        made = firing(Due(JOB, the(text), f"2026-01-02T{planned}:00.000Z"), NOW)
        assert made.at == (moment(f"2026-01-02T{at}:00.000Z") if at else None)
        assert made.next == (moment(f"2026-01-02T{then}:00.000Z") if then else the(text).after(NOW))

    def test_the_jobs_of_a_locked_owner_rest(self) -> None:
        made = firing(Due(JOB, the("* * * * *"), "2026-01-02T03:04:00.000Z", locked=True), NOW)
        assert (made.at, made.next) == (None, moment("2026-01-02T03:05:00.000Z"))

    @given(
        st.builds(
            "{} {} * * {}".format,
            st.sampled_from(["*", "*/7", "3,50", "59"]),
            st.sampled_from(["*", "*/5", "2", "23"]),
            st.sampled_from(["*", "Sun", "1-5"]),
        ),
        st.sampled_from(["UTC", "Europe/Oslo", "America/New_York", "Australia/Lord_Howe"]),
        st.integers(0, 270 * 1440).map(lambda minutes: START + timedelta(minutes=minutes)),
        st.timedeltas(timedelta(0), timedelta(days=3)),
    )
    def test_whatever_was_missed(self, text: str, zone: str, start: datetime, late: timedelta) -> None:
        schedule = the(f"TZ={zone} {text}")
        planned = schedule.after(start)
        now = planned + late
        made = firing(Due(JOB, schedule, stamp(planned)), now)
        assert made.next == schedule.after(now)
        if made.at is None:
            assert schedule.after(now - LATEST) > now
        else:
            assert planned <= made.at <= now < made.at + LATEST
            assert schedule.after(made.at) == made.next


class Keeper:
    """Takes what a timer fires, and remembers what it was given."""

    def __init__(self, schedules: Schedules) -> None:
        self.schedules = schedules
        self.fired: list[tuple[str, str]] = []
        self.some = threading.Event()
        self.fails: list[Exception] = []

    def __call__(self, firings: Sequence[Firing]) -> None:
        if self.fails:
            raise self.fails.pop()
        for each in self.schedules.take(firings):
            if each.at is not None:
                self.fired.append((each.due.item.name, stamp(each.at)[11:16]))
        self.some.set()


class RunnerSetup:
    """A world with timers on it."""

    def __init__(self, folder: Path) -> None:
        self.clock = StillClock()
        self.world = StoredWorld(sqlite_in(), "mem://", self.clock)
        self.keeper = Keeper(self.world.schedules)
        self.folder = folder

    def timer(self, lead: str = "lead") -> Timer:
        return Timer(self.world.schedules, FileLead(self.folder / lead), self.clock, self.keeper)


@pytest.fixture
def runner_setup(tmp_path: Path) -> RunnerSetup:
    runner_setup = RunnerSetup(tmp_path)
    for name, text in (("often", "* * * * *"), ("tea", "30 4 * * *"), ("paused", "* * * * *")):
        job(runner_setup.world, name, schedule=text, enabled="false" if name == "paused" else "true")
    return runner_setup


def test_a_turn_fires_what_is_due_and_tells_when_to_look_again(runner_setup: RunnerSetup) -> None:
    timer = runner_setup.timer()
    assert timer.turn() == pytest.approx(54.322)
    assert runner_setup.keeper.fired == []
    runner_setup.clock.forward(55)
    assert timer.turn() == pytest.approx(59.322)
    assert timer.turn() == pytest.approx(59.322)
    assert runner_setup.keeper.fired == [("often", "03:05")]
    runner_setup.clock.forward(86 * 60)
    timer.turn()
    assert runner_setup.keeper.fired[1:] == [("often", "04:31"), ("tea", "04:30")]


def test_without_schedules_it_looks_now_and_then(tmp_path: Path) -> None:
    assert RunnerSetup(tmp_path).timer().turn() == LOOK_SECONDS


def test_who_has_not_the_lead_follows_until_it_is_free(runner_setup: RunnerSetup) -> None:
    lead = FileLead(runner_setup.folder / "lead")
    assert lead.mine()
    timer = runner_setup.timer()
    runner_setup.clock.forward(60)
    assert timer.turn() == FOLLOW_SECONDS
    assert runner_setup.keeper.fired == []
    lead.release()
    timer.turn()
    # What the other had not planned before counts from now.
    assert runner_setup.keeper.fired == []
    runner_setup.clock.forward(60)
    timer.turn()
    assert runner_setup.keeper.fired == [("often", "03:06")]


def test_two_that_both_believe_to_lead_fire_once(runner_setup: RunnerSetup) -> None:
    timers = [runner_setup.timer(f"lead {number}") for number in range(4)]
    for timer in timers:
        timer.turn()
    for _ in range(20):
        runner_setup.clock.forward(60)
        assert [a for a in at_once(*[timer.turn for timer in timers]) if isinstance(a, Exception)] == []
    assert runner_setup.keeper.fired == [("often", f"03:{minute:02}") for minute in range(5, 25)]


def test_a_clock_that_is_set_back_neither_doubles_nor_stops_anything(runner_setup: RunnerSetup) -> None:
    timer = runner_setup.timer()
    timer.turn()
    for _ in range(3):
        runner_setup.clock.forward(60)
        timer.turn()
    runner_setup.clock.forward(-120)
    timer.turn()
    for _ in range(3):
        runner_setup.clock.forward(60)
        timer.turn()
    assert runner_setup.keeper.fired == [("often", f"03:0{minute}") for minute in (5, 6, 7, 8)]


def test_a_clock_that_is_set_ahead_by_weeks_fires_each_once(runner_setup: RunnerSetup) -> None:
    timer = runner_setup.timer()
    timer.turn()
    runner_setup.clock.forward(40 * 86_400)
    timer.turn()
    assert runner_setup.keeper.fired == [("often", "03:04")]


class Shifted:
    """The time of this machine, so shifted that at the first look a minute ends soon."""

    def __init__(self, left: float) -> None:
        now = datetime.now(UTC)
        self._ahead = timedelta(seconds=60 - left) - timedelta(
            seconds=now.second, microseconds=now.microsecond
        )

    def now(self) -> datetime:
        return datetime.now(UTC) + self._ahead


@contextmanager
def at_work(timer: Timer) -> Iterator[None]:
    thread = threading.Thread(target=timer.loop)
    thread.start()
    try:
        yield
    finally:
        timer.stop()
        thread.join(SECONDS)
        assert not thread.is_alive()


def test_the_alarm_rings_at_the_planned_time(tmp_path: Path) -> None:
    clock = Shifted(left=0.3)
    world = StoredWorld(sqlite_in(), "mem://", clock)  # type: ignore[arg-type]
    job(world, schedule="* * * * *")
    keeper = Keeper(world.schedules)
    with at_work(Timer(world.schedules, FileLead(tmp_path / "lead"), clock, keeper)):
        assert keeper.some.wait(SECONDS)
        late = clock.now()
    assert (late.second, len(keeper.fired)) == (0, 1)


def test_a_change_acts_at_once(runner_setup: RunnerSetup) -> None:
    runner_setup.world.schedules.rebuild()
    runner_setup.clock.forward(60)
    with at_work(runner_setup.timer()):
        assert runner_setup.keeper.some.wait(SECONDS)
        made = job(runner_setup.world, "new")
        runner_setup.keeper.some.clear()
        runner_setup.clock.forward(3600)
        runner_setup.world.schedules.set(made, "* * * * *", True)
        assert runner_setup.keeper.some.wait(SECONDS)
    assert runner_setup.keeper.fired == [("often", "03:05"), ("often", "04:05")]


@pytest.mark.parametrize("error", [Unavailable("the database is away"), ZeroDivisionError()])
def test_a_failure_is_tried_again(runner_setup: RunnerSetup, error: Exception) -> None:
    runner_setup.timer().turn()
    failed = threading.Event()

    class Failing(Keeper):
        def __call__(self, firings: Sequence[Firing]) -> None:
            try:
                super().__call__(firings)
            finally:
                failed.set()

    keeper = Failing(runner_setup.world.schedules)
    keeper.fails = [error]
    runner_setup.clock.forward(60)
    with at_work(
        Timer(
            runner_setup.world.schedules, FileLead(runner_setup.folder / "other"), runner_setup.clock, keeper
        )
    ):
        assert failed.wait(SECONDS)
        runner_setup.world.schedules.signal()
        assert keeper.some.wait(SECONDS)
    assert keeper.fired == [("often", "03:05")]


def test_a_stop_gives_the_lead_up(runner_setup: RunnerSetup) -> None:
    with at_work(runner_setup.timer()):
        pass
    lead: Callable[[], bool] = FileLead(runner_setup.folder / "lead").mine
    assert lead()
