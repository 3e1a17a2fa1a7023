"""The trash: deleted items, and deleted files of spaces, until they are restored or removed."""

from __future__ import annotations

from typing import Any

from storage.migrations.dialect import execute
from storage.migrations.triggers import CountedBytes, author_item, count_bytes

TABLES = (
    # `item` is the deleted item, or the space of a deleted file, which had the name `place`. `name` is the
    # former name or path. `ways` is JSON: the shares and hooks that the item had, by table. `size` is 0
    # for an item, whose own rows are counted.
    """CREATE TABLE trash (
        id {id}, owner {text} NOT NULL, kind {text} NOT NULL,
        item {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE, name {text} NOT NULL,
        place {text} NOT NULL, shortname {text} NOT NULL, ways {text} NOT NULL, deleted_on {text} NOT NULL,
        size {int} NOT NULL)""",
    "CREATE INDEX trash_owner ON trash (owner, id)",
    "CREATE INDEX trash_item ON trash (item)",
    "CREATE INDEX trash_old ON trash (deleted_on)",
    # As in space_entry.
    """CREATE TABLE trash_file (
        entry {int} NOT NULL REFERENCES trash (id) ON DELETE CASCADE, path {text} NOT NULL,
        parent {text} NOT NULL, created_on {text} NOT NULL, last_modified {text} NOT NULL,
        digest {text}, size {int}, media {text}, PRIMARY KEY (entry, path)){clustered}""",
    "CREATE INDEX trash_file_digest ON trash_file (digest) WHERE digest IS NOT NULL",
)


def up(migrator: Any, db: Any) -> None:
    """Create both tables. Deleted files count for the owner."""
    execute(db, TABLES)
    count_bytes(db, CountedBytes("trash", author_item("{r}.owner"), "{r}.size", "size"))
