"""The state machine of rights that are given and taken back between any two events of a run."""

from __future__ import annotations

import copy
import itertools
import re
from collections.abc import Callable
from functools import partial
from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from tests.kit.clocks import until
from tests.proof.empty_world import JOBS
from tests.proof.rights.empty_world import Part, RightsWorld
from tests.proof.rights.model import CREW, Action, RunModel, Shared

NEEDS = {"img": "x", "inner": "x", "vault": "rw"}
TARGETS = ["@alice", "@dave", CREW, "public"]
LETTERS = {"img": ["x", "rx", "r"], "inner": ["x", "rx", "r"], "vault": ["rw", "rw", "r", "w"]}
TAKE = st.one_of(
    st.tuples(st.just("unshare"), st.sampled_from(list(NEEDS)), st.sampled_from(TARGETS)),
    st.tuples(st.just("share"), st.just("vault"), st.sampled_from(TARGETS), st.just("r")),
    st.tuples(st.just("leave"), st.sampled_from(["alice", "dave"])),
    st.tuples(st.just("lock"), st.sampled_from(["dave", "bob"])),
)
GIVE = st.one_of(
    st.sampled_from(list(NEEDS)).flatmap(
        lambda thing: st.tuples(
            st.just("share"), st.just(thing), st.sampled_from(TARGETS), st.sampled_from(LETTERS[thing])
        )
    ),
    st.tuples(st.just("join"), st.sampled_from(["alice", "dave"])),
    st.tuples(st.just("unlock"), st.sampled_from(["dave", "bob"])),
)
PATIENCE = 30.0
SeenRun = tuple[str, dict[str, str], set[Part], set[Part]]
Act = Callable[[RunModel], None]
MOMENT = st.integers(1, 60)
PICK = st.integers(0, 9)


