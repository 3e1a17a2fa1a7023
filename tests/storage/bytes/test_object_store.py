"""Bytes in a bucket keep the promises of bytes on a disk; a lost store is reported and loses nothing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import obstore
import pytest

from chains.sharing.run_files import KeptRunFiles
from storage.bytes.blobs import FileBlobs
from storage.bytes.object_store import MEMORY, PIECE, ObjectStore
from tests.kit.clocks import WallClock
from tests.kit.outside.buckets import Buckets
from tests.kit.outside.weed import Weed
from tests.kit.suites.kernel import EmptyWorld
from tests.kit.suites.kernel.leaves import BlobsSuite
from tests.kit.world import StoredWorld
from vfs.errors import Invalid, NoSpace, NotFound, Unavailable

LARGE = bytes(range(256)) * (3 * PIECE // 256) + b"the end"


@pytest.fixture(scope="module", params=["moto", pytest.param("seaweedfs", marks=pytest.mark.repeats)])
def buckets(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Buckets | Weed]:
    """Two stores that know nothing of each other."""
    buckets = Buckets() if request.param == "moto" else Weed(tmp_path_factory.mktemp("weed"))
    buckets.start()
    yield buckets
    buckets.stop()


@pytest.fixture
def blobs(buckets: Buckets | Weed, request: pytest.FixtureRequest) -> FileBlobs:
    return FileBlobs(buckets.url(re.sub(r"\W", "-", request.node.name)), WallClock())


class TestBucket(BlobsSuite):
    @pytest.fixture
    def empty_world(self, blobs: FileBlobs) -> EmptyWorld:
        world = StoredWorld()
        world.blobs = blobs  # type: ignore[assignment]
        return world


def test_large_bytes_are_read_from_anywhere(blobs: FileBlobs, tmp_path: Path) -> None:
    assert len(LARGE) > 2 * MEMORY
    ref = blobs.add((LARGE[at : at + 70_000] for at in range(0, len(LARGE), 70_000)), "x/y")
    with blobs.open(ref) as stream:
        assert stream.read() == LARGE
        assert stream.seek(-7, 2) == len(LARGE) - 7
        assert stream.read() == b"the end"
        assert stream.seek(PIECE - 3) == PIECE - 3
        assert stream.read(10) == LARGE[PIECE - 3 : PIECE + 7]
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("big", os.urandom(2 * PIECE))
        archive.writestr("small", "text")
    packed = blobs.add([(tmp_path / "a.zip").read_bytes()], "application/zip")
    with blobs.open(packed) as stream, zipfile.ZipFile(stream) as archive:
        assert archive.read("small") == b"text"
        assert archive.testzip() is None


def test_a_full_bucket_differs_from_an_unavailable_one(tmp_path: Path) -> None:
    full = tmp_path / "full"
    buckets = Buckets(full)
    buckets.start()
    try:
        blobs = FileBlobs(buckets.url("blobs"), WallClock())
        kept = blobs.add([b"kept"], "text/plain")
        full.touch()
        with pytest.raises(NoSpace, match="full, so nothing was stored"):
            blobs.add([b"lost"], "text/plain")
        with blobs.open(kept) as stream:
            assert stream.read() == b"kept"
        full.unlink()
        assert blobs.add([b"lost"], "text/plain").size == 4
    finally:
        buckets.stop()


def test_only_what_nobody_added_since_is_removed(blobs: FileBlobs) -> None:
    ref = blobs.add([b"old"], "text/plain")
    soon, before = (datetime.now(UTC) + timedelta(seconds=seconds) for seconds in (60, -60))
    assert list(blobs.digests(before)) == []
    assert list(blobs.digests(soon)) == [ref.digest]
    assert blobs.remove(ref.digest, before) is False
    assert blobs.remove(ref.digest, soon) is True
    assert blobs.remove(ref.digest, soon) is False
    with pytest.raises(NotFound):
        blobs.open(ref)
    assert blobs.tidy(soon) == 0


def test_files_of_runs_go_by_the_bucket(blobs: FileBlobs, tmp_path: Path) -> None:
    (tmp_path / "one" / "deep").mkdir(parents=True)
    for number in range(20):
        (tmp_path / f"one/deep/{number}").write_text(str(number))
    files = KeptRunFiles(blobs)
    files.fetch(files.store(tmp_path / "one"), tmp_path / "two")
    for number in range(20):
        assert (tmp_path / f"two/deep/{number}").read_text() == str(number)


def test_who_writes_what_is_being_removed_waits_and_has_it(buckets: Buckets | Weed) -> None:
    store = ObjectStore(buckets.url("signs"))
    blobs = FileBlobs(buckets.url("signs"), WallClock())
    ref = blobs.add([b"same"], "text/plain")
    path = f"{ref.digest[:2]}/{ref.digest[2:4]}/{ref.digest}"
    obstore.put(store._store, f"dropping/{ref.digest}", b"")
    with ThreadPoolExecutor(1) as pool:
        adding = pool.submit(blobs.add, [b"same"], "text/plain")
        with pytest.raises(TimeoutError):
            adding.result(0.5)
        obstore.delete(store._store, path)
        obstore.delete(store._store, f"dropping/{ref.digest}")
        assert adding.result(20) == ref
    with blobs.open(ref) as stream:
        assert stream.read() == b"same"
    assert blobs.remove(ref.digest, datetime.now(UTC) + timedelta(seconds=60))
    assert [path for path, _ in store.files()] == []


FORK = """
import os, sys
from storage.bytes.blobs import FileBlobs
from tests.kit.clocks import WallClock
blobs = FileBlobs(sys.argv[1], WallClock())
def forked(said):
    child = os.fork()
    if child == 0:
        try:
            blobs.add([said], "text/plain")
        except Exception as error:
            print(error)
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1]
assert forked(b"a child that is the first") == 0
blobs.add([b"the parent"], "text/plain")
assert forked(b"a child of who used it") != 0
"""


def test_a_process_that_was_forked_before_the_first_use_goes_on(buckets: Buckets | Weed) -> None:
    """Web processes are: their program is loaded, then they are forked, then they serve."""
    done = subprocess.run(
        [sys.executable, "-c", FORK, buckets.url("forks")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "was used before this process was forked" in done.stdout


def test_a_store_that_is_away_is_unavailable(buckets: Buckets | Weed, blobs: FileBlobs) -> None:
    ref = blobs.add([b"there"], "text/plain")
    buckets.stop()
    try:
        for act in (lambda: blobs.add([b"new"], "text/plain"), lambda: blobs.open(ref)):
            with pytest.raises(Unavailable, match="does not answer"):
                act()
    finally:
        buckets.start()


@pytest.mark.parametrize("url", ["s3://", "s3:///prefix", "s3://key:secret@bucket?colour=red"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(Invalid, match="Correct its URL") as refusal:
        FileBlobs(url, WallClock())
    assert "secret" not in refusal.value.detail


def test_a_wrong_password_of_the_store_is_reported_at_once(tmp_path: Path) -> None:
    """SeaweedFS compares it; moto does not."""
    weed = Weed(tmp_path)
    weed.start()
    try:
        with pytest.raises(Unavailable, match="lacked the necessary privileges"):
            FileBlobs(weed.url("x", "a wrong one"), WallClock()).add([b"new"], "text/plain")
    finally:
        weed.stop()
