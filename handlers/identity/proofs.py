"""Proofs of identity: the only module in which passwords, codes and passkeys authenticate an account."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import NamedTuple

from handlers.identity.browser_tickets import BrowserTickets
from handlers.identity.credentials import NOBODY, digest, sign_in_name
from handlers.identity.passkeys import Asker, Passkeys
from handlers.identity.passwords import Passwords
from handlers.identity.second_factors import SecondFactors
from handlers.security.log_lines import RequestNotes
from vfs.access import Caller, Via
from vfs.errors import Unauthenticated
from vfs.ports.clock import Clock, stamp
from vfs.ports.factors import Factors
from vfs.ports.people import Tokens, Users

RIGHT = "sign in after a right password"
"""The purpose of tickets that replace a password."""
FRESH = timedelta(minutes=15)
"""How long a new session may change second factors."""
REFUSED = "the user name or the password is wrong"


class Sender(NamedTuple):
    """The sender of a proof: the address by which failures are counted, and the service's origin for it."""

    source: str
    origin: str
    notes: RequestNotes


class People(NamedTuple):
    """The stores in which proofs look accounts and their credentials up."""

    users: Users
    tokens: Tokens
    factors: Factors


class Proofs:
    """Authenticates accounts. Every failure is counted like a wrong password."""

    def __init__(
        self, people: People, passwords: Passwords, second: SecondFactors, passkeys: Passkeys,
        tickets: BrowserTickets, clock: Clock,
    ) -> None:  # fmt: skip
        self._people = people
        self._passwords = passwords
        self._second = second
        self._passkeys = passkeys
        self._tickets = tickets
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
        account = meant.account
        also = partial(self._take_second_step, account, code, sender)
        if self._passwords.proves(account, password, sender.source, meant.address, lambda: fresh or also()):
            return account
        raise Unauthenticated(REFUSED)

    def by_ticket(self, ticket: str, browser: str, code: str, sender: Sender) -> str:
        """Return the account of a ticket, whose password was right, with a code of its second factor.

        Raises CodeNeeded, Unauthenticated, TooMany.
        """
        account = self.account_of(ticket, browser)
        if account is None:
            raise Unauthenticated("that took longer than five minutes: sign in again from the start")
        sender.notes.account = account
        also = partial(self._take_second_step, account, code, sender)
        if self._passwords.counts(account, sender.source, also):
            return account
        raise Unauthenticated(REFUSED)

    def by_passkey(self, answer: str, asker: Asker, ticket: str, sender: Sender) -> str:
        """Return the account of a passkey that signed a challenge of this browser.

        Without a ticket of that account the passkey must have verified its owner. Raises Unauthenticated,
        TooMany.
        """
        passkey = self._passkeys.find(answer)
        account = passkey.user if passkey is not None else NOBODY
        sender.notes.account = passkey.user if passkey is not None else None

        def is_right() -> bool:
            user = self._people.users.find(account)
            if passkey is None or user is None or user.locked:
                return False
            verified = self._passkeys.check(passkey, answer, asker, user)
            if not verified and self.account_of(ticket, asker.browser) != account:
                raise Unauthenticated("this passkey asks for no PIN: sign in with the password first")
            return True

        if self._passwords.counts(account, sender.source, is_right):
            return account
        raise Unauthenticated("this passkey is not known here")

    def ticket(self, account: str, browser: str) -> str:
        """Return a ticket of an account whose password was right, for this browser and five minutes."""
        return self._tickets.make(RIGHT, browser, [account, self._password_mark(account)])

    def account_of(self, ticket: str, browser: str) -> str | None:
        """Return the account of a ticket; None if it is not valid, or the password has changed since."""
        found = self._tickets.read(ticket, RIGHT, browser)
        account, mark = found.content if found is not None else ("", "")
        return account if account and mark == self._password_mark(account) else None

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

    def _take_second_step(self, account: str, code: str, sender: Sender) -> bool:
        """Return whether an account exists and is not locked. Raises CodeNeeded without a required code."""
        user = self._people.users.find(account)
        if user is None or user.locked:
            return False
        if self._second.are_on(account):
            self._second.require(account, code, sender.origin, sender.notes)
        return True

    def _password_mark(self, account: str) -> str:
        return digest(self._people.users.password(account) or "")
