"""A run parks at a hold, holds nothing meanwhile, and goes on with what people left for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from chains.files.run_folders import check, outlast
from chains.language.ast import Phase
from chains.plan.frontier import Progress
from chains.plan.model import Hold, Plan
from chains.runs.records import Run
from chains.runs.states import Event, Status
from tests.kit.runner import NEVER, RunnerSetup, RunnerSetupOf
from tests.kit.suites.chains import at_once, chain
from vfs.errors import Conflict

BEFORE, AFTER = Phase.BEFORE, Phase.AFTER


def held(plan: Plan, *holds: tuple[str, Phase]) -> Plan:
    """The plan with holds, in the order of their steps."""
    marks = (Hold(step, phase, plan.step(step).ordinal, (step,)) for step, phase in holds)
    return replace(plan, holds=tuple(marks))


def waiting(runner_setup: RunnerSetup, run: Run) -> dict[str, str]:
    """The files parked, once the run waits."""
    assert (
        runner_setup.run_store.waits.wait(run.key, lambda status: status is not Status.PROCESSING, NEVER)
        is Status.WAITING
    )
    stop = runner_setup.run_store.reader.holds(run.key)[-1]
    return runner_setup.hold_files.files[f"{stop.step}-{stop.phase}"]


def go_on(runner_setup: RunnerSetup, run: Run, frozen: int | None = 9) -> None:
    runner_setup.run_store.states.settle(run.key, Event.CONTINUE, "carol", frozen)


@pytest.mark.parametrize("mark", [("a", AFTER), ("b", BEFORE)])
def test_edited_files_are_the_input_of_the_next_step(
    runner_setup_of: RunnerSetupOf, mark: tuple[str, Phase]
) -> None:
    runner_setup = runner_setup_of(a={"COPY": "a"}, b={"COPY": "b"})
    with runner_setup.working():
        run = runner_setup.order(held(chain("a", "b"), mark), {"x": "1"})
        files = waiting(runner_setup, run)
        assert files == {"x": "1a\n"}
        assert runner_setup.steps(run) == {"a": "success", "b": "pending"}
        files["x"] = "edited "
        go_on(runner_setup, run)
        run = runner_setup.end(run)
    assert (run.status, runner_setup.output(run)) == (Status.SUCCESS, b"edited b\n")
    assert runner_setup.leftovers() == []
    assert runner_setup.log(run).count("Chain: a -> b") == 1


def test_a_hold_before_the_first_step_parks_the_input(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={"COPY": "a"})
    with runner_setup.working():
        run = runner_setup.order(held(chain("a"), ("a", BEFORE)), {"deep/x": "1"})
        assert waiting(runner_setup, run) == {"deep/x": "1"}
        go_on(runner_setup, run)
        assert runner_setup.output(runner_setup.end(run)) == b"1a\n"


def test_a_hold_after_the_last_step_parks_the_result(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={"WRITE": "x=1"})
    with runner_setup.working():
        run = runner_setup.order(held(chain("a"), ("a", AFTER)))
        waiting(runner_setup, run)["y"] = "2"
        del runner_setup.hold_files.files["a-after"]["x"]
        go_on(runner_setup, run)
        run = runner_setup.end(run)
    assert (runner_setup.output(run), run.output_name) == (b"2", "y")


def test_several_holds_are_passed_one_after_the_other(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={"COPY": "a"}, b={"COPY": "b"})
    with runner_setup.working():
        run = runner_setup.order(
            held(chain("a", "b"), ("a", BEFORE), ("a", AFTER), ("b", BEFORE), ("b", AFTER)), {"x": ""}
        )
        for number in range(4):
            waiting(runner_setup, run)["x"] += f"{number}"
            assert len(runner_setup.run_store.reader.holds(run.key)) == number + 1
            go_on(runner_setup, run)
            runner_setup.run_store.waits.wait(run.key, lambda status: status is not Status.PROCESSING, NEVER)
        run = runner_setup.end(run)
    assert runner_setup.output(run) == b"0a\n12b\n3"


def test_other_branches_end_before_the_run_waits(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={}, b={}, c={"SLEEP": "0.2", "WRITE": "x=c"}, d={"COPY": "d"})
    plan = held(
        chain("a", "b", "c", "d", edges=[("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]), ("b", BEFORE)
    )
    with runner_setup.working():
        run = runner_setup.order(plan)
        waiting(runner_setup, run)
        assert runner_setup.steps(run) == {"a": "success", "b": "pending", "c": "success", "d": "pending"}
        go_on(runner_setup, run)
        run = runner_setup.end(run)
    assert runner_setup.output(run) == b"cd\n"


def test_a_join_shows_each_ones_files_in_a_folder(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={"WRITE": "x=1"}, b={"WRITE": "x=2"}, c={"COPY": "c"})
    with runner_setup.working():
        run = runner_setup.order(held(chain("a", "b", "c", edges=[("a", "c"), ("b", "c")]), ("c", BEFORE)))
        files = waiting(runner_setup, run)
        assert files == {"a/x": "1", "b/x": "2"}
        del files["a/x"]
        go_on(runner_setup, run)
        assert runner_setup.output(runner_setup.end(run)) == b"2c\n"


def test_a_declined_run_is_canceled_and_leaves_nothing(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={}, b={})
    with runner_setup.working():
        run = runner_setup.order(held(chain("a", "b"), ("b", BEFORE)))
        waiting(runner_setup, run)
        assert runner_setup.leftovers() != []
        assert runner_setup.run_store.states.settle(run.key, Event.DECLINE, "carol", None) is Status.CANCELED
        runner_setup.emptied()
    assert runner_setup.steps(run) == {"a": "success", "b": "canceled"}


def test_a_run_that_ends_while_it_waits_leaves_nothing_for_a_runner_that_came_later(
    runner_setup_of: RunnerSetupOf,
) -> None:
    runner_setup = runner_setup_of(a={})
    with runner_setup.working():
        declined, forgotten = (
            runner_setup.order(held(chain("a"), ("a", BEFORE)), {"x": "1"}) for _ in range(2)
        )
        for run in (declined, forgotten):
            waiting(runner_setup, run)
    assert len(runner_setup.leftovers()) == 2
    with runner_setup.working():
        runner_setup.run_store.states.settle(declined.key, Event.DECLINE, "carol", None)
        runner_setup.run_store.retention.discard(forgotten.job)
        runner_setup.emptied()


def test_a_run_that_went_on_keeps_its_folder_until_it_ends(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={"COPY": "a"}, b={"SLEEP": "0.3", "COPY": "b"})
    with runner_setup.working():
        run = runner_setup.order(held(chain("a", "b"), ("b", BEFORE)), {"x": ""})
        waiting(runner_setup, run)
        go_on(runner_setup, run)
        runner_setup.running(run, "b")
        runner_setup.run_beside(chain("a"))
        assert runner_setup.leftovers() == [f"run-{run.key}"]
        assert runner_setup.output(runner_setup.end(run)) == b"a\nb\n"
        runner_setup.emptied()


def test_what_later_steps_read_is_settled_unless_the_hold_gives_it_back() -> None:
    edges = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("e", "d")]
    plan = held(chain("a", "b", "c", "d", "e", "f", edges=edges), ("b", AFTER), ("d", BEFORE))
    after, before = plan.holds
    progress = Progress(plan, ["a", "b", "e", "f"])
    assert progress.outputs_after(after) == ["a", "e", "f"]
    progress = Progress(plan, "abcef", {("b", AFTER)})
    assert progress.outputs_after(before) == ["f"]


def test_files_that_cannot_be_settled_are_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "output" / "a"
    (folder / "d").mkdir(parents=True)
    (folder / "d" / "x").write_text("1")
    files = check(folder, 9).files
    outlast(folder, files)
    (folder / "d" / "x").unlink()
    with pytest.raises(FileNotFoundError):
        outlast(folder, files)


def test_a_waiting_run_outlives_its_runner_and_holds_nothing(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={"COPY": "a"}, b={"COPY": "b"})
    with runner_setup.working():
        run = runner_setup.order(held(chain("a", "b"), ("b", BEFORE)), {"x": ""})
        waiting(runner_setup, run)
    found = runner_setup.run_store.reader.by_key(run.key)
    assert found is not None
    assert (found.status, found.worker, runner_setup.revoked) == (Status.WAITING, None, [run.key])
    with runner_setup.working():
        go_on(runner_setup, run)
        assert runner_setup.output(runner_setup.end(run)) == b"a\nb\n"


def test_a_space_that_is_gone_fails_the_run(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={})
    with runner_setup.working():
        run = runner_setup.order(held(chain("a"), ("a", BEFORE)))
        waiting(runner_setup, run)
        go_on(runner_setup, run, None)
        assert runner_setup.end(run).status is Status.FAILED
    assert "the space is gone" in runner_setup.log(run)[-1]


def test_of_two_answers_at_once_one_wins(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={})
    with runner_setup.working():
        run = runner_setup.order(held(chain("a"), ("a", BEFORE)))
        waiting(runner_setup, run)
        answers: Sequence[object] = at_once(
            lambda: runner_setup.run_store.states.settle(run.key, Event.CONTINUE, "carol", 9),
            lambda: runner_setup.run_store.states.settle(run.key, Event.DECLINE, "dave", None),
        )
        assert [isinstance(answer, Conflict) for answer in answers].count(True) == 1
        assert runner_setup.end(run).status in (Status.SUCCESS, Status.CANCELED)
