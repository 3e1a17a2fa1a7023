"""Outgoing mail, into the outbox and into the queue for a relay."""

from __future__ import annotations

import email.policy
from pathlib import Path

import pytest

from handlers.mail.outgoing import Outbox, QueuedPost, post_of
from handlers.settings.settings import Settings, SettingsError
from tests.handlers.mail.mail_stage import MailStage
from tests.handlers.service_world import ServiceWorld
from tests.kit.suites.kernel import StillClock
from vfs.errors import Unavailable


@pytest.fixture
def stage(service_world: ServiceWorld, tmp_path: Path) -> MailStage:
    return MailStage(service_world, tmp_path)


def test_the_outbox_keeps_a_file_for_each_mail(tmp_path: Path) -> None:
    post = Outbox(tmp_path / "outbox", "curlew@birds.example", StillClock())
    for subject in ("first", "zweite: über Vögel"):
        post.send("ann@example.org", subject, "Grüße\n")
    files = sorted((tmp_path / "outbox").iterdir())
    assert [file.suffix for file in files] == [".eml", ".eml"]
    mails = [email.message_from_bytes(file.read_bytes(), policy=email.policy.default) for file in files]
    assert {mail["Subject"] for mail in mails} == {"first", "zweite: über Vögel"}
    assert {mail["To"] for mail in mails} == {"ann@example.org"}
    assert {mail.get_content() for mail in mails} == {"Grüße\r\n"}
    assert all(mail["Message-ID"].endswith("@birds.example>") for mail in mails)
    assert all(mail["Date"] == "Fri, 02 Jan 2026 03:04:05 +0000" for mail in mails)


def test_an_outbox_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "outbox").write_text("a file where the folder should be")
    with pytest.raises(Unavailable, match="outbox"):
        Outbox(tmp_path / "outbox", "curlew@localhost", StillClock()).send("ann@example.org", "s", "t")


def test_a_mail_is_queued_in_the_transaction_that_sends_it(stage: MailStage) -> None:
    world = stage.service_world.world
    post = QueuedPost(world.social.messages, "curlew@birds.example", world.clock)
    with pytest.raises(ZeroDivisionError), world.atomic():
        raise ZeroDivisionError(post.send("ann@example.org", "never", "text\n"))
    post.send("ann@example.org", "hello", "text\n")
    stage.dispatch()
    ((to, id),) = stage.relay.taken
    assert to == "ann@example.org" and id.endswith("@birds.example>")
    assert b"Subject: hello\r\n" in stage.relay.raw[0] and stage.relay.raw[0].endswith(b"\r\n\r\ntext\r\n")


def test_a_mail_to_a_malformed_address_is_refused(stage: MailStage) -> None:
    with pytest.raises(Unavailable, match="no address"):
        QueuedPost(stage.service_world.world.social.messages, "curlew@localhost", StillClock()).send(
            "a, b", "s", "t"
        )


def test_the_setting_chooses(stage: MailStage, tmp_path: Path) -> None:
    messages, clock = stage.service_world.world.social.messages, StillClock()
    assert isinstance(post_of(Settings(data=str(tmp_path)), clock, messages), Outbox)
    assert isinstance(post_of(Settings(smtp="smtp://relay.example:25"), clock, messages), QueuedPost)


@pytest.mark.parametrize(
    "url", ["relay.example", "http://relay.example", "smtp://", "smtp://a:b:c", "smtp://a:0"]
)
def test_a_malformed_relay_is_refused_at_the_start(stage: MailStage, url: str) -> None:
    with pytest.raises(SettingsError, match="smtp://HOST:PORT"):
        post_of(Settings(smtp=url), StillClock(), stage.service_world.world.social.messages)
