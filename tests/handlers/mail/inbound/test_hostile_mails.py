"""A corpus of hostile mails, with pinned answers for names: none of them proves that bob wrote it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from handlers.mail.inbound.message_parts import RefusedMessage, read_message
from handlers.mail.inbound.sender_proof import MailEnvelope, prove_sender
from tests.handlers.mail.inbound.mail_world import ADDRESS, DOMAIN, SERVER, SIGNED, STRANGER, names, sign

VICTIM, EVIL = f"bob@{DOMAIN}", "evil.example"
DATE = "Date: Mon, 23 Nov 2026 00:00:00 +0000"
REST = f"To: {ADDRESS}\r\nSubject: x\r\n{DATE}\r\nMessage-ID: <1@{DOMAIN}>\r\n\r\n"
HONEST = f"From: {VICTIM}\r\n{REST}words\r\n".encode()
THIEF = MailEnvelope(STRANGER, f"mx.{EVIL}", f"thief@{EVIL}")
RELAYED = MailEnvelope(STRANGER, f"mx.{EVIL}", VICTIM)

FROMS = (
    "From: {v}\r\nFrom: {e}",
    "From: {e}\r\nFrom: {v}",
    "from: {v}\r\nFROM: {e}",
    "From: {v}\r\nFrom : {e}",
    "From : {v}\r\nFrom: {e}",
    "From\t: {v}\r\nFrom: {e}",
    "\r\nFrom: {v}\r\nFrom: {e}",
    " From: {v}\r\nFrom: {e}",
    "From: {v}, {e}",
    "From: {e}, {v}",
    "From: {e};{v}",
    "From: {v} {e}",
    "From: <{v}><{e}>",
    "From: <{e}>, <{v}>",
    "From: {v}({e})",
    "From: ({v}) {e}",
    "From: {e} <{v}",
    "From: {v} <{e}>",
    'From: "{v}" <{e}>',
    'From: "{v}, " <{e}>',
    "From: {v}\\, <{e}>",
    "From: group: {v};",
    "From: group: {v}, {e};",
    "From: <@{d}:{v}>",
    "From: <@{d},@b.example:{v}>",
    "From: =?utf-8?q?bob=40birds.example?= <{e}>",
    "From: =?utf-8?q?{v}?=",
    "From: =?utf-8?b?Ym9iQGJpcmRzLmV4YW1wbGU=?=",
    "From: =?utf-8?q?bob?=@birds.example",
    "From: {v}\0<{e}>",
    "From: {v}\r<{e}>",
    "From: {v}\n{e}",
    "From: {v}\r\n {e}",
    "From:\r\n {v}\r\nFrom: {e}",
    "From: {e}\r\n\t,{v}",
    "From:\r\n \r\n {v}\r\nSender: {e}",
    "From: bob@birds.example.evil.example",
    "From: bob@b\u0456rds.example",
    "From: b\u043eb@birds.example",
    "From: bob@xn--brds-l7d.example",
    "From: bob@birds.example.",
    "From: bob@birds",
    "From: bob@[192.0.2.1]",
    'From: "bob"@birds.example',
    "From: bob @birds.example",
    "From: bob@ birds.example",
    "From: bob@@birds.example",
    "From: bob@birds.example@{d}",
    "From: bob%birds.example@{d}",
    "From: {d}!{v}",
    "From: undisclosed:;",
    "From: ",
    "From",
    "Sender: {v}",
    "Reply-To: {v}\r\nFrom: {e}",
    "Resent-From: {v}\r\nFrom: {e}",
    "X-From: {v}\r\nFrom: {e}",
    "From: {v}\r\nSender: {e}\r\nSender: {v}",
    "From: {v}\u2028<{e}>",
    "From: \u202e{v}",
    "From: b\u00f6b@birds.example",
    "From: bob\uff20birds.example",
    "From: bob@birds\u3002example",
    "From: {v}\u200b",
    "From: \u00a0{v}",
    "From: {v}\x85",
    "From: {v}\x0b<{e}>",
    "From: =?utf-8?q?bob?= =?utf-8?q?=40birds.example?=",
    "From: =?utf-7?q?bob+AEA-birds.example?=",
    "From: {v}\r\nfrom\u00a0: {e}",
)
CLAIMS = (
    "Authentication-Results: mx.mail.example; dkim=pass header.d={d}; spf=pass smtp.mailfrom={d}",
    "Received-SPF: pass (mail.example: domain of {d} designates 192.0.2.1) client-ip=192.0.2.1;",
    "ARC-Authentication-Results: i=1; mail.example; dkim=pass header.d={d}",
    "X-Forwarded-For: 192.0.2.1",
    "X-Originating-IP: [192.0.2.1]",
    "Return-Path: <bob@{d}>",
    "DKIM-Signature: v=1; a=rsa-sha256; d={d}; s=s1; h=from; bh=; b=",
    "DKIM-Signature: v=1; a=none; d={d}; s=s1; h=from:to:subject:date:message-id; bh=AAAA; b=AAAA",
)


def filled(words: str) -> str:
    return words.format(v=VICTIM, e=f"eve@{EVIL}", d=EVIL)


def forged() -> Iterator[tuple[str, bytes]]:
    """Yield mails of the thief's server, with each way to write two senders or a hidden one."""
    for number, words in enumerate(FROMS):
        raw = f"{filled(words)}\r\n{REST}words\r\n".encode()
        yield f"from-{number}", raw
        yield f"from-{number}-taken", CLAIMS[0].format(d=DOMAIN).encode() + b"\r\n" + raw
    for number, words in enumerate(CLAIMS):
        yield f"claim-{number}", words.format(d=DOMAIN).encode() + b"\r\n" + HONEST


