"""Signatures of calls: those of other programs are accepted, altered and old ones are refused."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from subprocess import run

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from standardwebhooks import Webhook

from handlers.rules.hook_files import (
    GITHUB,
    SCHEMES,
    STANDARD,
    STRIPE,
    TOLERANCE,
    BadSignature,
    check_signature,
    fresh_secret,
    header_names,
    hook_secret,
    require_key,
)
from vfs.errors import Invalid

NOW = 1_796_000_000
SENT = {
    GITHUB: ("X-Hub-Signature-256",),
    STRIPE: ("Stripe-Signature",),
    STANDARD: ("webhook-id", "webhook-timestamp", "webhook-signature"),
}
BODY = st.text(st.characters(exclude_categories=["Cs"]), max_size=80).map(str.encode)


def openssl(secret: str, content: bytes) -> str:
    """The HMAC of some bytes, by OpenSSL."""
    words = ["openssl", "dgst", "-sha256", "-mac", "HMAC", "-macopt", f"hexkey:{secret.encode().hex()}", "-r"]
    return run(words, input=content, capture_output=True, check=True).stdout.decode().split()[0]


def github(secret: str, body: bytes, at: int) -> Mapping[str, str]:
    return {"X-Hub-Signature-256": f"sha256={openssl(secret, body)}"}


def stripe(secret: str, body: bytes, at: int) -> Mapping[str, str]:
    mac = openssl(secret, f"{at}.".encode() + body)
    return {"Stripe-Signature": f"t={at},v1={'0' * 64},v1={mac},v0={'1' * 64}"}


def standard(secret: str, body: bytes, at: int) -> Mapping[str, str]:
    mark = Webhook(secret).sign("msg_1", datetime.fromtimestamp(at, UTC), body.decode())
    return {"webhook-id": "msg_1", "webhook-timestamp": str(at), "webhook-signature": f"v1a,x {mark}"}


SIGNERS: Mapping[str, Callable[[str, bytes, int], Mapping[str, str]]] = {
    GITHUB: github,
    STRIPE: stripe,
    STANDARD: standard,
}


def check(scheme: str, secret: str, headers: Mapping[str, str], body: bytes, now: float = NOW) -> None:
    check_signature(scheme, secret, lambda name: headers.get(name, ""), body, now)


def test_every_scheme_has_a_signer_here() -> None:
    assert SIGNERS.keys() == SCHEMES.keys()


@pytest.mark.parametrize("scheme", SCHEMES)
@settings(max_examples=15, deadline=None)
@given(BODY, st.integers(-TOLERANCE, TOLERANCE))
def test_signatures_of_other_programs_are_accepted(scheme: str, body: bytes, away: int) -> None:
    secret = fresh_secret()
    check(scheme, secret, SIGNERS[scheme](secret, body, NOW + away), body)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_another_body_or_secret_is_refused(scheme: str) -> None:
    secret, body = fresh_secret(), b'{"paid": 1}'
    headers = SIGNERS[scheme](secret, body, NOW)
    for altered in (b'{"paid": 2}', b"", body + b"\n"):
        with pytest.raises(BadSignature, match="wrong"):
            check(scheme, secret, headers, altered)
    with pytest.raises(BadSignature, match="wrong"):
        check(scheme, fresh_secret(), headers, body)
    for name in SENT[scheme]:
        with pytest.raises(BadSignature):
            check(scheme, secret, {**headers, name: ""}, body)


@pytest.mark.parametrize("scheme", [STRIPE, STANDARD])
@pytest.mark.parametrize("away", [TOLERANCE + 1, -TOLERANCE - 1, 10**9])
def test_a_copy_of_an_old_call_is_refused(scheme: str, away: int) -> None:
    secret = fresh_secret()
    headers = SIGNERS[scheme](secret, b"{}", NOW - away)
    with pytest.raises(BadSignature, match=r"old|ahead"):
        check(scheme, secret, headers, b"{}")
    # The time is signed as well.
    later = {name: value.replace(str(NOW - away), str(NOW)) for name, value in headers.items()}
    with pytest.raises(BadSignature, match="wrong"):
        check(scheme, secret, later, b"{}")


@settings(max_examples=200)
@given(
    st.sampled_from(sorted(SCHEMES)),
    st.lists(
        st.text(st.characters(max_codepoint=255), max_size=30)
        | st.sampled_from([str(NOW), "t=1,v1=", "v1,"]),
        min_size=3,
        max_size=3,
    ),
    st.binary(max_size=20),
)
def test_odd_headers_are_refused_and_nothing_worse(scheme: str, values: list[str], body: bytes) -> None:
    headers = dict(zip(SENT[scheme], values, strict=False))
    with pytest.raises(BadSignature):
        check(scheme, fresh_secret(), headers, body)


@given(st.text(min_size=1, max_size=40))
def test_a_secret_that_is_stored_can_be_used(sent: str) -> None:
    try:
        secret = hook_secret(sent)
        for scheme in SCHEMES:
            require_key(scheme, secret)
    except Invalid:
        return
    for scheme in SCHEMES:
        with pytest.raises(BadSignature):
            check(scheme, secret, {}, b"")


def test_standard_webhooks_takes_a_secret_in_base64_alone() -> None:
    require_key(STANDARD, base64.b64encode(b"x" * 24).decode())
    require_key(GITHUB, "ä")
    for secret in ("ä", "whsec_"):
        with pytest.raises(Invalid, match="Base64"):
            require_key(STANDARD, secret)


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        ("Cookie", "credential"),
        ("AUTHORIZATION", "credential"),
        ("X Y", "no header"),
        ("X-A\n" * 31, "at most"),
    ],
)
def test_names_of_headers_that_are_not_kept(sent: str, why: str) -> None:
    with pytest.raises(Invalid, match=why):
        header_names(sent)


def test_names_of_headers_are_kept_without_blanks() -> None:
    assert header_names("  X-A \r\n\n X-B") == "X-A\nX-B\n"
