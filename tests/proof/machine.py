"""The whole state machine: what people and steps do, at the same moment too, and what happens to runners."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import strategies as st

from tests.proof import people
from tests.proof.actions import ItemActions
from tests.proof.cases import Case
from tests.proof.empty_world import JOBS, PATIENCE
from tests.proof.model import WORKING, Part, RunModel
from tests.proof.rules import CALLERS, COUNT, GO_ON, HOW, PICK, STOP, live, playing, some, step, waiting

MOMENTS = st.integers(1, 40)


def working(case: Case) -> bool:
    return case.model.status in WORKING


def with_child(case: Case) -> bool:
    return bool(case.model.children())


class Machine(ItemActions):
    """Adds races, the deaths of runners, parked files, and looks at everything else that is shown."""

    @step(some(live), orderly=st.sampled_from([False, False, True]))
    def the_runner_is_gone(self, orderly: bool) -> None:
        self.empty_world.stage.stubborn.clear()
        self.empty_world.end(orderly)
        self.empty_world.start()
        for case in sorted(self.cases, key=lambda case: case.key):
            if working(case):
                self._lose(case, orderly)
            case.agree()

    def _lose(self, case: Case, orderly: bool) -> None:
        model = case.model
        if not orderly:
            model.lose()
            return
        before, model.status, model.halted = model.status, "canceling", True
        model.stop()
        if (before, model.status) == ("processing", "canceled"):
            model.status = "failed"

    @step(some(playing), pick=PICK, which=PICK, how=HOW, count=COUNT, moment=MOMENTS)
    def the_runner_dies_over_a_step(self, pick: int, which: int, how: str, count: int, moment: int) -> None:
        case = self.of(pick, playing)
        part = case.model.parts()[which % len(case.model.parts())]
        after = self._after(case, part, how, count)
        self.empty_world.life.end_at(moment)
        case.play(part, how, self.files)
        self.empty_world.life.over.wait(0.02)
        finals = [after] if after.ended or after.status == "waiting" else []
        self._restart(case, finals, [case.changed(), after])

    @step(some(waiting), pick=PICK, moment=MOMENTS)
    def the_runner_dies_over_an_answer(self, pick: int, moment: int) -> None:
        case = self.of(pick, waiting)
        answered, begun = case.changed(), case.changed()
        answered.answer(True, "alice")
        begun.answer(True, "alice", begins=False)
        self.empty_world.life.end_at(moment)
        assert self.ask_hold(case, "alice", "continue").status == 202
        self.empty_world.life.over.wait(0.02)
        self._restart(case, [answered], [begun, copy.deepcopy(answered)])

    def _restart(self, case: Case, finals: list[RunModel], lost: list[RunModel]) -> None:
        """Kill the rest and start again: the run stands as a final model says, or was lost between
        two moments.
        """
        self.empty_world.end()
        self.empty_world.stage.stubborn.clear()
        self.empty_world.start()
        others = [other for other in self.cases if other is not case]
        for other in sorted(others, key=lambda other: other.key):
            if working(other):
                other.model.lose()
            other.agree()
        for model in lost:
            model.lose()
        case.agree_or_lost(finals, lost)

    def _after(self, case: Case, part: Part, how: str, count: int) -> RunModel:
        """The model as it is once a part has ended."""
        self.files = self._files(part, count)
        after = case.changed()
        after.finish(part, how, self.files)
        self._stop_the_rest(case, after)
        return after

    @step(some(playing), pick=PICK, which=PICK, how=HOW, count=COUNT, user=st.sampled_from(["alice", "bob"]))
    def a_cancel_while_a_step_ends(self, pick: int, which: int, how: str, count: int, user: str) -> None:
        case = self.of(pick, playing)
        if case.model.status != "processing" or str(case.key) in self.empty_world.stage.stubborn:
            return
        part = case.model.parts()[which % len(case.model.parts())]
        after = self._after(case, part, how, count)
        case.play(part, how, self.files)
        answer = self.ask_cancel(case, user)
        if answer.status == 409:
            assert after.status != "processing", answer
            case.agree(after, loosely=True)
            return
        assert answer.status == 202, answer
        found = []
        for ended in (False, True):
            model = case.changed()
            model.cancel()
            if ended:
                model.finish(part, how, self.files)
            model.stop()
            found.append(model)
        if after.status == "waiting":
            after.holds.pop()
        if not after.ended:
            after.cancel()
            after.stop()
            after.go_on()
        found.append(after)
        case.agree(*found, loosely=True)

    @step(some(waiting), pick=PICK, first=st.sampled_from(GO_ON + STOP), second=st.sampled_from(GO_ON + STOP))
    def two_answers_at_once(self, pick: int, first: str, second: str) -> None:
        case = self.of(pick, waiting)
        other = self.empty_world.meanwhile(lambda: self.ask_hold(case, "bob", second))
        answers = {"alice": self.ask_hold(case, "alice", first), "bob": other.result(PATIENCE)}
        codes = sorted(answer.status for answer in answers.values())
        assert codes in ([202, 409], [202, 202]), answers
        words = {"alice": first, "bob": second}
        order = ["alice", "bob"] if answers["alice"].status == 202 else ["bob", "alice"]
        if codes == [202, 202]:
            self._both(case, words)
            return
        case.model.answer(words[order[0]] in GO_ON, order[0])
        case.agree()

    def _both(self, case: Case, words: dict[str, str]) -> None:
        """Both won: then the second answered the next stop, which the run had come to meanwhile."""
        found = []
        for order in (("alice", "bob"), ("bob", "alice")):
            model = case.changed()
            for user in order:
                if model.status != "waiting":
                    break
                model.answer(words[user] in GO_ON, user)
            else:
                found.append(model)
        assert found, "one stop was answered twice"
        case.agree(*found)

    @step(some(waiting), pick=PICK, user=CALLERS, which=PICK, adds=st.booleans())
    def parked_files_are_edited(self, pick: int, user: str, which: int, adds: bool) -> None:
        case = self.of(pick, waiting)
        held = case.model.open
        assert held is not None
        root = "/v1/code/spaces" if user == "alice" else "/v1/users/alice/code/spaces"
        place = f"{root}/{case.space(held.stop.step, held.stop.phase)}"
        refusal = None if people.refused_on(user, case) is None else 404
        if adds or not held.files:
            name, text = f"by-{user}", f"{next(self.numbers)}"
            answer = self.empty_world.ask(user, "POST", f"{place}/content/{name}", text)
            if refusal is None:
                held.files[name] = text
        else:
            name = sorted(held.files)[which % len(held.files)]
            answer = self.empty_world.ask(user, "DELETE", f"{place}/content/{name}")
            if refusal is None:
                del held.files[name]
        assert answer.status == refusal if refusal else answer.status in (200, 201), (user, answer)
        assert self.empty_world.ask(user, "DELETE", place).status == (refusal or 403)

    @step(some(with_child), pick=PICK)
    def a_child_is_not_canceled_alone(self, pick: int) -> None:
        case = self.of(pick, with_child)
        (child,) = self.empty_world.data(f"{case.path}/stats")["children"]
        path = f"{JOBS}/{case.job.name}/runs/{child['name']}/status"
        assert self.empty_world.ask("alice", "POST", path, "canceled").status == 409
        case.agree()

    @step(lambda self: bool(self.jobs))
    def nothing_else_is_there(self) -> None:
        """Spaces, containers and credentials are those of the runs that need them."""
        empty_world = self.empty_world
        spaces = {
            case.space(held.stop.step, held.stop.phase)
            for case in self.cases
            if live(case)
            for held in case.model.holds
        }
        assert {row["name"] for row in empty_world.data("/v1/code/spaces")} == spaces
        at_work = {case.key for case in self.cases if working(case)}
        assert empty_world.credentials() == {
            case.key for case in self.cases if case.key in at_work and case.job.claim
        }
        playing_now = {str(case.key) for case in self.cases if playing(case)}
        assert playing_now <= empty_world.stage.runs()

    @step(some(), pick=PICK, user=CALLERS)
    def somebody_looks(self, pick: int, user: str) -> None:
        """What is read of a run, by those who may."""
        case = self.of(pick)
        refusal = people.refused(user, case.job, "r")
        for name in ("status", "log", "steps", "stats", "output"):
            answer = self.empty_world.ask(user, "GET", f"{people.run_path(user, case)}/{name}")
            assert answer.status == refusal if refusal else answer.status in (200, 204), (user, name, answer)
        listed = self.empty_world.ask(user, "GET", people.run_path(user, case))
        assert listed.status == (refusal or 200)
        if refusal is None:
            names = {row["name"] for row in json.loads(listed.body)}
            may = people.refused(user, case.job, "x") is None
            assert names == {"description", "log", "output", "stats", "status"} | ({"hold"} if may else set())
        self._log(case)

    def _log(self, case: Case) -> None:
        lines: list[Any] = [line["message"] for line in self.empty_world.data(f"{case.path}/log")]
        if any(row.started for row in case.model.rows.values()):
            assert lines[0].startswith("Chain: "), lines
