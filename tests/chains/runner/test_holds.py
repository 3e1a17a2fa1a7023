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
from tests.kit.runner import NEVER, Yard, YardOf
from tests.kit.suites.chains import at_once, chain
from vfs.errors import Conflict

BEFORE, AFTER = Phase.BEFORE, Phase.AFTER


def held(plan: Plan, *holds: tuple[str, Phase]) -> Plan:
    """The plan with holds, in the order of their steps."""
    marks = (Hold(step, phase, plan.step(step).ordinal, (step,)) for step, phase in holds)
    return replace(plan, holds=tuple(marks))


def waiting(yard: Yard, run: Run) -> dict[str, str]:
    """The files parked, once the run waits."""
    assert (
        yard.book.waits.wait(run.key, lambda status: status is not Status.PROCESSING, NEVER) is Status.WAITING
    )
    stop = yard.book.reader.holds(run.key)[-1]
    return yard.hold_files.files[f"{stop.step}-{stop.phase}"]


def go_on(yard: Yard, run: Run, frozen: int | None = 9) -> None:
    yard.book.states.settle(run.key, Event.CONTINUE, "carol", frozen)


@pytest.mark.parametrize("mark", [("a", AFTER), ("b", BEFORE)])
def test_edited_files_are_the_input_of_the_next_step(yard_of: YardOf, mark: tuple[str, Phase]) -> None:
    yard = yard_of(a={"COPY": "a"}, b={"COPY": "b"})
    with yard.working():
        run = yard.order(held(chain("a", "b"), mark), {"x": "1"})
        files = waiting(yard, run)
        assert files == {"x": "1a\n"}
        assert yard.steps(run) == {"a": "success", "b": "pending"}
        files["x"] = "edited "
        go_on(yard, run)
        run = yard.end(run)
    assert (run.status, yard.output(run)) == (Status.SUCCESS, b"edited b\n")
    assert yard.leftovers() == []
    assert yard.log(run).count("Chain: a -> b") == 1


def test_a_hold_before_the_first_step_parks_the_input(yard_of: YardOf) -> None:
    yard = yard_of(a={"COPY": "a"})
    with yard.working():
        run = yard.order(held(chain("a"), ("a", BEFORE)), {"deep/x": "1"})
        assert waiting(yard, run) == {"deep/x": "1"}
        go_on(yard, run)
        assert yard.output(yard.end(run)) == b"1a\n"


def test_a_hold_after_the_last_step_parks_the_result(yard_of: YardOf) -> None:
    yard = yard_of(a={"WRITE": "x=1"})
    with yard.working():
        run = yard.order(held(chain("a"), ("a", AFTER)))
        waiting(yard, run)["y"] = "2"
        del yard.hold_files.files["a-after"]["x"]
        go_on(yard, run)
        run = yard.end(run)
    assert (yard.output(run), run.output_name) == (b"2", "y")


def test_several_holds_are_passed_one_after_the_other(yard_of: YardOf) -> None:
    yard = yard_of(a={"COPY": "a"}, b={"COPY": "b"})
    with yard.working():
        run = yard.order(
            held(chain("a", "b"), ("a", BEFORE), ("a", AFTER), ("b", BEFORE), ("b", AFTER)), {"x": ""}
        )
        for number in range(4):
            waiting(yard, run)["x"] += f"{number}"
            assert len(yard.book.reader.holds(run.key)) == number + 1
            go_on(yard, run)
            yard.book.waits.wait(run.key, lambda status: status is not Status.PROCESSING, NEVER)
        run = yard.end(run)
    assert yard.output(run) == b"0a\n12b\n3"


