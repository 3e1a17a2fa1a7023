"""Names of items in texts of others, as rows that are written with these texts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Set

from chains.language.named_items import Names
from storage.database.bulk import spread
from storage.database.database import Database
from vfs.ports.items import ItemName

NAMED = {
    "sqlite": """SELECT json_extract(value, '$[0]') AS letter, json_extract(value, '$[1]') AS owner,
    json_extract(value, '$[2]') AS name FROM json_each(:named)""",
    "postgresql": """SELECT value->>0 AS letter, value->>1 AS owner, value->>2 AS name
    FROM json_array_elements(:named) AS value""",
}
# A name without an owner is of whose the text is, who never changes; a shortname is nobody's.
WRITE = {
    dialect: f"""
INSERT INTO item_reference (item, rel, letter, owner, name)
SELECT DISTINCT i.id, l.rel, w.letter,
    CASE WHEN w.owner = '' AND w.letter <> '' THEN i.owner ELSE w.owner END, w.name
FROM item i JOIN leaf l ON l.item = i.id AND l.rel = :rel CROSS JOIN ({named}) w WHERE i.id = :item"""
    for dialect, named in NAMED.items()
}
CLEAR = "DELETE FROM item_reference WHERE item = :item AND rel = :rel"
TEXTS = "SELECT rel, text FROM leaf WHERE item = :item AND rel IN (:rels) AND text IS NOT NULL"


class ReferenceRows:
    """Keeps what texts name, in the transaction of who writes them.

    `names` are the files that name items, with what reads them. Rows of a leaf go and move with it.
    """

    def __init__(self, database: Database, names: Mapping[str, Names]) -> None:
        self._database = database
        self._names = names
        self._write = WRITE[database.dialect]

    def has(self, rel: str) -> bool:
        """Whether a leaf may name items."""
        return rel in self._names

    def names_in(self, rel: str, text: str) -> Set[ItemName]:
        """The items that a text of this leaf names."""
        return frozenset(self._names[rel](text))

    def put(self, item: int, rel: str, text: str) -> None:
        """Note another text of a leaf that is there and may name items."""
        self._database.run(CLEAR, item=item, rel=rel)
        self._note(item, rel, text)

    def copy(self, new: int) -> None:
        """Note the texts that a new item has from another."""
        if not self._names:
            return
        sql, params = spread(TEXTS, rels=list(self._names))
        for rel, text in self._database.rows(sql, **params, item=new):
            self._note(new, rel, text)

    def _note(self, item: int, rel: str, text: str) -> None:
        if found := tuple(self._names[rel](text)):
            self._database.run(self._write, item=item, rel=rel, named=json.dumps(found))
