"""Mails as triggers: permissions to start jobs, and the input of runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from chains.runs.states import Event, Status
from handlers.mail.inbound.mail_listener import is_open
from handlers.services.due_dispatch import LEASE
from tests.handlers.mail.inbound.mail_world import ADDRESS, DOMAIN, REF, SERVER, STRANGER, MailWorld, sign
from tests.kit.pinned_records import PinnedRecords
from vfs.access import Role
from vfs.errors import NotFound, QuotaReached
from vfs.ports.blobs import Ref
from vfs.ports.inbound import InboundState, NewInbound


def note(mail_world: MailWorld) -> str:
    """Return why the newest mail started nothing."""
    mail_world.dispatch()
    mail = mail_world.mails()[0]
    assert mail.state is InboundState.KEPT and not mail_world.runs() and not mail_world.answers()
    return mail.note


def test_a_signed_mail_runs_every_job_that_is_shared_with_the_group(mail_world: MailWorld) -> None:
    other = mail_world.service_world.job("other", schedule="")
    mail_world.share(other, "rx")
    read = mail_world.service_world.job("read", schedule="")
    mail_world.share(read, "r")
    apart = mail_world.service_world.job("apart", schedule="")
    mail_world.accept(sign(mail_world.letter()))
    mail_world.dispatch()
    (run,) = mail_world.runs()
    assert (run.trigger, run.source, run.by, run.status) == ("email", "mail", "bob", Status.PROCESSING)
    assert len(mail_world.service_world.runs(other)) == 1
    assert not mail_world.service_world.runs(read) and not mail_world.service_world.runs(apart)
    (mail,) = mail_world.mails()
    assert (mail.state, mail.sender) == (InboundState.STARTED, "bob")
    mail_world.dispatch()
    assert len(mail_world.runs()) == 1


@pytest.mark.parametrize("sender", ["alice", "bob"])
def test_a_share_to_read_alone_runs_nothing_for_its_owner_either(mail_world: MailWorld, sender: str) -> None:
    read = mail_world.service_world.job("read", schedule="")
    mail_world.share(read, "r")
    mail_world.accept(sign(mail_world.letter(sender)))
    mail_world.dispatch()
    assert len(mail_world.runs()) == 1
    assert not mail_world.service_world.runs(read)


def input_of(mail_world: MailWorld) -> Path:
    """Return the folder with the input of the newest run."""
    folders = mail_world.world.code.folders
    (folder,) = folders.root.glob("in-*")
    return folder


def test_a_run_is_given_the_parts_of_the_message(mail_world: MailWorld) -> None:
    made = EmailMessage()
    made["From"], made["To"], made["Cc"] = f"Bob <bob@{DOMAIN}>", ADDRESS, "x@y.example"
    made["Subject"] = "Cöunts"
    made["Date"], made["Message-ID"] = mail_world.now(), "<1@birds.example>"
    made.set_content("words")
    made.add_alternative("<p>words</p>", subtype="html")
    for _ in range(2):
        made.add_attachment(b"a,b\n", maintype="text", subtype="csv", filename="../table.csv")
    raw = made.as_bytes()
    mail_world.accept(raw, SERVER)
    mail_world.dispatch()
    folder = input_of(mail_world)
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
    (run,) = mail_world.runs()
    assert mail_world.world.code.runs.reader.kept_input(run.key) is not None


def test_a_mail_whose_sender_is_not_proved_starts_nothing(mail_world: MailWorld) -> None:
    mail_world.accept(mail_world.letter())
    assert "not proved" in note(mail_world)
    mail_world.accept(sign(mail_world.letter(), "evil.example"))
    assert f"signed by evil.example, not by {DOMAIN}" in note(mail_world)
    mail_world.accept(mail_world.letter(), STRANGER, "x@evil.example")
    assert "envelope is of evil.example" in note(mail_world)
    forged = f"Authentication-Results: mail.example; dkim=pass header.d={DOMAIN}; spf=pass\r\n".encode()
    mail_world.accept(forged + mail_world.letter())
    assert "not proved" in note(mail_world)


def test_the_options_of_the_group_say_which_proof_counts(mail_world: MailWorld) -> None:
    mail_world.set(mail_world.group, "mail_verify_dkim", "no")
    mail_world.accept(sign(mail_world.letter()))
    assert "not proved" in note(mail_world)
    mail_world.set(mail_world.group, "mail_verify_dkim", "yes")
    mail_world.set(mail_world.group, "mail_verify_spf", "no")
    mail_world.accept(mail_world.letter(), SERVER)
    assert "not signed" in note(mail_world)
    mail_world.set(mail_world.group, "mail_verify_dkim", "no")
    mail_world.accept(sign(mail_world.letter()), SERVER)
    assert "no proof" in note(mail_world)


def test_a_signed_mail_to_somebody_else_starts_nothing(mail_world: MailWorld) -> None:
    mail_world.accept(sign(mail_world.letter(To=f"eve@{DOMAIN}")))
    assert "not proved" in note(mail_world)
    mail_world.accept(sign(mail_world.letter(To=f"eve@{DOMAIN}", Cc=ADDRESS)))
    mail_world.dispatch()
    assert len(mail_world.runs()) == 1


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
    mail_world: MailWorld, headers: dict[str, str], reason: str
) -> None:
    mail_world.names = PinnedRecords({}, frozenset({DOMAIN}))
    mail_world.accept(mail_world.letter(**headers), SERVER)
    assert reason in note(mail_world)


def test_permissions_are_checked_when_the_mail_is_handled(mail_world: MailWorld) -> None:
    mail_world.accept(sign(mail_world.letter()))
    mail_world.world.people.members.drop(REF, "bob", Role.MEMBERS, pending=False)
    assert "no verified one of a member" in note(mail_world)
    mail_world.world.people.members.put(REF, "bob", Role.MEMBERS, pending=True, by=None)
    mail_world.accept(sign(mail_world.letter(id="2")))
    assert "no verified one of a member" in note(mail_world)
    mail_world.world.people.members.put(REF, "bob", Role.MEMBERS, pending=False, by=None)
    mail_world.accept(sign(mail_world.letter(id="3")))
    mail_world.world.people.users.change("bob", verified=False)
    assert "no verified one of a member" in note(mail_world)
    mail_world.accept(sign(mail_world.letter("alice", id="4")))
    mail_world.world.people.members.drop(REF, "alice", Role.MEMBERS, pending=False)
    assert "no verified one of a member" in note(mail_world)


def test_a_mail_that_stays_away_too_long_or_comes_again_starts_nothing(mail_world: MailWorld) -> None:
    raw = sign(mail_world.letter())
    mail_world.accept(raw)
    mail_world.dispatch()
    for again in (raw, b"X-Seen: again\r\n" + raw):
        mail_world.accept(again)
        mail_world.dispatch()
        assert mail_world.mails()[0].note == "the message came before"
    assert len(mail_world.runs()) == 1


def test_the_mails_of_a_sender_are_counted(mail_world: MailWorld) -> None:
    most = mail_world.world.service.settings.mails_inbound
    for number in range(most + 1):
        mail_world.accept(mail_world.letter(id=str(number)), SERVER)
    mail_world.dispatch()
    assert len(mail_world.runs()) == most and "reached the limit" in mail_world.mails()[0].note


def test_a_closed_address_is_like_a_missing_one(mail_world: MailWorld) -> None:
    assert is_open(mail_world.world, ADDRESS) and is_open(mail_world.world, ADDRESS.upper())
    mail_world.accept(sign(mail_world.letter()))
    for group, option in ((mail_world.group, "allow_inbound_mail"), (mail_world.org, "enable_subdomain")):
        mail_world.set(group, option, "no")
        for address in (ADDRESS, "absent@acme.mail.example"):
            assert not is_open(mail_world.world, address)
            with pytest.raises(NotFound, match="there is no mailbox of that name here"):
                mail_world.accept(sign(mail_world.letter()), STRANGER, "x@y.example", address)
        assert len(mail_world.mails()) == 1
        mail_world.set(group, option, "yes")
    for address in ("sales", "sales@mail.example", "sales@acme.other.example", "@acme.mail.example"):
        assert not is_open(mail_world.world, address)
    mail_world.set(mail_world.group, "allow_inbound_mail", "no")
    assert note(mail_world) == "the address is closed"


def test_names_without_an_answer_are_looked_up_again(mail_world: MailWorld) -> None:
    names, mail_world.names = (
        mail_world.names,
        PinnedRecords({}, frozenset({DOMAIN, f"s1._domainkey.{DOMAIN}"})),
    )
    mail_world.accept(sign(mail_world.letter()), SERVER)
    assert 50 < mail_world.dispatch() <= 60
    assert mail_world.mails()[0].state is InboundState.NEW and "not proved" in mail_world.mails()[0].note
    mail_world.service_world.clock.forward(61)
    assert mail_world.dispatch() > 60
    mail_world.names = names
    mail_world.service_world.clock.forward(121)
    mail_world.dispatch()
    assert len(mail_world.runs()) == 1


class Killed(BaseException):
    """The end of a process at this step."""


class KillingNames:
    """Records of names whose lookup ends the process."""

    def records(self, name: str, kind: str) -> Sequence[Any]:
        raise Killed


def test_a_mail_whose_process_was_killed_is_handled_again(mail_world: MailWorld) -> None:
    names, mail_world.names = mail_world.names, KillingNames()
    mail_world.accept(sign(mail_world.letter()))
    with pytest.raises(Killed):
        mail_world.dispatch()
    mail_world.names = names
    mail_world.dispatch()
    assert not mail_world.runs()
    mail_world.service_world.clock.forward(LEASE.total_seconds() + 1)
    mail_world.dispatch()
    mail_world.dispatch()
    assert len(mail_world.runs()) == 1


def test_a_mail_whose_names_are_never_found_is_given_up(mail_world: MailWorld) -> None:
    mail_world.names = PinnedRecords({}, frozenset({DOMAIN, f"s1._domainkey.{DOMAIN}"}))
    mail_world.accept(mail_world.letter(), SERVER)
    for _ in range(12):
        mail_world.dispatch()
        mail_world.service_world.clock.forward(3_900)
    assert mail_world.mails()[0].state is InboundState.KEPT and "given up" in mail_world.mails()[0].note


def test_mails_are_forgotten_after_their_time_and_kept_within_bounds(mail_world: MailWorld) -> None:
    mail_world.accept(sign(mail_world.letter()))
    mail_world.accept(mail_world.letter(id="2"))
    mail_world.dispatch()
    mail_world.service_world.clock.forward(timedelta(days=31).total_seconds())
    mail_world.dispatch()
    assert [mail.state for mail in mail_world.mails()] == [InboundState.STARTED]
    mail_world.end(mail_world.runs()[0], Event.SUCCEED)
    mail_world.dispatch()
    assert mail_world.mails() == []


def test_no_more_mails_wait_than_may(mail_world: MailWorld) -> None:
    message = mail_world.world.blobs.add((b"From: a@b.example",), "message/rfc822")
    one = NewInbound(mail_world.group.item.id, REF, ADDRESS, "{}", message)
    with mail_world.world.atomic():
        for _ in range(1_000):
            mail_world.world.social.inbound.accept(one)
    with pytest.raises(QuotaReached, match="wait"):
        mail_world.accept(mail_world.letter())


def test_of_what_started_nothing_the_newest_stay(mail_world: MailWorld) -> None:
    inbound, item = mail_world.world.social.inbound, mail_world.group.item.id
    message = Ref("0" * 64, 100 * 1024 * 1024, "message/rfc822")
    for _ in range(4):
        inbound.accept(NewInbound(item, REF, ADDRESS, "{}", message))
        for mail in inbound.take("9", "9", 10):
            inbound.keep(mail, "")
    assert [mail.id for mail in inbound.of(item, 10)] == [4, 3]
