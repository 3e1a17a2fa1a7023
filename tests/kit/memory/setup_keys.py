"""The setup key in a dictionary."""

from __future__ import annotations

from tests.kit.memory.state import Memory


class MemorySetupKeys:
    """Keeps the key in memory (vfs.ports.setup.SetupKeys)."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def renew(self, key: str, expires_on: str) -> bool:
        """Let this key hold in place of the one before; False where there is an account."""
        with self._memory.lock:
            self._memory.state.setup_keys = {} if self._memory.state.users else {key: expires_on}
            return bool(self._memory.state.setup_keys)

    def current(self, now: str) -> str | None:
        """The digest of the key that holds, or None."""
        state = self._memory.state
        return next((key for key, end in state.setup_keys.items() if end > now and not state.users), None)

    def spend(self, key: str, now: str) -> bool:
        """Use the key up; False where it does not hold, or another request was first."""
        with self._memory.lock:
            holds = self.current(now) == key
            if holds:
                self._memory.state.setup_keys = {}
            return holds