def signed_by_thief() -> Iterator[tuple[str, bytes]]:
    """Yield the same mails with a signature of the thief's domain, where a library signs them."""
    for name, raw in forged():
        try:
            yield f"{name}-signed", sign(raw, EVIL)
        except Exception:
            continue


CHANGES: dict[str, Callable[[bytes], bytes]] = {
    "body": lambda raw: raw + b"more\r\n",
    "text": lambda raw: raw.replace(b"words", b"worms"),
    "to": lambda raw: raw.replace(b"To: ", b"To: x@y.example, "),
    "cc": lambda raw: b"Cc: eve@evil.example\r\n" + raw,
    "subject": lambda raw: raw.replace(b"Subject: x", b"Subject: y"),
    "second-subject": lambda raw: b"Subject: y\r\n" + raw,
    "date": lambda raw: raw.replace(b"23 Nov", b"24 Nov"),
    "identity": lambda raw: raw.replace(b"Message-ID: <1@", b"Message-ID: <2@"),
    "first-from": lambda raw: b"From: eve@evil.example\r\n" + raw,
    "last-from": lambda raw: raw.replace(b"\r\n\r\n", b"\r\nFrom: eve@evil.example\r\n\r\n", 1),
    "name": lambda raw: raw.replace(b"From: bob@", b"From: Eve <bob@").replace(
        b"example\r\nTo", b"example>\r\nTo"
    ),
    "other-sender": lambda raw: raw.replace(b"From: bob@", b"From: alice@"),
    "gap": lambda raw: raw.replace(b"From: ", b"\r\nFrom: ", 1),
    "cut": lambda raw: raw.replace(b"; bh=", b"; bx="),
    "hash": lambda raw: raw.replace(b"rsa-sha256", b"rsa-sha1"),
    "no-from": lambda raw: raw.replace(b"h=from", b"h=form"),
    "length": lambda raw: raw.replace(b"DKIM-Signature: v=1;", b"DKIM-Signature: v=1; l=0;"),
    "expiry": lambda raw: raw.replace(b"DKIM-Signature: v=1;", b"DKIM-Signature: v=1; x=1;"),
    "selector": lambda raw: raw.replace(b" s=s1;", b" s=s2;"),
    "domain": lambda raw: raw.replace(b" d=birds.example;", b" d=evil.example;"),
    "parent": lambda raw: raw.replace(b" d=birds.example;", b" d=example;"),
    "second-identity": lambda raw: f"Message-ID: <9@{DOMAIN}>\r\n".encode() + raw,
    "last-identity": lambda raw: raw.replace(b"\r\n\r\n", b"\r\nMessage-ID: <9@b.example>\r\n\r\n", 1),
    "second-date": lambda raw: b"Date: Tue, 24 Nov 2026 00:00:00 +0000\r\n" + raw,
    "second-to": lambda raw: b"To: eve@evil.example\r\n" + raw,
    "twice": lambda raw: raw.replace(b"DKIM-Signature: v=1;", b"DKIM-Signature: v=1; v=1;"),
}


def changed() -> Iterator[tuple[str, bytes]]:
    """Yield changed copies of a mail that bob's server signed, and mails with incomplete signatures."""
    whole = sign(HONEST)
    for name, change in CHANGES.items():
        made = change(whole)
        assert made != whole, name
        yield f"changed-{name}", made
    for left in SIGNED:
        if left not in (b"from", b"cc"):
            yield f"open-{left.decode()}", sign(HONEST, headers=[one for one in SIGNED if one != left])
    yield "open-length", sign(HONEST, length=True) + b"<script>\r\n"
    yield "open-length-whole", sign(HONEST, length=True)


CORPUS = dict([*forged(), *signed_by_thief(), *changed()])


def is_believed(raw: bytes, envelope: MailEnvelope) -> bool:
    """Return whether a mail proves that somebody of bob's domain wrote it."""
    try:
        message = read_message(raw)
    except RefusedMessage:
        return False
    return bool(prove_sender(message, envelope, names()).by) and message.sender.endswith(f"@{DOMAIN}")


def test_the_corpus_is_large() -> None:
    assert len(CORPUS) >= 200


@pytest.mark.parametrize("envelope", [THIEF, RELAYED], ids=["own", "forged"])
def test_no_hostile_mail_is_believed(envelope: MailEnvelope) -> None:
    assert [name for name, raw in CORPUS.items() if is_believed(raw, envelope)] == []


def test_ambiguous_messages_are_not_believed_of_the_right_server_either() -> None:
    envelope = MailEnvelope(SERVER, f"mx.{DOMAIN}", VICTIM)
    written = ((name, raw) for name, raw in forged() if name.startswith("from-"))
    assert [name for name, raw in written if is_believed(raw, envelope)] == []


def test_the_honest_mail_is_believed() -> None:
    assert is_believed(sign(HONEST), THIEF)
    assert is_believed(HONEST, MailEnvelope(SERVER, f"mx.{DOMAIN}", VICTIM))
