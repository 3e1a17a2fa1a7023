"""Comments on resources, and an index by which tagged resources are found."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

STATEMENTS = (
    "CREATE INDEX leaf_tag ON leaf (rel) WHERE rel >= 'tags/' AND rel < 'tags0'",
    # `parent` 0 is none; `topic` is the first comment of a thread.
    """CREATE TABLE comment (
        id {id}, item {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE, parent {int} NOT NULL,
        topic {int} NOT NULL, depth {int} NOT NULL, author {text} NOT NULL, slug {text} NOT NULL,
        created_on {text} NOT NULL, last_modified {text} NOT NULL, edited {bool} NOT NULL,
        deleted {bool} NOT NULL, text {text} NOT NULL, UNIQUE (item, parent, author, slug))""",
    "CREATE INDEX comment_topic ON comment (topic)",
)


def up(migrator: Any, db: Any) -> None:
    """Create the index and the table."""
    execute(db, STATEMENTS)
