"""Rows of spaces and of their locks: SQL statements, and the columns of entries, changes and locks."""

from __future__ import annotations

from collections.abc import Sequence

from chains.spaces.locks import SpaceLock
from chains.spaces.space import Change, ChangeKind, SpaceEntry
from storage.database.columns import TableColumns
from storage.database.store import Store
from storage.tree.leaves import below
from vfs.ports.blobs import Ref


def _entry(
    path: str,
    created_on: str,
    modified: str,
    digest: str | None,
    size: int,
    media: str,
    properties: str,
) -> SpaceEntry:
    blob = Ref(digest, size, media) if digest is not None else None
    return SpaceEntry(path, blob, created_on, modified, properties)


ENTRY = TableColumns(_entry, "path created_on last_modified digest size media properties")
SELECT = f"SELECT {ENTRY} FROM space_entry WHERE item = :item"
GET = f"{SELECT} AND path = :path"
INSIDE = f"{SELECT} AND parent = :parent ORDER BY path"
BELOW = f"{SELECT} AND path >= :first AND path < :last ORDER BY path"

ENTER = """
INSERT INTO space (item, seq, size, entries) VALUES (:item, 0, 0, 0)
ON CONFLICT (item) DO UPDATE SET seq = space.seq RETURNING seq, size, entries"""
LEAVE = "UPDATE space SET seq = :seq, size = :size, entries = :entries WHERE item = :item"
USAGE = "SELECT size, seq, start FROM space WHERE item = :item"
NOTE = """
INSERT INTO space_change (item, seq, path, deed, version, size, old_path, created_on)
VALUES (:item, :seq, :path, :deed, :digest, :size, :old, :now)"""
CHANGE = TableColumns(Change, "seq path deed version size old_path created_on", deed=ChangeKind)
CHANGES = f"SELECT {CHANGE} FROM space_change WHERE item = :item AND seq > :since ORDER BY seq LIMIT :limit"

PUT = """
INSERT INTO space_entry (item, path, parent, created_on, last_modified, digest, size, media)
VALUES (:item, :path, :parent, :now, :now, :digest, :size, :media)
ON CONFLICT (item, path) DO UPDATE SET last_modified = excluded.last_modified,
    digest = excluded.digest, size = excluded.size, media = excluded.media"""
TREE = "item = :item AND (path = :path OR (path >= :first AND path < :last))"
MOVE = f"""
UPDATE space_entry SET path = :new || substr(path, :cut),
    parent = CASE WHEN path = :path THEN :there ELSE :new || substr(parent, :cut) END
WHERE {TREE}"""
REMOVE = f"DELETE FROM space_entry WHERE {TREE}"
HELD = f"SELECT COUNT(*), COALESCE(SUM(size), 0) FROM space_entry WHERE {TREE}"
ANY = "SELECT 1 FROM space_entry WHERE item = :item LIMIT 1"
COPY = """
INSERT INTO space_entry (item, path, parent, created_on, last_modified, digest, size, media)
SELECT CAST(:item AS BIGINT), path, parent, CAST(:now AS TEXT), CAST(:now AS TEXT), digest, size, media
FROM space_entry WHERE item = :source"""
COPY_TREE = f"""
INSERT INTO space_entry (item, path, parent, created_on, last_modified, digest, size, media, properties)
SELECT CAST(:target AS BIGINT), CAST(:new AS TEXT) || substr(path, :cut),
    CASE WHEN path = :path THEN CAST(:there AS TEXT) ELSE CAST(:new AS TEXT) || substr(parent, :cut) END,
    CAST(:now AS TEXT), CAST(:now AS TEXT), digest, size, media, properties
FROM space_entry WHERE {TREE}"""
DESCRIBE = "UPDATE space_entry SET properties = :properties WHERE item = :item AND path = :path"
COPY_NOTES = f"""
INSERT INTO space_change (item, seq, path, deed, version, size, old_path, created_on)
SELECT item, CAST(:seq AS BIGINT) + row_number() OVER (ORDER BY path), path, '{ChangeKind.CREATE}', digest,
size,
    NULL, created_on
FROM space_entry WHERE {TREE}"""
SIZE = "SELECT COALESCE(SUM(size), 0) FROM space_entry WHERE item = :item"
TRASH = """
INSERT INTO trash (owner, kind, item, name, place, shortname, ways, deleted_on, size)
SELECT owner, CAST(:kind AS TEXT), id, CAST(:path AS TEXT), name, '', '', CAST(:now AS TEXT),
    CAST(:size AS BIGINT) FROM item WHERE id = :item RETURNING id"""
