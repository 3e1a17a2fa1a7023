"""The names by which people sign in: the user name as they write it, or an address that is theirs."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from handlers.security.notes import RequestNotes
from vfs.errors import Unauthenticated
from vfs.path import NAME
from vfs.ports.people import User, Users

LONGEST = 254
"""Letters of an address (RFC 5321, 4.5.3.1.3), than which no name is longer."""
NOBODY = "@"
"""What tries are counted for where nobody has verified an address; no account is called so."""


class Proof(Protocol):
    """Tests passwords (handlers.identity.passwords)."""

    def proves(self, name: str, password: str, address: str, mail: str = "") -> bool:
        """Return whether the password is the user's. Raises TooMany, Unavailable."""
        ...


class SignInName(NamedTuple):
    """An account that is meant, with its user if there is one, and the `address` that was typed for it."""

    account: str
    user: User | None
    address: str = ""


def sign_in_name(users: Users, typed: str) -> SignInName | None:
    """Return the account that somebody means who types this; None for what can be no name.

    User names have small letters by rule, and are written with `@` everywhere. Of an address only the case of
    its letters may differ, and one that is not verified is nobody's.
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
    """Return the name of the account that somebody signs in to by what they typed for it and its password.

    The account goes into `notes`, also where it is refused. Raises Unauthenticated, in the same words
    whatever was wrong, TooMany, Unavailable.
    """
    meant = sign_in_name(users, typed)
    notes.account = meant.user.name if meant is not None and meant.user is not None else None
    if meant is not None and passwords.proves(meant.account, password, source, meant.address):
        user = users.find(meant.account)
        if user is not None and not user.locked:
            return user.name
    raise Unauthenticated("the user name or the password is wrong")
