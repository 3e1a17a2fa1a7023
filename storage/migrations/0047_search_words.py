"""Words that items are found by, kept with the texts that have them, and orders in which they are listed."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute
from vfs.ports.search import LONGEST, normal, words

NAME, OWNER = "n", "o"
FIELDS = {"name": "t", "summary": "s"}

STATEMENTS = (
    # `label` is the title in normal form, or the name of what has no title.
    "ALTER TABLE item ADD COLUMN label {text} NOT NULL DEFAULT ''",
    "CREATE INDEX item_changed ON item (last_modified, id)",
    # `field` says where the word stands: n in the name, o in the owner's, t in the title, s in the summary.
    """CREATE TABLE search_word (
        word {text} NOT NULL, item {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE,
        field {text} NOT NULL, PRIMARY KEY (word, item, field)){clustered}""",
)
LATER = (
    "CREATE INDEX item_label ON item (label, id)",
    "CREATE INDEX search_word_item ON search_word (item, word, field)",
)
ITEMS = "SELECT id, owner, name FROM item WHERE id > {p} ORDER BY id LIMIT 1000"
LEAVES = f"""
SELECT item, rel, text FROM leaf
WHERE item > {{p}} AND item <= {{p}} AND rel IN ({", ".join(f"'{rel}'" for rel in FIELDS)})"""


def up(migrator: Any, db: Any) -> None:
    """Create the columns and the table, and note the words of what is there."""
    execute(db, STATEMENTS)
    last = 0
    while some := db.execute_sql(ITEMS.format(p=db.param), (last,)).fetchall():
        _note(db, last, some)
        last = some[-1][0]
    execute(db, LATER)


def _note(db: Any, after: int, items: list[Any]) -> None:
    """Note the words of items that follow one, by their numbers."""
    mark = db.param
    rows = [
        (word, item, field)
        for item, owner, name in items
        for field, text in ((NAME, name), (OWNER, owner))
        for word in words(text)
    ]
    titles: dict[int, str] = {}
    for item, rel, text in db.execute_sql(LEAVES.format(p=mark), (after, items[-1][0])).fetchall():
        rows += [(word, item, FIELDS[rel]) for word in words(text or "")]
        if rel == "name":
            titles[item] = text or ""
    labels = [(normal(titles.get(item, "").strip())[: 4 * LONGEST] or name, item) for item, _, name in items]
    cursor = db.cursor()
    cursor.executemany(
        f"INSERT INTO search_word (word, item, field) VALUES ({mark}, {mark}, {mark})", sorted(set(rows))
    )
    cursor.executemany(f"UPDATE item SET label = {mark} WHERE id = {mark}", labels)
