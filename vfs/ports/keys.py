"""The port of SSH public keys.

Several accounts may have the same key, as anyone can send a public key.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from vfs.errors import Conflict

KEY_FIELDS = frozenset({"title", "summary"})
"""The fields of a key that Keys.change can set."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A public key as in a line of OpenSSH: its kind, its bytes in base64, and a comment.

    `fingerprint` is the SHA-256 of its bytes, as OpenSSH prints it.
    """

    kind: str
    body: str
    comment: str
    fingerprint: str

    @property
    def line(self) -> str:
        """The line as in a file such as id_ed25519.pub."""
        return " ".join(filter(None, (self.kind, self.body, self.comment)))


@dataclass(frozen=True, slots=True)
class Key:
    """An entry for a key: `name` is its name in listings, `title` a description by its owner.

    `public` is None until the key itself was sent. `locked`: the account of its user is locked.
    """

    id: int
    user: str
    name: str
    title: str
    summary: str
    public: PublicKey | None
    created_on: str
    last_modified: str
    last_used_on: str | None
    locked: bool = False


class Keys(Protocol):
    """The store of public keys."""

    def of(self, user: str) -> Sequence[Key]:
        """Return the user's keys, by name."""

    def find(self, user: str, name: str) -> Key | None:
        """Return the user's key of that name, or None."""

    def at(self, key: int) -> Key | None:
        """Return the key with that number, or None."""

    def with_fingerprint(self, fingerprint: str) -> Sequence[Key]:
        """Return the entries with that fingerprint, by account, with `locked` of each user (one query)."""

    def add(self, user: str, name: str) -> None:
        """Add an entry without a key.

        Raises Conflict when the user has one of that name, QuotaReached when its quota is full.
        """

    def change(self, key: int, **fields: str) -> None:
        """Set `title` or `summary`. Raises NotFound."""

    def put(self, key: int, public: PublicKey) -> None:
        """Store a public key in an entry. A new key counts as never used.

        Raises Conflict when another entry of the account has it, NotFound when there is no such entry.
        """

    def remove(self, key: int) -> bool:
        """Remove an entry with its key. Return False if absent. Its number is never used again."""

    def record_use(self, key: int, used_on: str) -> None:
        """Record that a key was used at a time."""


def key_taken() -> Conflict:
    """Return the refusal of a key that the account has already."""
    return Conflict("this key is in another entry of yours already: use that one, or remove it first")


def key_name_taken(name: str) -> Conflict:
    """Return the refusal of a second entry with a name."""
    return Conflict(f"a key named {name} is there already: write its files, or choose another name")


def no_key(key: int) -> str:
    """Return the sentence about a number that no entry has."""
    return f"there is no key number {key}: it was removed"
