"""Credentials with a recognisable prefix, their digests, and random tails of generated names."""

from __future__ import annotations

import hashlib
import re
import secrets

PREFIX = "clw_"
KEY_BYTES = 16

_VALUE = re.compile(rf"{PREFIX}[A-Za-z0-9_-]{{43}}")
_TAIL = "abcdefghjkmnpqrstuvwxyz23456789"


def fresh() -> str:
    """Return a new credential of 256 random bits; the prefix lets scanners find leaked ones."""
    return PREFIX + secrets.token_urlsafe(32)


def fresh_key() -> str:
    """Return a new key of 128 random bits for an address that needs no account, such as an invitation."""
    return secrets.token_urlsafe(KEY_BYTES)


def is_credential(value: str) -> bool:
    """Return whether a text has the form of a credential of this service."""
    return _VALUE.fullmatch(value) is not None


def digest(value: str) -> str:
    """Return the SHA-256 in hex that is stored instead of a credential.

    A look-up by digest compares no secret byte by byte, so its duration reveals nothing about the value.
    """
    return hashlib.sha256(value.encode("utf-8", "surrogateescape")).hexdigest()


def tail(length: int = 8) -> str:
    """Return random letters and digits without look-alikes, for names such as `session-<8>`."""
    return "".join(secrets.choice(_TAIL) for _ in range(length))
