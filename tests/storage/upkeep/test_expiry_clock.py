"""A clock that is set back: within a process, in others, and over restarts."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from storage.upkeep.clocks import ALLOWED, EVERY, Deadlines, Seen
from tests.kit.suites.kernel import StillClock

HOUR = 3600.0


class Elapsed:
    """Seconds of a clock that nobody sets."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


class Machine:
    """A clock and a data folder; processes come and go."""

    def __init__(self, folder: Path) -> None:
        self.file, self.clock, self.elapsed = folder / "seen", StillClock(), Elapsed()

    def process(self) -> Deadlines:
        return Deadlines(Seen(self.clock, self.file, self.elapsed))

    def wait(self, seconds: float) -> datetime:
        """The moment after so much time."""
        self.clock.forward(seconds)
        self.elapsed.seconds += seconds
        return self.clock.now()

    def set(self, seconds: float) -> datetime:
        """The moment to which the clock is set."""
        self.clock.forward(seconds)
        return self.clock.now()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_time_goes_on_as_the_clock_does(machine: Machine) -> None:
    process = machine.process()
    for seconds in (0.0, 0.5, EVERY, HOUR):
        moment = machine.wait(seconds)
        assert (process.now(), process.seen.now()) == (moment, moment)


def test_a_clock_that_is_set_back_takes_back_five_seconds_at_most(machine: Machine) -> None:
    process = machine.process()
    late = machine.wait(HOUR)
    assert process.now() == late
    assert machine.set(-2) == process.now()
    back = machine.set(-HOUR)
    assert (process.now(), process.seen.now()) == (late - ALLOWED, back)
    assert machine.wait(2 * HOUR) == process.now()


def test_others_know_within_a_second_and_those_that_come_later(machine: Machine) -> None:
    one, other = machine.process(), machine.process()
    other.now()
    late = machine.wait(HOUR)
    assert one.now() == late
    machine.set(-HOUR)
    machine.wait(EVERY)
    assert other.now() > late - ALLOWED - timedelta(seconds=1)
    assert machine.process().now() == other.now()
    assert machine.file.stat().st_mode & 0o777 == 0o660


@pytest.mark.parametrize("content", [b"", b"soon", b"2026-01-02T03:04:05", b"\xff" * 24, b"9" * 24])
def test_an_invalid_file_is_written_again(machine: Machine, content: bytes) -> None:
    machine.file.write_bytes(content)
    late = machine.wait(HOUR)
    assert machine.process().now() == late
    machine.set(-HOUR)
    assert machine.process().now() > late - ALLOWED - timedelta(seconds=1)


def test_without_a_file_a_process_remembers(machine: Machine, tmp_path: Path) -> None:
    machine.file = tmp_path / "nowhere" / "seen"
    process, late = machine.process(), machine.clock.now()
    assert process.now() == late
    machine.set(-HOUR)
    assert process.now() == late - ALLOWED


def test_it_is_said_once_and_removing_the_file_is_a_way_out(
    machine: Machine, caplog: pytest.LogCaptureFixture
) -> None:
    process = machine.process()
    process.now()
    machine.set(-HOUR)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            machine.wait(EVERY)
            process.now()
    assert [str(machine.file) in line for line in caplog.messages] == [True]
    machine.file.unlink()
    assert machine.process().now() == machine.clock.now()
