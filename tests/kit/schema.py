"""The schema of a database as words, so that a migrated one is compared with one that was made today."""

from __future__ import annotations

from storage.database.database import Database
from storage.migrations import OLDEST, WHOLE
from storage.migrations.dialect import DIALECTS
from storage.migrations.tables import RUNS

SQLITE = (
    """SELECT 'column', t.name, c.name, c.type, c."notnull", c.pk, c.dflt_value
    FROM sqlite_master t JOIN pragma_table_info(t.name) c
    WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'""",
    "SELECT type, tbl_name, name, sql FROM sqlite_master WHERE type IN ('index', 'trigger')",
)
POSTGRESQL = (
    """SELECT 'column', table_name, column_name, data_type, is_nullable, column_default
    FROM information_schema.columns WHERE table_schema = 'public'""",
    "SELECT 'index', tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
    """SELECT 'trigger', pg_get_triggerdef(t.oid), pg_get_functiondef(t.tgfoid)
    FROM pg_trigger t WHERE NOT t.tgisinternal""",
    """SELECT 'constraint', c.conrelid::regclass::text, pg_get_constraintdef(c.oid)
    FROM pg_constraint c JOIN pg_namespace n ON n.oid = c.connamespace WHERE n.nspname = 'public'""",
)


def schema_of(database: Database) -> set[str]:
    """Columns, indexes, triggers and constraints, each in one line."""
    queries = SQLITE if database.dialect == "sqlite" else POSTGRESQL
    return {
        " ".join(" ".join(str(cell) for cell in row).split()) for sql in queries for row in database.rows(sql)
    }


OLDER = (
    f"DELETE FROM schema_migration WHERE name > '{WHOLE}'",
    f"UPDATE schema_migration SET name = '{OLDEST}' WHERE name = '{WHOLE}'",
    "DROP TABLE factor",
    "DROP TABLE recovery_code",
    "DROP TABLE space_lock",
    "ALTER TABLE space_entry DROP COLUMN properties",
    "DROP TABLE trash_file",
    "DROP TABLE trash",
    "DROP TABLE job_day",
    "DROP TABLE pending_share",
    "DROP TABLE invitation_link",
    "DROP TABLE job_hook_call",
    "DROP TABLE job_hook",
    "ALTER TABLE step DROP COLUMN attempt",
    "DROP INDEX step_files",
    "ALTER TABLE step DROP COLUMN output_of",
    "DROP INDEX run_going",
    "ALTER TABLE run DROP COLUMN alone",
    "DROP TABLE alert",
    "DROP TABLE hook_message",
    "DROP TABLE hook_call",
    "DROP TABLE hook_event",
    "DROP TABLE hook",
    "DROP TABLE trigger_event",
    "DROP TABLE mail_order",
    "DROP TABLE item_link",
    "DROP TABLE provider_link",
    "DROP TABLE schedule",
    "DROP TABLE firing",
    *(one for one in RUNS if " schedule " in one or " firing " in one),
    "DROP TABLE leaf_version",
    "DROP TABLE version_text",
    "DROP TRIGGER leaf_version_keep{on}",
    "DROP TRIGGER leaf_version_move{on}",
    "ALTER TABLE leaf DROP COLUMN kept",
    "ALTER TABLE leaf DROP COLUMN since",
    *(
        f"ALTER TABLE {table} DROP COLUMN caused_by"
        for table in ("build", "inbound_mail", "notice", "mail_delivery", "queued_message")
    ),
)
"""Statements by which a schema of today counts as that of 0.1.0."""


def older(dialect: str) -> list[str]:
    """These statements as a database of a dialect takes them."""
    words = {**DIALECTS[dialect], "on": "" if dialect == "sqlite" else " ON leaf"}
    return [statement.format_map(words) for statement in OLDER]


def make_older(database: Database) -> None:
    """Have the schema of a database count as that of 0.1.0, whatever else there is."""
    for statement in older(database.dialect):
        database.run(statement)
