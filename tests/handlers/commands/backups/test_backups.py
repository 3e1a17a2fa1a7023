"""`curlew backup` and `curlew restore`, from and to both databases."""

from __future__ import annotations

import base64
import json
import os
import threading
import time
from pathlib import Path

import pytest

from chains.files.removal import RemovalHold
from handlers.processes.world import open_world
from storage.bytes.blobs import FileBlobs
from storage.database.database import Database
from storage.git.repositories import GitRepositories
from storage.migrations import OLDEST, known_names
from storage.upkeep.installation_mark import NAME
from tests.handlers.commands.backups.conftest import Original
from tests.handlers.commands.backups.scene import WAITING, Hand, rows_in, rows_of, settings_of, walk, web
from tests.kit.commands import curlew, done
from tests.kit.counting.amount import points
from tests.kit.postgres import Postgres
from tests.kit.schema import make_older
from tests.kit.service import open_service
from vfs.ports.people import Account


@pytest.mark.postgres
def test_everything_answers_as_before_on_either_database(
    original: Original, postgres: Postgres, tmp_path: Path
) -> None:
    moved, back, url = tmp_path / "moved", tmp_path / "back", postgres.fresh()
    try:
        result = done("restore", original.backup, "--data", moved, url=url)
        assert "not in the backup: the image @alice/first:main" in result.stderr
        done("backup", tmp_path / "moved.tar", "--data", moved, url=url)
        with web(settings_of(moved, url)) as app:
            assert walk(app, original.tokens) == original.answers
        assert curlew("restore", original.backup, "--data", tmp_path / "other", url=url).exit_code == 1
    finally:
        postgres.drop(url)
    done("restore", tmp_path / "moved.tar", "--data", back)
    done("backup", tmp_path / "back.tar", "--data", back)
    with web(settings_of(back, None)) as app:
        assert walk(app, original.tokens) == original.answers
    for place in (moved, back):  # another installation, whose database and folder know each other
        assert (place / NAME).read_text() != (original.folder / NAME).read_text()
    first = rows_in(original.backup)
    for name in ("moved.tar", "back.tar"):
        copy = rows_in(tmp_path / name)
        assert copy.keys() == first.keys()
        assert not [part for part in first if copy[part] != first[part]]


def test_the_trash_of_a_restored_server_can_be_restored(original: Original, tmp_path: Path) -> None:
    done("restore", original.backup, "--data", tmp_path / "new")
    with open_service(settings_of(tmp_path / "new", None)) as app:
        app._tokens.update(original.tokens)
        alice = Hand(app, "alice")
        repo, file = app.world.trash.of("alice")
        for entry in (repo, file):
            alice.do("PATCH", f"trash/{entry.id}")
        heads = [("Authorization", f"Bearer {alice.token}")]
        file_again = app.call("GET", "/v1/code/spaces/field/content/old.txt", heads, b"")
        assert file_again.body == b"what was deleted"
        commits = app.world.code.repositories.commits(app.item("repo", "alice/former").id)
        assert len(commits) == 1


def test_a_run_that_waited_goes_on_once_its_images_are_built(original: Original, tmp_path: Path) -> None:
    done("restore", original.backup, "--data", tmp_path / "new", "--rebuild")
    (sent,) = (tmp_path / "new/runs").glob("in-*/sent.txt")
    assert sent.read_text() == "what was sent"
    with open_service(settings_of(tmp_path / "new", None)) as app:
        app._tokens.update(original.tokens)
        alice = Hand(app, "alice")
        builds = app.world.code.builds
        for repo in ("alice/first", "alice/then"):
            build = builds.latest(app.item("repo", repo).id)
            assert build is not None
            list(builds.follow(build.id, 60))
        (run,) = app.world.code.runs.reader.newest(app.item("job", "alice/letter").id, 1)
        alice.do("POST", f"{WAITING}/{run.id}/hold", b"continue")
        until = time.monotonic() + 60
        while alice.do("GET", f"{WAITING}/{run.id}/status") in (b"processing", b"waiting"):
            assert time.monotonic() < until
            time.sleep(0.05)
        assert alice.do("GET", f"{WAITING}/{run.id}/status") == b"success"


