"""Accounts: the rules of user names, e-mail addresses and passwords."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from vfs.errors import Invalid
from vfs.normal_form import normalize
from vfs.parts import boolean
from vfs.path import NAME, NAME_RULE
from vfs.ports.people import Account

LONGEST_COMPARED = 4_096
"""Longer texts are never passwords here."""


def opaque_string(word: str) -> str:
    """Return the word in NFC, with every space character as an ASCII space."""
    if word.isascii() or len(word) > LONGEST_COMPARED:
        return word
    spaced = (" " if unicodedata.category(sign) == "Zs" else sign for sign in word)
    return normalize("NFC", "".join(spaced))


SHORTEST_PASSWORD = 10  # characters (decisions 18)
LONGEST_PASSWORD = 1_024  # bytes
TRIED_FIRST = 30_000  # passwords: the whole list of zxcvbn; decisions 18 want at least 10,000
LONGEST_GUESS = 32  # characters: a longer common start counts as common; longer checks are slow
LONGEST_NAME = 1_024  # bytes
LONGEST_ADDRESS = 254  # characters (RFC 5321, 4.5.3.1.3)

# E-mail addresses as in the HTML standard: RFC 5322 without quotes, comments and domain literals.
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
EMAIL_ADDRESS = re.compile(rf"[A-Za-z0-9.!#$%&'*+/=?^_`{{|}}~-]+@{_LABEL}(?:\.{_LABEL})*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_LAYOUT = re.compile(r"[\t\r\n]")


@dataclass(frozen=True, slots=True)
class Registration:
    """A request for an account. `name` is the display name, empty when none was sent."""

    username: str
    password: str
    email: str
    name: str
    account_type: Account
    public: bool


def username(sent: object) -> str:
    """Return the user name (decisions 2). Raises Invalid."""
    if not isinstance(sent, str) or not NAME.fullmatch(sent):
        raise Invalid(f"it must be {NAME_RULE}")
    return sent


def password(sent: object, name: object = None) -> str:
    """Return a new password of the user `name`.

    Raises Invalid if it is too short or too long, the user name, or among the commonest passwords.
    """
    word = opaque_string(given_password(sent))
    if len(word) < SHORTEST_PASSWORD:
        raise Invalid(f"it needs at least {SHORTEST_PASSWORD} characters")
    if len(word.encode()) > LONGEST_PASSWORD:
        raise Invalid(f"it may have at most {LONGEST_PASSWORD} bytes")
    plain = word.casefold().strip()
    if isinstance(name, str) and name and plain and not plain.replace(name.casefold(), ""):
        raise Invalid("it is the user name: choose something that nobody would try first")
    if not plain or _guesses(plain, name) <= TRIED_FIRST:
        raise Invalid("it is one of the commonest passwords: choose something that nobody would try first")
    return word


def given_password(sent: object) -> str:
    """Return a password without one final line ending, which editors and `echo` add. Raises Invalid."""
    if not isinstance(sent, str):
        raise Invalid("it must be text")
    return sent.removesuffix("\n").removesuffix("\r")


def _guesses(word: str, name: object) -> int:
    """Return zxcvbn's number of guesses: common words, rows of keys, repetitions and the user name.

    Imported late, because its lists are large and most processes do not need them.
    """
    from zxcvbn import zxcvbn

    names = [name] if isinstance(name, str) and name else []
    # zxcvbn's patterns accept a line ending after digits, but its number parser does not.
    line = word[:LONGEST_GUESS].replace("\n", " ")
    return int(zxcvbn(line, user_inputs=names)["guesses"])


def email(sent: object) -> str:
    """Return the e-mail address. Raises Invalid."""
    if not isinstance(sent, str) or len(sent) > LONGEST_ADDRESS or not EMAIL_ADDRESS.fullmatch(sent):
        raise Invalid("it must be an address such as ann@example.org")
    return sent


def display_name(sent: object) -> str:
    """Return the display name; empty when none was sent. Raises Invalid."""
    if sent is None:
        return ""
    if not isinstance(sent, str) or _CONTROL.search(sent) or len(sent.encode()) > LONGEST_NAME:
        raise Invalid(f"it must be one line of text of at most {LONGEST_NAME} bytes")
    return sent.strip()


def free_text(sent: object) -> str:
    """Return a text of one or more lines; empty when none was sent. Raises Invalid."""
    if sent is None:
        return ""
    if (
        not isinstance(sent, str)
        or _CONTROL.search(_LAYOUT.sub("", sent))
        or len(sent.encode()) > LONGEST_NAME
    ):
        raise Invalid(f"it must be text of at most {LONGEST_NAME} bytes")
    return sent.strip()


def account_type(sent: object) -> Account:
    """Return the type of account; regular when none was sent. Raises Invalid."""
    if sent is None:
        return Account.REGULAR
    if not isinstance(sent, str) or sent not in tuple(Account):
        raise Invalid(f"it must be one of {', '.join(Account)}")
    return Account(sent)


def truth(sent: object, field: str = "it") -> bool:
    """Return a boolean or a word as a boolean; False when none was sent. Raises Invalid with the `field`."""
    if sent is None or isinstance(sent, bool):
        return bool(sent)
    if not isinstance(sent, str):
        raise Invalid(f"{field} must be true or false")
    return boolean(sent)


FIELDS: Mapping[str, Callable[[object], object]] = {
    "username": username,
    "password": password,
    "email": email,
    "name": display_name,
    "account_type": account_type,
    "public": truth,
}

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "username": {"type": "string", "pattern": f"^{NAME.pattern}$"},
        "password": {"type": "string", "minLength": SHORTEST_PASSWORD, "maxLength": LONGEST_PASSWORD},
        "email": {"type": "string", "format": "email", "maxLength": LONGEST_ADDRESS},
        "name": {"type": ["string", "null"], "maxLength": LONGEST_NAME},
        "account_type": {"enum": [*Account, None]},
        "public": {"type": ["boolean", "null"]},
    },
    "required": ["username", "password", "email"],
}


def registration(sent: object) -> Registration:
    """Return the registration of a JSON document (decisions 14). Raises Invalid as checked_fields does."""
    if not isinstance(sent, Mapping):
        raise Invalid('send a JSON object: {"username": "ann", "password": "…", "email": "ann@example.org"}')
    return Registration(**checked_fields(sent, FIELDS))


def checked_fields(
    sent: Mapping[str, object], checks: Mapping[str, Callable[[object], object]]
) -> dict[str, Any]:
    """Return the checked fields of a new account; its password may not be its user name.

    Raises Invalid with a reason for each field in `rejected`: `[{field, reason}]`.
    """
    values: dict[str, Any] = {}
    rejected = []
    check_password: Callable[[object], object] = partial(password, name=sent.get("username"))
    for field, check in {**checks, "password": check_password}.items():
        try:
            values[field] = check(sent.get(field))
        except Invalid as wrong:
            rejected.append({"field": field, "reason": wrong.detail})
    if rejected:
        said = "; ".join(f"{one['field']}: {one['reason']}" for one in rejected)
        raise Invalid(f"no account was made: {said}", rejected=rejected)
    return values
