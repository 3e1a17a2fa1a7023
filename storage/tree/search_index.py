"""The table of words of items, written together with their texts."""

from __future__ import annotations

import json
from collections.abc import Mapping

from storage.database.database import Database
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
