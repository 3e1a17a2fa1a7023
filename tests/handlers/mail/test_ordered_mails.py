"""Mails that a schedule or a run sends: each once, by the rules of a sending by hand."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from chains.runs.records import Run
from chains.runs.states import Event
from handlers.mail.mail_dispatch import OrderDispatch
from handlers.rendering.port import RendererBusy, Rendering, RenderOrder
from handlers.trees.facets.result_writer import ResultWriter
from handlers.trees.visuals.mails import RECIPE
from tests.handlers.mail.mail_stage import MAIL, InProcessRenderer, MailStage
from tests.handlers.service_world import TREE, ServiceWorld
from tests.kit.counting.amount import points, seed
from vfs.access import Grant, Verb
from vfs.errors import Denied, Invalid, NotFound

JOB = "/v1/users/alice/code/jobs/report"
SENT = "report.md => /m/letter, send"


class Killed(BaseException):
    """The end of a process at this step."""


class FailingRenderer(InProcessRenderer):
    """A renderer that renders, or raises the failure that is set."""

    failure: BaseException | None = None

    def render(self, order: RenderOrder) -> Rendering:
        if self.failure is not None:
            raise self.failure
        return super().render(order)


class OrderStage(MailStage):
    """The mail, a job that sends it, and the processes that carry orders out."""

    def __init__(self, service_world: ServiceWorld, folder: Path) -> None:
        super().__init__(service_world, folder)
        self.drawing = FailingRenderer()
        visuals = replace(service_world.world.visuals, renderer=self.drawing)
        service_world.world = replace(service_world.world, visuals=visuals)
        self.folder = folder
        self.address("out@side.example")
        self.job = service_world.job("report", schedule="")
        self.service_world.write("alice", f"{JOB}/config/results", SENT)

    def run(self) -> Run:
        self.service_world.write("alice", f"{JOB}/config/schedule", "* * * * *")
        self.service_world.pass_minutes(1)
        self.service_world.write("alice", f"{JOB}/config/schedule", "")
        run = self.service_world.world.code.runs.reader.by_key(self.service_world.runs(self.job)[-1].key)
        assert run is not None
        return run

    def write(self, run: Run, text: str = "# Report\n") -> list[str]:
        said: list[str] = []
        (self.folder / "report.md").write_text(text)
        files = {"report.md": self.folder / "report.md"}
        ResultWriter(TREE, self.service_world.world).write(run, files, said.extend)
        return said

    def carry_out(self) -> float | None:
        return OrderDispatch(self.service_world.world, RECIPE).round()

    def deliver(self) -> list[str]:
        """Carry out all that is due and return the recipients whose mails the relay accepted so far."""
        self.carry_out()
        self.dispatch()
        return [address for address, _ in self.relay.taken]

    def notice_kinds(self) -> list[str]:
        return [one.notice.kind for one in self.service_world.shown_notices("alice")]


@pytest.fixture
def stage(service_world: ServiceWorld, tmp_path: Path) -> OrderStage:
    return OrderStage(service_world, tmp_path)


class TestAfterARun:
    def test_the_mail_goes_out_with_what_the_run_wrote(self, stage: OrderStage) -> None:
        run = stage.run()
        assert stage.write(run, "# Eleven curlews\n") == [
            "report.md was written to /m/letter (17 bytes).",
            "/m/letter will be sent.",
        ]
        assert stage.read("status") == "draft"
        assert stage.deliver() == ["out@side.example"]
        text = next(stage.message().walk().__iter__())
        assert "Eleven curlews" in str(text.get_payload()[0].get_payload(decode=True))
        assert stage.read("status") == "sent"
        assert stage.message()["Auto-Submitted"] == "auto-generated"

    def test_a_run_whose_results_are_written_twice_sends_once(self, stage: OrderStage) -> None:
        run = stage.run()
        stage.write(run)
        stage.write(run)
        stage.deliver()
        stage.write(run)
        assert stage.deliver() == ["out@side.example"]

    def test_nothing_is_sent_if_the_results_are_not_written(self, stage: OrderStage) -> None:
        stage.service_world.call("alice", Verb.CREATE, "/v1/vis/plots/sales")
        stage.service_world.write("alice", f"{JOB}/config/results", f"{SENT}\nnone.csv => /p/sales")
        with pytest.raises(NotFound):
            stage.write(stage.run())
        assert stage.deliver() == []

    def test_a_canceled_run_sends_nothing(self, stage: OrderStage) -> None:
        run = stage.run()
        stage.service_world.world.code.runs.states.event(run.key, Event.CANCEL)
        stage.write(run)
        assert stage.deliver() == []

    def test_a_user_who_may_not_send_the_mail_cannot_have_a_run_send_it(self, stage: OrderStage) -> None:
        for kind, name in (("job", "report"), ("mail", "letter")):
            found = stage.service_world.world.items.find(kind, "alice", name, "alice")
            assert found is not None
            stage.service_world.world.grants.give(found.item.id, Grant("@bob", "rwx", "@bob~rwx"))
        stage.service_world.write("bob", f"{JOB}/config/results", SENT)
        with pytest.raises(Denied) as refused:
            stage.write(stage.run())
        assert refused.value.detail.startswith(f"{SENT}: for @bob: ")
        stage.service_world.write("bob", f"{JOB}/config/results", "report.md => /m/letter")
        stage.write(stage.run())
        assert stage.deliver() == []

    @pytest.mark.parametrize(
        "line", ["a => /g/weekly, send", "a => /s/x/y, send", "a => /m/letter, sent", "a => /m/letter send"]
    )
    def test_only_a_mail_can_be_sent(self, stage: OrderStage, line: str) -> None:
        with pytest.raises(Invalid, match="mail"):
            stage.service_world.write("alice", f"{JOB}/config/results", line)

    def test_a_kill_at_any_step_neither_loses_nor_repeats_it(self, stage: OrderStage) -> None:
        stage.write(stage.run())

        stage.drawing.failure = Killed()
        with pytest.raises(Killed):
            stage.carry_out()
        stage.drawing.failure = None
        assert stage.deliver() == []
        stage.service_world.pass_minutes(2)
        assert stage.deliver() == ["out@side.example"]
        stage.service_world.pass_minutes(2)
        assert stage.deliver() == ["out@side.example"]


class TestBySchedule:
    def test_a_mail_is_sent_at_each_time(self, stage: OrderStage) -> None:
        stage.service_world.write("alice", f"{MAIL}/config/schedule", "5 3 * * *")
        stage.service_world.pass_minutes(1)
        stage.deliver()
        for _ in range(3):
            stage.service_world.pass_minutes(24 * 60)
            stage.deliver()
        assert len(stage.relay.taken) == 4
        assert len({id for _, id in stage.relay.taken}) == 4

    def test_a_missed_time_is_left_out_and_is_not_a_late_run(self, stage: OrderStage) -> None:
        stage.service_world.write("alice", f"{MAIL}/config/schedule", "5 3 * * *")
        stage.service_world.pass_minutes(200)
        stage.service_world.pass_minutes(60)
        assert stage.deliver() == [] and stage.notice_kinds() == []

    def test_its_switch_and_its_removal_end_it(self, stage: OrderStage) -> None:
        stage.service_world.write("alice", f"{MAIL}/config/schedule", "* * * * *")
        stage.service_world.write("alice", f"{MAIL}/config/enabled", "no")
        stage.service_world.pass_minutes(5)
        assert stage.deliver() == [] and stage.notice_kinds() == []
        stage.service_world.write("alice", f"{MAIL}/config/enabled", "yes")
        stage.service_world.call("alice", Verb.REMOVE, f"{MAIL}/config/schedule")
        stage.service_world.pass_minutes(5)
        assert stage.deliver() == []

    def test_only_its_owner_sets_it(self, stage: OrderStage) -> None:
        found = stage.service_world.world.items.find("mail", "alice", "letter", "alice")
        assert found is not None
        stage.service_world.world.grants.give(found.item.id, Grant("@bob", "rw", "@bob~rw"))
        at = "/v1/users/alice/vis/mails/letter"
        stage.service_world.write("bob", f"{at}/content", "More")
        for verb in (Verb.WRITE, Verb.REMOVE):
            with pytest.raises(Denied):
                stage.service_world.call("bob", verb, f"{at}/config/schedule", "* * * * *")

    def test_a_copy_has_no_schedule(self, stage: OrderStage) -> None:
        stage.service_world.write("alice", f"{MAIL}/config/schedule", "* * * * *")
        change = '{"name": "second", "copy": true}'
        stage.service_world.call("alice", Verb.RENAME, MAIL, change, media="application/json")
        assert stage.service_world.read("alice", "/v1/vis/mails/second/config/subject") == "Counts"
        stage.service_world.world.code.schedules.rebuild()
        schedule = stage.service_world.read("alice", "/v1/vis/mails/second/config/schedule")
        assert (schedule["schedule"], schedule["next"]) == ("", [])

    def test_a_refusal_is_that_of_a_sending_by_hand_and_notifies_the_owner(self, stage: OrderStage) -> None:
        stage.address()
        stage.service_world.write("alice", f"{MAIL}/config/schedule", "5 3 * * *")
        stage.service_world.pass_minutes(1)
        assert stage.deliver() == []
        assert "this mail has no recipients" in stage.log() and "scheduled for 2026-01-" in stage.log()
        assert stage.notice_kinds() == ["unsent"]

    def test_a_busy_renderer_is_tried_again(self, stage: OrderStage) -> None:
        stage.service_world.write("alice", f"{MAIL}/config/schedule", "5 3 * * *")
        stage.drawing.failure = RendererBusy("not now")
        stage.service_world.pass_minutes(1)
        for _ in range(5):
            assert stage.carry_out() is not None
            stage.service_world.pass_minutes(11)
        stage.drawing.failure = None
        assert stage.deliver() == ["out@side.example"] and stage.notice_kinds() == []

    def test_after_an_hour_it_is_given_up_and_its_owner_is_notified(self, stage: OrderStage) -> None:
        stage.drawing.failure = RendererBusy("not now")
        stage.service_world.write("alice", f"{MAIL}/config/schedule", "5 3 * * *")
        stage.service_world.pass_minutes(1)
        for _ in range(7):
            stage.carry_out()
            stage.service_world.pass_minutes(11)
        stage.drawing.failure = None
        assert stage.deliver() == [] and stage.notice_kinds() == ["unsent"]


class Simulation:
    """A mail with a schedule and runs that send it; processes that are killed, and a relay that is away."""

    def __init__(self, stage: OrderStage, random: Random) -> None:
        self.stage, self.random = stage, random
        self.service = stage.service_world
        self.service.write("alice", f"{MAIL}/config/schedule", "0 */8 * * *")
        self.service.write("alice", f"{MAIL}/content", "Number 0")
        self.count = 0
        self.causes: set[str] = set()

    def order(self) -> None:
        """Results of a run are written, once or twice."""
        run = self.stage.run()
        self.count += 1
        for _ in range(self.random.choice((1, 2))):
            self.stage.write(run, f"Number {self.count}")

    def carry_out(self) -> None:
        """A process carries orders out, and may be killed at its first or a later drawing."""
        if self.random.choice((True, False)):
            self.stage.drawing.failure = Killed()
            with suppress(Killed):
                self.stage.carry_out()
            self.stage.drawing.failure = None
        else:
            self.stage.deliver()

    def step(self) -> None:
        self.service.pass_minutes(self.random.choice((1, 30, 300, 700)))
        self.random.choices((self.order, self.carry_out), (1, 3))[0]()
        self.look()

    def look(self) -> list[str | None]:
        """Keep the causes of new orders, and return when each of the newest orders is due."""
        rows = self.service.live_world.database.rows("SELECT cause, due_on FROM mail_order")
        self.causes |= {cause for cause, _ in rows}
        return [due for _, due in rows]


@pytest.mark.soak
def test_in_a_simulated_month_each_order_is_sent_once_or_logged_as_not_sent(stage: OrderStage) -> None:
    simulation = Simulation(stage, Random(seed()))
    for _ in range(points(400, 3)):
        simulation.step()
    stage.service_world.write("alice", f"{MAIL}/config/schedule", "")
    for _ in range(70):
        stage.service_world.pass_minutes(2)
        stage.deliver()
        due = simulation.look()
    assert not any(due) and simulation.count > 10
    assert len(stage.relay.taken) + stage.log().count("not sent (") == len(simulation.causes)
    assert len({id for _, id in stage.relay.taken}) == len(stage.relay.taken)
