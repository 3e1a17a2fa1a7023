"""Web server and runner refuse every place of another installation by both marks, and touch nothing."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from handlers.processes.database import marked_store
from handlers.processes.world import build, open_world
from handlers.settings.settings import Settings
from handlers.settings.sources import load
from storage.upkeep.installation_mark import NAME
from tests.kit.hosts.forked import forked
from tests.kit.outside.buckets import Buckets
from tests.kit.processes import own
from vfs.errors import Conflict

Said = dict[str, str]
PLACES = ("DATABASE_URL", "DATA", "REPOS_FOLDER", "BLOBS_URL")
REFUSED_WITHIN = 60.0


@pytest.fixture(scope="module")
def buckets() -> Iterator[Buckets]:
    buckets = Buckets()
    buckets.start()
    yield buckets
    buckets.stop()


@pytest.fixture
def two(tmp_path: Path, buckets: Buckets) -> tuple[Said, Said]:
    """The settings of two installations that have begun."""

    def begun(name: str) -> Said:
        (tmp_path / name).mkdir()
        said = {
            "DATABASE_URL": f"sqlite:///{tmp_path}/{name}.db",
            "DATA": str(tmp_path / name / "data"),
            "REPOS_FOLDER": str(tmp_path / name / "repos"),
            "BLOBS_URL": buckets.url(f"{tmp_path.name}-{name}"),
        }
        with open_world(settings_of(said)):
            pass
        return said

    return begun("one"), begun("other")


def settings_of(said: Said) -> Settings:
    return load(own(said), data=said["DATA"])


def marks(two: tuple[Said, Said]) -> list[str]:
    return [(Path(said["DATA"]) / NAME).read_text().strip() for said in two]


@pytest.mark.parametrize("command", ["web", "runner"])
@pytest.mark.parametrize("place", PLACES)
def test_a_strangers_place_is_refused_by_both_marks(
    two: tuple[Said, Said], command: str, place: str, tmp_path: Path
) -> None:
    one, other = two
    said = {**one, place: other[place], "BIND": "127.0.0.1:0", "RUNNER_FOLDER": str(tmp_path / "runner")}
    log = tmp_path / "log"
    with forked(command, log, own(said)) as process:
        process.join(REFUSED_WITHIN)
        assert process.exitcode == 1, log.read_text()
    for named in (*marks(two), "Nothing was started"):
        assert named in log.read_text()


def test_nothing_is_swept_from_the_bucket_of_another(two: tuple[Said, Said]) -> None:
    one, _ = two
    live_world = build(settings_of(one))
    try:
        blobs, all_are_old = live_world.world.blobs, timedelta(hours=-1)
        blobs.add([b"nothing names it"], "text/plain")
        assert live_world.sweep.run(all_are_old).blobs == 1
        ref = blobs.add([b"what another names"], "text/plain")
        store = marked_store(settings_of(one))
        assert store is not None
        store.write(NAME, marks(two)[1])
        with pytest.raises(Conflict, match="does not have the mark of the database"):
            live_world.sweep.run(all_are_old)
        with blobs.open(ref) as stream:
            assert stream.read() == b"what another names"
    finally:
        live_world.close()
