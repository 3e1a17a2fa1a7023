"""Counts how often files and folders are flushed to the disk; each flush is made all the same."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from chains.files import fsync


@dataclass
class Flushes:
    """The flushes so far: of single files and folders, and of whole file systems."""

    single: int = 0
    whole: int = 0


@contextmanager
def counted_flushes() -> Iterator[Flushes]:
    """The flushes of this process meanwhile."""
    seen, one, all_at_once = Flushes(), os.fsync, fsync.flush_system

    def flush_one(handle: int) -> None:
        seen.single += 1
        one(handle)

    def flush_all(handle: int) -> None:
        seen.whole += 1
        all_at_once(handle)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", flush_one)
        patch.setattr(fsync, "flush_system", flush_all)
        yield seen
