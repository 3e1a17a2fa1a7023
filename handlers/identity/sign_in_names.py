"""The names with which users sign in: the user name in any spelling, or a verified e-mail address."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from handlers.security.notes import RequestNotes
from vfs.errors import Unauthenticated
from vfs.path import NAME
from vfs.ports.people import User, Users

LONGEST = 254
"""Letters of an address (RFC 5321, 4.5.3.1.3); no name is longer."""
NOBODY = "@"
"""The account for which attempts with an unverified address are counted; no account has this name."""


class Proof(Protocol):
    """Tests passwords (handlers.identity.passwords)."""

    def proves(self, name: str, password: str, address: str, mail: str = "") -> bool:
        """Return whether the password is the user's. Raises TooMany, Unavailable."""


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


def prove(users: Users, passwords: Proof, typed: str, password: str, source: str, notes: RequestNotes) -> str:
    """Return the name of the account that a typed name and its password sign in to.

    The account is put into `notes`, even if it is refused. Raises Unauthenticated, with the same text for all
    reasons, TooMany, Unavailable.
    """
    meant = sign_in_name(users, typed)
    notes.account = meant.user.name if meant is not None and meant.user is not None else None
    if meant is not None and passwords.proves(meant.account, password, source, meant.address):
        user = users.find(meant.account)
        if user is not None and not user.locked:
            return user.name
    raise Unauthenticated("the user name or the password is wrong")
