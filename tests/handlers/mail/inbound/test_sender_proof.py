"""Proof of senders, by signatures and envelopes, with pinned answers for names."""

from __future__ import annotations

import base64
import re
import time
from collections.abc import Sequence
from functools import cache
from typing import Any

import dkim
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from handlers.mail.inbound.message_parts import read_message
from handlers.mail.inbound.sender_proof import MailEnvelope, SenderProof, prove_sender
from tests.kit.pinned_records import PinnedRecords

PLAIN = b"From: Ann <ann@good.test>\r\nSubject: x\r\nDate: Mon, 23 Nov 2026 00:00:00 +0000\r\n\r\nwords\r\n"
HEADERS = [b"from", b"subject", b"date"]
ELSEWHERE = MailEnvelope("192.0.2.9", "bad.test", "x@bad.test")


@cache
def keys() -> tuple[bytes, bytes]:
    key = rsa.generate_private_key(65537, 2048)
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )
    public = key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return pem, b"v=DKIM1; k=rsa; p=" + base64.b64encode(public)


def names() -> PinnedRecords:
    texts = {
        "s1._domainkey.good.test": [keys()[1]],
        "s1._domainkey.bad.test": [keys()[1]],
        "s1._domainkey.sub.good.test": [keys()[1]],
        "tried._domainkey.good.test": [keys()[1] + b"; t=y"],
        "two._domainkey.good.test": [keys()[1], keys()[1]],
        "long._domainkey.good.test": [keys()[1] + b"; n=" + b"x" * 2_000],
        "good.test": [b"v=spf1 ip4:192.0.2.1 mx include:more.test -all"],
        "more.test": [b"v=spf1 a:host.more.test ?all"],
        "circle.test": [b"v=spf1 include:circle.test -all"],
    }
    answers: dict[tuple[str, str], Sequence[Any]] = {(name, "TXT"): found for name, found in texts.items()}
    answers["good.test", "MX"] = [(10, "mx.good.test")]
    answers["mx.good.test", "A"] = ["192.0.2.5"]
    answers["host.more.test", "AAAA"] = ["2001:db8::1"]
    return PinnedRecords(answers, frozenset({"away.test", "s1._domainkey.away.test"}))


def signed(
    domain: bytes = b"good.test",
    headers: list[bytes] = HEADERS,
    selector: bytes = b"s1",
    plain: bytes = PLAIN,
    **more: Any,
) -> bytes:
    return dkim.sign(plain, selector, domain, keys()[0], include_headers=headers, **more) + plain


def proof(raw: bytes, envelope: MailEnvelope = ELSEWHERE, **ways: bool) -> SenderProof:
    return prove_sender(read_message(raw), envelope, names(), **ways)


def test_a_signature_of_the_authors_domain_proves_them() -> None:
    assert proof(signed()) == SenderProof("dkim", "good.test")
    assert proof(signed(), by_signature=False).by == ""


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (PLAIN, "not signed"),
        (b"Authentication-Results: good.test; dkim=pass\r\n" + PLAIN, "not signed"),
        (b"DKIM-Signature: nonsense\r\n" + PLAIN, "malformed"),
    ],
)
def test_nothing_else_is_a_signature(raw: bytes, reason: str) -> None:
    found = proof(raw)
    assert not found.by and reason in found.words


def test_signatures_that_prove_nothing() -> None:
    assert "not by good.test" in proof(signed(b"bad.test")).words
    assert "not valid" in proof(signed() + b"more\r\n").words
    assert "l=" in proof(signed(length=True)).words
    assert "subject" in proof(signed(headers=[b"from", b"date"])).words


def test_one_good_signature_among_others_is_enough() -> None:
    bad = dkim.sign(PLAIN, b"s1", b"bad.test", keys()[0], include_headers=HEADERS)
    assert proof(bad + signed()).by == "dkim"


def test_the_envelope_proves_its_own_domain() -> None:
    good = MailEnvelope("192.0.2.1", "mx.good.test", "<bounce@good.test>")
    assert proof(PLAIN, good) == SenderProof("spf", "good.test")
    assert "say fail" in proof(PLAIN, MailEnvelope("192.0.2.2", "mx.good.test", "b@good.test")).words
    assert "of nobody" in proof(PLAIN, MailEnvelope("192.0.2.1", "mx.good.test", "<>")).words
    assert not proof(PLAIN, good, by_envelope=False).by


def test_names_that_nobody_answers_for_prove_nothing() -> None:
    raw = PLAIN.replace(b"good.test", b"away.test")
    found = proof(raw, MailEnvelope("192.0.2.1", "h", "a@away.test"))
    assert not found.by and found.unsure
    found = proof(signed(b"away.test", plain=raw))
    assert not found.by and found.unsure


