"""Passwords: argon2id digests made a few at a time, and failed tries counted across all workers."""

from __future__ import annotations

import hashlib
import mmap
import secrets
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from vfs.errors import TooMany, Unavailable
from vfs.people import Users

# OWASP ASVS 5.0, appendix C: argon2id with 19 MiB, two passes, one lane.
MEMORY_KIB = 19 * 1024
PASSES = 2
PARALLEL = 4
MOST_FAILURES = 10
WINDOW = 60

_SLOT = struct.Struct("=III")
_SLOTS = 1 << 15


class Throttle:
    """Failures per account and address in the running minute, kept in memory that forked workers share.

    A slot holds a tag of its key, the second its minute began in and a count. Two keys that meet in one slot
    push each other out; the secret in the hash keeps anyone from aiming at that.
    """

    def __init__(
        self, most: int = MOST_FAILURES, window: int = WINDOW, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most = most
        self._window = window
        self._clock = clock
        self._secret = secrets.token_bytes(16)
        self._table = mmap.mmap(-1, _SLOT.size * _SLOTS)
        self._lock = threading.Lock()

    def take(self, account: str, address: str) -> None:
        """Count a try before it is made, so that tries made at once count too. Raises TooMany."""
        offset, tag = self._slot(account, address)
        now = int(self._clock())
        with self._lock:
            kept, began, count = _SLOT.unpack_from(self._table, offset)
            if kept != tag or now - began >= self._window:
                began, count = now, 0
            if count < self._most:
                _SLOT.pack_into(self._table, offset, tag, began, count + 1)
                return
        wait = max(1, began + self._window - now)
        raise TooMany(
            f"too many failed sign-ins for this account from {address or 'here'}: "
            f"wait {wait} s, then try again",
            retry_after=wait,
        )

    def give_back(self, account: str, address: str) -> None:
        """Take back the count of a try that succeeded."""
        offset, tag = self._slot(account, address)
        with self._lock:
            kept, began, count = _SLOT.unpack_from(self._table, offset)
            if kept == tag and count:
                _SLOT.pack_into(self._table, offset, tag, began, count - 1)

    def _slot(self, account: str, address: str) -> tuple[int, int]:
        text = f"{account}\0{address}".encode("utf-8", "surrogatepass")
        key = hashlib.blake2b(text, digest_size=8, key=self._secret).digest()
        return int.from_bytes(key[:4]) % _SLOTS * _SLOT.size, int.from_bytes(key[4:]) or 1


class Passwords:
    """Digests passwords and tests them;
    at most `parallel` at once in a process, each taking `memory` KiB `passes` times over.
    """

    def __init__(
        self,
        users: Users,
        throttle: Throttle | None = None,
        *,
        memory: int = MEMORY_KIB,
        passes: int = PASSES,
        parallel: int = PARALLEL,
        patience: float = 10,
    ) -> None:
        self._users = users
        self._throttle = throttle or Throttle()
        self._hasher = PasswordHasher(time_cost=passes, memory_cost=memory, parallelism=1)
        self._room = threading.BoundedSemaphore(parallel)
        self._patience = patience
        self._nobody = self._hasher.hash(secrets.token_hex())

    def digest(self, password: str) -> str:
        """What is stored of a password. Raises Unavailable when too many are being digested."""
        with self._seat():
            return self._hasher.hash(password)

    def proves(self, name: str, password: str, address: str) -> bool:
        """Whether the password is the user's; an unknown user takes the same time as a wrong password.

        Raises TooMany after ten failures in a minute for this account and address, Unavailable when too many
        are being tested.
        """
        self._throttle.take(name, address)
        kept = self._users.password(name)
        with self._seat():
            right = self._fits(kept or self._nobody, password) and kept is not None
        if right:
            self._throttle.give_back(name, address)
        return right

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
