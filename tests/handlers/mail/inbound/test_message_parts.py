"""Inbound messages: one sender beyond doubt, bounds, and parts under safe names."""

from __future__ import annotations

from email.message import EmailMessage
from email.policy import SMTP

import pytest

from handlers.mail.inbound.mail_answers import reason_for_silence
from handlers.mail.inbound.message_parts import InboundMessage, RefusedMessage, one_address, read_message


def message_of(*headers: str, body: str = "words\r\n") -> bytes:
    return ("\r\n".join(headers) + "\r\n\r\n" + body).encode()


@pytest.mark.parametrize(
    ("value", "address"),
    [
        ("ann@good.test", "ann@good.test"),
        ("Ann Berg <ann@GOOD.test>", "ann@good.test"),
        ('"Berg, Ann \\"B\\"" <ann@good.test>', "ann@good.test"),
        ("=?utf-8?q?B=C3=A9?= <ann@good.test>", "ann@good.test"),
        ("Ann\r\n <ann@good.test>", "ann@good.test"),
        ("ann@good.test (ann@bad.test)", ""),
        ("ann@good.test, eve@bad.test", ""),
        ("<ann@good.test> <eve@bad.test>", ""),
        ('"<ann@good.test>" <eve@bad.test>', ""),
        ("ann@good.test <eve@bad.test>", ""),
        ("group: ann@good.test;", ""),
        ("<@bad.test:ann@good.test>", ""),
        ('"ann@x"@good.test', ""),
        ("ann@[192.0.2.1]", ""),
        ("ann@good..test", ""),
        ("ann@localhost", ""),
        ("änn@good.test", ""),
        ("ann\0@good.test", ""),
        ("=?utf-8?q?ann=40good.test?=", ""),
        ("=?utf-8?q?ann?=@good.test", ""),
        ("ann@xn--gd-5ja.test", ""),
        ("\r\n ann@good.test", ""),
        ("ann\r\n @good.test", ""),
        ("ann@good.test\r\n ", ""),
        ("", ""),
        (f"{'a' * 65}@good.test", ""),
        (f"{'a' * 1200} <ann@good.test>", ""),
    ],
)
def test_an_address_is_one_beyond_doubt_or_none(value: str, address: str) -> None:
    assert one_address(value) == address


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        (("From: a@good.test", "From: b@bad.test"), "2 From headers"),
        (("From: a@good.test", "FROM : b@bad.test"), "is not a header"),
        (("To: a@good.test",), "0 From headers"),
        (("From: a@good.test, b@bad.test",), "not one address"),
        (("From: a@good.test", "Subject: a", "subject: b"), "more than one subject"),
        (("From: a@good.test\0",), "control character"),
        (("From: a@good.test\rSender: b",), "differently"),
        (("From: a@good.test", "nonsense"), "is not a header"),
        ((" From: a@good.test",), "is not a header"),
        (("From ", "From: a@good.test"), "is not a header"),
        (("From: a@good.test", *(f"X-{number}: a" for number in range(1_100))), "too long"),
    ],
)
def test_a_message_of_doubtful_sender_is_refused(headers: tuple[str, ...], reason: str) -> None:
    with pytest.raises(RefusedMessage, match=reason):
        read_message(message_of(*headers))


def test_texts_and_attachments_are_taken_apart() -> None:
    made = EmailMessage(policy=SMTP)
    made["From"], made["To"], made["Cc"] = "Ann <ann@good.test>", "x@org.test, Bob <b@b.test>", "c@c.test"
    made["Subject"] = "Täst"
    made.set_content("plain ø")
    made.add_alternative("<p>html</p>", subtype="html")
    for name in ("../../etc/passwd", "passwd", "3-passwd", "PASSWD", ".hidden", "a\u202eb.txt"):
        made.add_attachment(b"\x00\x01", maintype="application", subtype="x-thing", filename=name)
    found = read_message(made.as_bytes())
    assert (found.text, found.html, found.subject) == ("plain ø\n", "<p>html</p>\n", "Täst")
    assert (found.to, found.cc) == (("x@org.test", "b@b.test"), ("c@c.test",))
    names = [file.name for file in found.attachments]
    assert names[:5] == ["passwd", "2-passwd", "3-passwd", "4-PASSWD", "hidden"] and len(set(names)) == 6
    assert all(
        "/" not in name and file.body == b"\x00\x01"
        for name, file in zip(names, found.attachments, strict=True)
    )


def test_a_message_within_another_is_an_attachment() -> None:
    inner, outer = EmailMessage(policy=SMTP), EmailMessage(policy=SMTP)
    inner["From"] = "eve@bad.test"
    inner.set_content("inner")
    outer["From"] = "ann@good.test"
    outer.set_content("outer")
    outer.add_attachment(inner)
    found = read_message(outer.as_bytes())
    assert found.sender == "ann@good.test" and found.text == "outer\n"
    assert found.attachments[0].media == "message/rfc822" and b"inner" in found.attachments[0].body


def nested(depth: int) -> bytes:
    lines = ["From: ann@good.test"]
    for level in range(depth):
        lines += [f'Content-Type: multipart/mixed; boundary="b{level}"', "", f"--b{level}"]
    return "\r\n".join([*lines, "", "deep"]).encode()


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"From: a@good.test\r\n\r\n" + b"a" * (10 * 1024 * 1024), "10 MB"),
        (b"From: a@good.test\r\n\r\n" + b"\n" * 400_001, "too many lines"),
        (nested(22), "20 deep"),
        (nested(400), "too many"),
        (b'From: a@good.test\r\nContent-Type: text/plain; x="' + b";" * 5_000 + b"\r\n\r\n", "too long"),
        (b"From: a@good.test\r\n\r\n" + b" " * 100_000, "too many spaces"),
        (
            b"From: a@good.test\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n" + b"--b\r\n\r\n" * 600,
            "500 parts",
        ),
    ],
)
def test_bombs_are_refused(raw: bytes, reason: str) -> None:
    with pytest.raises(RefusedMessage, match=reason):
        read_message(raw)


def test_unknown_letters_and_broken_packing_are_read_as_far_as_they_can_be() -> None:
    raw = message_of(
        "From: a@good.test",
        "Content-Type: text/plain; charset=nonsense",
        "Subject: =?x?b?y?=",
        body="caf\xe9",
    )
    assert read_message(raw).text
    raw = message_of(
        "From: a@good.test", "Content-Type: text/plain", "Content-Transfer-Encoding: base64", body="!!!"
    )
    assert isinstance(read_message(raw).text, str)


@pytest.mark.parametrize(
    ("headers", "envelope", "word"),
    [
        ((), "<>", "envelope"),
        ((("auto-submitted", "auto-replied; x"),), "a@good.test", "program"),
        ((("auto-submitted", "no"),), "a@good.test", ""),
        ((("precedence", "bulk"),), "a@good.test", "list"),
        ((("list-id", "<x>"),), "a@good.test", "list"),
    ],
)
def test_loops_end(headers: tuple[tuple[str, str], ...], envelope: str, word: str) -> None:
    reason = reason_for_silence(InboundMessage(b"", "a@good.test", headers=headers), envelope, ["mail.test"])
    assert word in reason and bool(word) is bool(reason)


def test_messages_of_this_service_start_nothing() -> None:
    own = InboundMessage(b"", "a@good.test", message_id="<1@Mail.test>")
    assert reason_for_silence(own, "a@good.test", ["mail.test"]) == "this service sent it"
