"""The port of second factors, which sign-in requires besides the password, and of recovery codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

MOST_FACTORS = 10
"""The maximum number of second factors of an account."""


class FactorKind(StrEnum):
    """Kinds of second factors: an app that shows codes (an account has at most one), or a passkey."""

    APP = "app"
    PASSKEY = "passkey"


@dataclass(frozen=True, slots=True)
class Factor:
    """A second factor of an account, named by its owner.

    `sealed` is the encrypted secret of an app; `credential` and `public_key` are those of a passkey, in
    base64url. `counter` is the last time step whose code was used, or the sign counter of the passkey.
    `added_by` is the number of the session in which the factor was added.
    """

    user: str
    kind: FactorKind
    name: str
    sealed: str = ""
    credential: str | None = None
    public_key: str = ""
    counter: int = 0
    added_by: int | None = None
    id: int = 0
    created_on: str = ""
    last_used_on: str | None = None


class Factors(Protocol):
    """The store of second factors and of digests of recovery codes."""

    def of(self, user: str) -> Sequence[Factor]:
        """Return the user's factors, by name."""

    def with_credential(self, credential: str) -> Factor | None:
        """Return the passkey with that credential, or None."""

    def add(self, factor: Factor) -> None:
        """Add a factor, with the time and a new number.

        Raises Conflict when the name or the passkey is taken, for a second app, and beyond MOST_FACTORS.
        """

    def use(self, factor: int, counter: int, used_on: str) -> bool:
        """Advance the counter and record the use. Return False if the counter is not above the stored one.

        A counter that is always 0 may stay 0.
        """

    def remove(self, user: str, name: str) -> bool:
        """Remove a factor, and all recovery codes with the last one. Return False if absent."""

    def renew_codes(self, user: str, digests: Sequence[str]) -> None:
        """Replace all recovery codes of a user."""

    def codes_left(self, user: str) -> int:
        """Return the number of recovery codes that the user has not used."""

    def use_code(self, user: str, digest: str) -> bool:
        """Use up a recovery code. Return False if it is unknown, or was used."""
