"""The tables of versions, which triggers fill when a leaf gets another content."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from chains.runs.retention import remove_before
from storage.database.columns import Cells, TableColumns
from storage.database.store import Store
from storage.tree.quotas import ROW
from vfs.ports.blobs import Ref
from vfs.ports.leaves import Version, VersionedFile


def _version(
    since: str, until: str, author: str | None, digest: str | None, text_digest: str | None, size: int
) -> Version:
    return Version(since, until, author, digest or text_digest or "", size, digest is None)


VERSION = TableColumns(_version, "since until author digest text_digest size")
FILE = "v.item = :item AND v.rel = :rel"
OF = f"SELECT {VERSION.of('v')} FROM leaf_version v WHERE {FILE} ORDER BY v.id DESC"
BELOW = """
SELECT rel, count(*), max(until) FROM leaf_version
WHERE item = :item AND substr(rel, 1, length(:start)) = :start
GROUP BY rel ORDER BY max(id) DESC LIMIT :most"""
# A content, the present one first.
PRESENT = """
SELECT v.text, v.digest, v.size, v.media FROM leaf v WHERE v.item = :item AND v.rel = :rel AND """
FORMER = """
SELECT t.text, v.digest, v.size, v.media FROM leaf_version v
LEFT JOIN version_text t ON t.item = v.item AND t.digest = v.text_digest
WHERE v.item = :item AND v.rel = :rel AND """
SO_TAGGED = "substr(coalesce(v.digest, v.text_digest), 1, :length) = :digest"
WITH_DIGEST = (f"{PRESENT} {SO_TAGGED}", f"{FORMER} {SO_TAGGED} ORDER BY v.id DESC LIMIT 1")
AT_TIME = (
    f"{PRESENT} coalesce(v.since, v.last_modified) <= :moment",
    f"{FORMER} v.since <= :moment AND v.until > :moment ORDER BY v.id DESC LIMIT 1",
)
FORGET = "DELETE FROM leaf_version WHERE item = :item AND rel = :rel"
FORGET_ALL = "DELETE FROM leaf_version WHERE item = :item"
# The oldest of an item that have together at least :room bytes.
END_OLDEST = f"""
DELETE FROM leaf_version WHERE id IN (SELECT id FROM (
    SELECT id, sum({ROW} + size) OVER (ORDER BY id) - {ROW} - size AS sooner
    FROM leaf_version WHERE item = :item) v WHERE sooner < :room)"""
OLDEST = "SELECT min(until) FROM leaf_version"
AGED = "SELECT DISTINCT item FROM leaf_version WHERE until < :before ORDER BY item LIMIT 200"
END_AGED = "DELETE FROM leaf_version WHERE item = :item AND until < :before"
CROWDED = """
SELECT item, rel FROM leaf_version GROUP BY item, rel HAVING count(*) > :most ORDER BY item, rel LIMIT 200"""
END_CROWDED = """
DELETE FROM leaf_version WHERE item = :item AND rel = :rel AND id <= (
    SELECT v.id FROM leaf_version v WHERE v.item = :item AND v.rel = :rel
    ORDER BY v.id DESC LIMIT 1 OFFSET :most)"""
# Writers of an item lock its row, too: a text stays while a version that is being written names it.
LOCK = "UPDATE item SET name = name WHERE id = :item"


class StoredVersions(Store):
    """The former contents of leaves in the database (vfs.ports.leaves.Versions)."""

    def of(self, item: int, rel: str) -> Sequence[Version]:
        return self._database.all(VERSION, OF, item=item, rel=rel)

    def below(self, item: int, folder: str, most: int) -> Sequence[VersionedFile]:
        rows = self._database.rows(BELOW, item=item, start=f"{folder}/" if folder else "", most=most)
        return [VersionedFile(*row) for row in rows]

    def with_digest(self, item: int, rel: str, digest: str) -> str | Ref | None:
        return self._first(WITH_DIGEST, item=item, rel=rel, digest=digest, length=len(digest))

    def at_time(self, item: int, rel: str, moment: str) -> str | Ref | None:
        return self._first(AT_TIME, item=item, rel=rel, moment=moment)

    def forget(self, item: int, rel: str | None = None) -> int:
        if rel is None:
            return self._end(FORGET_ALL, item=item)
        return self._end(FORGET, item=item, rel=rel)

    def end_oldest(self, item: int, room: int) -> int:
        """End the oldest versions of an item until `room` bytes are free, if it has as many."""
        return self._end(END_OLDEST, item=item, room=room)

    def sweep(self, now: datetime, days: int, most: int) -> int:
        """End versions that were replaced `days` ago, and of each file all but the newest `most`."""
        oldest = self._database.value(OLDEST)
        if oldest is None:
            return 0
        before, ended = remove_before(now, days, oldest), 0
        while items := self._database.rows(AGED, before=before):
            ended += sum(self._end(END_AGED, item=item, before=before) for (item,) in items)
        while files := self._database.rows(CROWDED, most=most):
            ended += sum(self._end(END_CROWDED, item=item, rel=rel, most=most) for item, rel in files)
        return ended

    def _end(self, sql: str, **values: object) -> int:
        with self._database.atomic():
            self._database.run(LOCK, item=values["item"])
            return self._database.run(sql, **values)

    def _first(self, queries: Sequence[str], **values: object) -> str | Ref | None:
        for sql in queries:
            if row := self._database.row(sql, **values):
                return _content(row)
        return None


def _content(row: Cells) -> str | Ref:
    text, digest, size, media = row
    return Ref(digest, size, media) if digest is not None else str(text)
