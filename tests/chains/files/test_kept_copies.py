"""A copy of what the file store keeps is what the book says, or none."""

from __future__ import annotations

from pathlib import Path

import pytest

from chains.files.tallies import copy_out
from storage.bytes.blobs import FileBlobs
from tests.kit.suites.kernel import StillClock
from vfs.errors import NotFound


@pytest.mark.parametrize(
    "now, said",
    [
        (b"abd", "in the server's file store it was changed"),
        (b"a", "it has 1 bytes in place of 3"),
        (None, "it is gone"),
    ],
)
def test_a_copy_is_the_same_or_refused(tmp_path: Path, now: bytes | None, said: str) -> None:
    blobs = FileBlobs(str(tmp_path / "blobs"), StillClock())
    blob = blobs.add([b"abc"], "text/plain")
    copy_out(blobs, blob, tmp_path / "copy", "deep/x")
    assert (tmp_path / "copy").read_bytes() == b"abc"
    (place,) = (path for path in (tmp_path / "blobs").rglob("*") if path.is_file())
    if now is None:
        place.unlink()
    else:
        place.write_bytes(now)
    with pytest.raises(NotFound) as refusal:
        copy_out(blobs, blob, tmp_path / "copy", "deep/x")
    assert refusal.value.detail.startswith('The file "deep/x" is not what was kept: ')
    assert said in refusal.value.detail
