"""What may still find a deleted item: each statement and table of items says how it stands."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import storage
from storage.database.database import Database
from storage.tree.trash import PLANNED, WAYS

FROM_ITEM = re.compile(r"\b(?:FROM|JOIN)\s+item\b")
KEYED = re.compile(r"IS_LIVE|\b(?:kind = :kind|kind IN \(:kinds|owner = :(?:owner|me)\b|a\.name = i\.owner)")
"""Conditions that no item of the trash meets: its kind and owner do not exist."""
ALLOWED: Mapping[str, str] = {
    "items.FIND": "another item is looked up only for the time that it takes",
    "items.SHARED_WITH": "it has no shares",
    "items.DIRECT": "it has no shares",
    "items.GROUPS": "it has no shares",
    "items.REMOVE": "it removes an item, by its id",
    "items.COPY": "the item was found before, and is locked",
    "search_index.WRITE_REFERENCES": "it writes what a text names",
    "grants.GIVE": "the item is locked before",
    "social.ADD_ACTION": "it records what was done",
    "search.FEW": "all its uses ask for kinds",
    "search.WALK": "all its uses ask for kinds",
    "social.WITH": "only own or shared items are taken from it, and it is neither",
    "trash.AT": "it reads a restored item",
    "space_rows.TRASH": "the space is locked before",
    "notices.COUNT": "it has no notices",
    "notices.LISTENING": "the item was found before",
    "groups.RELATION": "groups are not moved to the trash",
    "search_index.LABEL_COPY": "it copies from an item that was found before",
    "reader.NEWEST_OF": "the jobs were found before",
    "states.VACATE": "it removes spaces, by their ids",
    "trigger_events.ADD": "the item is found by its owner, and jobs by their references, which it has not",
    "quotas.OF_KINDS": "the trash counts",
    "search_sources.SINGLE": "the query joins the item, and asks for its kind",
    "quotas.ALL_OF_KINDS": "repositories of the trash are measured, too",
}
"""Further statements from the table of items, and why they find nothing of the trash, or may."""
KEPT = {
    "account", "people_group", "leaf", "comment", "deed", "item_use", "job_day", "firing", "mail_sending",
    "mail_line", "space", "trash", "inbound_mail", "inbound_identity", "version_text", "leaf_version",
}  # fmt: skip
"""Tables whose rows stay with an item in the trash."""


def statements() -> Iterator[tuple[str, str]]:
    """The constants of storage that read the table of items, each with its source."""
    for path in sorted(Path(storage.__file__).parent.rglob("*.py")):
        text = path.read_text()
        if "migrations" in path.parts:
            continue
        for node in ast.parse(text).body:
            if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
                continue
            source = ast.get_source_segment(text, node) or ""
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if FROM_ITEM.search(source):
                yield f"{path.stem}.{ast.unparse(target)}", source


def test_a_statement_that_reads_items_leaves_out_the_trash_or_says_why_not() -> None:
    found = {name: bool(KEYED.search(source)) for name, source in statements()}
    assert len(found) > 20
    assert sorted(name for name, keyed in found.items() if not keyed and name not in ALLOWED) == []
    assert sorted(ALLOWED.keys() - found.keys()) == []


def test_a_table_of_an_item_is_a_way_to_it_or_planned_or_kept(database: Database) -> None:
    sql = 'SELECT m.name, f."table" FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f'
    if database.dialect == "postgresql":
        sql = "SELECT conrelid::regclass::text, confrelid::regclass::text FROM pg_constraint"
    tables = {table for table, other in database.rows(sql) if other == "item"}
    planned = {table for table in tables if any(f" {table} " in f"{statement} " for statement in PLANNED)}
    assert "share" in tables
    assert sorted(tables - WAYS.keys() - planned - KEPT) == [], "name them in storage.tree.trash, or in KEPT"


def test_a_way_to_an_item_is_kept_with_all_its_columns(database: Database) -> None:
    for table, (key, columns) in WAYS.items():
        sql = f"SELECT name FROM pragma_table_info('{table}')"
        if database.dialect == "postgresql":
            sql = f"SELECT column_name FROM information_schema.columns WHERE table_name = '{table}'"
        assert {name for (name,) in database.rows(sql)} == {key, *columns.split()}
