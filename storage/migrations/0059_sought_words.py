"""Words of items beside their place in the orders of searches, which are walked along for common words."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import dialect, execute

LONGEST = 320
# `sought` is the words of all texts of an item, each behind a blank; empty where they are longer.
COLUMN = "ALTER TABLE item ADD COLUMN sought {text} NOT NULL DEFAULT ''"
JOINED = {"sqlite": "group_concat(d.word, ' ')", "postgresql": "string_agg(d.word, ' ')"}
FILL = f"""
UPDATE item SET sought = coalesce((
    SELECT CASE WHEN length(w.words) <= {LONGEST} THEN w.words END FROM (
        SELECT ' ' || {{joined}} AS words FROM (
            SELECT DISTINCT word FROM search_word WHERE item = item.id) d) w), '')"""
INDEXES = {
    "sqlite": ("{column}, id, owner, kind, sought", ""),
    "postgresql": ("{column}, id", " INCLUDE (owner, kind, sought)"),
}


def up(migrator: Any, db: Any) -> None:
    """Create the column, fill it from the words that are there, and have the indexes of orders hold it."""
    kind = dialect(db)
    execute(db, (COLUMN,))
    db.execute_sql(FILL.format(joined=JOINED[kind]))
    columns, more = INDEXES[kind]
    for name, column in (("item_changed", "last_modified"), ("item_label", "label")):
        db.execute_sql(f"DROP INDEX {name}")
        db.execute_sql(f"CREATE INDEX {name} ON item ({columns.format(column=column)}){more}")
