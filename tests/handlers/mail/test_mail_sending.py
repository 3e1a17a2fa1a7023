"""Mails of users: conditions of a sending, recipients, and that nothing is lost or sent twice."""

from __future__ import annotations

import random
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from handlers.mail.mail_dispatch import LEASE, MailDispatch
from handlers.mail.outgoing import RelayRefusal, is_final, relay_session
from handlers.processes.background import background
from handlers.services.due_dispatch import LONGEST_DELAY, MOST_DELIVERIES, delay_after
from handlers.services.mails.mail_addresses import read_ticket
from tests.handlers.mail.mail_stage import MAIL, MailStage
from tests.handlers.service_world import ServiceWorld
from vfs.access import Role, Verb
from vfs.call import Outcome
from vfs.errors import Denied, Invalid, NotFound, TooEarly, TooMany, Unavailable, Unmet
from vfs.ports.groups import GroupKind, TieKind


class Killed(BaseException):
    """The end of a process at this step."""


@pytest.fixture
def stage(service_world: ServiceWorld, tmp_path: Path) -> MailStage:
    return MailStage(service_world, tmp_path)


def test_a_mail_is_sent_to_each_recipient_once(stage: MailStage) -> None:
    stage.address("out@side.example", "@bob", "BOB@birds.example", "me", "out@side.example")
    reply = stage.send()
    assert (reply.outcome, reply.value, stage.read("status")) == (Outcome.ACCEPTED, "sending\n", "sending")
    assert stage.dispatch() is None
    taken = [address for address, _ in stage.relay.taken]
    assert sorted(taken) == ["alice@birds.example", "bob@birds.example", "out@side.example"]
    assert len({id for _, id in stage.relay.taken}) == 3 and stage.read("status") == "sent"
    (row,) = stage.read("stats/runs")
    assert (row["status"], row["accepted"], row["refused"], row["test"]) == ("sent", 3, 0, False)
    stage.dispatch()
    assert len(stage.relay.taken) == 3


def test_a_mail_is_rendered_once_for_all_its_recipients(stage: MailStage) -> None:
    many = [f"bird{number}@side.example" for number in range(50)]
    stage.address("@bob", "me", *many)
    assert stage.renderer.forms == []
    stage.send()
    rendered = list(stage.renderer.forms)
    assert rendered and len(rendered) == len(set(rendered))
    stage.dispatch()
    assert len(stage.relay.taken) == len(many) + 2
    assert stage.renderer.forms == rendered


def test_a_message_has_everything_that_mail_programs_ask_for(stage: MailStage) -> None:
    stage.service_world.write("alice", f"{MAIL}/config/reply_to", "yes")
    stage.address("out@side.example")
    stage.send()
    stage.dispatch()
    message = stage.message()
    assert (message["Subject"], message["To"], message["Reply-To"]) == (
        "Counts", "out@side.example", "alice@birds.example",
    )  # fmt: skip
    assert message["From"] == "alice via Curlew <post@mail.example>" and message["Auto-Submitted"] is None
    assert message["Message-ID"].endswith("@mail.example>")
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    ticket = message["List-Unsubscribe"].strip(" <>").rpartition("/")[2]
    assert read_ticket(stage.service_world.world, ticket) == ("alice", "out@side.example")
    html = list(message.walk())[-1].get_payload(decode=True)
    assert isinstance(html, bytes) and f"/unsubscribe/{ticket}".encode() in html


def test_a_test_goes_to_the_owner_alone(stage: MailStage) -> None:
    stage.address("out@side.example")
    stage.service_world.write("alice", f"{MAIL}/config/enabled", "no")
    stage.send("testing")
    assert stage.read("status") == "testing"
    stage.dispatch()
    assert [address for address, _ in stage.relay.taken] == ["alice@birds.example"]
    assert stage.read("status") == "draft" and stage.message()["Subject"] == "Test: Counts"
    assert stage.message()["List-Unsubscribe"] is None


