"""Mails as triggers: who may start what, and with which input."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from chains.runs.states import Event, Status
from handlers.mail.inbound.inbound_dispatch import LEASE
from handlers.mail.inbound.mail_acceptance import is_open
from tests.handlers.mail.inbound.mail_room import ADDRESS, DOMAIN, REF, SERVER, STRANGER, MailRoom, sign
from tests.kit.pinned_records import PinnedRecords
from vfs.access import Role
from vfs.errors import NotFound, QuotaReached
from vfs.ports.blobs import Ref
from vfs.ports.inbound import InboundState, NewInbound


def note(room: MailRoom) -> str:
    """Why the newest mail started nothing."""
    room.dispatch()
    mail = room.mails()[0]
    assert mail.state is InboundState.KEPT and not room.runs() and not room.answers()
    return mail.note


def test_a_signed_mail_runs_every_job_that_is_shared_with_the_group(room: MailRoom) -> None:
    other = room.household.job("other", schedule="")
    room.share(other, "rx")
    read = room.household.job("read", schedule="")
    room.share(read, "r")
    apart = room.household.job("apart", schedule="")
    room.accept(sign(room.letter()))
    room.dispatch()
    (run,) = room.runs()
    assert (run.trigger, run.source, run.by, run.status) == ("email", "mail", "bob", Status.PROCESSING)
    assert len(room.household.runs(other)) == 1
    assert not room.household.runs(read) and not room.household.runs(apart)
    (mail,) = room.mails()
    assert (mail.state, mail.sender) == (InboundState.STARTED, "bob")
    room.dispatch()
    assert len(room.runs()) == 1


@pytest.mark.parametrize("sender", ["alice", "bob"])
def test_a_share_that_lets_read_alone_runs_nothing_of_its_owner_s_either(room: MailRoom, sender: str) -> None:
    read = room.household.job("read", schedule="")
    room.share(read, "r")
    room.accept(sign(room.letter(sender)))
    room.dispatch()
    assert len(room.runs()) == 1
    assert not room.household.runs(read)


def input_of(room: MailRoom) -> Path:
    """The folder of what the newest run is given."""
    folders = room.world.code.folders
    (folder,) = folders.root.glob("in-*")
    return folder


def test_a_run_is_given_the_parts_of_the_message(room: MailRoom) -> None:
    made = EmailMessage()
    made["From"], made["To"], made["Cc"] = f"Bob <bob@{DOMAIN}>", ADDRESS, "x@y.example"
    made["Subject"] = "Cöunts"
    made["Date"], made["Message-ID"] = room.now(), "<1@birds.example>"
    made.set_content("words")
    made.add_alternative("<p>words</p>", subtype="html")
    for _ in range(2):
        made.add_attachment(b"a,b\n", maintype="text", subtype="csv", filename="../table.csv")
    raw = made.as_bytes()
    room.accept(raw, SERVER)
    room.dispatch()
    folder = input_of(room)
    assert {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()} == {
        "input.json", "message.eml", "body.txt", "body.html",
        "attachments/table.csv", "attachments/2-table.csv",
    }  # fmt: skip
    assert (folder / "message.eml").read_bytes() == raw and (folder / "body.txt").read_text() == "words\n"
    facts = json.loads((folder / "input.json").read_text())
    assert facts["envelope"] == {
        "from": f"bounces@{DOMAIN}", "to": ADDRESS, "client": SERVER, "hello": "mx.example"
    }  # fmt: skip
    assert (facts["user"], facts["proof"], facts["group"], facts["from"]) == (
        "bob", "spf", REF, f"bob@{DOMAIN}"
    )  # fmt: skip
    assert (facts["subject"], facts["to"], facts["cc"]) == ("Cöunts", [ADDRESS], ["x@y.example"])
    assert [file["name"] for file in facts["attachments"]] == ["table.csv", "2-table.csv"]
    (run,) = room.runs()
    assert room.world.code.runs.reader.kept_input(run.key) is not None


def test_a_mail_whose_sender_is_not_proved_starts_nothing(room: MailRoom) -> None:
    room.accept(room.letter())
    assert "not proved" in note(room)
    room.accept(sign(room.letter(), "evil.example"))
    assert f"signed by evil.example, not by {DOMAIN}" in note(room)
    room.accept(room.letter(), STRANGER, "x@evil.example")
    assert "envelope is of evil.example" in note(room)
    forged = f"Authentication-Results: mail.example; dkim=pass header.d={DOMAIN}; spf=pass\r\n".encode()
    room.accept(forged + room.letter())
    assert "not proved" in note(room)


def test_the_options_of_the_group_say_which_proof_counts(room: MailRoom) -> None:
    room.set(room.group, "mail_verify_dkim", "no")
    room.accept(sign(room.letter()))
    assert "not proved" in note(room)
    room.set(room.group, "mail_verify_dkim", "yes")
    room.set(room.group, "mail_verify_spf", "no")
    room.accept(room.letter(), SERVER)
    assert "not signed" in note(room)
    room.set(room.group, "mail_verify_dkim", "no")
    room.accept(sign(room.letter()), SERVER)
    assert "no way" in note(room)


def test_a_signed_mail_to_somebody_else_starts_nothing(room: MailRoom) -> None:
    room.accept(sign(room.letter(To=f"eve@{DOMAIN}")))
    assert "not proved" in note(room)
    room.accept(sign(room.letter(To=f"eve@{DOMAIN}", Cc=ADDRESS)))
    room.dispatch()
    assert len(room.runs()) == 1


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ({"From": f"zoe@{DOMAIN}"}, "no verified one of a member"),
        ({"From": f"dora@{DOMAIN}"}, "no verified one of a member"),
        ({"Message-ID": ""}, "no Message-ID"),
        ({"Date": ""}, "date cannot be read"),
        ({"Date": "Mon, 01 Jan 2001 00:00:00 +0000"}, "too far"),
        ({"Auto-Submitted": "auto-replied"}, "a program sent it"),
        ({"Precedence": "bulk"}, "by a list"),
        ({"Message-ID": "<1@acme.mail.example>"}, "this service sent it"),
        ({"From": f"bob@{DOMAIN}, alice@{DOMAIN}"}, "not one address"),
    ],
)
def test_a_mail_that_nobody_here_wrote_starts_nothing(
    room: MailRoom, headers: dict[str, str], reason: str
) -> None:
    room.names = PinnedRecords({}, frozenset({DOMAIN}))
    room.accept(room.letter(**headers), SERVER)
    assert reason in note(room)


def test_rights_are_asked_when_the_mail_is_handled(room: MailRoom) -> None:
    room.accept(sign(room.letter()))
    room.world.people.members.drop(REF, "bob", Role.MEMBERS, pending=False)
    assert "no verified one of a member" in note(room)
    room.world.people.members.put(REF, "bob", Role.MEMBERS, pending=True, by=None)
    room.accept(sign(room.letter(id="2")))
    assert "no verified one of a member" in note(room)
    room.world.people.members.put(REF, "bob", Role.MEMBERS, pending=False, by=None)
    room.accept(sign(room.letter(id="3")))
    room.world.people.users.change("bob", verified=False)
    assert "no verified one of a member" in note(room)
    room.accept(sign(room.letter("alice", id="4")))
    room.world.people.members.drop(REF, "alice", Role.MEMBERS, pending=False)
    assert "no verified one of a member" in note(room)


def test_a_mail_that_stays_away_too_long_or_comes_again_starts_nothing(room: MailRoom) -> None:
    raw = sign(room.letter())
    room.accept(raw)
    room.dispatch()
    for again in (raw, b"X-Seen: again\r\n" + raw):
        room.accept(again)
        room.dispatch()
        assert room.mails()[0].note == "the message came before"
    assert len(room.runs()) == 1


def test_the_mails_of_a_sender_are_counted(room: MailRoom) -> None:
    most = room.world.service.settings.mails_inbound
    for number in range(most + 1):
        room.accept(room.letter(id=str(number)), SERVER)
    room.dispatch()
    assert len(room.runs()) == most and "as many mails" in room.mails()[0].note


def test_a_closed_address_is_as_one_that_is_not_there(room: MailRoom) -> None:
    assert is_open(room.world, ADDRESS) and is_open(room.world, ADDRESS.upper())
    room.accept(sign(room.letter()))
    for group, option in ((room.group, "allow_inbound_mail"), (room.org, "enable_subdomain")):
        room.set(group, option, "no")
        for address in (ADDRESS, "absent@acme.mail.example"):
            assert not is_open(room.world, address)
            with pytest.raises(NotFound, match="there is no mailbox of that name here"):
                room.accept(sign(room.letter()), STRANGER, "x@y.example", address)
        assert len(room.mails()) == 1
        room.set(group, option, "yes")
    for address in ("sales", "sales@mail.example", "sales@acme.other.example", "@acme.mail.example"):
        assert not is_open(room.world, address)
    room.set(room.group, "allow_inbound_mail", "no")
    assert note(room) == "the address is closed"


def test_names_that_nobody_answers_for_are_asked_again(room: MailRoom) -> None:
    names, room.names = room.names, PinnedRecords({}, frozenset({DOMAIN, f"s1._domainkey.{DOMAIN}"}))
    room.accept(sign(room.letter()), SERVER)
    assert 50 < room.dispatch() <= 60
    assert room.mails()[0].state is InboundState.NEW and "not proved" in room.mails()[0].note
    room.household.clock.forward(61)
    assert room.dispatch() > 60
    room.names = names
    room.household.clock.forward(121)
    room.dispatch()
    assert len(room.runs()) == 1


class Killed(BaseException):
    """The end of a process at this very step."""


class KillingNames:
    """Ends the process where it asks for records."""

    def records(self, name: str, kind: str) -> Sequence[Any]:
        raise Killed


def test_a_mail_whose_process_was_killed_is_handled_again(room: MailRoom) -> None:
    names, room.names = room.names, KillingNames()
    room.accept(sign(room.letter()))
    with pytest.raises(Killed):
        room.dispatch()
    room.names = names
    room.dispatch()
    assert not room.runs()
    room.household.clock.forward(LEASE.total_seconds() + 1)
    room.dispatch()
    room.dispatch()
    assert len(room.runs()) == 1


def test_what_is_never_told_is_given_up(room: MailRoom) -> None:
    room.names = PinnedRecords({}, frozenset({DOMAIN, f"s1._domainkey.{DOMAIN}"}))
    room.accept(room.letter(), SERVER)
    for _ in range(12):
        room.dispatch()
        room.household.clock.forward(3_900)
    assert room.mails()[0].state is InboundState.KEPT and "given up" in room.mails()[0].note


def test_mails_are_forgotten_after_their_time_and_kept_within_bounds(room: MailRoom) -> None:
    room.accept(sign(room.letter()))
    room.accept(room.letter(id="2"))
    room.dispatch()
    room.household.clock.forward(timedelta(days=31).total_seconds())
    room.dispatch()
    assert [mail.state for mail in room.mails()] == [InboundState.STARTED]
    room.end(room.runs()[0], Event.SUCCEED)
    room.dispatch()
    assert room.mails() == []


def test_no_more_mails_wait_than_may(room: MailRoom) -> None:
    message = room.world.blobs.add((b"From: a@b.example",), "message/rfc822")
    one = NewInbound(room.group.item.id, REF, ADDRESS, "{}", message)
    with room.world.atomic():
        for _ in range(1_000):
            room.world.social.inbound.accept(one)
    with pytest.raises(QuotaReached, match="wait"):
        room.accept(room.letter())


def test_of_what_started_nothing_the_newest_stay(room: MailRoom) -> None:
    inbound, item = room.world.social.inbound, room.group.item.id
    message = Ref("0" * 64, 100 * 1024 * 1024, "message/rfc822")
    for _ in range(4):
        inbound.accept(NewInbound(item, REF, ADDRESS, "{}", message))
        for mail in inbound.take("9", "9", 10):
            inbound.keep(mail, "")
    assert [mail.id for mail in inbound.of(item, 10)] == [4, 3]
