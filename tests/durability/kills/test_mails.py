"""kill -9 of the web and of the runner at every step of a mail: nothing is lost, nothing goes twice.

But for what a relay took in the very instant: that goes again under the same identity.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from handlers.mail.mail_dispatch import LEASE, MailDispatch
from handlers.mail.outgoing import relay_session
from handlers.processes.world import LiveWorld
from handlers.services.mails.service_message import ServiceMessage, enqueue_message
from handlers.settings.sources import load
from tests.durability.kills.deaths import started
from tests.durability.kills.mail_deaths import (
    MAIL,
    NEVER,
    AnsweringRelay,
    MailSite,
    ask,
    dispatch_mails,
    send_mail,
)
from tests.kit.clocks import AheadClock
from tests.kit.unmeasured import processes
from vfs.access import Verb
from vfs.ports.people import Account

KILLED = -9
LATER = int(LEASE.total_seconds() // 60) + 1
INSTANT = {"after deliver", "before settle"}
"""Moments at which a relay has taken what nobody noted."""
GOOD = ("one@side.example", "two@side.example")
MOST = 60


@dataclass
class Stage:
    """alice's mail, its relay, and the processes that work on it."""

    site: MailSite
    live_world: LiveWorld
    relay: AnsweringRelay
    clock: AheadClock
    minutes: int = 0

    def write(self, rel: str, text: str) -> None:
        ask(self.live_world.world, Verb.WRITE, f"{MAIL}/{rel}", text)

    def read(self, rel: str) -> str:
        return str(ask(self.live_world.world, Verb.READ, f"{MAIL}/{rel}"))

    def run(self, act: Any, *given: Any) -> int | None:
        """A process that does this, until its end."""
        process = started(act, self.site, *given)
        process.join(NEVER)
        return process.exitcode

    def die(self, death: int) -> int | None:
        """A runner that dies at a moment."""
        return self.run(dispatch_mails, death, self.minutes)

    def dispatch(self) -> None:
        """Another runner, when all that was taken before is due again."""
        self.minutes += LATER
        self.clock.forward(minutes=LATER)
        MailDispatch(self.live_world.world, relay_session(self.site.settings())).round()

    def take_all(self) -> dict[str, int]:
        """How often the relay took the message to each address since the last time, one identity each."""
        taken = dict(self.relay.taken)
        self.relay.taken.clear()
        assert len({address for address, _ in taken}) == len(taken)
        return {address: count for (address, _), count in taken.items()}


@pytest.fixture
def stage(database_url: str, tmp_path: Path) -> Iterator[Stage]:
    with AnsweringRelay() as relay:
        site = MailSite(tmp_path / "data", database_url, relay.port)
        clock = AheadClock()
        live_world = site.live_world(clock)
        live_world.world.people.users.add("alice", "x", Account.REGULAR, "alice@birds.example", public=True)
        live_world.world.people.users.change("alice", verified=True)
        stage = Stage(site, live_world, relay, clock)
        ask(live_world.world, Verb.CREATE, MAIL)
        stage.write("recipients/to", "\n".join(GOOD))
        yield stage
        live_world.close()


def test_a_sending_is_whole_or_was_never_accepted(stage: Stage) -> None:
    answers = processes.SimpleQueue()
    for death in itertools.count(1):
        stage.write("content", f"Number {death}")
        code = stage.run(send_mail, death, answers)
        answered = not answers.empty() and answers.get() == "sending\n"
        stage.dispatch()
        taken = stage.take_all()
        assert taken in ({}, dict.fromkeys(GOOD, 1))
        if code != KILLED:
            assert answered and taken and code == 0 and 3 < death < MOST
            break
        if stage.site.epitaph.read_text() == "after commit":
            assert taken


def test_each_message_arrives_if_a_runner_dies_at_any_moment(stage: Stage) -> None:
    stage.write("recipients/to", "never@side.example\none@side.example")
    moments = set()
    for death in itertools.count(1):
        stage.write("content", f"Number {death}")
        stage.write("status", "sending")
        enqueue_message(stage.live_world.world, ServiceMessage("answer@side.example", "Re: count", "Done"))
        code = stage.die(death)
        moment = stage.site.epitaph.read_text() if code == KILLED else ""
        moments.add(moment)
        stage.dispatch()
        taken = stage.take_all()
        assert set(taken) == {"one@side.example", "answer@side.example"}, moment
        twice = [address for address, count in taken.items() if count > 1]
        assert len(twice) <= (moment in INSTANT) and max(taken.values()) <= 2, (moment, taken)
        assert stage.read(
            "status"
        ) == "sent" and "never@side.example: refused by the relay: 550" in stage.read("log")
        if code != KILLED:
            assert code == 0 and death < MOST
            break
    assert moments >= {"before take", "after take", "before deliver", *INSTANT, "after settle"}


def test_a_runner_that_dies_while_the_relay_reads_has_the_message_sent_again(stage: Stage) -> None:
    stage.write("recipients/to", "wait@side.example")
    stage.write("status", "sending")
    process = started(dispatch_mails, stage.site, None, 0)
    assert stage.relay.reached.wait(NEVER)
    process.kill()
    process.join(NEVER)
    stage.relay.go.set()
    stage.dispatch()
    assert set(stage.take_all()) == {"wait@side.example"} and stage.read("status") == "sent"


def test_a_relay_that_refuses_drops_and_is_away_gets_each_message_once(stage: Stage, tmp_path: Path) -> None:
    names = ("one", "never", "later", "drop", "two")
    stage.write("recipients/to", "\n".join(f"{name}@side.example" for name in names))
    stage.write("status", "sending")
    world = stage.live_world.world
    nowhere = load({}, data=str(tmp_path), smtp="smtp://127.0.0.1:1")
    MailDispatch(world, relay_session(nowhere)).round()
    assert stage.read("log").count("the relay is not available") == len(names) and stage.take_all() == {}
    for _ in range(3):
        stage.dispatch()
    assert stage.take_all() == {f"{name}@side.example": 1 for name in ("one", "later", "drop", "two")}
    log = stage.read("log")
    assert "later@side.example: not taken yet: 451 not just now; tried again at" in log
    assert "drop@side.example: not taken yet: the connection to the relay failed" in log
    assert "never@side.example: refused by the relay: 550 no such user" in log
    assert stage.read("status") == "sent"
