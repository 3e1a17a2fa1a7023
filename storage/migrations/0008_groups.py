"""Groups and organisations, who invited whom, and the ties between users."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

STATEMENTS = (
    # `parent` is the reference of a group's organisation; `plan` is the organisation's own.
    """CREATE TABLE people_group (
        ref {text} PRIMARY KEY, kind {text} NOT NULL, owner {text} NOT NULL, name {text} NOT NULL,
        parent {text} REFERENCES people_group (ref), public {bool} NOT NULL, plan {text},
        created_on {text} NOT NULL, item {int} NOT NULL UNIQUE REFERENCES item (id)){clustered}""",
    "CREATE UNIQUE INDEX people_group_org ON people_group (owner) WHERE kind = 'org'",
    "CREATE INDEX people_group_parent ON people_group (parent, ref) WHERE parent IS NOT NULL",
    "CREATE INDEX people_group_public ON people_group (kind, ref) WHERE public",
    "ALTER TABLE member ADD COLUMN invited_by {text}",
    # A connection stands once, under whoever asked for it.
    """CREATE TABLE tie (
        kind {text} NOT NULL, name {text} NOT NULL, other {text} NOT NULL, pending {bool} NOT NULL,
        created_on {text} NOT NULL, PRIMARY KEY (kind, name, other)){clustered}""",
    "CREATE INDEX tie_other ON tie (kind, other, name)",
)


def up(migrator: Any, db: Any) -> None:
    """Create the tables."""
    execute(db, STATEMENTS)
