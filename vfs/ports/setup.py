"""The port about the setup key: by it the first account is made, while there is none."""

from __future__ import annotations

from typing import Protocol


class SetupKeys(Protocol):
    """Keeps the digest of one key, or of none. Whatever makes an account voids it in the same moment."""

    def renew(self, key: str, expires_on: str) -> bool:
        """Let this key hold in place of the one before; False, and none holds, where there is an account."""
        ...

    def current(self, now: str) -> str | None:
        """The digest of the key that holds; None where none does, or there is an account."""
        ...

    def spend(self, key: str, now: str) -> bool:
        """Use the key up; False where it does not hold, or another request was first."""
        ...
