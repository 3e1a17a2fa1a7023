"""Bytes on disk and elsewhere: whole or not at all, through kills, full disks and links."""

from __future__ import annotations

import hashlib
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from io import FileIO
from pathlib import Path
from typing import Any

import pytest
from fs.memoryfs import MemoryFS
from fs.opener import Opener, registry

from chains.files.fsync import FEW
from storage.bytes.blobs import FileBlobs
from tests.kit.disk.flushes import counted_flushes
from tests.kit.suites.kernel import EmptyWorld, StillClock
from tests.kit.suites.kernel.leaves import BlobsSuite
from tests.kit.world import StoredWorld
from vfs.errors import Invalid, NoSpace, NotFound, Unavailable
from vfs.ports.blobs import Ref

WRITE_FOR_EVER = """
import os, sys
from chains.files.fsync import FEW
from storage.bytes.blobs import FileBlobs
from tests.kit.suites.kernel import StillClock
blobs = FileBlobs("osfs://" + sys.argv[1], StillClock())
number = 0
while True:
    number += 1
    ref = blobs.add((b"%d" % number * 20_000 for _ in range(5)), "text/plain")
    os.write(1, f"{ref.digest} {ref.size}\\n".encode())
"""


class FullFS(MemoryFS):
    """A store whose disk is full: what is written to its files goes to /dev/full."""

    def openbin(self, path: str, mode: str = "r", buffering: int = -1, **options: Any) -> Any:
        if "w" in mode:
            super().openbin(path, mode, buffering, **options).close()
            return FileIO("/dev/full", "w")
        return super().openbin(path, mode, buffering, **options)


class FullOpener(Opener):
    protocols = ["full"]  # noqa: RUF012

    def open_fs(self, fs_url: str, parse_result: Any, writeable: bool, create: bool, cwd: str) -> FullFS:
        return FullFS()


registry.install(FullOpener)


def content(blobs: FileBlobs, ref: Ref) -> bytes:
    with blobs.open(ref) as stream:
        return stream.read()


def stored_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


class TestElsewhere(BlobsSuite):
    """Any file system that a URL names keeps the same promises."""

    @pytest.fixture(params=["mem://", "temp://curlew", "plain path"])
    def empty_world(self, request: pytest.FixtureRequest, tmp_path: Path) -> EmptyWorld:
        world = StoredWorld()
        url = request.param if "://" in request.param else str(tmp_path / "blobs")
        world.blobs = FileBlobs(url, world.clock)  # type: ignore[assignment]
        return world


class TestDisk:
    @pytest.fixture
    def blobs(self, tmp_path: Path) -> FileBlobs:
        return FileBlobs(f"osfs://{tmp_path}/blobs", StillClock())

    def test_files_are_stored_in_two_levels_for_the_owner_only(
        self, blobs: FileBlobs, tmp_path: Path
    ) -> None:
        digest = blobs.add([b"bytes"], "text/plain").digest
        (path,) = stored_files(tmp_path)
        assert path == tmp_path / "blobs" / digest[:2] / digest[2:4] / digest
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE((tmp_path / "blobs").stat().st_mode) == 0o700

    def test_equal_bytes_are_stored_once(self, blobs: FileBlobs, tmp_path: Path) -> None:
        refs = {blobs.add([b"same"], "text/plain") for _ in range(3)}
        assert len(refs) == 1
        assert len(stored_files(tmp_path)) == 1

    def test_a_torn_file_is_replaced(self, blobs: FileBlobs, tmp_path: Path) -> None:
        ref = blobs.add([b"whole"], "text/plain")
        stored_files(tmp_path)[0].write_bytes(b"wh")
        blobs.add([b"whole"], "text/plain")
        assert content(blobs, ref) == b"whole"

    def test_a_link_is_not_followed(self, blobs: FileBlobs, tmp_path: Path) -> None:
        ref = blobs.add([b"bytes"], "text/plain")
        (path,) = stored_files(tmp_path)
        path.unlink()
        path.symlink_to("/etc/hostname")
        with pytest.raises(Unavailable):
            blobs.open(ref)

    def test_threads_may_add_the_same_bytes(self, blobs: FileBlobs, tmp_path: Path) -> None:
        with ThreadPoolExecutor(8) as pool:
            refs = set(pool.map(lambda _: blobs.add([b"same" * 1000], "text/plain"), range(40)))
        (ref,) = refs
        assert content(blobs, ref) == b"same" * 1000
        assert len(stored_files(tmp_path)) == 1

    def test_a_kill_leaves_nothing_torn(self, tmp_path: Path) -> None:
        acknowledged: dict[str, int] = {}
        for _ in range(8):
            acknowledged.update(killed_writer(tmp_path, after=len(acknowledged) % 5 + 1))
        blobs = FileBlobs(f"osfs://{tmp_path}", StillClock())
        for digest, size in acknowledged.items():
            assert len(content(blobs, Ref(digest, size, "text/plain"))) == size
        for path in stored_files(tmp_path):
            if path.parent.name != "drafts":
                assert hashlib.sha256(path.read_bytes()).hexdigest() == path.name

    def test_a_folder_that_cannot_be_made_is_reported(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        with pytest.raises(Invalid, match="cannot be opened"):
            FileBlobs(f"osfs://{tmp_path}/file/blobs", StillClock())

    def test_an_invalid_url_is_reported(self) -> None:
        with pytest.raises(Invalid, match="nonsense://"):
            FileBlobs("nonsense://x", StillClock())


def killed_writer(folder: Path, after: int) -> Iterator[tuple[str, int]]:
    """Digest and size of what a writer had acknowledged when it was killed in the middle of the next one."""
    writer = subprocess.Popen([sys.executable, "-c", WRITE_FOR_EVER, str(folder)], stdout=subprocess.PIPE)
    assert writer.stdout is not None
    lines = [writer.stdout.readline() for _ in range(after)]
    os.kill(writer.pid, signal.SIGKILL)
    lines += writer.stdout.readlines()
    writer.wait()
    writer.stdout.close()
    for line in lines:
        digest, size = line.split()
        yield digest.decode(), int(size)


class TestFull:
    def test_a_full_disk_stores_nothing(self) -> None:
        blobs = FileBlobs("full://", StillClock())
        with pytest.raises(NoSpace, match="nothing was stored"):
            blobs.add([b"bytes"], "text/plain")
        assert blobs.tidy(StillClock().now() + timedelta(days=36500)) == 0
        with pytest.raises(NotFound):
            blobs.open(Ref(hashlib.sha256(b"bytes").hexdigest(), 5, "text/plain"))


@pytest.mark.parametrize("count", [1, 3, 500])
def test_many_files_wait_for_the_disk_a_few_times(tmp_path: Path, count: int) -> None:
    blobs = FileBlobs(f"osfs://{tmp_path}/blobs", StillClock())
    with counted_flushes() as seen:
        refs = blobs.add_all(([b"%d" % number], "text/plain") for number in range(count))
    assert [content(blobs, ref) for ref in refs] == [b"%d" % number for number in range(count)]
    assert 2 <= seen.single + seen.whole <= 2 * FEW
    assert seen.whole == (2 if count > FEW else 0)
