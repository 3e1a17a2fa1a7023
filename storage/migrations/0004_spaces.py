"""The content of spaces and its journal."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute

STATEMENTS = (
    # `size` is the sum of the files', `seq` the last number of the journal; whoever changes the content
    # holds this row.
    """CREATE TABLE space (
        item {int} PRIMARY KEY REFERENCES item (id) ON DELETE CASCADE,
        seq {int} NOT NULL, size {int} NOT NULL){clustered}""",
    # Without a digest it is a folder. `parent` repeats what `path` says, for listings.
    """CREATE TABLE space_entry (
        item {int} NOT NULL REFERENCES space (item) ON DELETE CASCADE, path {text} NOT NULL,
        parent {text} NOT NULL, created_on {text} NOT NULL, last_modified {text} NOT NULL,
        digest {text}, size {int}, media {text}, PRIMARY KEY (item, path)){clustered}""",
    "CREATE INDEX space_entry_parent ON space_entry (item, parent)",
    "CREATE INDEX space_entry_digest ON space_entry (digest) WHERE digest IS NOT NULL",
    # `version` is the digest of bytes that need not be there any more.
    """CREATE TABLE space_change (
        item {int} NOT NULL REFERENCES space (item) ON DELETE CASCADE, seq {int} NOT NULL,
        path {text} NOT NULL, deed {text} NOT NULL, version {text}, size {int}, old_path {text},
        created_on {text} NOT NULL, PRIMARY KEY (item, seq)){clustered}""",
)


def up(migrator: Any, db: Any) -> None:
    """Create the tables."""
    execute(db, STATEMENTS)