def test_the_conditions_of_a_sending_are_checked_in_order(stage: MailStage) -> None:
    users = stage.service_world.world.people.users
    users.change("alice", verified=False)
    with pytest.raises(Denied, match="not verified"):
        stage.send("testing")
    users.change("alice", verified=True)
    with pytest.raises(Unmet, match="no recipients"):
        stage.send()
    stage.service_world.write("alice", f"{MAIL}/config/enabled", "no")
    with pytest.raises(Denied, match="switched off"):
        stage.send()
    assert "switched off" in stage.log()
    stage.service_world.write("alice", f"{MAIL}/config/enabled", "yes")
    stage.address("out@side.example")
    stage.send()
    with pytest.raises(TooEarly, match="being sent"):
        stage.send("testing")
    with pytest.raises(Invalid):
        stage.send(" ")
    stage.service_world.call("alice", Verb.CREATE, f"{MAIL}/shared/@bob~rw")
    with pytest.raises(Denied):
        stage.service_world.call("bob", Verb.WRITE, "/v1/users/alice/vis/mails/letter/status", "sending")


def test_any_other_word_than_a_test_sends(stage: MailStage) -> None:
    stage.address("out@side.example")
    stage.send("draft")
    assert stage.read("status") == "sending"


def test_recipients_are_named_by_who_has_a_verified_address(stage: MailStage) -> None:
    stage.address("out@side.example")
    stage.service_world.world.people.users.change("alice", verified=False)
    with pytest.raises(Unmet, match="not verified"):
        stage.address("other@side.example")
    assert stage.read("recipients/to") == "out@side.example"
    stage.address("")
    assert stage.read("recipients/to") == ""


def test_the_same_content_goes_ten_times_in_half_an_hour(stage: MailStage) -> None:
    stage.address("me")
    for _ in range(10):
        stage.send()
        stage.dispatch()
    with pytest.raises(TooMany) as raised:
        stage.send()
    assert raised.value.members["retry_after_seconds"] == 1800
    stage.send("test")
    stage.dispatch()
    stage.service_world.write("alice", f"{MAIL}/content", "Other words")
    stage.send()


def test_the_mails_of_an_account_in_an_hour_are_limited(stage: MailStage) -> None:
    world = stage.service_world.world
    few = replace(world.service, settings=replace(world.service.settings, mails_sendings=1))
    stage.service_world.world = replace(world, service=few)
    stage.send("test")
    stage.dispatch()
    with pytest.raises(TooMany) as raised:
        stage.send("test")
    assert raised.value.members["retry_after_seconds"] > 0


def test_a_plan_bounds_recipients(stage: MailStage) -> None:
    world = stage.service_world.world
    free = replace(world.service, settings=replace(world.service.settings, default_plan="free"))
    stage.service_world.world = replace(world, service=free)
    for line in ("out@side.example", "@bob"):
        stage.address(line)
        with pytest.raises(Denied, match="free plan"):
            stage.send()
    stage.address("me")
    stage.send()


def test_a_group_is_mailed_only_by_its_members(stage: MailStage) -> None:
    people = stage.service_world.world.people
    people.groups.create(GroupKind.USER_GROUP, "bob", "friends", "bob")
    people.members.put("@bob~friends", "carol", Role.MEMBERS, pending=False, by="bob")
    stage.address("@bob~friends", "@nobody")
    with pytest.raises(Unmet, match="nobody is left"):
        stage.send()
    people.members.put("@bob~friends", "alice", Role.MEMBERS, pending=False, by="bob")
    people.ties.put(TieKind.IGNORE, "bob", "alice")
    stage.send()
    stage.dispatch()
    assert {address for address, _ in stage.relay.taken} == {"carol@birds.example", "alice@birds.example"}
    assert "@nobody: nobody gets it" in stage.log()


def test_a_recipient_who_unsubscribed_gets_no_more(stage: MailStage) -> None:
    stage.service_world.world.social.mails.refuse("alice", "out@side.example")
    stage.address("Out@side.example", "me")
    stage.send()
    stage.dispatch()
    assert [address for address, _ in stage.relay.taken] == ["alice@birds.example"]
    assert "1 who want no more" in stage.log()


