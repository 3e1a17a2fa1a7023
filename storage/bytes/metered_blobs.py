"""The count of received bytes for the account that pays for them, even if no row refers to them."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO

from vfs.errors import QuotaReached
from vfs.ports.blobs import Blobs, Ref
from vfs.ports.clock import Clock
from vfs.ports.quotas import Quotas

HOUR = 3600
LEAST = 1 << 30
"""Bytes that an account may always receive in an hour, even if its storage quota is smaller."""


class MeteredBlobs:
    """Blobs on top of other blobs: in an hour, an account may receive as much as its storage quota.

    Bytes that were replaced, or refused after their receipt, stay on the disk until a sweep, so received
    bytes are counted separately. Each process counts in memory, so a rollback does not undo the count.
    """

    def __init__(self, blobs: Blobs, quotas: Quotas, clock: Clock) -> None:
        self._blobs = blobs
        self._quotas = quotas
        self._clock = clock
        self._lock = threading.Lock()
        self._ends = 0.0
        self._came: dict[str, int] = {}

    def add(self, chunks: Iterable[bytes], media: str, item: int | None = None) -> Ref:
        """Store as Blobs.add does. Raises QuotaReached when the bytes of this hour exceed the limit."""
        return self.add_all(((chunks, media),), item)[0]

    def add_all(
        self, contents: Iterable[tuple[Iterable[bytes], str]], item: int | None = None
    ) -> Sequence[Ref]:
        """Store as Blobs.add_all does. Raises as `add` does."""
        payer = self._quotas.payer_of(item) if item is not None else None
        if payer is None:
            return self._blobs.add_all(contents)
        account, most = payer[0], max(payer[1], LEAST)
        return self._blobs.add_all((self._meter(chunks, account, most), media) for chunks, media in contents)

    def open(self, ref: Ref) -> BinaryIO:
        return self._blobs.open(ref)

    def _meter(self, chunks: Iterable[bytes], account: str, most: int) -> Iterator[bytes]:
        for chunk in chunks:
            left = self._count(account, len(chunk), most)
            if left is not None:
                raise QuotaReached(
                    f"the account {account} has stored the maximum of an hour, including what was "
                    "replaced or removed since; nothing was stored; try again later",
                    quota="storage",
                    retry_after=left,
                )
            yield chunk

    def _count(self, account: str, size: int, most: int) -> int | None:
        """Count bytes; return None, or the seconds until the end of the hour if they exceed `most`."""
        now = self._clock.now().timestamp()
        with self._lock:
            if not self._ends - HOUR <= now < self._ends:
                self._ends = now + HOUR
                self._came.clear()
            self._came[account] = came = self._came.get(account, 0) + size
        return None if came <= most else int(self._ends - now) + 1
