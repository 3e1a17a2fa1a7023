"""Short names: random, unique over everything that has one, never given out again."""

from __future__ import annotations

import secrets

from storage.database import Database

ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789"
SHORTEST = 5
TRIES = 4  # of one length, before names grow by a character

ISSUE = "INSERT INTO shortname (name) VALUES (?) ON CONFLICT DO NOTHING"


class Shortnames:
    """Gives out short names of items and runs (interface, decisions A3)."""

    def __init__(self, database: Database, shortest: int = SHORTEST) -> None:
        self._database = database
        self._shortest = shortest

    def fresh(self) -> str:
        """A name that nothing ever had: 5 or more characters without look-alikes (0 O 1 l I)."""
        length = self._shortest
        while True:
            for _ in range(TRIES):
                name = draw(length)
                if self._database.run(ISSUE, name):
                    return name
            length += 1


def draw(length: int) -> str:
    """A random name of a length."""
    return "".join(secrets.choice(ALPHABET) for _ in range(length))