def test_a_forged_ticket_is_not_found(stage: MailStage) -> None:
    for ticket in ("", "x", "YWxpY2UgYkBjLmQ.0000", "a" * 9 + ".b", "ÿ.0"):
        with pytest.raises(NotFound):
            read_ticket(stage.service_world.world, ticket)


@pytest.mark.parametrize("at", ["before", "after"])
@pytest.mark.parametrize("number", [0, 1, 2])
def test_nothing_is_lost_by_a_process_that_dies(stage: MailStage, at: str, number: int) -> None:
    stage.address(*(f"out{one}@side.example" for one in range(3)))
    stage.send()

    def die(address: str) -> None:
        if address == f"out{number}@side.example":
            raise Killed

    setattr(stage.relay, at, die)
    with pytest.raises(Killed):
        stage.dispatch()
    setattr(stage.relay, at, lambda address: None)
    stage.service_world.clock.forward(LEASE.total_seconds() + 1)
    stage.dispatch()
    # A message that is sent twice has the same id, and a settled message is not sent again.
    assert len(set(stage.relay.taken)) == 3 and stage.read("status") == "sent"
    assert len(stage.relay.taken) == (4 if at == "after" else 3)


def test_a_relay_that_is_away_is_tried_again(stage: MailStage) -> None:
    stage.address("out@side.example")
    stage.send()

    def away(address: str) -> None:
        raise Unavailable("the relay is away")

    stage.relay.before = away
    wait = stage.dispatch()
    assert wait is not None and 20 < wait <= 60 and stage.read("status") == "sending"
    assert "the relay is away; tried again at" in stage.log()
    stage.relay.before = lambda address: None
    stage.service_world.clock.forward(61)
    stage.dispatch()
    assert stage.read("status") == "sent"


def test_the_final_refusal_of_a_relay_is_logged(stage: MailStage) -> None:
    stage.address("never@side.example", "odd@side.example")
    stage.send()

    def answer(address: str) -> None:
        if address.startswith("odd"):
            raise ValueError("no address")
        raise RelayRefusal(550, b"no such\r\nuser")

    stage.relay.before = answer
    stage.dispatch()
    assert stage.read("status") == "failed" and "refused by the relay: 550 no such user" in stage.log()
    assert stage.read("stats/runs")[0]["refused"] == 2


def test_a_message_is_given_up_in_the_end(stage: MailStage) -> None:
    stage.address("later@side.example")
    stage.send()

    def later(address: str) -> None:
        raise RelayRefusal(451, "later")

    stage.relay.before = later
    for _ in range(MOST_DELIVERIES):
        stage.dispatch()
        stage.service_world.clock.forward(LONGEST_DELAY.total_seconds())
    assert stage.read("status") == "failed" and f"given up after {MOST_DELIVERIES} tries" in stage.log()


def test_a_mail_that_is_removed_is_sent_no_further(stage: MailStage) -> None:
    stage.address("out@side.example")
    stage.send()
    stage.service_world.call("alice", Verb.REMOVE, MAIL)
    assert stage.dispatch() is None and stage.relay.taken == []


def test_without_a_relay_messages_are_files(stage: MailStage, tmp_path: Path) -> None:
    stage.address("out@side.example")
    stage.send()
    settings = replace(stage.service_world.world.service.settings, data=str(tmp_path / "here"))
    dispatch = MailDispatch(stage.service_world.world, relay_session(settings))
    dispatch.round()
    (file,) = (tmp_path / "here" / "outbox").iterdir()
    assert b"Subject: Counts" in file.read_bytes()


def test_the_loop_sends_what_comes(stage: MailStage) -> None:
    some = threading.Event()
    stage.relay.after = lambda address: some.set()
    stage.address("one@side.example")
    with background(MailDispatch(stage.service_world.world, stage.relay.session)):
        stage.send()
        assert some.wait(60)


def test_tries_are_later_each_time_and_end() -> None:
    chance = random.Random(1)
    delays = [delay_after(tries, chance) for tries in range(1, MOST_DELIVERIES)]
    assert None not in delays
    assert all(delay.total_seconds() >= 30 and delay <= LONGEST_DELAY for delay in delays if delay)
    assert delay_after(MOST_DELIVERIES, chance) is None
    assert is_final(550) and not is_final(451)
