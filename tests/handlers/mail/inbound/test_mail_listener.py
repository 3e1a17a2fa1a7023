"""The listener: mails that it accepts and refuses, by both protocols, within its limits."""

from __future__ import annotations

import asyncio
import smtplib
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from handlers.mail.inbound.mail_listener import (
    MOST_CONNECTIONS,
    MOST_RECIPIENTS,
    NOBODY,
    MailIntake,
    session_factory,
)
from handlers.mail.inbound.sender_proof import envelope_of
from tests.handlers.mail.inbound.mail_world import ADDRESS, DOMAIN, SERVER, MailWorld, sign
from vfs.errors import Unavailable

SENDER = f"bounces@{DOMAIN}"


class ListenerThread:
    """A listener on a free port, in a thread."""

    def __init__(self, mail_world: MailWorld, *, lmtp: bool, trusted: bool = True) -> None:
        self.intake = MailIntake(mail_world.world, (), 1 if lmtp else MOST_RECIPIENTS)
        if not trusted:
            self.intake.may_forward = lambda peer: False  # type: ignore[method-assign]
        self.loop = asyncio.new_event_loop()
        make = session_factory(self.intake, "mail.example", lmtp=lmtp)
        self.server = self.loop.run_until_complete(self.loop.create_server(make, "127.0.0.1", 0))
        self.port = self.server.sockets[0].getsockname()[1]
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()

    def stop(self) -> None:
        self.loop.call_soon_threadsafe(self.server.close)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        while open_tasks := asyncio.all_tasks(self.loop):
            for task in open_tasks:
                task.cancel()
            self.loop.run_until_complete(asyncio.wait(open_tasks))
        self.loop.run_until_complete(asyncio.sleep(0))
        self.loop.close()
        self.intake.close()


@contextmanager
def listener(mail_world: MailWorld, *, lmtp: bool = False, trusted: bool = True) -> Iterator[ListenerThread]:
    thread = ListenerThread(mail_world, lmtp=lmtp, trusted=trusted)
    try:
        yield thread
    finally:
        thread.stop()


def client(thread: ListenerThread, *, lmtp: bool = False) -> smtplib.SMTP:
    kind = smtplib.LMTP if lmtp else smtplib.SMTP
    return kind("127.0.0.1", thread.port, timeout=60)


@pytest.mark.parametrize("lmtp", [False, True])
def test_a_mail_is_stored_before_it_is_accepted(mail_world: MailWorld, lmtp: bool) -> None:
    raw = sign(mail_world.letter())
    with listener(mail_world, lmtp=lmtp) as thread, client(thread, lmtp=lmtp) as peer:
        assert peer.sendmail(SENDER, [ADDRESS.upper()], raw) == {}
        (mail,) = mail_world.mails()
        with mail_world.world.blobs.open(mail.message) as stream:
            assert stream.read() == raw
        assert envelope_of(mail).sender == SENDER and envelope_of(mail).peer == "127.0.0.1"
        assert peer.sendmail(SENDER, [ADDRESS], mail_world.letter(id="2")) == {}
    mail_world.dispatch()
    assert len(mail_world.runs()) == 1 and len(mail_world.mails()) == 2


@pytest.mark.parametrize("lmtp", [False, True])
def test_absent_and_closed_addresses_are_refused_alike(mail_world: MailWorld, lmtp: bool) -> None:
    mail_world.set(mail_world.group, "allow_inbound_mail", "no")
    replies = set()
    with listener(mail_world, lmtp=lmtp) as thread, client(thread, lmtp=lmtp) as peer:
        for address in (ADDRESS, "absent@acme.mail.example", "x@elsewhere.example"):
            with pytest.raises(smtplib.SMTPRecipientsRefused) as refused:
                peer.sendmail(SENDER, [address], b"From: a@b.example\r\n\r\n")
            replies |= set(refused.value.recipients.values())
    assert {f"{code} {words.decode()}" for code, words in replies} == {NOBODY}
    assert mail_world.mails() == []


