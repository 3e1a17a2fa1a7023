"""The search words of items of an earlier schema, and the items that their texts refer to."""

from __future__ import annotations

from typing import Any

from chains.language.named_items import named_in_mapping, named_in_mounts, named_in_plan, named_in_prose
from storage.migrations.dialect import dialect
from vfs.ports.search import LONGEST, normal, words

NAME, OWNER = "n", "o"
FIELDS = {"name": "t", "summary": "s"}
ITEMS = "SELECT id, owner, name FROM item WHERE id > {p} ORDER BY id LIMIT 1000"
LEAVES = f"""
SELECT item, rel, text FROM leaf
WHERE item > {{p}} AND item <= {{p}} AND rel IN ({", ".join(f"'{rel}'" for rel in FIELDS)})"""
LONGEST_SOUGHT = 320
JOINED = {"sqlite": "group_concat(d.word, ' ')", "postgresql": "string_agg(d.word, ' ')"}
SOUGHT = f"""
UPDATE item SET sought = coalesce((
    SELECT CASE WHEN length(w.words) <= {LONGEST_SOUGHT} THEN w.words END FROM (
        SELECT ' ' || {{joined}} AS words FROM (
            SELECT DISTINCT word FROM search_word WHERE item = item.id) d) w), '')"""
NAMES = {
    "content": named_in_prose,
    "mapping": named_in_mapping,
    "config/spaces": named_in_mounts,
    "config/plan": named_in_plan,
}
# A few texts at a time, because some are large.
NEXT = f"""
SELECT l.item, l.rel, i.owner, l.text FROM leaf l JOIN item i ON i.id = l.item
WHERE (l.item > {{p}} OR (l.item = {{p}} AND l.rel > {{p}})) AND l.text IS NOT NULL
    AND l.rel IN ({", ".join(f"'{rel}'" for rel in NAMES)})
ORDER BY l.item, l.rel LIMIT 16"""
WRITE = "INSERT INTO item_reference (item, rel, letter, owner, name) VALUES ({p}, {p}, {p}, {p}, {p})"


def note_words(db: Any) -> None:
    """Store the words and labels of all items."""
    last = 0
    while some := db.execute_sql(ITEMS.format(p=db.param), (last,)).fetchall():
        _note(db, last, some)
        last = some[-1][0]


def join_words(db: Any) -> None:
    """Store the words of each item with its positions in the orders of searches."""
    db.execute_sql(SOUGHT.format(joined=JOINED[dialect(db)]))


def note_references(db: Any) -> None:
    """Store the references in texts, a few at a time."""
    item, rel, mark = 0, "", db.param
    while some := db.execute_sql(NEXT.format(p=mark), (item, item, rel)).fetchall():
        rows = {
            (found, file, name.letter, name.owner or (owner if name.letter else ""), name.name)
            for found, file, owner, text in some
            for name in NAMES[file](text)
        }
        db.cursor().executemany(WRITE.format(p=mark), sorted(rows))
        item, rel = some[-1][:2]


def _note(db: Any, after: int, items: list[Any]) -> None:
    """Store the words of the items after one, by their numbers."""
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