@pytest.mark.parametrize(
    ("peer", "way"),
    [
        ("192.0.2.5", "spf"),
        ("2001:db8::1", "spf"),
        ("2001:db8::2", ""),
        ("127.0.0.1", ""),
        ("::ffff:127.0.0.1", ""),
        ("::1", ""),
        ("", ""),
        ("list", ""),
    ],
)
def test_only_servers_that_the_domain_names_prove_it(peer: str, way: str) -> None:
    assert proof(PLAIN, MailEnvelope(peer, "mx.good.test", "b@good.test")).by == way


@pytest.mark.parametrize(
    ("record", "way"),
    [
        (b"+all", ""),
        (b"all", ""),
        (b"~all", ""),
        (b"?all", ""),
        (b"ip4:0.0.0.0/0 -all", ""),
        (b"ip4:0.0.0.0/1 ip4:128.0.0.0/1 -all", ""),
        (b"a:host.test/0 -all", ""),
        (b"include:open.test -all", ""),
        (b"redirect=open.test", ""),
        (b"ip6:::/0 -all", ""),
        (b"ip4:192.0.2.1 +all", ""),
        (b"ip4:192.0.2.1 ~all", "spf"),
        (b"ip4:192.0.2.0/24 ?all", "spf"),
        (b"ip4:192.0.2.1", "spf"),
    ],
)
def test_records_that_name_everybody_prove_nobody(record: bytes, way: str) -> None:
    answers: dict[tuple[str, str], Sequence[Any]] = {
        ("good.test", "TXT"): [b"v=spf1 " + record],
        ("open.test", "TXT"): [b"v=spf1 +all"],
        ("host.test", "A"): ["198.51.100.1"],
    }
    envelope = MailEnvelope("192.0.2.1", "mx.good.test", "b@good.test")
    assert prove_sender(read_message(PLAIN), envelope, PinnedRecords(answers)).by == way
    by_six = MailEnvelope("2001:db8::9", "mx.good.test", "b@good.test")
    assert not prove_sender(read_message(PLAIN), by_six, PinnedRecords(answers)).by


@pytest.mark.parametrize(
    ("record", "way"),
    [
        (b"; h=sha1", ""),
        (b"; h=sha1 : sha256", "dkim"),
        (b"; s=tlsrpt", ""),
        (b"; s=email", "dkim"),
        (b"; t=s", "dkim"),
        (b"; t=s:y", ""),
    ],
)
def test_a_key_is_used_only_as_its_record_allows(record: bytes, way: str) -> None:
    pinned = PinnedRecords({("s1._domainkey.good.test", "TXT"): [keys()[1] + record]})
    assert prove_sender(read_message(signed()), ELSEWHERE, pinned).by == way


def test_a_signature_of_days_to_come_proves_nothing() -> None:
    coming = re.sub(rb" t=\d+;", f" t={int(time.time()) + 200_000};".encode(), signed())
    assert not proof(coming).by


def test_the_aligned_one_of_many_signatures_is_found_among_the_first() -> None:
    bad = dkim.sign(PLAIN, b"s1", b"bad.test", keys()[0], include_headers=HEADERS)
    assert proof(bad * 4 + signed()).by == "dkim"
    assert not proof(bad * 5 + signed()).by


def test_records_in_a_circle_prove_nothing() -> None:
    raw = PLAIN.replace(b"good.test", b"circle.test")
    found = proof(raw, MailEnvelope("192.0.2.1", "h", "a@circle.test"))
    assert not found.by and "permerror" in found.words and not found.unsure


def test_a_signature_of_a_domain_beside_or_above_is_not_the_authors() -> None:
    assert "not by good.test" in proof(signed(b"sub.good.test")).words
    raw = signed(plain=PLAIN.replace(b"ann@good.test", b"ann@sub.good.test"))
    assert "not by sub.good.test" in proof(raw).words


@pytest.mark.parametrize("selector", [b"tried", b"two", b"long", b"absent"])
def test_keys_that_are_tried_out_doubled_long_or_absent_prove_nothing(selector: bytes) -> None:
    assert "not valid" in proof(signed(selector=selector)).words


def test_weak_and_past_signatures_prove_nothing() -> None:
    assert "too weak" in proof(signed(signature_algorithm=b"rsa-sha1")).words
    past = signed().replace(b"DKIM-Signature: v=1;", b"DKIM-Signature: v=1; x=1;")
    assert not proof(past).by
    almost = signed().replace(
        b"DKIM-Signature: v=1;", f"DKIM-Signature: v=1; x={int(time.time()) - 60};".encode()
    )
    assert "has expired" in proof(re.sub(rb" t=\d+;", b"", almost)).words
    long = b"DKIM-Signature: v=1;" + b" " * 40 + b"a=rsa-sha256\r\n" + PLAIN
    assert "too long" in proof(long).words


def test_recipients_and_identities_that_nobody_signed_prove_nothing() -> None:
    for line in (b"To: x@org.test\r\n", b"Cc: x@org.test\r\n", b"Message-ID: <1@good.test>\r\n"):
        assert "does not cover" in proof(signed(plain=line + PLAIN)).words
