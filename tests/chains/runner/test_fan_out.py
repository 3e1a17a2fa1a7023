"""A fan-out runs a replica for each file and hands on what they leave as one output."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from chains.files.run_folders import check
from chains.plan.model import Plan
from chains.runner.step_files import merge
from chains.runs.states import Status
from tests.kit.runner import RunnerSetup, RunnerSetupOf
from tests.kit.suites.chains import chain


def fanned(*names: str, over: str, edges: Sequence[tuple[str, str]] | None = None) -> Plan:
    """A plan with one step that fans out."""
    plan = chain(*names, edges=edges)
    return replace(plan, steps=tuple(replace(s, fan_out=s.name == over) for s in plan.steps))


def unzipped(content: bytes | None) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content or b"")) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rows(runner_setup: RunnerSetup, run: int) -> list[tuple[str, int | None, str]]:
    return [(row.name, row.replica, str(row.status)) for row in runner_setup.run_store.reader.steps(run)]


def test_a_replica_sees_its_one_file_at_its_path(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(
        a={"WRITE": "b=2;a/x=1;c=3"}, b={"COPY": "b", "ECHO": "hello"}, c={"COPY": ""}
    )
    run = runner_setup.run(fanned("a", "b", "c", over="b"))
    assert run.status is Status.SUCCESS
    assert unzipped(runner_setup.output(run)) == {"a/x": b"1b\n", "b": b"2b\n", "c": b"3b\n"}
    assert rows(runner_setup, run.key) == [
        ("a", None, "success"), ("b", None, "success"), ("b", 0, "success"), ("b", 1, "success"),
        ("b", 2, "success"), ("c", None, "success"),
    ]  # fmt: skip
    log = runner_setup.log(run)
    assert {f"b[{number}]: hello" for number in range(3)} <= set(log)
    assert any(line.startswith("b[2]: ended with exit code 0") for line in log)
    assert runner_setup.leftovers() == []


def test_a_root_fans_out_over_the_input(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={"COPY": "a"})
    run = runner_setup.run(fanned("a", over="a"), {"x": "1", "y/z": "2"})
    assert unzipped(runner_setup.output(run)) == {"x": b"1a\n", "y/z": b"2a\n"}


def test_a_join_fans_out_over_each_ones_files(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={"WRITE": "x=1"}, b={"WRITE": "x=2"}, c={"COPY": "c"})
    run = runner_setup.run(fanned("a", "b", "c", over="c", edges=[("a", "c"), ("b", "c")]))
    assert unzipped(runner_setup.output(run)) == {"a/x": b"1c\n", "b/x": b"2c\n"}


def test_without_files_a_fan_out_succeeds_and_the_chain_goes_on(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={}, b={}, c={"WRITE": "x=1"})
    run = runner_setup.run(fanned("a", "b", "c", over="b"))
    assert (run.status, runner_setup.output(run)) == (Status.SUCCESS, b"1")
    assert rows(runner_setup, run.key) == [(name, None, "success") for name in "abc"]


def test_a_hundred_files_go_through_one_fan_out(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={"COPY": "a"})
    run = runner_setup.run(fanned("a", over="a"), {f"{number:03}": "" for number in range(100)})
    assert set(unzipped(runner_setup.output(run)).values()) == {b"a\n"}
    assert len(rows(runner_setup, run.key)) == 101


def test_the_first_replica_that_fails_ends_the_run(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={"SLEEP": "0.1", "EXIT": "1"}, b={})
    run = runner_setup.run(fanned("a", "b", over="a"), {f"{number:02}": "" for number in range(20)})
    assert run.status is Status.FAILED
    found = rows(runner_setup, run.key)
    assert ("a", None, "failed") in found
    assert ("b", None, "canceled") in found
    assert {status for name, replica, status in found if replica is not None} == {"failed", "canceled"}
    assert len(found) == 22


def test_a_canceled_fan_out_leaves_no_replica_behind(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={"SLEEP": "20"})
    with runner_setup.working():
        run = runner_setup.order(fanned("a", over="a"), {str(number): "" for number in range(9)})
        runner_setup.running(run, "a")
        runner_setup.cancel(run)
        assert runner_setup.end(run).status is Status.CANCELED
    assert {status for _, _, status in rows(runner_setup, run.key)} == {"canceled"}
    assert runner_setup.leftovers() == []


@pytest.mark.parametrize(
    "outputs,names",
    [
        ([["x.txt"], ["x.txt"], ["y"]], ["x.0.txt", "x.1.txt", "y"]),
        ([["d/x"], ["d/x"]], ["d/x.0", "d/x.1"]),
        ([["x.0.txt", "x.txt"], ["x.txt"]], ["x.0.0.txt", "x.0.txt", "x.1.txt"]),
        ([["x"], ["x/y"]], ["x.0", "x/y"]),
        ([["x"], []], ["x"]),
    ],
)
def test_a_name_that_several_wrote_gets_the_replicas_index(
    tmp_path: Path, outputs: list[list[str]], names: list[str]
) -> None:
    left = []
    for number, files in enumerate(outputs):
        for name in files:
            (tmp_path / f"{number}" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / f"{number}" / name).write_text(f"{number} {name}")
        (tmp_path / f"{number}").mkdir(exist_ok=True)
        left.append(check(tmp_path / f"{number}", 1_000))
    merged = merge(left, tmp_path / "merged")
    assert [file.rel for file in merged.files] == names
    assert len({file.path.read_text() for file in merged.files}) == len(names)


def test_a_name_without_room_for_the_index_is_reported(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={"WRITE": f"{'x' * 255}=1"})
    run = runner_setup.run(fanned("a", over="a"), {"p": "1", "q": "2"})
    assert run.status is Status.FAILED
    assert any(
        "several replicas left /output/xxx" in line and "at most 255 bytes" in line
        for line in runner_setup.log(run)
    )
