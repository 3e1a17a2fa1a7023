"""Answers to mails that ran jobs: their recipients and their texts."""

from __future__ import annotations

from email.message import EmailMessage

from chains.runs.states import Event, Status
from handlers.services.due_dispatch import LONGEST_WAIT
from tests.handlers.mail.inbound.mail_world import ADDRESS, DOMAIN, REF, MailWorld, sign
from tests.handlers.service_world import ServiceWorld
from vfs.access import Role, Verb
from vfs.ports.inbound import InboundState


def answer(
    mail_world: MailWorld, event: Event, output: bytes | None = None, *lines: str
) -> list[EmailMessage]:
    (run,) = mail_world.runs()
    mail_world.end(run, event, output, *lines)
    mail_world.dispatch()
    found = mail_world.answers()
    mail_world.dispatch()
    assert not mail_world.answers()
    return found


def test_a_mail_is_answered_on_both_databases(service_world: ServiceWorld) -> None:
    mail_world = MailWorld(service_world)
    mail_world.accept(sign(mail_world.letter()))
    mail_world.accept(mail_world.letter(id="2"))
    assert mail_world.dispatch() == LONGEST_WAIT
    (message,) = answer(mail_world, Event.SUCCEED, b"3 birds\n")
    assert message["To"] == f"bob@{DOMAIN}"
    assert {mail.state for mail in mail_world.mails()} == {InboundState.STARTED, InboundState.KEPT}


def test_the_result_goes_to_the_sender_and_to_those_who_may_run_the_job(mail_world: MailWorld) -> None:
    to = f"{ADDRESS}, Alice <alice@{DOMAIN}>, dora@{DOMAIN}, else@where.example, bob@{DOMAIN}"
    mail_world.accept(
        sign(mail_world.letter(To=to, Reply_To="eve@evil.example", References="<0@birds.example>"))
    )
    mail_world.dispatch()
    first, second = answer(mail_world, Event.SUCCEED, b"3 birds\n")
    assert (first["To"], second["To"]) == (f"alice@{DOMAIN}", f"bob@{DOMAIN}")
    assert second["From"].addresses[0].addr_spec == ADDRESS and second["Subject"] == "Re: Counts"
    assert (second["In-Reply-To"], second["Auto-Submitted"]) == ("<1@birds.example>", "auto-replied")
    assert second["References"] == "<0@birds.example> <1@birds.example>"
    body = second.get_body()
    assert body is not None and body.get_content().split()[:4] == ["3", "birds", "--", "The"]
    assert "https://curlew.example/u/alice/j/nightly/" in body.get_content()
    (file,) = second.iter_attachments()
    assert (file.get_filename(), file.get_content()) == ("counts.txt", "3 birds\n")


def test_only_the_sender_gets_a_message_about_a_failure(mail_world: MailWorld) -> None:
    mail_world.accept(sign(mail_world.letter(To=f"{ADDRESS}, alice@{DOMAIN}")))
    mail_world.dispatch()
    (message,) = answer(mail_world, Event.FAIL, None, "count: it has no birds")
    assert message["To"] == f"bob@{DOMAIN}"
    assert "failed: the reason is in its log" in message.get_content()
    assert "no birds" not in message.get_content()


def test_a_failure_is_explained_to_a_sender_who_may_read_the_job(mail_world: MailWorld) -> None:
    mail_world.share(mail_world.job, "rx")
    mail_world.accept(sign(mail_world.letter()))
    mail_world.dispatch()
    (message,) = answer(mail_world, Event.FAIL, None, "count: it has no birds")
    assert "failed: count: it has no birds" in message.get_content()


def test_a_canceled_run_is_answered_as_canceled(mail_world: MailWorld) -> None:
    mail_world.accept(sign(mail_world.letter()))
    mail_world.dispatch()
    (run,) = mail_world.runs()
    mail_world.service_world.end(run, Event.CANCEL)
    (message,) = answer(mail_world, Event.TORN_DOWN)
    assert "was canceled" in message.get_content()


def test_a_run_of_a_removed_job_is_answered_as_canceled(mail_world: MailWorld) -> None:
    mail_world.accept(sign(mail_world.letter()))
    mail_world.dispatch()
    (run,) = mail_world.runs()
    mail_world.service_world.call("alice", Verb.REMOVE, "/v1/code/jobs/nightly")
    mail_world.world.code.runs.states.event(run.key, Event.TORN_DOWN)
    mail_world.dispatch()
    (message,) = mail_world.answers()
    assert "was canceled" in message.get_content()


def test_a_rejected_run_is_answered_as_rejected(mail_world: MailWorld) -> None:
    mail_world.service_world.write("alice", "/v1/code/jobs/nightly/config/chains", "@carol/secret")
    mail_world.accept(sign(mail_world.letter()))
    mail_world.dispatch()
    (run,) = mail_world.runs()
    assert run.status is Status.REJECTED
    (message,) = mail_world.answers()
    assert "was rejected" in message.get_content()


def test_a_sender_who_may_no_longer_run_the_job_gets_no_result(mail_world: MailWorld) -> None:
    mail_world.accept(sign(mail_world.letter()))
    mail_world.dispatch()
    mail_world.world.people.members.drop(REF, "bob", Role.MEMBERS, pending=False)
    (message,) = answer(mail_world, Event.SUCCEED, b"3 birds\n")
    assert "no access to its result" in message.get_content() and "birds\n" not in message.get_content()


def test_an_address_that_changed_hands_gets_nothing(mail_world: MailWorld) -> None:
    mail_world.accept(sign(mail_world.letter()))
    mail_world.dispatch()
    mail_world.world.people.users.change("bob", verified=False)
    assert answer(mail_world, Event.SUCCEED, b"3 birds\n") == []
