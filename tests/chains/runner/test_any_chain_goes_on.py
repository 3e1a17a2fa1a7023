"""Any chain with a step that fails: going on from a step gives the result of a run without the failure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from chains.engine.port import Handle
from chains.plan.model import Plan
from chains.runs.states import Status
from tests.chains.runner.test_fan_out import unzipped
from tests.chains.runner.test_going_on import done_rows, resumed, ways
from tests.kit.fake_engine import FakeEngine, Images
from tests.kit.runner import RunnerSetup
from tests.kit.suites.chains import chain

NAMES = ("a", "b", "c", "d", "e")
INPUT = {"x": "1", "deep/y": "2"}


class Counting(FakeEngine):
    """An engine that records the run and the label of each step that it starts."""

    def __init__(self, images: Images) -> None:
        super().__init__(images)
        self.started: set[tuple[str, str]] = set()

    def start(self, handle: Handle) -> None:
        self.started.add((handle.spec.run, handle.spec.step))
        super().start(handle)


@dataclass(frozen=True)
class Case:
    """A chain, its step that fails, those of the others that do not end before, and a choice of a step."""

    plan: Plan
    broken: str
    choice: int


@st.composite
def cases(draw: st.DrawFn) -> Case:
    names = NAMES[: draw(st.integers(2, len(NAMES)))]
    pairs = [(one, other) for number, other in enumerate(names) for one in names[:number]]
    plan = chain(*names, edges=[pair for pair in pairs if draw(st.booleans())])
    steps = tuple(replace(step, fan_out=draw(st.booleans())) for step in plan.steps)
    return Case(replace(plan, steps=steps), draw(st.sampled_from(names)), draw(st.integers(0, 9)))


def expected(plan: Plan) -> Mapping[str, bytes]:
    """The result, by the words of the manual: each step appends its name to each of its files."""
    outputs: dict[str, dict[str, str]] = {}

    def joined(names: list[str]) -> dict[str, str]:
        if len(names) == 1:
            return outputs[names[0]]
        return {f"{name}/{rel}": text for name in names for rel, text in outputs[name].items()}

    for step in plan.steps:
        before = [one for one, other in plan.edges if other == step.name]
        files = joined(before) if before else INPUT
        outputs[step.name] = {rel: f"{text}{step.name}\n" for rel, text in files.items()}
    ends = [name for name in outputs if name not in {one for one, _ in plan.edges}]
    return {rel: text.encode() for rel, text in joined(ends).items()}


def after(plan: Plan, name: str) -> set[str]:
    """A step and all that follow it."""
    return {name}.union(*(after(plan, other) for one, other in plan.edges if one == name))


def test_the_result_is_that_of_a_run_without_the_failure(tmp_path: Path) -> None:
    setup = RunnerSetup(tmp_path)
    engine = setup.engine = Counting(setup.images)

    @settings(max_examples=25, deadline=None)
    @given(cases())
    def check(case: Case) -> None:
        for name in NAMES:
            setup.images[f"image-{name}"] = {"COPY": name}
        setup.images[f"image-{case.broken}"] = {"EXIT": "1"}
        failed = setup.end(setup.order(case.plan, INPUT))
        done = set(done_rows(setup, failed))
        assert failed.status is Status.FAILED
        before = {one for one in NAMES if case.broken in after(case.plan, one)} - {case.broken}
        assert before <= done
        possible = ways(setup, failed)
        assert set(possible) == {
            step.name
            for step in case.plan.steps
            if done - after(case.plan, step.name)
            and all(one in done for one, other in case.plan.edges if other == step.name)
        }
        for name in NAMES:
            setup.images[f"image-{name}"] = {"COPY": name}
        label = possible[case.choice % len(possible)] if possible else case.broken
        run = setup.end(resumed(setup, failed, label, INPUT))
        used = done - after(case.plan, label)
        assert run.status is Status.SUCCESS
        assert {row.name for row in done_rows(setup, run).values() if row.output_of} == used
        started = {step for key, step in engine.started if key == str(run.key)}
        assert started == {step.name for step in case.plan.steps} - used
        assert unzipped(setup.output(run)) == expected(case.plan)

    with setup.working():
        check()
