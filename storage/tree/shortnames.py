"""Short names: random, unique over everything that has one, never given out again."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from storage.database.bulk import several
from storage.database.database import Database
from storage.tree.shortname_text import SHORTEST, draw

TRIES = 4  # of one length, before names grow by a character

ISSUE = "INSERT INTO shortname (name) VALUES ? ON CONFLICT DO NOTHING RETURNING name"


class Shortnames:
    """Gives out short names of items and runs (interface, decisions A3)."""

    def __init__(self, database: Database, shortest: int = SHORTEST) -> None:
        self._database = database
        self._shortest = shortest

    def fresh(self, count: int) -> Sequence[str]:
        """Names that nothing ever had: 5 or more characters without look-alikes (0 O 1 l I)."""
        names: list[str] = []
        for tried in itertools.count():
            if len(names) == count:
                break
            length = self._shortest + tried // TRIES
            drawn = sorted({draw(length) for _ in range(count - len(names))})
            names += [name for (name,) in several(self._database, ISSUE, [(name,) for name in drawn])]
        return names
