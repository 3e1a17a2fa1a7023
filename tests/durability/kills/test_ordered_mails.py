"""kill -9 of the runner at every step from a schedule to the relay: what is due is sent, and not twice."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from handlers.mail.mail_dispatch import MailDispatch, OrderDispatch
from handlers.mail.outgoing import relay_session
from handlers.processes.background import timer_of
from handlers.trees.visuals.mails import RECIPE
from tests.durability.kills.mail_deaths import MAIL, AnsweringRelay, MailSite, ask, run_schedule
from tests.durability.kills.test_mails import INSTANT, KILLED, LATER, MOST, Stage
from tests.kit.clocks import AheadClock
from vfs.access import Verb
from vfs.ports.people import Account

DOC = "/v1/vis/docs/weekly"
LISTS = {MAIL: "recipients/to", DOC: "config/recipients"}
TO = "one@side.example"
AHEAD = 3
WANTED = {"before order", "after order", "after take_orders", "before start", "after settle_order", *INSTANT}


class ScheduledStage(Stage):
    """alice's mail or document, whose time comes two minutes later."""

    thing: str = ""

    def plan(self, number: int) -> None:
        """Set a time that comes once, and another content."""
        time = self.clock.now() + timedelta(minutes=2)
        for rel, text in (("content", f"Number {number}"), ("config/schedule", f"{time:%-M %-H %-d %-m} *")):
            ask(self.live_world.world, Verb.WRITE, f"{self.thing}/{rel}", text)

    def go_on(self) -> None:
        """Another runner, when all that was taken before is due again."""
        self.minutes += AHEAD + LATER
        self.clock.forward(minutes=AHEAD + LATER)
        world = self.live_world.world
        timer_of(self.live_world).turn()
        OrderDispatch(world, RECIPE).round()
        MailDispatch(world, relay_session(self.site.settings())).round()
        self.live_world.lead.release()


@pytest.fixture(params=[MAIL, pytest.param(DOC, marks=pytest.mark.repeats)])
def stage(request: pytest.FixtureRequest, database_url: str, tmp_path: Path) -> Iterator[ScheduledStage]:
    with AnsweringRelay() as relay:
        site, clock = MailSite(tmp_path / "data", database_url, relay.port), AheadClock()
        live_world = site.live_world(clock)
        live_world.world.people.users.add("alice", "x", Account.REGULAR, "alice@birds.example", public=True)
        live_world.world.people.users.change("alice", verified=True)
        stage = ScheduledStage(site, live_world, relay, clock)
        stage.thing = request.param
        ask(live_world.world, Verb.CREATE, stage.thing)
        ask(live_world.world, Verb.WRITE, f"{stage.thing}/{LISTS[stage.thing]}", TO)
        yield stage
        live_world.close()


def test_due_mails_are_sent_if_a_runner_dies_at_any_moment(stage: ScheduledStage) -> None:
    moments = set()
    for death in itertools.count(1):
        stage.plan(death)
        code = stage.run(run_schedule, death, stage.minutes + AHEAD)
        moment = stage.site.epitaph.read_text() if code == KILLED else ""
        moments.add(moment)
        stage.go_on()
        assert stage.take_all() == {TO: 2 if moment in INSTANT else 1}, moment
        if code != KILLED:
            assert code == 0 and death < MOST
            break
    assert moments >= {
        "before order",
        "after order",
        "after take_orders",
        "before start",
        "after settle_order",
    }
