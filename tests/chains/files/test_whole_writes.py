"""What does not fit is known when it is written, and no later."""

from __future__ import annotations

import errno
import io
import tempfile
from pathlib import Path

import pytest

from chains.files.fsync import write_whole


class Halves(io.RawIOBase):
    """A file that takes half of what it is given."""

    def __init__(self) -> None:
        self.taken = b""

    def write(self, content: memoryview) -> int:  # type: ignore[override]
        half = bytes(content[: (len(content) + 1) // 2])
        self.taken += half
        return len(half)


def test_all_is_written_however_little_is_taken_at_a_time() -> None:
    file = Halves()
    assert write_whole(file, b"0123456789") == 10  # type: ignore[arg-type]
    assert file.taken == b"0123456789"
    with tempfile.TemporaryFile(buffering=0) as real:
        assert write_whole(real, b"") == 0


def test_a_full_disk_is_met_by_the_write_and_not_by_the_close() -> None:
    file = Path("/dev/full").open("wb", buffering=0)  # noqa: SIM115
    with pytest.raises(OSError, match="No space") as full:
        write_whole(file, b"x")
    assert full.value.errno == errno.ENOSPC
    file.close()
