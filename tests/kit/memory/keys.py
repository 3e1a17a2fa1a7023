"""Public keys of SSH in a dictionary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tests.kit.memory.state import Memory
from vfs.errors import NotFound
from vfs.ports.keys import KEY_FIELDS, Key, PublicKey, key_name_taken, key_taken, no_key


class MemoryKeys:
    """Keys in a dictionary (vfs.ports.keys.Keys)."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def of(self, user: str) -> Sequence[Key]:
        """The user's keys, by name."""
        return sorted((one for one in self._all() if one.user == user), key=lambda one: one.name)

    def find(self, user: str, name: str) -> Key | None:
        """The user's key of that name, or None."""
        return next((one for one in self._all() if (one.user, one.name) == (user, name)), None)

    def at(self, key: int) -> Key | None:
        """The key with that number, or None."""
        found = self._memory.state.keys.get(key)
        return replace(found, locked=self._memory.state.users[found.user].locked) if found else None

    def with_fingerprint(self, fingerprint: str) -> Sequence[Key]:
        """The entries with that fingerprint, by account."""
        alike = (one for one in self._all() if one.public and one.public.fingerprint == fingerprint)
        return sorted(alike, key=lambda one: one.user)

    def add(self, user: str, name: str) -> None:
        """A new entry without a key. Raises Conflict."""
        memory = self._memory
        with memory.lock:
            if self.find(user, name) is not None:
                raise key_name_taken(name)
            made = Key(next(memory.numbers), user, name, "", "", None, memory.now(), memory.now(), None)
            memory.state.keys[made.id] = made

    def change(self, key: int, **fields: Any) -> None:
        """Set `title` or `summary`. Raises NotFound."""
        if unknown := fields.keys() - KEY_FIELDS:
            raise TypeError(f"a key has no field {', '.join(sorted(unknown))} that can be changed")
        self._set(key, **fields)

    def put(self, key: int, public: PublicKey) -> None:
        """Put a public key in an entry. Raises Conflict and NotFound."""
        with self._memory.lock:
            mine = self.at(key)
            alike = [
                one for one in self.with_fingerprint(public.fingerprint) if mine and one.user == mine.user
            ]
            if any(one.id != key for one in alike):
                raise key_taken()
            used = mine.last_used_on if mine and alike else None
            self._set(key, public=public, last_used_on=used)

    def remove(self, key: int) -> bool:
        """Take an entry away with its key; False when absent."""
        return self._memory.state.keys.pop(key, None) is not None

    def record_use(self, key: int, used_on: str) -> None:
        """Record that a key was used at a time."""
        with self._memory.lock:
            found = self._memory.state.keys.get(key)
            if found is not None:
                last = max(used_on, found.last_used_on or "")
                self._memory.state.keys[key] = replace(found, last_used_on=last)

    def _set(self, key: int, **fields: Any) -> None:
        with self._memory.lock:
            found = self._memory.state.keys.get(key)
            if found is None:
                raise NotFound(no_key(key))
            self._memory.state.keys[key] = replace(found, last_modified=self._memory.now(), **fields)

    def _all(self) -> Sequence[Key]:
        return [one for key in list(self._memory.state.keys) if (one := self.at(key)) is not None]
