"""The load itself: what it counts and judges, and a short one of real processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.load.memory import FREE_GROWTH, MIB, Process, grown, sizes
from tests.load.run import judge
from tests.load.tally import BROKEN, REFUSED, Tally, part

ROOT = Path(__file__).resolve().parents[2]
WEB = Process(7, "web")


def tally_of(*statuses: int) -> Tally:
    tally = Tally()
    tally.note_event()
    for number, status in enumerate(statuses):
        tally.note("read", status, number / 1000)
    return tally


def test_a_good_load_is_judged_good() -> None:
    assert judge(tally_of(200, 201), [{}, {WEB: MIB}, {WEB: MIB}]) == []
    (row,) = tally_of(*[200] * 100).rows()
    assert row.cells(10) == ("read", "100", "10.0", "50.0", "99.0", "0", "0")
    assert part([1.0], 0.99) == 1.0


@pytest.mark.parametrize("status, told", [(503, "5xx"), (429, "4xx")])
def test_refusals_are_trouble(status: int, told: str) -> None:
    assert judge(tally_of(200, status), [{}, {}, {}]) == [f"1 answers to read were {told}"]


def test_what_is_not_answered_is_trouble() -> None:
    tally = tally_of(200)
    tally.note_trouble(REFUSED, ConnectionRefusedError())
    tally.note_trouble(f"{BROKEN}: read", TimeoutError())
    assert len(judge(tally, [{}, {}, {}])) == 2
    assert (tally.count(REFUSED), tally.count(BROKEN)) == (1, 1)
    assert judge(Tally(), [{}, {}, {}]) == ["no listener was told of anything"]


def test_growth_is_trouble() -> None:
    before = 50 * MIB
    assert grown({WEB: before}, {WEB: before + FREE_GROWTH}) == []
    assert grown({WEB: before}, {WEB: before + FREE_GROWTH + 1}) == ["web (7) grew from 50 to 74 MiB"]
    assert grown({WEB: before}, {}) == []


def test_memory_is_of_the_processes_that_were_started() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        found = {process.pid: size for process, size in sizes(child.pid).items()}
        assert child.pid not in found
    assert found == {}


@pytest.mark.soak
def test_a_short_load_brings_no_trouble() -> None:
    command = [sys.executable, "-m", "tests.load.run", "--seconds", "10", "--clients", "8"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "refused connections: 0; broken: 0" in done.stdout
