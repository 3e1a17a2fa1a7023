"""Runs that go on from a step of an earlier run: what it left is used, and nothing before runs again."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from chains.language.ast import Phase
from chains.plan.model import Plan
from chains.plan.resumption import Resumption, resumable
from chains.runs.records import EarlierRun, Run, StepRow
from chains.runs.states import Status, StepStatus
from storage.bytes.blobs import FileBlobs
from tests.chains.runner.test_holds import go_on, held, waiting
from tests.kit.runner import RunnerSetup, RunnerSetupOf
from tests.kit.suites.chains import chain
from vfs.errors import Gone

LINE = chain("first", "mid", "last")
SCRIPTS = {"first": {"WRITE": "x=1;deep/y=12"}, "mid": {"COPY": "m"}, "last": {"EXIT": "3"}}


def done_rows(setup: RunnerSetup, run: Run) -> Mapping[str, StepRow]:
    rows = setup.run_store.reader.steps(run.key)
    return {row.name: row for row in rows if row.replica is None and row.status is StepStatus.SUCCESS}


def resumed(setup: RunnerSetup, run: Run, label: str, files: Mapping[str, str] | None = None) -> Run:
    """A new run that goes on from a step of another."""
    assert run.plan is not None
    way = Resumption(run.plan, label, done_rows(setup, run))
    assert not way.lacking
    holds = [(hold.step, hold.phase) for hold in run.plan.holds if way.passed(hold)]
    return setup.order(run.plan, files, base=EarlierRun(run.key, run.id, way.used, holds))


def repeated(setup: RunnerSetup, run: Run) -> Collection[str]:
    rows = setup.run_store.reader.steps(run.key)
    return {row.name for row in rows if row.status is not StepStatus.PENDING and row.output_of is None}


def ways(setup: RunnerSetup, run: Run) -> Sequence[str]:
    assert run.plan is not None
    rows = done_rows(setup, run)
    return resumable(run.plan, rows, [row.name for row in rows.values() if row.files is not None])


@pytest.fixture
def setup(runner_setup_of: RunnerSetupOf) -> RunnerSetup:
    return runner_setup_of(**SCRIPTS)


def test_a_run_goes_on_from_the_step_that_failed(setup: RunnerSetup) -> None:
    with setup.working():
        failed = setup.end(setup.order(LINE))
        assert (failed.status, ways(setup, failed)) == (Status.FAILED, ["mid", "last"])
        setup.images["image-last"] = {"COPY": "z", "WRITE": "n=1"}
        setup.images["image-mid"] = {"EXIT": "1"}  # does not run again
        run = setup.end(resumed(setup, failed, "last"))
        assert (run.status, repeated(setup, run)) == (Status.SUCCESS, {"last"})
        assert f"mid: not repeated; its output is that of the run {failed.id}" in setup.log(run)
        assert [row.output_of for row in setup.run_store.reader.steps(run.key)] == [
            failed.id,
            failed.id,
            None,
        ]
        again = setup.end(resumed(setup, failed, "mid"))
        assert (again.status, repeated(setup, again)) == (Status.FAILED, {"mid", "last"})
        setup.images["image-mid"] = {"COPY": "m"}
        third = setup.end(resumed(setup, again, "mid"))
        assert third.status is Status.SUCCESS
        assert done_rows(setup, third)["first"].output_of == failed.id
        whole = setup.end(setup.order(LINE))
        assert setup.output(run) == setup.output(third) == setup.output(whole)
        setup.emptied()


def test_outputs_are_held_until_the_log_goes(setup: RunnerSetup) -> None:
    held_files = setup.run_store.retention.held_files
    with setup.working():
        failed = setup.end(setup.order(LINE))
        assert len(held_files()) == 2
        setup.images["image-last"] = {"SLEEP": "60"}
        run = resumed(setup, failed, "last")
        assert setup.run_store.retention.expire("9", 10) == 1
        assert len(held_files()) == 2  # the new run needs them
        with pytest.raises(Gone):
            resumed(setup, failed, "last")
        setup.cancel(run)
        setup.end(run)
        assert len(held_files()) == 2
        setup.run_store.retention.expire("9", 10)
    assert held_files() == []


def test_outputs_of_a_run_that_succeeds_are_not_kept(setup: RunnerSetup) -> None:
    setup.images["image-last"] = {}
    with setup.working():
        setup.end(setup.order(LINE))
    assert setup.run_store.retention.held_files() == []


def test_a_result_that_is_too_large_is_reported_and_not_kept(setup: RunnerSetup) -> None:
    setup.kept_room = 8
    with setup.working():
        failed = setup.end(setup.order(LINE))
        assert ways(setup, failed) == ["last"]
        warnings = [line for line in setup.log(failed) if "not kept" in line]
        assert len(warnings) == 1
        assert warnings[0].startswith("first: its output is not kept")


def test_a_canceled_run_can_be_gone_on_from(setup: RunnerSetup) -> None:
    setup.images["image-last"] = {"SLEEP": "60"}
    with setup.working():
        run = setup.order(LINE)
        setup.running(run, "last")
        setup.cancel(run)
        run = setup.end(run)
        assert (run.status, ways(setup, run)) == (Status.CANCELED, ["mid", "last"])
        setup.images["image-last"] = {"COPY": ""}
        assert setup.end(resumed(setup, run, "last")).status is Status.SUCCESS


def test_a_fan_out_is_used_as_a_whole_or_repeated_as_a_whole(setup: RunnerSetup) -> None:
    first, mid, last = LINE.steps
    plan = replace(LINE, steps=(first, replace(mid, fan_out=True), last))
    with setup.working():
        failed = setup.end(setup.order(plan))
        setup.images["image-last"] = {"COPY": ""}
        run = setup.end(resumed(setup, failed, "last"))
        whole = setup.end(setup.order(plan))
        assert setup.output(run) == setup.output(whole)
        setup.images["image-mid"] = {"EXIT": "1"}
        failed = setup.end(setup.order(plan))
        assert ways(setup, failed) == ["mid"]


def test_an_answer_to_a_hold_stands_for_steps_that_are_not_repeated(setup: RunnerSetup) -> None:
    plan = held(LINE, ("first", Phase.AFTER), ("last", Phase.BEFORE))
    with setup.working():
        run = setup.order(plan)
        waiting(setup, run)
        setup.hold_files.files["first-after"] = {"edited": "by hand"}
        go_on(setup, run)
        waiting(setup, run)
        go_on(setup, run)
        failed = setup.end(run)
        assert (failed.status, ways(setup, failed)) == (Status.FAILED, ["mid", "last"])
        setup.images["image-last"] = {"COPY": ""}
        run = resumed(setup, failed, "last")
        assert waiting(setup, run) == {"edited": "by handm\n"}  # the hold before `last` is asked again
        (first, _) = setup.run_store.reader.holds(run.key)
        assert (first.step, first.outcome, first.space) == ("first", "continued", None)
        go_on(setup, run)
        run = setup.end(run)
        assert (run.status, repeated(setup, run)) == (Status.SUCCESS, {"last"})
        assert setup.output(run) == b"by handm\n"


def test_rights_for_all_steps_are_checked_again(setup: RunnerSetup) -> None:
    with setup.working():
        failed = setup.end(setup.order(LINE))
        setup.rights.taken.add("first")
        run = setup.end(resumed(setup, failed, "last"))
        assert (run.status, repeated(setup, run)) == (Status.FAILED, {"last"})
        assert "first was taken back" in setup.log(run)[-1]


def test_a_missing_or_changed_output_is_reported(setup: RunnerSetup) -> None:
    with setup.working():
        failed = setup.end(setup.order(LINE))
        digest = done_rows(setup, failed)["mid"].files
        assert digest is not None
        assert isinstance(setup.blobs, FileBlobs)
        setup.blobs.remove(digest, datetime.max.replace(tzinfo=UTC))
        run = setup.end(resumed(setup, failed, "last"))
        assert run.status is Status.FAILED
        assert "cannot be continued" in setup.log(run)[-1]


def test_steps_of_a_job_in_the_chain_go_by_its_label() -> None:
    plan: Plan = replace(LINE, steps=tuple(replace(one) for one in LINE.steps))
    way = Resumption(plan, "mid", ["first", "mid"])
    assert (way.begin, way.used, way.read, way.needs_input) == (["mid"], ["first"], ["first"], False)
    assert Resumption(plan, "mi", ["first"]).begin == []
    assert Resumption(plan, "last", ["first"]).lacking == ["mid"]
    assert Resumption(plan, "first", ["first"]).needs_input
