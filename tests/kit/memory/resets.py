"""Codes for forgotten passwords in a dictionary."""

from __future__ import annotations

from tests.kit.memory.state import Memory, PasswordReset
from vfs.ports.resets import HELD, VerifiedAccount


class MemoryPasswordResets:
    """Codes in a dictionary (vfs.ports.resets.PasswordResets)."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def account_of(self, email: str) -> VerifiedAccount | None:
        """The account that has verified the address; None where none has, or it is locked."""
        for user in self._memory.state.users.values():
            if user.verified and not user.locked and (user.email or "").lower() == email.lower():
                return VerifiedAccount(user.name, user.email or "")
        return None

    def add(self, code: str, user: str, email: str, *, asker: str, now: str, expires_on: str) -> None:
        """A new code of a user; the newest HELD of a known asker hold, and what is over goes."""
        with self._memory.lock:
            state = self._memory.state
            kept = {key: one for key, one in state.resets.items() if one.expires_on > now}
            alike = [key for key, one in kept.items() if (one.user, one.asker) == (user, asker)]
            newest_last = sorted(alike, key=lambda key: kept[key].expires_on)
            for key in newest_last[: 1 - HELD] if asker or not user else ():
                del kept[key]
            state.resets = {**kept, code: PasswordReset(user, email, asker, expires_on)}

    def find(self, code: str, now: str) -> str | None:
        """The user of a code that `spend` would take, or None."""
        found = self._memory.state.resets.get(code)
        if found is None or found.expires_on <= now:
            return None
        holder = self.account_of(found.email)
        return found.user if holder is not None and holder.name == found.user else None

    def spend(self, code: str, now: str) -> str | None:
        """Use a code up, and all others of its user; the user, or None where it is worth nothing."""
        with self._memory.lock:
            user = self.find(code, now)
            if user is not None:
                self._memory.void_resets(user)
        return user
