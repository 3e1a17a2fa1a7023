"""The table of references: the items named in texts, written together with these texts."""

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
# A name without an owner is an item of the owner of the text, who never changes. A shortname has no owner.
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
    """Stores the references of texts, in the transaction in which a text is written.

    `names` maps the files that may name items to the functions that find the names. The rows of a leaf are
    deleted and moved with it.
    """

    def __init__(self, database: Database, names: Mapping[str, Names]) -> None:
        self._database = database
        self._names = names
        self._write = WRITE[database.dialect]

    def has(self, rel: str) -> bool:
        """Return whether a leaf may name items."""
        return rel in self._names

    def names_in(self, rel: str, text: str) -> Set[ItemName]:
        """Return the items that a text of this leaf names."""
        return frozenset(self._names[rel](text))

    def put(self, item: int, rel: str, text: str) -> None:
        """Store the references of a new text of an existing leaf that may name items."""
        self._database.run(CLEAR, item=item, rel=rel)
        self._note(item, rel, text)

    def copy(self, new: int) -> None:
        """Store the references of all texts of an item that was copied."""
        if not self._names:
            return
        sql, params = spread(TEXTS, rels=list(self._names))
        for rel, text in self._database.rows(sql, **params, item=new):
            self._note(new, rel, text)

    def _note(self, item: int, rel: str, text: str) -> None:
        if found := tuple(self._names[rel](text)):
            self._database.run(self._write, item=item, rel=rel, named=json.dumps(found))