ENTRIES = "path, parent, created_on, last_modified, digest, size, media"
TRASH_FILES = f"""
INSERT INTO trash_file (entry, {ENTRIES}) SELECT CAST(:entry AS BIGINT), {ENTRIES}
FROM space_entry WHERE {TREE}"""
TRASHED = "SELECT count(*), coalesce(sum(size), 0) FROM trash_file WHERE entry = :entry"
RELEASE = "UPDATE trash SET size = 0 WHERE id = :entry"
END = "DELETE FROM trash WHERE id = :entry"
# `:cut` is the position in the former path from which on the new path has the same text.
ANEW = "CAST(:prefix AS TEXT) || substr(f.path, :cut)"
RESTORE = f"""
INSERT INTO space_entry (item, {ENTRIES})
SELECT CAST(:item AS BIGINT), {ANEW}, CASE WHEN f.path = :old OR :old = '' AND f.parent = ''
    THEN CAST(:there AS TEXT) ELSE CAST(:prefix AS TEXT) || substr(f.parent, :cut) END,
    f.created_on, f.last_modified, f.digest, f.size, f.media
FROM trash_file f WHERE f.entry = :entry"""
RESTORE_NOTES = f"""
INSERT INTO space_change (item, seq, path, deed, version, size, old_path, created_on)
SELECT CAST(:item AS BIGINT), CAST(:seq AS BIGINT) + row_number() OVER (ORDER BY f.path), {ANEW},
    '{ChangeKind.CREATE}', f.digest, f.size, NULL, CAST(:now AS TEXT)
FROM trash_file f WHERE f.entry = :entry"""
PRUNE = "DELETE FROM space_change WHERE item = :item AND seq <= :oldest"
OCTETS = {"sqlite": "length(CAST(path AS BLOB))", "postgresql": "octet_length(path)"}
EXTENT = {
    dialect: f"SELECT MAX(length(path) - length(replace(path, '/', ''))), MAX({octets})"
    f" FROM space_entry WHERE {TREE}"
    for dialect, octets in OCTETS.items()
}


def blob_columns(blob: Ref | None) -> dict[str, str | int | None]:
    """Return the parameters for the blob of an entry; all None for a folder."""
    if blob is None:
        return {"digest": None, "size": None, "media": None}
    return {"digest": blob.digest, "size": blob.size, "media": blob.media}


def tree_of(space: int, path: str) -> dict[str, object]:
    """Return the parameters of TREE."""
    first, last = below(path)
    return {"item": space, "path": path, "first": first, "last": last}


LOCK = TableColumns(
    SpaceLock, "token path deep exclusive account about expires_on", deep=bool, exclusive=bool
)
LOCKS_OF = f"SELECT {LOCK} FROM space_lock WHERE item = :item AND expires_on > :now ORDER BY path"
LOCKS_HELD = "SELECT count(*) FROM space_lock WHERE account = :account AND expires_on > :now"
END_LOCKS = "DELETE FROM space_lock WHERE expires_on <= :now"
ADD_LOCK = f"""
INSERT INTO space_lock (item, {LOCK})
VALUES (:item, :token, :path, :deep, :exclusive, :account, :about, :expires_on)"""
RENEW_LOCK = "UPDATE space_lock SET expires_on = :expires_on WHERE token = :token"
DROP_LOCK = "DELETE FROM space_lock WHERE item = :item AND token = :token"
DROP_LOCKS_BELOW = """
DELETE FROM space_lock WHERE item = :item AND (path = :path OR (path >= :first AND path < :last))"""


class StoredSpaceLocks(Store):
    """chains.spaces.locks.SpaceLocks over a database."""

    def of(self, space: int, now: str) -> Sequence[SpaceLock]:
        return self._database.all(LOCK, LOCKS_OF, item=space, now=now)

    def held(self, account: str, now: str) -> int:
        return int(self._database.value(LOCKS_HELD, account=account, now=now))

    def add(self, space: int, lock: SpaceLock, now: str) -> None:
        facts = {name: getattr(lock, name) for name in LOCK.names}
        self._database.run(END_LOCKS, now=now)
        self._database.run(ADD_LOCK, item=space, **facts)

    def renew(self, token: str, expires_on: str) -> None:
        self._database.run(RENEW_LOCK, token=token, expires_on=expires_on)

    def drop(self, space: int, token: str) -> None:
        self._database.run(DROP_LOCK, item=space, token=token)

    def drop_below(self, space: int, path: str) -> None:
        self._database.run(DROP_LOCKS_BELOW, **tree_of(space, path))
