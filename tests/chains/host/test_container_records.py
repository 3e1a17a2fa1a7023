"""Records of containers are in memory, where Podman looks by default."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from chains.engine.port import EngineError
from chains.host.container_records import FOLDERS, keep_in_memory
from chains.podman.leftovers import unmount
from tests.kit.disk.traces import kind_of

pytestmark = pytest.mark.podman


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "store"
    unmount(tmp_path)


def test_its_folders_are_in_memory_and_stay_so(store: Path) -> None:
    keep_in_memory(store)
    for name, mode in FOLDERS.items():
        assert kind_of(store / name) == "tmpfs"
        assert stat.S_IMODE((store / name).stat().st_mode) == int(mode, 8)
        (store / name / "kept").touch()
    keep_in_memory(store)
    assert all((store / name / "kept").exists() for name in FOLDERS)
    unmount(store)
    assert not any((store / name / "kept").exists() for name in FOLDERS)


def test_what_an_earlier_version_left_on_the_disk_is_gone(store: Path) -> None:
    for name in ("libpod/bolt_state.db", "overlay-containers/c/userdata/config.json", "db.sql", "db.sql-wal"):
        (store / name).parent.mkdir(parents=True, exist_ok=True)
        (store / name).write_text("secret")
    (store / "overlay-images").mkdir()
    keep_in_memory(store)
    unmount(store)
    assert not [path for path in store.rglob("*") if path.is_file()]
    assert (store / "overlay-images").is_dir()


def test_layers_without_a_container_are_reported(store: Path) -> None:
    layers = [
        {"id": "base", "created": "2026-11-26T14:05:47Z"},
        {"id": "named", "names": ["kept"], "created": "2026-11-26T14:05:47Z"},
        {"id": "lost", "names": ["curlew-1-layer"], "parent": "base", "created": "2026-11-26T14:05:49Z"},
    ]
    (store / "overlay-layers").mkdir(parents=True)
    (store / "overlay-layers/layers.json").write_text(json.dumps(layers))
    [lost] = keep_in_memory(store)
    [record] = json.loads((store / "overlay-containers/containers.json").read_text())
    assert (record["id"], record["names"], record["layer"]) == (lost, ["curlew-1"], "lost")
    assert keep_in_memory(store) == []


def test_a_book_in_sqlite_is_kept_in_memory_with_its_journal(store: Path) -> None:
    keep_in_memory(store)
    run_store = sqlite3.connect(store / "db.sql")
    run_store.execute("pragma journal_mode = wal")
    run_store.execute("create table containers (name)")
    run_store.commit()
    assert {path.name for path in (store / "libpod").iterdir()} == {"db.sql", "db.sql-wal", "db.sql-shm"}
    assert [path.name for path in store.iterdir() if path.name.startswith("db.sql")] == ["db.sql"]
    run_store.close()


def test_where_nothing_can_be_mounted_it_is_said_what_to_do(
    store: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "mount").write_text("#!/bin/sh\necho permission denied >&2; exit 32\n")
    (tmp_path / "mount").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(EngineError, match=r"permission denied.*run the runner as root"):
        keep_in_memory(store)
