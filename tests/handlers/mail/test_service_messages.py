"""Messages of the service: stored with the transaction that sends them, and tried until a final answer."""

from __future__ import annotations

from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest

from handlers.mail.mail_dispatch import HANDING, LEASE
from handlers.mail.outgoing import RelayRefusal
from handlers.services.mails.service_message import MessageAttachment, ServiceMessage, enqueue_message
from tests.handlers.mail.mail_stage import MailStage
from tests.handlers.service_world import ServiceWorld
from vfs.errors import Invalid, Unavailable

ANSWER = ServiceMessage(
    "ann@side.example",
    "Re: Bøker\r\nBcc: x@y.example",
    "Ferdig: 3 bøker\n",
    sender="counts@birds.mail.example",
    sender_name="Counts",
    in_reply_to="<1@side.example>",
    references=("<0@side.example>", "<x>\r\nBcc: y@z.example", "<1@side.example>", f"<{'2' * 200}@a.b>"),
    automatic="auto-replied",
    attachments=(MessageAttachment("result.csv", "text/csv", b"a,b\n"),),
)


@pytest.fixture
def stage(service_world: ServiceWorld, tmp_path: Path) -> MailStage:
    return MailStage(service_world, tmp_path)


def test_an_answer_is_written_whole_and_sent_once(stage: MailStage) -> None:
    id = enqueue_message(stage.service_world.world, ANSWER)
    assert stage.dispatch() is None
    stage.dispatch()
    assert stage.relay.taken == [("ann@side.example", id)] and stage.relay.raw[0].isascii()
    found = message_from_bytes(stage.relay.raw[0], policy=policy.default)
    assert isinstance(found, EmailMessage) and not found.defects
    assert (found["From"], found["To"]) == ("Counts <counts@birds.mail.example>", "ann@side.example")
    assert found["Subject"] == "Re: Bøker Bcc: x@y.example" and found["Bcc"] is None
    assert (found["Message-ID"], found["In-Reply-To"]) == (id, "<1@side.example>")
    assert found["References"] == f"<0@side.example> <1@side.example> <{'2' * 200}@a.b>"
    assert found["Auto-Submitted"] == "auto-replied"
    body, file = found.iter_parts()
    assert body.get_content() == "Ferdig: 3 bøker\r\n"
    assert (file.get_filename(), file.get_content()) == ("result.csv", "a,b\n")


def test_a_message_of_an_aborted_transaction_is_not_sent(stage: MailStage) -> None:
    world = stage.service_world.world
    with pytest.raises(ZeroDivisionError), world.atomic():
        raise ZeroDivisionError(enqueue_message(world, ServiceMessage("ann@side.example", "", "Hei")))
    with pytest.raises(Invalid, match="no address"):
        enqueue_message(world, ServiceMessage("ann, bob", "", "Hei"))
    assert stage.dispatch() is None and stage.relay.taken == []


def test_a_relay_has_the_last_word_on_a_message(stage: MailStage) -> None:
    codes = {"never": 550, "later": 451}

    def answer(address: str) -> None:
        if code := codes.get(address.partition("@")[0]):
            raise RelayRefusal(code, "no")

    stage.relay.before = answer
    for name in ("never", "later", "fine"):
        enqueue_message(stage.service_world.world, ServiceMessage(f"{name}@side.example", name, name))
    wait = stage.dispatch()
    assert (
        wait is not None and 29 < wait <= 60 and [to for to, _ in stage.relay.taken] == ["fine@side.example"]
    )
    codes.clear()
    stage.service_world.clock.forward(61)
    assert stage.dispatch() is None
    assert [to for to, _ in stage.relay.taken] == ["fine@side.example", "later@side.example"]


def test_a_message_that_breaks_the_session_keeps_no_other_back(stage: MailStage) -> None:
    def drop(address: str) -> None:
        if address.startswith("odd"):
            raise Unavailable("the relay went away")

    stage.relay.before = drop
    stage.address("one@side.example", "odd@side.example", "two@side.example")
    stage.send()
    stage.dispatch()
    assert sorted(to for to, _ in stage.relay.taken) == ["one@side.example", "two@side.example"]
    assert stage.log().count("not taken yet") == 1


def test_no_message_is_begun_late_in_its_lease(stage: MailStage) -> None:
    clock = stage.service_world.clock
    stage.relay.after = lambda address: clock.forward(HANDING.total_seconds())
    for name in ("one", "two"):
        enqueue_message(stage.service_world.world, ServiceMessage(f"{name}@side.example", name, name))
    assert HANDING < LEASE and stage.dispatch() is None
    assert [to for to, _ in stage.relay.taken] == ["one@side.example", "two@side.example"]
