"""Proofs of identity: the one place where a password, a code and a passkey open an account."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import NamedTuple

import orjson

from handlers.identity.credentials import digest
from handlers.identity.passkeys import Asker, Passkeys
from handlers.identity.passwords import Passwords
from handlers.identity.second_factors import MISSING, NEEDS, WRONG, CodeNeeded, Seals, SecondFactors
from handlers.identity.sign_in_names import NOBODY, sign_in_name
from handlers.security.notes import RequestNotes
from vfs.access import Caller, Via
from vfs.errors import TooMany, Unauthenticated, Unavailable
from vfs.ports.clock import Clock, stamp
from vfs.ports.factors import Factors
from vfs.ports.people import Tokens, Users

TICKET_LIFE = timedelta(minutes=5)
FRESH = timedelta(minutes=10)
"""How long a new session may change second factors."""
REFUSED = "the user name or the password is wrong"


class Sender(NamedTuple):
    """The sender of a proof.

    `source` is its address (empty: unknown), by which failures are counted, and `origin` the service's own
    for it.
    """

    source: str
    origin: str
    notes: RequestNotes


class People(NamedTuple):
    """The stores in which proofs look accounts and their credentials up."""

    users: Users
    tokens: Tokens
    factors: Factors


class Proofs:
    """Finds the account that somebody proves to have. Every failure is counted like a wrong password."""

    def __init__(
        self, people: People, passwords: Passwords, second: SecondFactors, passkeys: Passkeys, seal: Seals,
        clock: Clock,
    ) -> None:  # fmt: skip
        self._people = people
        self._passwords = passwords
        self._second = second
        self._passkeys = passkeys
        self._seal = seal
        self._clock = clock

    def by_password(
        self, typed: str, password: str, code: str, sender: Sender, *, fresh: bool = False
    ) -> str:
        """Return the account of a typed name and its password, with a code if it has a second factor.

        A `fresh` session of the account has shown its second factor. The account is put into the notes, even
        if it is refused. Raises CodeNeeded, which counts as a failed attempt too: otherwise passwords could
        be tried without a limit. Raises Unauthenticated, with the same text for all other reasons, TooMany,
        Unavailable.
        """
        meant = sign_in_name(self._people.users, typed)
        sender.notes.account = meant.user.name if meant is not None and meant.user is not None else None
        if meant is None:
            raise Unauthenticated(REFUSED)
        step = _SecondStep(self._is_open, self._second, code, sender)
        if self._passwords.proves(
            meant.account, password, sender.source, meant.address, also=lambda: fresh or step(meant.account)
        ):
            return meant.account
        raise step.refusal or Unauthenticated(REFUSED)

    def by_ticket(self, ticket: str, browser: str, code: str, sender: Sender) -> str:
        """Return the account of a ticket, whose password was right, with a code of its second factor.

        Raises CodeNeeded, Unauthenticated, TooMany.
        """
        account = self.account_of(ticket, browser)
        if account is None:
            raise Unauthenticated("that took longer than five minutes: sign in again from the start")
        sender.notes.account = account
        step = _SecondStep(self._is_open, self._second, code, sender)
        if self._passwords.counts(account, sender.source, lambda: step(account)):
            return account
        raise step.refusal or Unauthenticated(REFUSED)

    def by_passkey(self, answer: str, asker: Asker, ticket: str, sender: Sender) -> str:
        """Return the account of a passkey that signed a challenge of this browser.

        Without a ticket of that account the passkey must have verified its owner. Raises Unauthenticated,
        TooMany.
        """
        passkey = self._passkeys.find(answer)
        account = passkey.user if passkey is not None else NOBODY
        sender.notes.account = passkey.user if passkey is not None else None
        refusals = [Unauthenticated("this passkey is not known here")]

        def is_right() -> bool:
            user = self._people.users.find(account)
            if passkey is None or user is None or user.locked:
                return False
            try:
                verified = self._passkeys.check(passkey, answer, asker, user)
            except Unauthenticated as refusal:
                refusals.append(refusal)
                return False
            if verified or self.account_of(ticket, asker.browser) == account:
                return True
            refusals.append(Unauthenticated("this passkey asks for no PIN: sign in with the password first"))
            return False

        if self._passwords.counts(account, sender.source, is_right):
            return account
        raise refusals[-1]

    def ticket(self, account: str, browser: str) -> str:
        """Return a ticket of an account whose password was right, for this browser and five minutes."""
        ends = stamp(self._clock.now() + TICKET_LIFE)
        content = orjson.dumps([account, ends, self._password_mark(account)]).decode()
        return self._seal.close(content, _context(browser))

    def account_of(self, ticket: str, browser: str) -> str | None:
        """Return the account of a ticket; None if it is not valid, or the password has changed since."""
        try:
            account, ends, mark = orjson.loads(self._seal.open(ticket, _context(browser)))
        except Unavailable:
            return None
        is_valid = ends > stamp(self._clock.now()) and mark == self._password_mark(account)
        return str(account) if is_valid else None

    def is_fresh(self, caller: Caller) -> bool:
        """Return whether the caller signed in a moment ago, with a second factor if there is one.

        A session from before a factor was added is not fresh, except the one that added it.
        """
        if caller.via is not Via.SESSION or caller.token is None or caller.name is None:
            return False
        session = self._people.tokens.at(caller.token)
        if session is None or session.created_on <= stamp(self._clock.now() - FRESH):
            return False
        return all(
            one.created_on <= session.created_on or one.added_by == session.id
            for one in self._people.factors.of(caller.name)
        )

    def _is_open(self, account: str) -> bool:
        user = self._people.users.find(account)
        return user is not None and not user.locked

    def _password_mark(self, account: str) -> str:
        return digest(self._people.users.password(account) or "")


class _SecondStep:
    """The question for the code, once the password was right; `refusal` is why it was refused."""

    def __init__(
        self, is_open: Callable[[str], bool], second: SecondFactors, code: str, sender: Sender
    ) -> None:
        self._is_open = is_open
        self._second = second
        self._code = code
        self._sender = sender
        self.refusal: CodeNeeded | TooMany | None = None

    def __call__(self, account: str) -> bool:
        """Return whether the account may be opened."""
        if not self._is_open(account):
            return False
        if not self._second.are_on(account):
            return True
        if not self._code.strip():
            self.refusal = CodeNeeded(MISSING.format(origin=self._sender.origin), **NEEDS)
            return False
        try:
            if self._second.accept(account, self._code, self._sender.notes):
                return True
            self.refusal = CodeNeeded(WRONG, **NEEDS)
        except TooMany as refusal:
            self.refusal = refusal
        return False


def _context(browser: str) -> str:
    return f"sign-in ticket of {browser}"
