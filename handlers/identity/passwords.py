"""Passwords: argon2id digests, computed a few at a time, and failed attempts counted across workers."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from handlers.rules.accounts import opaque_string
from handlers.rules.hosts import network
from vfs.errors import Denied, TooMany, Unauthenticated, Unavailable, VfsError
from vfs.ports.people import Limit, Rates, Users

# OWASP ASVS 5.0, appendix C: argon2id with 19 MiB, two passes, one lane.
MEMORY_KIB = 19 * 1024
PASSES = 2
PARALLEL = 4
WINDOW = 60
UNLIMITED = 1 << 31
PASSWORDS_OFF = "passwords are not accepted: sign in with {} in a browser, and make tokens in your settings"

# The part of IPv6's address space that one customer usually gets.


@dataclass(frozen=True, slots=True)
class Attempt:
    """A counted attempt; `wait` is how many seconds to wait for the next one if it fails.

    An attempt in `vain` fails whatever the password is, and the reason is not shown.
    """

    subjects: tuple[str, ...]
    wait: int = 0
    vain: bool = False


class Throttle:
    """Failed sign-ins in the last minute: of an account from an address, of an address, of an account.

    The first two limits refuse. The third must not let an attacker with many addresses lock out a user: once
    it is reached, each address has one failure left in a minute. An unknown address (empty) refuses nothing,
    because unrelated clients share it: the right password is always accepted there.
    """

    def __init__(self, rates: Rates, *, pair: int = 10, address: int = 50, account: int = 100) -> None:
        """Set the failures per minute of an account from an address, of an address, and of an account."""
        self._rates = rates
        self._pair = pair
        self._address = address
        self._account = account

    def take(self, account: str, address: str) -> Attempt:
        """Count an attempt before it is made, so that concurrent attempts count too. Raises TooMany."""
        counted, wait = self._limits(account, address)
        if address:
            counted.append(Limit(f"sign-in from {network(address)}", self._address, WINDOW))
        if refused := self._rates.take(counted):
            raise too_many(refused)
        return Attempt(tuple(limit.subject for limit in counted), wait)

    def take_by_mail(self, account: str, mail: str, address: str) -> Attempt:
        """Count an attempt with an e-mail address as the name, which may belong to an account.

        A refusal must not reveal whether it does. So the e-mail address has its own counts. If an address has
        had as many failures, of any accounts, as one account may have, every e-mail is refused there. If the
        account's own counts refuse, the attempt is in vain.
        """
        everywhere = Limit(f"sign-in from {network(address)}", self._pair, WINDOW)
        if address and (refused := self._rates.wait_for(everywhere)):
            raise too_many(refused)
        shown = self.take(mail, address)
        counted, _ = self._limits(account, address)
        if self._rates.take(counted):
            return Attempt(shown.subjects, shown.wait, True)
        return Attempt((*shown.subjects, *(limit.subject for limit in counted)), shown.wait)

    def _limits(self, account: str, address: str) -> tuple[list[Limit], int]:
        """Return the limits that count an attempt at an account, and the wait if it fails."""
        every = Limit(f"sign-in {account}", UNLIMITED, WINDOW)
        pair = Limit(f"sign-in {account} from {network(address)}", self._pair, WINDOW)
        if not address:
            wait = self._rates.wait_for(pair)
            return ([every] if wait else [every, pair]), wait
        if self._rates.wait_for(Limit(every.subject, self._account, WINDOW)):
            pair = Limit(pair.subject, 1, WINDOW)
        return [every, pair], 0

    def give_back(self, attempt: Attempt) -> None:
        """Take back the count of a successful attempt."""
        self._rates.give_back(attempt.subjects)


class Passwords:
    """Digests and verifies passwords, at most `parallel` at once in a process.

    Each takes `memory` KiB and `passes` passes.
    """

    def __init__(
        self,
        users: Users,
        throttle: Throttle,
        *,
        memory: int = MEMORY_KIB,
        passes: int = PASSES,
        parallel: int = PARALLEL,
        patience: float = 10,
        refusal: str = "",
    ) -> None:
        """Make it; with a `refusal` all passwords are refused with this message."""
        self._users = users
        self._throttle = throttle
        self._hasher = PasswordHasher(time_cost=passes, memory_cost=memory, parallelism=1)
        self._room = threading.BoundedSemaphore(parallel)
        self._patience = patience
        self._refusal = refusal
        self._nobody = self._hasher.hash(secrets.token_hex())

    def digest(self, password: str) -> str:
        """Return the digest to store for a password, in its normal form.

        Raises Unavailable when too many are being digested.
        """
        with self._seat():
            return self._hasher.hash(opaque_string(password))

    def proves(
        self,
        name: str,
        password: str,
        address: str,
        mail: str = "",
        also: Callable[[], bool] = lambda: True,
    ) -> bool:
        """Return whether the password is right; an unknown user takes the same time as a wrong password.

        `address` is empty if it is unknown; `mail` is what was typed for the name, if it was an e-mail
        address. After a correct password `also` is called: if it returns False or raises Unauthenticated, the
        attempt has failed. Raises TooMany after ten failures in a minute for this account and address,
        Unavailable when too many are being tested, and Denied if passwords are switched off.
        """
        if self._refusal:
            raise Denied(self._refusal)
        throttle = self._throttle
        attempt = throttle.take_by_mail(name, mail, address) if mail else throttle.take(name, address)

        def is_right() -> bool:
            kept = None if attempt.vain else self._users.password(name)
            return self._is_right(name, kept, password) and also()

        return self._settle(attempt, is_right)

    def counts(self, name: str, address: str, is_right: Callable[[], bool]) -> bool:
        """Return whether another proof is right; failures count as for passwords. Raises as `proves`."""
        if self._refusal:
            raise Denied(self._refusal)
        return self._settle(self._throttle.take(name, address), is_right)

    def opens(self, subject: str, kept: str, password: str, address: str) -> bool:
        """Return whether a password fits its digest; failures are counted as for an account `subject`.

        Raises as `proves`.
        """
        attempt = self._throttle.take(subject, address)
        return self._settle(attempt, lambda: self._fits(kept, opaque_string(password)))

    def _settle(self, attempt: Attempt, is_right: Callable[[], bool]) -> bool:
        try:
            with self._seat():
                right = is_right()
        except Unauthenticated as refusal:
            raise (too_many(attempt.wait) if attempt.wait else refusal) from None
        except VfsError:
            # Nothing was learnt about the password.
            with suppress(VfsError):
                self._throttle.give_back(attempt)
            raise
        if right:
            self._throttle.give_back(attempt)
        elif attempt.wait:
            raise too_many(attempt.wait)
        return right

    def _is_right(self, name: str, kept: str | None, password: str) -> bool:
        """Return whether the password fits in its normal form, or as it was sent.

        A digest from before the normal form is replaced, so that the password then fits however it is typed.
        """
        plain = opaque_string(password)
        if self._fits(kept or self._nobody, plain):
            return kept is not None
        if plain == password or not self._fits(kept or self._nobody, password) or kept is None:
            return False
        with suppress(VfsError):  # the caller who signs in does not notice
            self._users.renew_password(name, kept, self._hasher.hash(plain))
        return True

    def _fits(self, kept: str, password: str) -> bool:
        try:
            return self._hasher.verify(kept, password)
        except (VerificationError, InvalidHashError, UnicodeError):
            return False

    @contextmanager
    def _seat(self) -> Iterator[None]:
        if not self._room.acquire(timeout=self._patience):
            raise Unavailable(
                "too many people are signing in at once: try again in a few seconds", retry_after=2
            )
        try:
            yield
        finally:
            self._room.release()


def too_many(wait: int) -> TooMany:
    """Return the refusal of an early sign-in; it does not say which limit was reached."""
    return TooMany(f"too many failed sign-ins: wait {wait} s, then try again", retry_after=wait)
