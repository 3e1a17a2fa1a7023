"""Places for sessions over SSH: so many at once, and so many of one account, whatever process serves them."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vfs.errors import TooMany

FIRST = 1 << 20
RETRY = 5


@contextmanager
def ssh_place(file: Path, account: int, most: int) -> Iterator[None]:
    """Hold a place, one of `most`, of which an account has a quarter. Raises TooMany.

    A place is a byte of a file that is locked: it is free again when its process ends, however that is.
    """
    each = max(most // 4, 1)
    held = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if not _take(held, FIRST + account * each, each):
            raise TooMany(
                f"you have {each} sessions of git over SSH, as many as may be; try again", retry_after=RETRY
            )
        if not _take(held, 0, most):
            raise TooMany(
                "as many clones and pushes over SSH are at work as may be; try again", retry_after=RETRY
            )
        yield
    finally:
        os.close(held)


def _take(file: int, start: int, count: int) -> bool:
    """Lock one of so many bytes; False when all are."""
    for place in range(start, start + count):
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except OSError:
            continue
        return True
    return False
