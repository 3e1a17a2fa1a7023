"""Relays of mails by SMTP: several messages in one session, and their answers by recipient."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from handlers.mail.mail_dispatch import MailDispatch
from handlers.mail.outgoing import relay_session
from tests.handlers.mail.mail_stage import MailStage, ScriptedRelays
from tests.handlers.service_world import ServiceWorld


@pytest.fixture
def stage(service_world: ServiceWorld, tmp_path: Path) -> MailStage:
    return MailStage(service_world, tmp_path)


@pytest.fixture
def relays() -> Iterator[ScriptedRelays]:
    with ScriptedRelays() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_a_relay_takes_messages_in_one_session(stage: MailStage, relays: ScriptedRelays) -> None:
    stage.address("one@side.example", "two@side.example", "never@side.example", "later@side.example")
    stage.send()
    port = relays.server_address[1]
    settings = replace(
        stage.service_world.world.service.settings,
        smtp=f"smtp://127.0.0.1:{port}",
        mail_bounces="back@mail.example",
    )
    session = relay_session(settings)
    wait = MailDispatch(stage.service_world.world, session).round()
    assert wait is not None and len(relays.mails) == 2
    assert [line.split()[0].upper() for line in relays.lines].count("EHLO") == 1
    assert "mail FROM:<back@mail.example>" in "\n".join(relays.lines).replace(" size=", "\n")
    assert "550 no such user" in stage.log() and "451 not just now" in stage.log()


def test_an_absent_relay_is_waited_for(stage: MailStage, relays: ScriptedRelays) -> None:
    stage.address("one@side.example")
    stage.send()
    settings = replace(stage.service_world.world.service.settings, smtp="smtp://127.0.0.1:1")
    MailDispatch(stage.service_world.world, relay_session(settings)).round()
    assert "the relay is not available" in stage.log()


def test_a_relay_that_takes_no_password_is_waited_for(stage: MailStage, relays: ScriptedRelays) -> None:
    stage.address("one@side.example")
    stage.send()
    relay = f"smtp://ann:pw@127.0.0.1:{relays.server_address[1]}"
    settings = replace(stage.service_world.world.service.settings, smtp=relay)
    MailDispatch(stage.service_world.world, relay_session(settings)).round()
    assert "not taken yet" in stage.log() and relays.mails == []


def test_nothing_is_sent_unencrypted_to_a_relay_over_tls(stage: MailStage, relays: ScriptedRelays) -> None:
    stage.address("one@side.example")
    stage.send()
    relay = f"smtps://127.0.0.1:{relays.server_address[1]}"
    settings = replace(stage.service_world.world.service.settings, smtp=relay)
    MailDispatch(stage.service_world.world, relay_session(settings)).round()
    assert "not taken yet" in stage.log() and relays.lines == []
