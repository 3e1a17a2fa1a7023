"""Credentials: values with a recognisable prefix, their digests, and random tails of made-up names."""

from __future__ import annotations

import hashlib
import re
import secrets

PREFIX = "clw_"

_VALUE = re.compile(rf"{PREFIX}[A-Za-z0-9_-]{{43}}")
_TAIL = "abcdefghjkmnpqrstuvwxyz23456789"


def fresh() -> str:
    """Return a new credential of 256 random bits; the prefix lets scanners find one that leaked."""
    return PREFIX + secrets.token_urlsafe(32)


def is_credential(value: str) -> bool:
    """Return whether the text could be a credential of this service at all."""
    return _VALUE.fullmatch(value) is not None


def digest(value: str) -> str:
    """Return the SHA-256 in hex that is stored instead of a credential.

    A look-up by digest compares nothing secret byte by byte, so the time it takes tells nothing of the value.
    """
    return hashlib.sha256(value.encode("utf-8", "surrogateescape")).hexdigest()


def tail(length: int = 8) -> str:
    """Random letters and digits without look-alikes, for names such as `session-<8>` and `curl-<8>`."""
    return "".join(secrets.choice(_TAIL) for _ in range(length))
