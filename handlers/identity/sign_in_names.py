"""The names with which users sign in: the user name in any spelling, or a verified e-mail address."""

from __future__ import annotations

from typing import NamedTuple

from vfs.path import NAME
from vfs.ports.people import User, Users

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
