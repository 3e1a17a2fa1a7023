"""Short names: random names that are unique over all items and runs."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Sequence

from storage.database.bulk import several
from storage.database.database import Database

ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789"
SHORTEST = 5


def draw(length: int) -> str:
    """Return a random name of a given length."""
    return "".join(secrets.choice(ALPHABET) for _ in range(length))


TRIES = 4  # per length, before names get one character longer

ISSUE = "INSERT INTO shortname (name) VALUES ? ON CONFLICT DO NOTHING RETURNING name"


class Shortnames:
    """Issues short names of items and runs (interface, decisions A3)."""

    def __init__(self, database: Database, shortest: int = SHORTEST) -> None:
        self._database = database
        self._shortest = shortest

    def fresh(self, count: int) -> Sequence[str]:
        """Return names that were never used: 5 or more characters without look-alikes (0 O 1 l I)."""
        names: list[str] = []
        for tried in itertools.count():
            if len(names) == count:
                break
            length = self._shortest + tried // TRIES
            drawn = sorted({draw(length) for _ in range(count - len(names))})
            names += [name for (name,) in several(self._database, ISSUE, [(name,) for name in drawn])]
        return names
