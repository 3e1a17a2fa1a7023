"""How the suite itself is cut into lanes, what it makes of failures, and what it says at the end."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import durations as stopwatch
from tests import lanes
from tests import shares as dealing
from tests.alone import Verdict, judge, remember, remembered
from tests.failures import FailureList
from tests.gates import Measured, gates, ranges, shortfalls
from tests.lanes import Command, Lane
from tests.shares import (
    CONTAINERS,
    DAYS,
    DURATIONS,
    GATING,
    WAITING_SHARE,
    Took,
    durations,
    expected,
    grown,
    is_measured,
    is_sampled,
    running,
    shares,
)
from tests.traced import is_traced

names = st.lists(st.sampled_from([f"tests/test_it.py::test_{letter}" for letter in "abcdef"]), unique=True)
folders = st.sampled_from(("tests/vfs", "tests/wire", "tests/fuzz", "tests/chains/runs", *CONTAINERS))
seconds = st.floats(0, 400)
tables = st.dictionaries(
    st.builds("{}/test_{}.py".format, folders, st.integers(0, 20)), st.builds(Took, seconds, seconds)
)


@given(tables)
def test_every_file_runs_in_one_lane(took: dict[str, Took]) -> None:
    cut = shares(took)
    every = [*cut.computing.files(), *cut.containers.files(), *cut.waiting.files()]
    assert sorted(every) == sorted(took)


@given(tables)
def test_what_shares_podman_or_proves_a_floor_of_100_percent_stays(took: dict[str, Took]) -> None:
    cut = shares(took)
    for file in took:
        if file.startswith(tuple(f"{folder}/" for folder in CONTAINERS)):
            assert file in cut.containers.files()
        if file.startswith(GATING):
            assert file in [*cut.computing.measured, *cut.containers.measured, *cut.waiting.measured]


@given(tables)
def test_the_waiting_lane_begins_with_its_share_of_what_waits(took: dict[str, Took]) -> None:
    first = dealing._waiting(took)
    assert all(took[file].idle for file in first)
    waits = {file: expected(file, each).waited for file, each in took.items()}
    assert sum(waits[file] for file in first) <= sum(waits.values()) * WAITING_SHARE + 1
    assert {*first} <= {*shares(took).waiting.plain}


@given(tables)
def test_only_what_proves_floors_runs_under_a_trace(took: dict[str, Took]) -> None:
    cut = shares(took)
    for share in (cut.computing, cut.containers, cut.waiting):
        assert all(is_measured(file) for file in share.measured)
        assert not any(is_measured(file) for file in share.plain)


@given(tables)
def test_what_proves_a_floor_of_100_percent_runs_whole(took: dict[str, Took]) -> None:
    assert not any(file.startswith(GATING) and is_sampled(file, each) for file, each in took.items())


def test_the_first_of_the_parameters_is_traced_and_of_what_proves_floors_all() -> None:
    other, vfs = "tests/handlers/test_it.py::test_it", "tests/vfs/test_it.py::test_it"
    tests = [f"{other}[a]", f"{other}[b]", f"{other}_too", f"{vfs}[a]", f"{vfs}[b]", f"{other}[c]"]
    seen: set[str] = set()
    assert [is_traced(test, seen) for test in tests] == [True, False, True, True, True, False]


@pytest.mark.parametrize("day", range(DAYS))
def test_the_lanes_are_equal_as_measured_last(day: int) -> None:
    took = running(durations(DURATIONS), day)
    cut = shares(took)
    loads = [
        sum(expected(file, took[file]).weight for file in share.files())
        for share in (cut.computing, cut.containers, cut.waiting)
    ]
    assert max(loads) - min(loads) < max(loads) / 10


@given(st.floats(0, 500), st.floats(0, 500), st.integers(1, 8))
def test_no_file_is_told_to_have_worked_longer_than_it_can_have(
    worked: float, waited: float, of: int
) -> None:
    booked, clock = stopwatch.possible((worked, waited), of)
    assert clock == waited
    assert booked == min(worked, waited * of)


def test_children_are_booked_while_they_live_and_once_they_have_ended() -> None:
    busy = "import time\nwhile time.process_time() < 0.3: pass\nprint(flush=True); input()"
    before, _ = stopwatch.now()
    with subprocess.Popen(
        [sys.executable, "-c", busy], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout and child.stdout.readline()
        living, _ = stopwatch.now()
        child.communicate(b"\n")
    ended, _ = stopwatch.now()
    assert 0.25 <= living - before <= ended - before + 0.05


def test_gates_tell_their_figures_and_what_keeps_them_shut() -> None:
    files = {
        "vfs/a.py": Measured(10, 10, ""),
        "vfs/b.py": Measured(10, 9, "7"),
        "storage/c.py": Measured(4, 4, ""),
    }
    found = list(gates(files, {"vfs/*": 100, "*": 90}))
    assert [str(gate) for gate in found] == [
        "vfs/*: 95.00 % run, 100 % wanted",
        "*: 100.00 % run, 90 % wanted",
    ]
    assert list(shortfalls(found)) == [f"{found[0]}; not run:\n    vfs/b.py: 7"]


def test_a_file_that_became_dear_is_told(tmp_path: Path) -> None:
    told = tmp_path / "a.durations"
    told.write_text("    9.00    9.00 tests/fuzz/test_a.py\n    9.00    9.00 tests/vfs/test_b.py\n")
    cheap = {name: Took(1, 1) for name in ("tests/fuzz/test_a.py", "tests/vfs/test_b.py")}
    (sentence,) = grown([told], cheap)
    assert sentence.startswith("tests/fuzz/test_a.py worked 9 s")
    assert not list(grown([told], {name: Took(9, 9) for name in cheap}))


def test_lines_that_were_not_run_are_told_in_ranges() -> None:
    assert list(ranges({7, 3, 2, 1, 9, 10})) == ["1-3", "7", "9-10"]


@given(names, names, names)
def test_every_failure_is_judged_once(failures: list[str], again: list[str], before: list[str]) -> None:
    verdict = judge(failures, again, before)
    assert sorted([*verdict.failed, *verdict.repeated, *verdict.forgiven]) == sorted(failures)
    assert set(verdict.failed) == set(failures) & set(again)
    assert set(verdict.repeated) == set(failures) & set(before) - set(again)


def test_who_passes_only_alone_is_forgiven_once(tmp_path: Path) -> None:
    listing = tmp_path / "only_alone.txt"
    first = judge(["test_a", "test_b"], [], remembered(listing))
    assert first == Verdict(forgiven=("test_a", "test_b"))
    remember(first, listing)
    second = judge(["test_a", "test_c"], [], remembered(listing))
    assert second == Verdict(repeated=("test_a",), forgiven=("test_c",))
    remember(second, listing)
    assert remembered(listing) == ["test_a", "test_c"]


def test_a_run_in_which_nobody_was_late_empties_the_list(tmp_path: Path) -> None:
    listing = tmp_path / "only_alone.txt"
    remember(Verdict(forgiven=("test_a",)), listing)
    remember(Verdict(), listing)
    assert judge(["test_a"], [], remembered(listing)) == Verdict(forgiven=("test_a",))


def test_a_failure_is_told_at_once_and_written_down(tmp_path: Path) -> None:
    said: list[str] = []
    failed = FailureList(tmp_path / "a.failures", said.append)
    failed.pytest_runtest_logreport(
        pytest.TestReport("test_a", ("test_it.py", 0, "test_a"), {}, "failed", "assert False\nE  no", "call")
    )
    failed.pytest_runtest_logreport(
        pytest.TestReport("test_b", ("test_it.py", 0, "test_b"), {}, "passed", None, "call")
    )
    assert said == ["\nfailed in call: test_a (E  no)"]
    assert json.loads((tmp_path / "a.failures").read_text()) == {"test_a": "E  no"}


def _ended(name: str, code: int, *closings: str) -> Lane:
    failed = [name] if code not in (0, 5) else []
    return Lane(name, [], failed=failed, codes=[code], closings=[*closings])


@pytest.mark.parametrize(
    ("verdict", "shut", "said"),
    [
        (None, [], "7 passed, 0 failed"),
        (None, ["vfs/*: too little"], "7 passed, 1 failed"),
        (Verdict(forgiven=("a", "b")), [], "7 passed, 0 failed, 2 only alone"),
        (Verdict(failed=("a",), forgiven=("b",)), [], "7 passed, 1 failed, 1 only alone"),
        (Verdict(repeated=("a",)), [], "7 passed, 1 failed"),
    ],
)
def test_the_closing_line_counts_who_passed_only_alone(
    capsys: pytest.CaptureFixture[str], verdict: Verdict | None, shut: list[str], said: str
) -> None:
    code = 1 if verdict else 0
    tests = [
        _ended("a", 0, "== 3 passed in 1.00s ==", "== 2 passed in 1.00s =="),
        _ended("b", code, "== 2 passed"),
    ]
    broken = lanes._closing(_ended("lint", 0, ""), tests, shut, verdict)
    assert capsys.readouterr().out.splitlines()[-1] == said
    assert broken == (" 0 failed" not in said)


def test_a_lane_that_breaks_off_fails_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert lanes._closing(_ended("lint", 0), [_ended("a", 3, "INTERNALERROR")], [], None) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "0 passed, 1 failed"
    assert lanes._closing(_ended("lint", 1), [_ended("a", 0, "2 passed")], [], None) == 1


def test_a_lane_runs_every_command_and_keeps_their_closing_lines() -> None:
    said: list[str] = []
    words = [[sys.executable, "-c", f"print('{n} passed\\nbye'); raise SystemExit({n})"] for n in (1, 0, 5)]
    words += [[sys.executable, "-c", "print('well\\nkept')"]]
    lane = Lane("x", [Command(each) for each in words])
    lane.run(said.append)
    assert lane.closings == ["1 passed", "0 passed", "5 passed", "kept"]
    assert lane.codes == [1, 0, 5, 0]
    assert len(lane.failed) == 1
    assert said[0] == "x    | 1 passed\n"


def test_failures_run_again_unless_they_are_many_or_a_lane_broke_off(tmp_path: Path) -> None:
    def written(count: int) -> str:
        (tmp_path / "a.failures").write_text(json.dumps([f"test_{number}" for number in range(count)]))
        return str(tmp_path)

    failed, broken = _ended("a", 1), _ended("b", 2)
    assert lanes._failures([failed], written(lanes.MOST_AGAIN)) != []
    assert lanes._failures([failed], written(lanes.MOST_AGAIN + 1)) == []
    assert lanes._failures([failed, broken], written(1)) == []


def test_who_breaks_off_alone_has_failed(tmp_path: Path) -> None:
    assert lanes._verdict(["test_a"], _ended("again", 2), str(tmp_path)) == Verdict(failed=("test_a",))
    assert lanes._verdict(["test_a"], _ended("again", 0), str(tmp_path)) == Verdict(forgiven=("test_a",))
    (tmp_path / "again.failures").write_text('["test_a"]')
    assert lanes._verdict(["test_a", "test_b"], _ended("again", 1), str(tmp_path)) == Verdict(
        failed=("test_a",), forgiven=("test_b",)
    )


def test_who_is_not_measured_is_started_without_a_trace(tmp_path: Path) -> None:
    lane = lanes._tests(
        "a", lanes.Share(["tests/vfs/test_path.py"], ["tests/fuzz/test_texts.py"]), str(tmp_path), []
    )
    plain, measured = lane.commands
    assert "--cov" not in plain.words and not plain.environ
    assert "--cov" in measured.words and "COVERAGE_FILE" in measured.environ