def test_a_server_in_front_names_the_sender_of_a_mail(mail_world: MailWorld) -> None:
    with listener(mail_world, lmtp=True) as thread, client(thread, lmtp=True) as peer:
        assert peer.has_extn("xforward") or (peer.ehlo()[0] == 250 and peer.has_extn("xforward"))
        assert peer.docmd("XFORWARD", f"ADDR={SERVER} HELO=mx+2Ebirds.example")[0] == 250
        peer.sendmail(SENDER, [ADDRESS], mail_world.letter())
        peer.sendmail(SENDER, [ADDRESS], mail_world.letter(id="2"))
        assert peer.docmd("XFORWARD", "ADDR=IPV6:2001:db8::1")[0] == 250
        assert peer.docmd("XFORWARD", "HELO=[UNAVAILABLE]")[0] == 250
        peer.sendmail(SENDER, [ADDRESS], mail_world.letter(id="3"))
    envelopes = [envelope_of(mail) for mail in reversed(mail_world.mails())]
    assert [(one.peer, one.hello) for one in envelopes] == [
        (SERVER, "mx.birds.example"), ("127.0.0.1", envelopes[1].hello), ("2001:db8::1", ""),
    ]  # fmt: skip
    mail_world.dispatch()
    assert len(mail_world.runs()) == 1


def test_strangers_are_not_believed(mail_world: MailWorld) -> None:
    with listener(mail_world, trusted=False) as thread, client(thread) as peer:
        peer.ehlo()
        assert not peer.has_extn("xforward")
        assert peer.docmd("XFORWARD", f"ADDR={SERVER}")[0] == 550
        peer.sendmail(SENDER, [ADDRESS], mail_world.letter())
    assert envelope_of(mail_world.mails()[0]).peer == "127.0.0.1"


def test_bounds_of_sizes_and_recipients(mail_world: MailWorld) -> None:
    with listener(mail_world) as thread, client(thread) as peer:
        with pytest.raises(smtplib.SMTPSenderRefused, match="552"):
            peer.sendmail(SENDER, [ADDRESS], b"From: a@b.example\r\n\r\n" + b"x" * 80 * 140_000)
        peer.mail(SENDER)
        codes = [peer.rcpt(ADDRESS)[0] for _ in range(MOST_RECIPIENTS + 1)]
        assert codes == [250] * MOST_RECIPIENTS + [452]
        assert peer.data(mail_world.letter())[0] == 250
    assert len(mail_world.mails()) == 1
    with listener(mail_world, lmtp=True) as thread, client(thread, lmtp=True) as peer:
        peer.ehlo()
        peer.mail(SENDER)
        assert [peer.rcpt(ADDRESS)[0] for _ in range(2)] == [250, 452]


def test_bounds_of_connections(mail_world: MailWorld) -> None:
    with listener(mail_world) as thread:
        held = [socket.create_connection(("127.0.0.1", thread.port)) for _ in range(MOST_CONNECTIONS)]
        for one in held:
            assert one.recv(100).startswith(b"220")
        with socket.create_connection(("127.0.0.1", thread.port)) as late:
            assert late.recv(100).startswith(b"421 4.3.2")
        for one in held:
            one.close()


def test_what_cannot_be_stored_is_to_be_sent_again(mail_world: MailWorld) -> None:
    class Full:
        def accept(self, mail: object) -> int:
            raise Unavailable("the database is away")

    social = replace(mail_world.world.social, inbound=Full())  # type: ignore[arg-type]
    mail_world.world = replace(mail_world.world, social=social)
    with listener(mail_world) as thread, client(thread) as peer:
        with pytest.raises(smtplib.SMTPDataError) as refused:
            peer.sendmail(SENDER, [ADDRESS], mail_world.letter())
        assert refused.value.smtp_code == 451
