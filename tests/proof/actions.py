"""What people and steps do, as rules of a state machine: jobs, triggers, answers, cancels, steps' ends."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize

from tests.kit.client import Answer
from tests.kit.clocks import until
from tests.proof import people
from tests.proof.cases import Case, Job
from tests.proof.empty_world import JOBS, EmptyWorld, multipart
from tests.proof.model import ENDED, Files, Part, RunModel
from tests.proof.rules import (
    CALLERS,
    COUNT,
    GO_ON,
    HOW,
    PICK,
    STOP,
    UNKNOWN,
    live,
    playing,
    room,
    some,
    step,
    waiting,
)
from tests.proof.shapes import shapes


class ItemActions(RuleBasedStateMachine):
    """Does something to the service and to the model, and holds the one against the other."""

    empty_world: ClassVar[EmptyWorld]

    def __init__(self) -> None:
        super().__init__()
        self.cases: list[Case] = []
        self.jobs: list[Job] = []
        self.numbers = itertools.count(1)
        self.broken = self.series = False

    def of(self, pick: int, test: Callable[[Case], bool] = lambda case: True) -> Case:
        found = [case for case in self.cases if test(case)]
        return found[pick % len(found)]

    def instead(self, pick: int) -> None:
        """Bring things about: a new run, an answer, or the end of a step."""
        if room(self):
            self.triggered(self.jobs[pick % len(self.jobs)], "alice", pick % 3, pick % 2 == 0)
            return
        case = self.of(pick, live)
        if waiting(case):
            self._answer(case, "alice", GO_ON[pick % len(GO_ON)])
        else:
            self._end(case, case.model.parts()[0], "canceled" if case.model.halted else "success", pick % 3)

    def scheduled(self) -> bool:
        return any(job.scheduled for job in self.jobs)

    @initialize(data=st.data(), scheduled=st.booleans())
    def begin(self, data: Any, scheduled: bool) -> None:
        self._make_job(data, scheduled)

    @step(lambda self: len(self.jobs) < 2, data=st.data())
    def another_job(self, data: Any) -> None:
        self._make_job(data, False)

    def _make_job(self, data: Any, scheduled: bool) -> None:
        empty_world = self.empty_world
        empty_world.jobs += 1
        name = f"job{empty_world.jobs}"
        shape = data.draw(shapes(f"in{name}"))
        public, claim = data.draw(st.sampled_from([False, False, True])), data.draw(st.booleans())
        levels = {"alice": data.draw(st.sampled_from(["ignore", "info", "important"]))}
        if data.draw(st.booleans()):
            levels["carol"] = data.draw(st.sampled_from(["info", "important"]))
        job = Job(name, shape, public, claim, scheduled, levels)
        if shape.inner is not None:
            empty_world.made("PUT", f"{JOBS}/in{name}")
            empty_world.made("POST", f"{JOBS}/in{name}/config/chains", shape.inner)
        people.found(empty_world, job, shape.text(f"in{name}"))
        self.jobs.append(job)

    @step(room, pick=PICK, user=CALLERS, files=COUNT, waits=st.booleans())
    def trigger(self, pick: int, user: str, files: int, waits: bool) -> None:
        self.triggered(self.jobs[pick % len(self.jobs)], user, files, waits)

    def triggered(self, job: Job, user: str, files: int, waits: bool) -> None:
        given = {f"in-{number}": f"{number}" for number in range(files)} or {"input.json": "{}"}
        body, media = multipart(given) if files else ("{}", "application/json")
        sent = {"Content_Type": media} if waits else {"Content_Type": media, "Prefer": "respond-async"}
        path = people.path(user, job.name)
        if refusal := people.refused(user, job, "x"):
            assert self.empty_world.ask(user, "POST", f"{path}/data", body, **sent).status == refusal
            return
        if waits:
            answer = self.empty_world.meanwhile(
                lambda: self.empty_world.ask(user, "POST", f"{path}/data", body, **sent)
            )
            self._come(job, user, "api", given).waits = answer
        else:
            said = self.empty_world.ask(user, "POST", f"{path}/data", body, **sent)
            assert said.status == 202, said
            case = self._come(job, user, "api", given)
            assert said.headers["location"] == f"{path}/runs/{case.id}"
        self.cases[-1].agree()

    def _come(self, job: Job, user: str, trigger: str, given: Files) -> Case:
        """The run that has just been triggered."""
        known = {case.key for case in self.cases}
        item = self.empty_world.world.items.find("job", "alice", job.name, "alice").item.id  # type: ignore[union-attr]
        reader = self.empty_world.world.code.runs.reader
        (run,) = until(lambda: [run for run in reader.newest(item, 1) if run.key not in known], bool)
        assert (run.by, run.trigger) == (user, trigger)
        case = Case(self.empty_world, job, run.key, run.id, RunModel(job.shape, user, trigger, given))
        self.cases.append(case)
        return case

    @step(lambda self: self.scheduled() and room(self))
    def a_minute_passes(self) -> None:
        self._fire()

    def _fire(self) -> Case | None:
        job = next(job for job in self.jobs if job.scheduled)
        self.empty_world.fire()
        if not job.enabled:
            item = self.empty_world.world.items.find("job", "alice", job.name, "alice").item.id  # type: ignore[union-attr]
            mine = {case.key for case in self.cases if case.job is job}
            assert {run.key for run in self.empty_world.world.code.runs.reader.newest(item, None)} <= mine
            return None
        case = self._come(job, "alice", "schedule", {})
        case.agree()
        return case

    @step(
        lambda self: self.scheduled() and not self.series,
        ends=st.lists(st.sampled_from(["failed"] * 18 + ["canceled", "success"]), min_size=11, max_size=13),
    )
    def scheduled_runs_end(self, ends: list[str]) -> None:
        self.series = True
        for how in ends:
            case = self._fire()
            if case is not None:
                self._drive(case, how)
                case.look()
        people.check_notices(self.empty_world, self.jobs)

    def _drive(self, case: Case, how: str) -> None:
        """Bring a run to its end, as near to `how` as it can."""
        while live(case):
            if waiting(case):
                self._answer(case, "alice", "decline" if how == "canceled" else "continue")
            elif how == "canceled" and case.model.status == "processing":
                self._cancel(case, "alice")
            else:
                part = case.model.parts()[0]
                self._end(case, part, "canceled" if case.model.halted else how, 1)

    @step(
        some(playing),
        pick=PICK,
        which=PICK,
        how=HOW,
        count=COUNT,
        stubborn=st.sampled_from([False, False, True]),
    )
    def a_step_ends(self, pick: int, which: int, how: str, count: int, stubborn: bool) -> None:
        case = self.of(pick, playing)
        parts = case.model.parts()
        if stubborn:
            self.empty_world.stage.stubborn.add(str(case.key))
        if case.model.halted and which % 3:
            how = "canceled"
        self._end(case, parts[which % len(parts)], how, count)

    def _end(self, case: Case, part: Part, how: str, count: int) -> None:
        files = self._files(part, count)
        case.play(part, how, files)
        case.model.finish(part, how, files)
        self._stop_the_rest(case, case.model)
        case.agree()

    def _stop_the_rest(self, case: Case, model: RunModel) -> None:
        if model.halted and str(case.key) not in self.empty_world.stage.stubborn:
            model.stop()

    def _files(self, part: Part, count: int) -> Files:
        name = part[0] if part[1] is None else f"{part[0]}-{part[1]}"
        return {f"{name}-{number}": f"{next(self.numbers)}" for number in range(count)}

    @step(some(), pick=PICK, user=CALLERS, stubborn=st.sampled_from([False, True]))
    def a_cancel(self, pick: int, user: str, stubborn: bool) -> None:
        case = self.of(pick)
        if stubborn and live(case):
            self.empty_world.stage.stubborn.add(str(case.key))
        self._cancel(case, user)

    def _cancel(self, case: Case, user: str) -> None:
        model = case.model
        refusal = people.refused_on(user, case)
        status = {"processing": 202, "canceling": 200}.get(model.status, 409)
        answer = self.ask_cancel(case, user)
        assert answer.status == (refusal or status), (user, model.status, answer)
        if answer.status == 202:
            model.cancel()
            self._stop_the_rest(case, model)
        elif answer.status == 409:
            assert f'"{model.status}"' in answer.body.decode(), answer
        case.agree()

    def ask_cancel(self, case: Case, user: str) -> Answer:
        return self.empty_world.ask(user, "POST", f"{people.run_path(user, case)}/status", "canceled")

    @step(some(), pick=PICK, user=CALLERS, word=st.sampled_from(GO_ON * 3 + STOP + UNKNOWN))
    def an_answer(self, pick: int, user: str, word: str) -> None:
        self._answer(self.of(pick), user, word)

    @step(some(waiting), pick=PICK, user=CALLERS, word=st.sampled_from(GO_ON * 3 + STOP + UNKNOWN))
    def an_answer_that_is_waited_for(self, pick: int, user: str, word: str) -> None:
        self._answer(self.of(pick, waiting), user, word)

    def _answer(self, case: Case, user: str, word: str) -> None:
        refusal = people.refused_on(user, case) or (400 if word in UNKNOWN else None)
        answer = self.ask_hold(case, user, word)
        assert answer.status == (refusal or (202 if waiting(case) else 409)), (
            user,
            word,
            case.model.status,
            answer,
        )
        if answer.status == 202:
            case.model.answer(word in GO_ON, user)
        case.agree()

    def ask_hold(self, case: Case, user: str, word: str) -> Answer:
        return self.empty_world.ask(user, "POST", f"{people.run_path(user, case)}/hold", word)

    def teardown(self) -> None:
        """Everything can be brought to its end, and nothing is left of it."""
        try:
            if not self.broken:
                self._end_all()
        finally:
            people.swept(self.empty_world)

    def _end_all(self) -> None:
        for case in self.cases:
            if live(case):
                self._drive(case, ["success", "failed", "canceled"][case.key % 3])
        for case in self.cases:
            assert case.model.status in ENDED
            case.agree()
            case.look()
        people.check_notices(self.empty_world, self.jobs)
        for job in self.jobs:
            people.removed(self.empty_world, job)
        people.nothing_left(self.empty_world)
