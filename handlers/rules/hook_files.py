"""The files of a job's hook: which headers of a call are kept, and how its signature is checked."""

from __future__ import annotations

import base64
import binascii
import hmac
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from vfs.errors import Invalid

FOLDER = "hooks"
UNSIGNED, GITHUB, STRIPE, STANDARD = "none", "github", "stripe", "standard"
TOLERANCE = 300
"""Seconds by which the time in a signature may differ from ours; copies of an older call are refused."""

PREFIX = "whsec_"
SECRET_BYTES = 32
MOST_HEADERS = 30
HEADER = re.compile(r"[A-Za-z0-9-]{1,64}")
CREDENTIALS = frozenset({"authorization", "cookie", "proxy-authorization"})
"""Headers that are never kept: with them the owner of a hook could act for its callers."""

GetHeader = Callable[[str], str]
"""Returns a header of a call; "" if it was not sent."""


class BadSignature(Exception):
    """A call is not signed as its hook demands; says why, for the owner of the hook."""


class _Signed(NamedTuple):
    """The signature in a call: the text before the body, the time in it, and the marks that may match."""

    before: str
    time: str | None
    marks: Sequence[str]


class _Scheme(NamedTuple):
    """A way to sign: its header is read to a `_Signed`, and its MAC is written as in that header."""

    read: Callable[[GetHeader], _Signed]
    key: Callable[[str], bytes]
    write: Callable[[bytes], str]


def _read_github(header: GetHeader) -> _Signed:
    return _Signed("", None, [header("X-Hub-Signature-256")])


def _read_stripe(header: GetHeader) -> _Signed:
    pairs = [pair.strip().partition("=") for pair in header("Stripe-Signature").split(",")]
    time = next((value for name, _, value in pairs if name == "t"), "")
    return _Signed(f"{time}.", time, [value for name, _, value in pairs if name == "v1"])


def _read_standard(header: GetHeader) -> _Signed:
    time = header("webhook-timestamp")
    return _Signed(f"{header('webhook-id')}.{time}.", time, header("webhook-signature").split(" "))


def _standard_key(secret: str) -> bytes:
    return base64.b64decode(secret.removeprefix(PREFIX) + "==")


SCHEMES: Mapping[str, _Scheme] = {
    GITHUB: _Scheme(_read_github, str.encode, lambda mac: f"sha256={mac.hex()}"),
    STRIPE: _Scheme(_read_stripe, str.encode, bytes.hex),
    STANDARD: _Scheme(_read_standard, _standard_key, lambda mac: f"v1,{base64.b64encode(mac).decode()}"),
}


def check_signature(scheme: str, secret: str, header: GetHeader, body: bytes, now: float) -> None:
    """Raise BadSignature unless a body is signed with the secret in this scheme. Linear, in constant time."""
    way = SCHEMES[scheme]
    signed = way.read(header)
    if signed.time is not None:
        _require_recent(signed.time, now)
    mac = hmac.digest(way.key(secret), signed.before.encode("latin-1", "replace") + body, "sha256")
    expected = way.write(mac).encode()
    matches = [hmac.compare_digest(expected, mark.encode("utf-8", "replace")) for mark in signed.marks]
    if not any(matches):
        raise BadSignature("the signature is wrong" if any(signed.marks) else "the call has no signature")


def _require_recent(time: str, now: float) -> None:
    if not (time.isascii() and time.isdigit() and len(time) <= 12):
        raise BadSignature("the signature has no time" if time else "the call has no signature")
    if abs(away := now - int(time)) > TOLERANCE:
        age = f"{abs(away):.0f} s {'old' if away > 0 else 'ahead'}"
        raise BadSignature(f"the signature is {age}, and may be {TOLERANCE} s: check the clocks")


def fresh_secret() -> str:
    """Return a new secret in the form of Standard Webhooks, which all schemes take."""
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def require_key(scheme: str, secret: str) -> None:
    """Raise Invalid if a scheme cannot use a secret."""
    try:
        key = SCHEMES[scheme].key(secret) if scheme in SCHEMES else b"any"
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise Invalid(f"the scheme {STANDARD} takes a secret in Base64, as {PREFIX}MfKQ9r8GKYqr: send one")


def hook_secret(sent: str) -> str:
    """Return a secret without blanks around it. Raises Invalid."""
    secret = sent.strip()
    if not secret or not secret.isprintable():
        raise Invalid("a secret is one line of text: send the one that the other service shows")
    return secret


def header_names(sent: str) -> str:
    """Return names of headers, one on a line. Raises Invalid."""
    names = [line.strip() for line in sent.splitlines() if line.strip()]
    if len(names) > MOST_HEADERS:
        raise Invalid(f"at most {MOST_HEADERS} headers fit here: name those that the job reads")
    for name in names:
        if HEADER.fullmatch(name) is None:
            raise Invalid(f'"{name[:80]}" is no header: send names such as X-GitHub-Event, one on a line')
        if name.lower() in CREDENTIALS:
            raise Invalid(f"{name} is a credential of the caller and never kept: name other headers")
    return "".join(f"{name}\n" for name in names)
