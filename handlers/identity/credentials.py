"""Credentials: their values and digests, the names that sign in, and the port of the seal."""

from __future__ import annotations

import hashlib
import re
import secrets
from typing import NamedTuple, Protocol

from vfs.path import NAME
from vfs.ports.people import User, Users

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


class SealPort(Protocol):
    """Encryption at rest, which binds a text to its context; and signatures of texts."""

    def close(self, text: str, context: str) -> str:
        """Return the text, encrypted."""

    def open(self, text: str, context: str) -> str:
        """Return the decrypted text. Raises Invalid for another context or a lost key."""

    def mark(self, text: str) -> str:
        """Return a signature of a text that only this installation can make."""

    def is_mark_of(self, mark: str, text: str) -> bool:
        """Return whether the mark is this installation's signature of the text."""


LONGEST = 254
"""Letters of an address (RFC 5321, 4.5.3.1.3); no name is longer."""
NOBODY = "@"
"""The account for which attempts with an unverified address are counted; no account has this name."""


class SignInName(NamedTuple):
    """The account of a typed name, with its user if it exists, and the `address` if one was typed."""

    account: str
    user: User | None
    address: str = ""


def sign_in_name(users: Users, typed: str) -> SignInName | None:
    """Return the account for a typed name; None for text that cannot be a name.

    User names are in lower case, and may be written with `@`. Addresses match in any case of letters; one
    that is not verified belongs to nobody.
    """
    if not typed.isascii() or len(typed) > LONGEST:
        return None
    name = typed.removeprefix("@").lower()
    if NAME.fullmatch(name):
        return SignInName(name, users.find(name))
    if "@" in name:
        user = users.with_address(typed)
        return SignInName(user.name if user is not None else NOBODY, user, typed.lower())
    return None
