"""Codes for forgotten passwords in a dictionary."""

from __future__ import annotations

from storage.memory.state import Memory, PasswordReset


class MemoryPasswordResets:
    """Codes in a dictionary (vfs.ports.resets.PasswordResets)."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def account_of(self, email: str) -> str | None:
        """The account that has verified the address; None where none has, or it is locked."""
        for user in self._memory.state.users.values():
            if user.verified and not user.locked and (user.email or "").lower() == email.lower():
                return user.name
        return None

    def add(self, code: str, user: str, email: str, expires_on: str) -> None:
        """A new code of a user; the earlier ones are spent."""
        with self._memory.lock:
            self._forget(user)
            self._memory.state.resets[code] = PasswordReset(user, email, expires_on)

    def spend(self, code: str, now: str) -> str | None:
        """Use a code up, and all others of its user; the user, or None where it is worth nothing."""
        with self._memory.lock:
            found = self._memory.state.resets.get(code)
            if found is None or found.expires_on <= now or self.account_of(found.email) != found.user:
                return None
            self._forget(found.user)
        return found.user

    def _forget(self, user: str) -> None:
        state = self._memory.state
        state.resets = {code: one for code, one in state.resets.items() if one.user != user}
