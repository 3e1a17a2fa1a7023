"""The tables of 0.1.0 and of later checkouts: they are renamed, and their rows copied into the new tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from storage.migrations import tables
from storage.migrations.dialect import dialect
from storage.migrations.former_notices import convert
from storage.migrations.former_texts import join_words, note_references, note_words

OLD = "old_"
COUNTED = ("item_use", "row_count")
"""Tables that triggers fill while the rows that they count are copied."""

MESSAGE = {"sqlite": "length(CAST(l.message AS BLOB))", "postgresql": "octet_length(l.message)"}
# `o` is the old row. Other missing columns get their default.
FILLS = {
    ("space", "entries"): "(SELECT count(*) FROM old_space_entry e WHERE e.item = o.item)",
    ("run", "log_size"): "coalesce((SELECT sum({message} + 64) FROM old_run_line l WHERE l.run = o.key), 0)",
    # A build of several refs has the ref of its first label and, with `latest`, of the default branch.
    ("label", "ref"): """(SELECT b.ref FROM old_build b WHERE b.id = o.build
    AND (b.ref IN ('refs/heads/' || o.name, 'refs/tags/' || o.name)
         OR o.name = 'latest' AND substr(b.ref, 1, 11) = 'refs/heads/'
         OR replace(replace(b.ref, 'refs/heads/', ''), '/', '-') = o.name
         OR replace(replace(b.ref, 'refs/tags/', ''), '/', '-') = o.name))""",
}
ADDRESSES = """
INSERT INTO address (account, mailbox, address, added_on, verified_on, primary_on)
SELECT name, lower(email), email, created_on, CASE WHEN verified THEN created_on END, created_on
FROM account WHERE email IS NOT NULL"""
PACKS = """
UPDATE item_use SET packs = (SELECT u.packs FROM old_item_use u WHERE u.item = item_use.item)
WHERE item IN (SELECT item FROM old_item_use)"""

SQLITE_SCHEMA = "SELECT type, name FROM sqlite_master WHERE sql IS NOT NULL AND type IN ('trigger', 'index')"
POSTGRESQL_NAMES = """
SELECT DISTINCT c.relkind, c.relname FROM pg_class c LEFT JOIN pg_index x ON x.indexrelid = c.oid
    LEFT JOIN pg_depend d ON d.objid = c.oid AND d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
        AND d.refclassid = 'pg_class'::regclass
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'i', 'S')
    AND coalesce(x.indrelid, d.refobjid, c.oid) IN (
        SELECT oid FROM pg_class WHERE relname = ANY(%s) AND relnamespace = current_schema()::regnamespace)"""
KINDS = {"r": "TABLE", "i": "INDEX", "S": "SEQUENCE"}
COLUMNS = {
    "sqlite": "SELECT name FROM pragma_table_info(?) ORDER BY cid",
    "postgresql": """SELECT attname FROM pg_attribute WHERE attnum > 0 AND NOT attisdropped
    AND attrelid = to_regclass(%s) ORDER BY attnum""",
}


def set_aside(db: Any) -> Mapping[str, Sequence[str]]:
    """Rename the existing tables with their indexes and triggers; return their columns."""
    found = {table: columns for table in tables.TABLES if (columns := columns_of(db, table))}
    if dialect(db) == "sqlite":
        for kind, name in db.execute_sql(SQLITE_SCHEMA).fetchall():
            if name != "schema_migration_name":
                db.execute_sql(f"DROP {kind} {name}")
        names = [("r", table) for table in found]
    else:
        names = db.execute_sql(POSTGRESQL_NAMES, (list(found),)).fetchall()
    for kind, name in names:
        db.execute_sql(f"ALTER {KINDS[kind]} {name} RENAME TO {OLD}{name}")
    return found


def copy_rows(db: Any, old: Mapping[str, Sequence[str]]) -> None:
    """Copy the rows of renamed tables, add missing values, and drop the tables."""
    for table in tables.TABLES:
        if table in old and table not in COUNTED:
            _copy(db, table, old[table])
    _add_what_is_new(db, old)
    _go_on_numbering(db)
    for table in reversed(tables.TABLES):
        if table in old:
            db.execute_sql(f"DROP TABLE {OLD}{table}")


def _add_what_is_new(db: Any, old: Mapping[str, Sequence[str]]) -> None:
    """Fill the tables and columns that the old schema did not have."""
    if "item_use" in old:
        db.execute_sql(PACKS)
    if "address" not in old:
        db.execute_sql(ADDRESSES)
    if "item" not in old["notice"]:
        convert(db)
    if "search_word" not in old:
        note_words(db)
    if "sought" not in old["item"]:
        join_words(db)
    if "item_reference" not in old:
        note_references(db)


def _copy(db: Any, table: str, old: Sequence[str]) -> None:
    cells = {column: f"o.{column}" for column in old}
    for (filled, column), cell in FILLS.items():
        if filled == table:
            cells.setdefault(column, cell.format(message=MESSAGE[dialect(db)]))
    names = ", ".join(cells)
    db.execute_sql(f"INSERT INTO {table} ({names}) SELECT {', '.join(cells.values())} FROM {OLD}{table} o")


def _go_on_numbering(db: Any) -> None:
    """Continue the numbering of an old table."""
    if dialect(db) == "sqlite":
        db.execute_sql(
            f"DELETE FROM sqlite_sequence WHERE '{OLD}' || name IN (SELECT name FROM sqlite_sequence)"
        )
        db.execute_sql(
            f"UPDATE sqlite_sequence SET name = substr(name, 5) WHERE substr(name, 1, 4) = '{OLD}'"
        )
        return
    numbered = "SELECT sequencename FROM pg_sequences WHERE schemaname = current_schema()"
    for (name,) in db.execute_sql(f"{numbered} AND starts_with(sequencename, '{OLD}')").fetchall():
        new = name.removeprefix(OLD)
        db.execute_sql(f"SELECT setval('{new}', last_value, is_called) FROM {name}")


def columns_of(db: Any, table: str) -> list[str]:
    """Return the columns of a table; none if it does not exist."""
    return [name for (name,) in db.execute_sql(COLUMNS[dialect(db)], (table,)).fetchall()]
