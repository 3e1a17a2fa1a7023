"""Removal of old logs, outputs and versions, of bytes without a row, of drafts, and of old uses of tokens."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from chains.files.removal import RemovalHold
from storage.bytes.blobs import FileBlobs
from storage.database.bulk import spread
from storage.database.database import Database
from storage.people.tokens import StoredTokens
from storage.upkeep.clocks import Steady, uptime
from vfs.ports.clock import Clock, stamp

# A blob is written before its row: within this time, the row may still follow.
GRACE = timedelta(hours=1)
KEPT = timedelta(days=30)
# A clock that was set by more than this since the last sweep is not trusted (reliability 3.5).
BELIEVED = timedelta(hours=1)
BATCH = 200
# All columns with digests of blobs. Blobs without such a row are removed.
NAMED = (
    ("leaf", "digest"),
    ("leaf_version", "digest"),
    ("run", "digest"),
    ("run", "input_digest"),
    ("run", "files"),
    ("space_entry", "digest"),
    ("trash_file", "digest"),
    ("inbound_mail", "digest"),
)


_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Swept:
    """The numbers of removed blobs and drafts, and of runs whose log and output were removed."""

    blobs: int
    drafts: int
    runs: int = 0


class Sweep:
    """The removal of expired data, and of bytes to which nothing refers.

    `elapsed` returns the seconds of a clock that cannot be set: if `clock` was set since the last sweep or
    the start, one sweep removes nothing, so that the operator has an hour to check. `hold`: no bytes are
    removed while a backup holds it. `held` returns further digests to keep, once per sweep. If it raises, no
    bytes are removed. `retention` removes old data, and returns the number of runs whose data it removed.
    """

    def __init__(
        self, database: Database, blobs: FileBlobs, tokens: StoredTokens, clock: Clock,
        retention: Callable[[datetime], int] = lambda now: 0,
        elapsed: Callable[[], float] = uptime, hold: RemovalHold | None = None,
        held: Callable[[], Collection[str]] = frozenset,
    ) -> None:  # fmt: skip
        self._database = database
        self._blobs = blobs
        self._tokens = tokens
        self._clock = clock
        self._retention = retention
        self._hold = hold
        self._held = held
        self._steady = Steady(clock, elapsed)
        self._queries = [f"SELECT {name} FROM {table} WHERE {name} IN (:batch)" for table, name in NAMED]

    def run(self, grace: timedelta = GRACE) -> Swept:
        """Sweep once. Writers and other sweeps may run at the same time.

        Bytes without a row are removed if they were not added within the `grace`.
        """
        moved = self._steady.step()
        if abs(moved) > BELIEVED:
            _log.warning(
                "the clock was set by %.0f s since the last sweep: nothing is removed before the next one",
                moved.total_seconds(),
            )
            return Swept(0, 0)
        now = self._clock.now()
        runs = self._retention(now)
        self._tokens.prune(stamp(now - KEPT))
        before = now - grace
        removed, held = 0, frozenset(self._held())
        for batch in _batches(self._blobs.digests(before)):
            with self._hold.removing() if self._hold is not None else nullcontext(True) as is_free:
                if not is_free:  # a backup may still need bytes whose row is gone
                    break
                orphans = set(batch) - held - self._keep(batch)
                removed += sum(self._blobs.remove(digest, before) for digest in sorted(orphans))
        return Swept(removed, self._blobs.tidy(now - GRACE), runs)

    def _keep(self, batch: Sequence[str]) -> set[str]:
        """Return the digests in `batch` that are in a row."""
        padded, found = [*batch, *[""] * (BATCH - len(batch))], set[str]()
        for query in self._queries:
            sql, params = spread(query, batch=padded)
            found |= {digest for (digest,) in self._database.rows(sql, **params)}
        return found


def _batches(digests: Iterable[str]) -> Iterator[list[str]]:
    source = iter(digests)
    while batch := list(islice(source, BATCH)):
        yield batch
