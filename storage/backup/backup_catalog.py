"""BackupCatalog: expected and actual members of a backup, in an unnamed temporary file."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator

from storage.tree.item_rows import TRASHED

TABLES = """
CREATE TABLE blob (digest TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE repo (item INTEGER PRIMARY KEY);
CREATE TABLE run (key INTEGER PRIMARY KEY, input TEXT);
CREATE TABLE keeper (run INTEGER PRIMARY KEY);
CREATE TABLE manifest (name TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE output (run INTEGER, step TEXT, PRIMARY KEY (run, step)) WITHOUT ROWID;
CREATE TABLE member (name TEXT PRIMARY KEY, size INTEGER, digest TEXT) WITHOUT ROWID;
CREATE TABLE declared (name TEXT PRIMARY KEY, size INTEGER, digest TEXT, lost TEXT) WITHOUT ROWID;
"""
# A sentence for each way in which a member can be wrong.
WRONG = """
SELECT d.name, 'it is missing' FROM declared d LEFT JOIN member m USING (name)
    WHERE m.name IS NULL AND d.lost IS NULL
UNION ALL SELECT m.name, 'the manifest does not name it' FROM member m LEFT JOIN declared d USING (name)
    WHERE d.name IS NULL
UNION ALL SELECT m.name, 'it is not what the manifest says: its bytes were changed'
    FROM member m JOIN declared d USING (name)
    WHERE d.digest IS NOT NULL AND (m.size <> d.size OR m.digest <> d.digest)
UNION ALL SELECT m.name, 'its bytes are not those of its digest'
    FROM member m LEFT JOIN declared d USING (name)
    WHERE m.name LIKE 'blobs/%' AND m.name <> 'blobs/' || m.digest AND d.lost IS NULL
UNION ALL SELECT 'blobs/' || b.digest, 'a row names it, and it is not there' FROM blob b
    WHERE NOT EXISTS (SELECT 1 FROM member m WHERE m.name = 'blobs/' || b.digest)
    AND NOT EXISTS (SELECT 1 FROM declared d WHERE d.name = 'blobs/' || b.digest)
UNION ALL SELECT 'repos/' || r.item || '/bundle', 'a row names it, and it is not there' FROM repo r
    WHERE NOT EXISTS (SELECT 1 FROM member m WHERE m.name = 'repos/' || r.item || '/bundle')
    AND NOT EXISTS (SELECT 1 FROM declared d WHERE d.name = 'repos/' || r.item || '/bundle')
UNION ALL SELECT 'runs/' || r.input, 'a run that has not begun names it, and it is not there' FROM run r
    WHERE r.input IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM member m WHERE m.name = 'runs/' || r.input || '/.folder')
    AND NOT EXISTS (SELECT 1 FROM member m WHERE m.name = 'runs/run-' || r.key || '/input/.folder')
    AND NOT EXISTS (SELECT 1 FROM declared d WHERE d.name = 'runs/' || r.input)
ORDER BY 1, 2 LIMIT ?"""
MANIFEST = """
SELECT name, size, digest, lost FROM declared ORDER BY name"""


class BackupCatalog:
    """Names, sizes and digests of any number of members, on disk instead of in memory."""

    def __init__(self, repo_kinds: Collection[str]) -> None:
        """Make the catalog; `repo_kinds` are the kinds of items that have a repository."""
        self._repo_kinds = repo_kinds
        self._rows = sqlite3.connect("", isolation_level=None)
        self._rows.executescript(f"PRAGMA journal_mode = off; PRAGMA synchronous = off; {TABLES}")
        self._rows.text_factory = lambda text: text.decode("utf-8", "surrogateescape")

    def close(self) -> None:
        """Delete the catalog."""
        self._rows.close()

    def want_blob(self, digest: str) -> None:
        """Record that a row refers to these bytes."""
        self._rows.execute("INSERT OR IGNORE INTO blob VALUES (?)", (digest,))

    def want_item(self, item: int, kind: str) -> None:
        """Record an item, which may have a repository."""
        if kind.removeprefix(TRASHED) not in self._repo_kinds:
            return
        self._rows.execute("INSERT OR IGNORE INTO repo VALUES (?)", (item,))

    def want_run(self, key: int, input: str | None) -> None:
        """Record a run that is queued or waits, and the folder of its input."""
        self._rows.execute("INSERT OR IGNORE INTO run VALUES (?, ?)", (key, input))

    def want_output(self, run: int, step: str) -> None:
        """Record a successful step of a run that is queued or waits."""
        sql = "INSERT OR IGNORE INTO output SELECT key, ? FROM run WHERE key = ?"
        self._rows.execute(sql, (step, run))

    def want_outputs(self, run: int) -> None:
        """Record a run whose stored outputs are needed."""
        self._rows.execute("INSERT OR IGNORE INTO keeper VALUES (?)", (run,))

    def want_manifest(self, run: int, name: str) -> None:
        """Record the manifest of stored files of a run, if they are needed."""
        sql = "INSERT OR IGNORE INTO manifest SELECT ? FROM keeper WHERE run = ?"
        self._rows.execute(sql, (name, run))

    def manifests(self) -> list[str]:
        """Return the names of manifests whose files are needed."""
        return [name for (name,) in self._rows.execute("SELECT name FROM manifest ORDER BY name")]

    def blobs(self) -> Iterator[str]:
        """Yield the digests in rows, in order."""
        yield from (digest for (digest,) in self._rows.execute("SELECT digest FROM blob ORDER BY digest"))

    def repos(self) -> Iterator[int]:
        """Yield the items of repositories, in order."""
        yield from (item for (item,) in self._rows.execute("SELECT item FROM repo ORDER BY item"))

    def runs(self) -> Iterator[tuple[int, str | None, list[str]]]:
        """Yield the runs that are queued or wait, in order, with their steps that have an output."""
        for key, input in self._rows.execute("SELECT key, input FROM run ORDER BY key"):
            steps = self._rows.execute("SELECT step FROM output WHERE run = ? ORDER BY step", (key,))
            yield key, input, [step for (step,) in steps]

    def note_member(self, name: str, size: int, digest: str) -> bool:
        """Record a member that was read; return False for a repeated name."""
        row = _name_in_rows(name), size, digest
        return bool(self._rows.execute("INSERT OR IGNORE INTO member VALUES (?, ?, ?)", row).rowcount)

    def declare(self, name: str, size: int | None, digest: str | None, lost: str | None = None) -> bool:
        """Record the manifest's entry of a member; return False if repeated. `lost`: why it is incomplete."""
        row = _name_in_rows(name), size, digest, lost
        return bool(self._rows.execute("INSERT OR IGNORE INTO declared VALUES (?, ?, ?, ?)", row).rowcount)

    def manifest(self) -> Iterator[tuple[str, int | None, str | None, str | None]]:
        """Yield all entries of the manifest, by name."""
        yield from self._rows.execute(MANIFEST)

    def list_lost(self, most: int) -> list[tuple[str, str]]:
        """Return members that were missing or damaged when the backup was made, with the reasons."""
        sql = "SELECT name, lost FROM declared WHERE lost IS NOT NULL ORDER BY name LIMIT ?"
        return self._rows.execute(sql, (most,)).fetchall()

    def wrong(self, most: int) -> list[tuple[str, str]]:
        """Return wrong members, with the reasons."""
        return self._rows.execute(WRONG, (most,)).fetchall()

    def totals(self) -> tuple[int, int]:
        """Return the number of members, and their bytes."""
        count, size = self._rows.execute("SELECT COUNT(*), COALESCE(SUM(size), 0) FROM member").fetchone()
        return int(count), int(size)


def _name_in_rows(name: str) -> str:
    """Return a name that SQLite accepts, even if its bytes are not UTF-8."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
