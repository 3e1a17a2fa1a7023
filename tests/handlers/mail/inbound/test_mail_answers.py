"""Answers to mails that ran jobs: which go to whom, and what they tell."""

from __future__ import annotations

from email.message import EmailMessage

from chains.runs.states import Event, Status
from handlers.mail.inbound.inbound_dispatch import LONGEST_WAIT
from tests.handlers.household import Household
from tests.handlers.mail.inbound.mail_room import ADDRESS, DOMAIN, REF, MailRoom, sign
from vfs.access import Role, Verb
from vfs.ports.inbound import InboundState


def answer(room: MailRoom, event: Event, output: bytes | None = None, *lines: str) -> list[EmailMessage]:
    (run,) = room.runs()
    room.end(run, event, output, *lines)
    room.dispatch()
    found = room.answers()
    room.dispatch()
    assert not room.answers()
    return found


def test_a_mail_is_answered_on_both_databases(household: Household) -> None:
    room = MailRoom(household)
    room.accept(sign(room.letter()))
    room.accept(room.letter(id="2"))
    assert room.dispatch() == LONGEST_WAIT
    (told,) = answer(room, Event.SUCCEED, b"3 birds\n")
    assert told["To"] == f"bob@{DOMAIN}"
    assert {mail.state for mail in room.mails()} == {InboundState.STARTED, InboundState.KEPT}


def test_the_result_goes_to_the_sender_and_to_those_who_may_run_the_job(room: MailRoom) -> None:
    to = f"{ADDRESS}, Alice <alice@{DOMAIN}>, dora@{DOMAIN}, else@where.example, bob@{DOMAIN}"
    room.accept(sign(room.letter(To=to, Reply_To="eve@evil.example", References="<0@birds.example>")))
    room.dispatch()
    first, second = answer(room, Event.SUCCEED, b"3 birds\n")
    assert (first["To"], second["To"]) == (f"alice@{DOMAIN}", f"bob@{DOMAIN}")
    assert second["From"].addresses[0].addr_spec == ADDRESS and second["Subject"] == "Re: Counts"
    assert (second["In-Reply-To"], second["Auto-Submitted"]) == ("<1@birds.example>", "auto-replied")
    assert second["References"] == "<0@birds.example> <1@birds.example>"
    body = second.get_body()
    assert body is not None and body.get_content().split()[:4] == ["3", "birds", "--", "The"]
    assert "https://curlew.example/u/alice/j/nightly/" in body.get_content()
    (file,) = second.iter_attachments()
    assert (file.get_filename(), file.get_content()) == ("counts.txt", "3 birds\n")


def test_a_failure_is_told_to_the_sender_alone(room: MailRoom) -> None:
    room.accept(sign(room.letter(To=f"{ADDRESS}, alice@{DOMAIN}")))
    room.dispatch()
    (told,) = answer(room, Event.FAIL, None, "count: it has no birds")
    assert told["To"] == f"bob@{DOMAIN}"
    assert "failed: the reason stands in its log" in told.get_content()
    assert "no birds" not in told.get_content()


def test_a_failure_is_explained_to_whoever_may_read_the_job(room: MailRoom) -> None:
    room.share(room.job, "rx")
    room.accept(sign(room.letter()))
    room.dispatch()
    (told,) = answer(room, Event.FAIL, None, "count: it has no birds")
    assert "failed: count: it has no birds" in told.get_content()


def test_a_canceled_run_is_told_with_the_word(room: MailRoom) -> None:
    room.accept(sign(room.letter()))
    room.dispatch()
    (run,) = room.runs()
    room.household.end(run, Event.CANCEL)
    (told,) = answer(room, Event.TORN_DOWN)
    assert "was canceled" in told.get_content()


def test_a_run_whose_job_is_removed_is_told_as_canceled(room: MailRoom) -> None:
    room.accept(sign(room.letter()))
    room.dispatch()
    (run,) = room.runs()
    room.household.call("alice", Verb.REMOVE, "/v1/code/jobs/nightly")
    room.world.code.runs.states.event(run.key, Event.TORN_DOWN)
    room.dispatch()
    (told,) = room.answers()
    assert "was canceled" in told.get_content()


def test_a_rejected_run_is_told(room: MailRoom) -> None:
    room.household.write("alice", "/v1/code/jobs/nightly/config/chains", "@carol/secret")
    room.accept(sign(room.letter()))
    room.dispatch()
    (run,) = room.runs()
    assert run.status is Status.REJECTED
    (told,) = room.answers()
    assert "was rejected" in told.get_content()


def test_whoever_may_not_run_the_job_any_more_gets_no_result(room: MailRoom) -> None:
    room.accept(sign(room.letter()))
    room.dispatch()
    room.world.people.members.drop(REF, "bob", Role.MEMBERS, pending=False)
    (told,) = answer(room, Event.SUCCEED, b"3 birds\n")
    assert "no longer for you" in told.get_content() and "birds\n" not in told.get_content()


def test_an_address_that_changed_hands_gets_nothing(room: MailRoom) -> None:
    room.accept(sign(room.letter()))
    room.dispatch()
    room.world.people.users.change("bob", verified=False)
    assert answer(room, Event.SUCCEED, b"3 birds\n") == []