def test_an_older_schema_is_brought_up_to_date_before_a_backup(tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.mkdir()
    database = Database(f"sqlite:///{old}/curlew.db", synchronous="off")
    database.migrate()
    make_older(database)
    database.close()
    refused = curlew("backup", tmp_path / "b.tar", "--data", old)
    assert (refused.exit_code, "curlew migrate" in refused.stderr) == (1, True), refused.output
    assert not (tmp_path / "b.tar").exists()
    done("migrate", "--data", old)
    done("backup", tmp_path / "b.tar", "--data", old)
    done("restore", tmp_path / "b.tar", "--data", tmp_path / "new")
    done("backup", tmp_path / "c.tar", "--data", tmp_path / "new")
    for file in ("b.tar", "c.tar"):
        schema = json.loads(rows_of(tmp_path / file, "backup.json"))["schema"]
        assert schema == [OLDEST, *sorted(known_names())]


def test_output_of_running_steps_is_left_out(original: Original) -> None:
    """The output of a running step is incomplete, and a continued run would use it."""
    names = [name for name in rows_in(original.backup) if name.startswith("runs/run-")]
    assert [name for name in names if name.endswith("/output/first/draft.txt")]
    assert not [name for name in names if "/output/then" in name]


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def test_writers_go_on_and_each_row_has_its_bytes(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    url = request.getfixturevalue("postgres").fresh() if kind == "postgresql" else None
    data, acknowledged, stop = settings_of(tmp_path / "data", url), list[str](), threading.Event()
    with open_world(data) as world:
        world.people.users.add("alice", "", Account.REGULAR, None, public=False)

    def write() -> None:
        with open_world(data) as world:
            while not stop.is_set():
                name = f"d{len(acknowledged)}"
                item = world.items.create("doc", "alice", name)
                ref = world.blobs.add([name.encode() * 1000], "text/plain")
                world.leaves.put(item.id, "assets/a", ref, "alice")
                repo = world.items.create("repo", "alice", name)
                world.code.repositories.create(repo.id)
                acknowledged.append(name)
                if len(acknowledged) % 3 == 0:
                    world.items.remove(repo)
                    world.code.repositories.remove(repo.id)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(points(2)):
            while len(acknowledged) < 20 * (number + 1) and writer.is_alive():
                time.sleep(0.01)
            before = list(acknowledged)
            done("backup", tmp_path / "b.tar", "--data", tmp_path / "data", url=url)
            done("backup", "--verify", tmp_path / "b.tar")
            assert len(acknowledged) > len(before)
    finally:
        stop.set()
        writer.join()
    done("restore", tmp_path / "b.tar", "--data", tmp_path / "new")
    with open_world(settings_of(tmp_path / "new", None)) as world:
        for name in before:
            found = world.items.find("doc", "alice", name, "alice")
            assert found is not None
            leaf = world.leaves.get(found.item.id, "assets/a")
            assert leaf is not None
            assert leaf.blob is not None
            with world.blobs.open(leaf.blob) as file:
                assert file.read() == name.encode() * 1000
    assert not list((tmp_path / "data/repos").glob(".held-*"))
    if url is not None:
        request.getfixturevalue("postgres").drop(url)


def test_nothing_is_removed_while_a_backup_is_written(tmp_path: Path) -> None:
    hold, repositories = RemovalHold(tmp_path), GitRepositories(tmp_path / "repos")
    for item in (1, 2):
        repositories.create(item)
    with hold.hold():
        repositories.remove(1)
        assert repositories.kept_path(1).is_dir()
        assert not repositories.path(1).exists()
        assert curlew("backup", tmp_path / "x.tar", "--data", tmp_path).exit_code == 1
    repositories.forget_held()
    assert not repositories.kept_path(1).exists()
    repositories.remove(2)
    assert not list((tmp_path / "repos").glob("*.git"))


def test_a_backup_without_keys_needs_the_key_file(original: Original, tmp_path: Path) -> None:
    done("backup", tmp_path / "b.tar", "--data", original.folder, "--without-keys")
    result = done("restore", tmp_path / "b.tar", "--data", tmp_path / "new")
    assert "put the key file at" in result.stderr
    assert not (tmp_path / "new/key").exists()
    other = tmp_path / "other"
    other.mkdir()
    (other / "key").write_bytes(base64.b64encode(os.urandom(32)))
    refused = curlew("restore", original.backup, "--data", other)
    assert refused.exit_code == 1
    assert "there is already another key" in refused.stderr
    assert [path.name for path in other.iterdir()] == ["key"]


def test_lost_files_are_named_and_the_others_are_restored(original: Original, tmp_path: Path) -> None:
    done("restore", original.backup, "--data", tmp_path / "data")
    with web(settings_of(tmp_path / "data", None)) as app:
        blobs = FileBlobs(app.world.service.settings.blobs, app.world.clock)
        gone = next(iter(blobs.digests(app.world.clock.now())))
    (tmp_path / "data/blobs" / gone[:2] / gone[2:4] / gone).unlink()
    result = curlew("backup", tmp_path / "b.tar", "--data", tmp_path / "data")
    assert result.exit_code == 1
    assert f"blobs/{gone}: it is gone from the server's file store" in result.stderr
    assert f"blobs/{gone}: lost before" in done("backup", "--verify", tmp_path / "b.tar").stderr
    done("restore", tmp_path / "b.tar", "--data", tmp_path / "new")
