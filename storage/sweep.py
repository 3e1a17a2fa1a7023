"""What is left over and can go: bytes that no row names, drafts of dead writers, activity beyond the logs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice

from storage.blobs import FileBlobs
from storage.database import Database
from storage.tokens import StoredTokens
from vfs.world import Clock, stamp

# A blob is written before its row: within this time it may still be on the way to one.
GRACE = timedelta(hours=1)
KEPT = timedelta(days=30)
BATCH = 200
# Every column that names a blob: what none of them names is removed.
NAMED = (("leaf", "digest"), ("run", "digest"), ("space_entry", "digest"))


@dataclass(frozen=True, slots=True)
class Swept:
    """How many blobs and drafts were removed."""

    blobs: int
    drafts: int


class Sweep:
    """Removes what nothing refers to. `named` are the columns that name blobs, as (table, column)."""

    def __init__(
        self, database: Database, blobs: FileBlobs, tokens: StoredTokens, clock: Clock,
        named: Sequence[tuple[str, str]] = NAMED,
    ) -> None:  # fmt: skip
        self._database = database
        self._blobs = blobs
        self._tokens = tokens
        self._clock = clock
        marks = ", ".join("?" * BATCH)
        self._queries = [f"SELECT {name} FROM {table} WHERE {name} IN ({marks})" for table, name in named]

    def run(self) -> Swept:
        """Sweep once; safe beside writers and beside another sweep."""
        now = self._clock.now()
        before = now - GRACE
        removed = 0
        for batch in _batches(self._blobs.digests(before)):
            orphans = set(batch) - self._kept(batch)
            removed += sum(self._blobs.remove(digest, before) for digest in sorted(orphans))
        self._tokens.prune(stamp(now - KEPT))
        return Swept(removed, self._blobs.tidy(before))

    def _kept(self, batch: Sequence[str]) -> set[str]:
        """Those of the digests that a row names."""
        padded = [*batch, *[""] * (BATCH - len(batch))]
        return {row[0] for query in self._queries for row in self._database.rows(query, *padded)}


def _batches(digests: Iterable[str]) -> Iterator[list[str]]:
    source = iter(digests)
    while batch := list(islice(source, BATCH)):
        yield batch
