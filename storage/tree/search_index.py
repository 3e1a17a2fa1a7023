"""Rows that are written together with texts: words of items, and the items that texts name."""

from __future__ import annotations

import json
from collections.abc import Mapping, Set

from chains.language.named_items import Names
from storage.database.bulk import spread
from storage.database.database import Database
from vfs.ports.items import ItemName
from vfs.ports.search import LONGEST, normal, words

NAME, OWNER, TITLE, SUMMARY = "n", "o", "t", "s"
"""The fields that may contain a word. Words of a summary are found only by its readers."""
FIELDS: Mapping[str, str] = {"name": TITLE, "summary": SUMMARY}
"""The leaves by which an item is found, with the fields of their words."""

WORDS = {
    "sqlite": "SELECT value AS word FROM json_each(:words)",
    "postgresql": "SELECT json_array_elements_text(:words) AS word",
}
WRITE = {
    dialect: f"INSERT INTO search_word (word, item, field) SELECT w.word, :item, :field FROM ({words}) w"
    for dialect, words in WORDS.items()
}
CLEAR = "DELETE FROM search_word WHERE item = :item AND field = :field"
LABEL = "UPDATE item SET label = CASE WHEN :label = '' THEN name ELSE :label END WHERE id = :item"
RELABEL = """
UPDATE item SET label = name WHERE id = :item
    AND NOT EXISTS (SELECT 1 FROM leaf l WHERE l.item = :item AND l.rel = 'name' AND l.text <> '')"""
COPY = f"""
INSERT INTO search_word (word, item, field)
SELECT w.word, :new, w.field FROM search_word w JOIN leaf l ON l.item = :new
WHERE w.item = :old
    AND (l.rel = 'name' AND w.field = '{TITLE}' OR l.rel = 'summary' AND w.field = '{SUMMARY}')
"""
LABEL_COPY = """
UPDATE item SET label = (SELECT o.label FROM item o WHERE o.id = :old) WHERE id = :new
    AND EXISTS (SELECT 1 FROM leaf l WHERE l.item = :new AND l.rel = 'name' AND l.text <> '')"""

LONGEST_SOUGHT = 320
"""The most characters of an item's words that are stored in its row, next to each order."""
JOINED = {"sqlite": "group_concat(d.word, ' ')", "postgresql": "string_agg(d.word, ' ')"}
SOUGHT = {
    dialect: f"""
UPDATE item SET sought = coalesce((
    SELECT CASE WHEN length(w.words) <= {LONGEST_SOUGHT} THEN w.words END FROM (
        SELECT ' ' || {joined} AS words FROM (
            SELECT DISTINCT word FROM search_word WHERE item = :item) d) w), '')
WHERE id = :item"""
    for dialect, joined in JOINED.items()
}
HOLD = "UPDATE item SET sought = sought WHERE id = :item"
"""Makes other writers of the item's texts wait, so that each one joins the words of the others too."""


def label_of(title: str, name: str) -> str:
    """Return the title in normal form, by which items are sorted; the name if there is no title."""
    return normal(title.strip())[: 4 * LONGEST] or name


class SearchIndex:
    """Stores the words of items, in the transaction in which a text is written."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._write = WRITE[database.dialect]
        self._join = SOUGHT[database.dialect]

    def add(self, item: int, owner: str, name: str) -> None:
        """Store the words of a new item, which has no texts yet."""
        self._note(item, NAME, name)
        self._note(item, OWNER, owner)
        self._database.run(self._join, item=item)

    def rename(self, item: int, name: str) -> None:
        """Store the words of an item's new name."""
        self._database.run(CLEAR, item=item, field=NAME)
        self._database.run(RELABEL, item=item)
        self._note(item, NAME, name)
        self._database.run(self._join, item=item)

    def put(self, item: int, rel: str, text: str) -> None:
        """Store the words of a new text of an item; `rel` is one of FIELDS."""
        self._database.run(HOLD, item=item)
        self._database.run(CLEAR, item=item, field=FIELDS[rel])
        if rel == "name":
            self._database.run(LABEL, item=item, label=label_of(text, ""))
        self._note(item, FIELDS[rel], text)
        self._database.run(self._join, item=item)

    def copy(self, old: int, new: int) -> None:
        """Store the words of the texts that were copied to a new item."""
        self._database.run(COPY, old=old, new=new)
        self._database.run(LABEL_COPY, old=old, new=new)
        self._database.run(self._join, item=new)

    def _note(self, item: int, field: str, text: str) -> None:
        if found := sorted(words(text)):
            self._database.run(self._write, item=item, field=field, words=json.dumps(found))


NAMED = {
    "sqlite": """SELECT json_extract(value, '$[0]') AS letter, json_extract(value, '$[1]') AS owner,
    json_extract(value, '$[2]') AS name FROM json_each(:named)""",
    "postgresql": """SELECT value->>0 AS letter, value->>1 AS owner, value->>2 AS name
    FROM json_array_elements(:named) AS value""",
}
# A name without an owner is an item of the owner of the text, who never changes. A shortname has no owner.
WRITE_REFERENCES = {
    dialect: f"""
INSERT INTO item_reference (item, rel, letter, owner, name)
SELECT DISTINCT i.id, l.rel, w.letter,
    CASE WHEN w.owner = '' AND w.letter <> '' THEN i.owner ELSE w.owner END, w.name
FROM item i JOIN leaf l ON l.item = i.id AND l.rel = :rel CROSS JOIN ({named}) w WHERE i.id = :item"""
    for dialect, named in NAMED.items()
}
CLEAR_REFERENCES = "DELETE FROM item_reference WHERE item = :item AND rel = :rel"
TEXTS = "SELECT rel, text FROM leaf WHERE item = :item AND rel IN (:rels) AND text IS NOT NULL"


class ReferenceRows:
    """Stores the references of texts, in the transaction in which a text is written.

    `names` maps the files that may name items to the functions that find the names. The rows of a leaf are
    deleted and moved with it.
    """

    def __init__(self, database: Database, names: Mapping[str, Names]) -> None:
        self._database = database
        self._names = names
        self._write = WRITE_REFERENCES[database.dialect]

    def has(self, rel: str) -> bool:
        """Return whether a leaf may name items."""
        return rel in self._names

    def names_in(self, rel: str, text: str) -> Set[ItemName]:
        """Return the items that a text of this leaf names."""
        return frozenset(self._names[rel](text))

    def put(self, item: int, rel: str, text: str) -> None:
        """Store the references of a new text of an existing leaf that may name items."""
        self._database.run(CLEAR_REFERENCES, item=item, rel=rel)
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