class Machine(RuleBasedStateMachine):
    """One run after the other, of a job whose chain and spaces name bob's things."""

    empty_world: ClassVar[RightsWorld]

    def __init__(self) -> None:
        super().__init__()
        self.shared = Shared()
        self.model: RunModel | None = None
        self.key, self.path = "", ""
        self.numbers = itertools.count(1)
        self.kept: set[str] = set()

    @initialize(author=st.sampled_from(["alice", "dave"]), letters=st.sampled_from(["r", "rw"]), fans=PICK)
    def begin(self, author: str, letters: str, fans: int) -> None:
        empty_world = self.empty_world
        empty_world.jobs += 1
        for thing in ("tool", "img", "inner", "vault"):
            empty_world.make(thing)
        self.shared.text = "nothing"
        for person in ("alice", "dave"):
            empty_world.really(("leave", person))
        self.people, self.letters, self.fans = frozenset({"alice", author}), letters, fans % 2 * 2
        number = empty_world.jobs
        self.job = f"{JOBS}/uses{number}"
        empty_world.made("PUT", self.job)
        empty_world.made("PUT", f"{self.job}/shared/@dave~w")
        place = self.job if author == "alice" else self.job.replace("/code", "/users/alice/code")
        b = ".b" if self.fans else "b"
        labels = f"a <- @bob/img{number}\nb <- @bob/img{number}\nc <- /u/bob/j/inner{number}\n"
        chain = f"{labels}a -> !{b} -> c"
        answer = empty_world.ask(author, "POST", f"{place}/config/chains", chain)
        assert answer.status == 200, answer
        mode = "rw" if letters == "rw" else "ro"
        empty_world.made("POST", f"{self.job}/config/spaces", f"v => /u/bob/s/vault{number},{mode}")
        self._give_all()

    @rule(action=TAKE)
    def something_is_taken_back(self, action: Action) -> None:
        self._do(self._given(action))
        self._do(("write", f"text {next(self.numbers)}"))

    @rule(pick=PICK, action=TAKE)
    def something_is_taken_back_and_the_run_goes_on(self, pick: int, action: Action) -> None:
        self._do(self._given(action))
        self._do(("write", f"text {next(self.numbers)}"))
        self._event(pick, None, ())

    @rule(action=GIVE)
    def something_is_given(self, action: Action) -> None:
        self._do(action)

    @rule(thing=st.sampled_from(["img", "vault", "inner", "tool"]), given=st.booleans())
    def something_is_made_again(self, thing: str, given: bool) -> None:
        self._do(("unlock", "bob"))
        self._do(("remake", thing))
        if thing == "vault":
            self.shared.text = "nothing"
            self.kept.clear()
            if self.model is not None:
                self.model.wrote.clear()
        if given:
            self._give_all()

    @rule()
    def everything_is_given(self) -> None:
        self._give_all()

    @rule(pick=PICK)
    def the_run_goes_on(self, pick: int) -> None:
        self._event(pick, None, ())

    @rule(pick=PICK, moment=MOMENT, action=TAKE)
    def the_run_goes_on_while_something_is_taken_back(self, pick: int, moment: int, action: Action) -> None:
        self._event(pick, moment, (self._given(action), ("write", f"text {next(self.numbers)}")))

    @rule(pick=PICK, action=TAKE)
    def something_is_taken_back_before_the_runner_is_there(self, pick: int, action: Action) -> None:
        """Between the trigger, or an answer, and the runner that takes the run."""
        if self.model is not None and self.model.parts:
            return
        self.empty_world.end()
        try:
            self._send()
            self._do(self._given(action))
        finally:
            self.empty_world.start()
        if self.model is not None:
            self.model.begin()
            self._settle([self.model], False, ())

    def _given(self, action: Action) -> Action:
        """The action, of a share that there is."""
        word, name, *more = action
        shares = self.shared.things[name].shares if more else {}
        if not shares or more[0] in shares:
            return action
        return word, name, sorted(shares)[0], *more[1:]

    def _do(self, action: Action) -> None:
        self.empty_world.really(action)
        self.shared.do(action)

    def _give_all(self) -> None:
        """Everything is shared in one way, and in no other."""
        for person in ("dave", "bob"):
            self._do(("unlock", person))
        way = (["@alice", "@dave"], [CREW], ["public"])[next(self.numbers) % 3]
        for thing, letters in NEEDS.items():
            for target in TARGETS:
                self._do(("share", thing, target, letters) if target in way else ("unshare", thing, target))
        for person in ("alice", "dave"):
            self._do(("join", person))

    def _event(self, pick: int, moment: int | None, actions: tuple[Action, ...]) -> None:
        """The next event of the run, or a new one, while actions are done at a moment of its runner."""
        self.empty_world.steps += 1
        parts = sorted(self.model.parts, key=str) if self.model is not None else []
        if self.model is None:
            self._send()
        if moment is not None:
            self.empty_world.life.meddle_at(moment, lambda: list(map(self.empty_world.really, actions)))
        act = RunModel.begin
        if parts:
            part, marks = parts[pick % len(parts)], f"by-{next(self.numbers)}"
            act = partial(RunModel.finish, part=part, marks=marks)
            self._finish(part, marks)
        elif self.model is not None and self.model.status == "waiting":
            self._send()
        if self.model is not None:
            asks = [None] if moment is None else [None, *range(12)]
            self._settle(
                [self._meddled(self.model, act, count, actions) for count in asks],
                moment is not None,
                actions,
            )
        elif moment is not None and self.empty_world.life.disarm():
            for action in actions:
                self.shared.do(action)

    def _settle(self, models: list[RunModel], meddled: bool, actions: tuple[Action, ...]) -> None:
        """The run comes to be as by one of the models; what was read and written fits."""
        before, stands = self.shared.text, self._agree(models)
        if meddled and self.empty_world.life.disarm():
            for action in actions:
                self.shared.do(action)
        stands.shared, stands.left = self.shared, None
        self._check_read(stands, {before, self.shared.text} if self.shared.allows(stands.vault) else {before})
        self._check_written(stands)
        self._check_log(stands)
        self.model = None if stands.status in ("failed", "success") else stands

    def _meddled(self, model: RunModel, act: Act, asks: int | None, actions: tuple[Action, ...]) -> RunModel:
        """The model after an event, when actions are done after `asks` of its queries."""
        model = copy.deepcopy(model)
        model.left, model.actions = asks, actions
        act(model)
        return model

    def _send(self) -> None:
        """Trigger a run, or answer its hold."""
        empty_world = self.empty_world
        if self.model is not None:
            assert empty_world.ask("alice", "POST", f"{self.path}/hold", "continue").status == 202
            return
        model = RunModel(self.shared, self.people, self.letters, self.fans)
        sent = {"Content_Type": "application/json", "Prefer": "respond-async"}
        answer = empty_world.ask("alice", "POST", f"{self.job}/data", "{}", **sent)
        assert answer.status == (202 if model.admitted else 403), answer
        if model.admitted:
            self.model, self.path = model, answer.headers["location"]
            item = empty_world.world.items.find("job", "alice", self.job.rpartition("/")[2], "alice")
            assert item is not None
            self.key = str(empty_world.world.code.runs.reader.newest(item.item.id, 1)[0].key)

    def _finish(self, part: Part, marks: str) -> None:
        files = "one=1;two=2"
        if part[0] != "c__x":
            files += f";/mnt/v/{marks}={marks}"
        self.empty_world.stage.tell((self.key, *part), {"WRITE": files})

    def _seen(self) -> SeenRun:
        status = self.empty_world.ask("alice", "GET", f"{self.path}/status").body.decode()
        steps = self.empty_world.data(f"{self.path}/steps")["steps"]
        parts = {(row["name"], row["replica_index"]): row["status"] for row in steps}
        rows = {name: row for (name, replica), row in parts.items() if replica is None}
        done = {part for part, row in parts.items() if part[1] is not None and row == "success"}
        stage = set(self.empty_world.stage.playing) if status == "processing" else set()
        return status, rows, {(step, replica) for run, step, replica in stage if run == self.key}, done

    def _agree(self, models: list[RunModel]) -> RunModel:
        """The model by which the run stands."""
        wanted = [(model.status, model.rows, model.parts, model.done) for model in models]
        seen = until(self._seen, lambda seen: seen in wanted, PATIENCE)
        assert seen in wanted, (seen, wanted, self.empty_world.data(f"{self.path}/log"))
        return models[wanted.index(seen)]

    def _check_read(self, model: RunModel, texts: set[str]) -> None:
        """Who began now found what could be read when it did."""
        found = self.empty_world.stage.texts
        for part in [key for key in found if key[0] == self.key]:
            assert found.pop(part) in texts, (part, texts)

    def _check_written(self, model: RunModel) -> None:
        self.kept.update(model.wrote)
        model.wrote.clear()
        there = set(self.empty_world.written()) - {"doc"}
        assert there == self.kept, (there, self.kept)

    def _check_log(self, model: RunModel) -> None:
        lines = [line["message"] for line in self.empty_world.data(f"{self.path}/log")]
        if model.status == "failed":
            assert any(re.search("any more|was removed", line) for line in lines[-4:]), lines

    def teardown(self) -> None:
        for person in ("dave", "bob"):
            self._do(("unlock", person))
        if self.model is not None:
            word = ("hold", "decline") if self.model.status == "waiting" else ("status", "canceled")
            self.empty_world.ask("alice", "POST", f"{self.path}/{word[0]}", word[1])
            until(self._seen, lambda seen: seen[0] not in ("processing", "canceling", "waiting"), PATIENCE)
        self.empty_world.stage.forget()
        self.empty_world.stage.texts.clear()