def test_other_branches_end_before_the_run_waits(yard_of: YardOf) -> None:
    yard = yard_of(a={}, b={}, c={"SLEEP": "0.2", "WRITE": "x=c"}, d={"COPY": "d"})
    plan = held(
        chain("a", "b", "c", "d", edges=[("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]), ("b", BEFORE)
    )
    with yard.working():
        run = yard.order(plan)
        waiting(yard, run)
        assert yard.steps(run) == {"a": "success", "b": "pending", "c": "success", "d": "pending"}
        go_on(yard, run)
        run = yard.end(run)
    assert yard.output(run) == b"cd\n"


def test_a_join_shows_each_ones_files_in_a_folder(yard_of: YardOf) -> None:
    yard = yard_of(a={"WRITE": "x=1"}, b={"WRITE": "x=2"}, c={"COPY": "c"})
    with yard.working():
        run = yard.order(held(chain("a", "b", "c", edges=[("a", "c"), ("b", "c")]), ("c", BEFORE)))
        files = waiting(yard, run)
        assert files == {"a/x": "1", "b/x": "2"}
        del files["a/x"]
        go_on(yard, run)
        assert yard.output(yard.end(run)) == b"2c\n"


def test_a_declined_run_is_canceled_and_leaves_nothing(yard_of: YardOf) -> None:
    yard = yard_of(a={}, b={})
    with yard.working():
        run = yard.order(held(chain("a", "b"), ("b", BEFORE)))
        waiting(yard, run)
        assert yard.leftovers() != []
        assert yard.book.states.settle(run.key, Event.DECLINE, "carol", None) is Status.CANCELED
        yard.emptied()
    assert yard.steps(run) == {"a": "success", "b": "canceled"}


def test_a_run_that_ends_while_it_waits_leaves_nothing_for_a_runner_that_came_later(yard_of: YardOf) -> None:
    yard = yard_of(a={})
    with yard.working():
        declined, forgotten = (yard.order(held(chain("a"), ("a", BEFORE)), {"x": "1"}) for _ in range(2))
        for run in (declined, forgotten):
            waiting(yard, run)
    assert len(yard.leftovers()) == 2
    with yard.working():
        yard.book.states.settle(declined.key, Event.DECLINE, "carol", None)
        yard.book.retention.discard(forgotten.job)
        yard.emptied()


def test_a_run_that_went_on_keeps_its_folder_until_it_ends(yard_of: YardOf) -> None:
    yard = yard_of(a={"COPY": "a"}, b={"SLEEP": "0.3", "COPY": "b"})
    with yard.working():
        run = yard.order(held(chain("a", "b"), ("b", BEFORE)), {"x": ""})
        waiting(yard, run)
        go_on(yard, run)
        yard.running(run, "b")
        yard.run_beside(chain("a"))
        assert yard.leftovers() == [f"run-{run.key}"]
        assert yard.output(yard.end(run)) == b"a\nb\n"
        yard.emptied()


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


def test_a_waiting_run_outlives_its_runner_and_holds_nothing(yard_of: YardOf) -> None:
    yard = yard_of(a={"COPY": "a"}, b={"COPY": "b"})
    with yard.working():
        run = yard.order(held(chain("a", "b"), ("b", BEFORE)), {"x": ""})
        waiting(yard, run)
    found = yard.book.reader.by_key(run.key)
    assert found is not None
    assert (found.status, found.worker, yard.revoked) == (Status.WAITING, None, [run.key])
    with yard.working():
        go_on(yard, run)
        assert yard.output(yard.end(run)) == b"a\nb\n"


def test_a_space_that_is_gone_fails_the_run(yard_of: YardOf) -> None:
    yard = yard_of(a={})
    with yard.working():
        run = yard.order(held(chain("a"), ("a", BEFORE)))
        waiting(yard, run)
        go_on(yard, run, None)
        assert yard.end(run).status is Status.FAILED
    assert "the space is gone" in yard.log(run)[-1]


def test_of_two_answers_at_once_one_wins(yard_of: YardOf) -> None:
    yard = yard_of(a={})
    with yard.working():
        run = yard.order(held(chain("a"), ("a", BEFORE)))
        waiting(yard, run)
        answers: Sequence[object] = at_once(
            lambda: yard.book.states.settle(run.key, Event.CONTINUE, "carol", 9),
            lambda: yard.book.states.settle(run.key, Event.DECLINE, "dave", None),
        )
        assert [isinstance(answer, Conflict) for answer in answers].count(True) == 1
        assert yard.end(run).status in (Status.SUCCESS, Status.CANCELED)
