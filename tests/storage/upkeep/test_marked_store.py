"""The file store that `blobs_url` names has the mark of its installation: a bucket, or a folder."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from storage.bytes.blobs import FileBlobs
from storage.database.database import Database
from storage.upkeep.installation_mark import (
    DRAFT,
    NAME,
    MarkedFolder,
    new_mark,
    require_own,
    require_same,
)
from storage.upkeep.marked_store import MarkedStore
from tests.kit.clocks import WallClock
from tests.kit.outside.buckets import Buckets
from vfs.errors import Conflict, Unavailable


@pytest.fixture(scope="module")
def buckets() -> Iterator[Buckets]:
    buckets = Buckets()
    buckets.start()
    yield buckets
    buckets.stop()


@pytest.fixture(params=["bucket", "folder"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> MarkedStore:
    if request.param == "folder":
        return MarkedStore(f"osfs://{tmp_path}/blobs")
    return MarkedStore(request.getfixturevalue("buckets").url(tmp_path.name))


def mark_of(database: Database) -> str:
    return str(database.value("SELECT mark FROM installation"))


def test_it_is_marked_with_the_database_and_its_bytes_stay(database: Database, store: MarkedStore) -> None:
    blobs = FileBlobs(store.url, WallClock())
    ref = blobs.add([b"x"], "text/plain")
    require_own(database, "db", [store])
    assert (store.read(), store.read(DRAFT)) == (mark_of(database), None)
    require_own(database, "db", [store])
    require_same(database, store)
    assert list(blobs.digests(WallClock().now().replace(year=9999))) == [ref.digest]


def test_a_strangers_is_refused_by_both_names(database: Database, store: MarkedStore, tmp_path: Path) -> None:
    folder = MarkedFolder(tmp_path / "data", "data folder")
    require_own(database, "db", [folder])
    store.write(NAME, mark := new_mark())
    with pytest.raises(Conflict) as refusal:
        require_own(database, "db", [folder, store])
    for named in (store.shown, mark, "the database db", mark_of(database), store.where):
        assert named in refusal.value.detail
    assert store.where.endswith(f"/{NAME}")
    assert "secret" not in refusal.value.detail
    with pytest.raises(Conflict, match=mark):
        require_same(database, store)


def test_an_empty_one_beside_a_database_in_use_is_refused(
    database: Database, store: MarkedStore, tmp_path: Path
) -> None:
    require_own(database, "db", [MarkedFolder(tmp_path / "data", "data folder")])
    with pytest.raises(Conflict, match="has no mark"):
        require_own(database, "db", [store])
    assert store.read() is None


def test_a_new_database_beside_one_in_use_is_refused(database: Database, store: MarkedStore) -> None:
    store.write(NAME, new_mark())
    with pytest.raises(Conflict, match="is new"):
        require_own(database, "db", [store])


def test_hosts_that_start_at_once_agree(database: Database, tmp_path: Path) -> None:
    store = MarkedStore(f"osfs://{tmp_path}/blobs")

    def start(number: int) -> None:
        own = MarkedFolder(tmp_path / f"host-{number}", "data folder", may_join=True)
        require_own(database, "db", [MarkedFolder(tmp_path / "repos", "repositories"), store, own])

    for _ in range(10):
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(start, range(8)))
        found = {path.read_text().strip() for path in tmp_path.glob(f"*/{NAME}")}
        assert found == {mark_of(database)}
        assert not [*tmp_path.glob(f"*/{DRAFT}")]
        database.run("DELETE FROM installation")
        for path in tmp_path.glob(f"*/{NAME}"):
            path.unlink()


@pytest.mark.parametrize("is_entered", [False, True])
def test_a_first_start_that_was_cut_off_is_brought_to_its_end(
    database: Database, store: MarkedStore, is_entered: bool
) -> None:
    store.write(DRAFT, mark := new_mark())
    if is_entered:
        database.run("INSERT INTO installation (id, mark) VALUES (1, :mark)", mark=mark)
    require_own(database, "db", [store])
    assert (mark_of(database), store.read(), store.read(DRAFT)) == (mark, mark, None)


def test_what_is_no_mark_is_refused(database: Database, store: MarkedStore) -> None:
    FileBlobs(store.url, WallClock()).write_note(NAME, "0" * 31)
    with pytest.raises(Unavailable, match="is no mark"):
        require_own(database, "db", [store])


def test_one_that_is_away_is_not_waited_for_but_by_a_first_start(
    database: Database, tmp_path: Path, buckets: Buckets
) -> None:
    away = MarkedStore(buckets.url("x").replace("127.0.0.1", "127.0.0.2"))
    folder = MarkedFolder(tmp_path / "data", "data folder")
    with pytest.raises(Unavailable, match="does not answer"):
        require_own(database, "db", [away, folder])
    assert not (tmp_path / "data" / NAME).exists()
    require_own(database, "db", [folder])
    require_own(database, "db", [away, folder])
    with pytest.raises(Unavailable):
        require_same(database, away)
