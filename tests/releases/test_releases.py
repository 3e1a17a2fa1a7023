"""What releases stored is migrated, and each GET answers as it did; what may differ is written down."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from storage.database.database import Database
from storage.migrations import WHOLE
from tests.kit.postgres import Postgres
from tests.kit.schema import schema_of
from tests.kit.server import environment, web
from tests.releases.asking import Client
from tests.releases.comparing import difference
from tests.releases.store import BASE_URL
from tests.releases.stored import ARCHIVES, TOO_OLD, WHOLE_SINCE, restore
from vfs.errors import Conflict


def _param(archive: Path) -> ParameterSet:
    dialect = archive.name.partition(".")[0]
    marks = [pytest.mark.postgres, pytest.mark.repeats] if dialect == "postgresql" else []
    return pytest.param(archive, id=f"{archive.parent.name}-{dialect}", marks=marks)


@pytest.fixture(params=[_param(one) for one in ARCHIVES if one.parent.name != TOO_OLD])
def archive(request: pytest.FixtureRequest) -> Path:
    """An archive of a release."""
    found: Path = request.param
    return found


@pytest.fixture
def urls(archive: Path, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, str]]:
    """The URLs of two empty databases of the archive's dialect: that of the data folder, and another."""
    if archive.name.startswith("sqlite"):
        yield f"sqlite:///{tmp_path}/data/curlew.db", f"sqlite:///{tmp_path}/fresh.db"
        return
    server: Postgres = request.getfixturevalue("postgres")
    made = server.fresh(), server.fresh()
    yield made
    for url in made:
        server.drop(url)


def test_a_stored_release_is_migrated_and_answers_as_it_did(
    archive: Path, urls: tuple[str, str], tmp_path: Path
) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    release = restore(archive, data, urls[0])
    schemas = []
    for url in urls:
        database = Database(url)
        database.migrate()
        schemas.append(schema_of(database))
        database.close()
    assert schemas[0] == schemas[1]
    named = {"CURLEW_DATABASE_URL": urls[0]} if urls[0].startswith("postgresql") else {}
    with web(data, CURLEW_BASE_URL=BASE_URL, **named) as server:
        client = Client(server.origin, release.tokens)
        differences = (
            f"{who} {path}: {said}"
            for (who, path), then in release.answers.items()
            if (said := difference(path, then, client.answer(who, path)))
        )
        assert list(differences) == []
    words = ["-P", "-m", "handlers", "key", "rotate", "--data", str(data)]
    done = subprocess.run(
        [sys.executable, *words], env=environment(**named), text=True, capture_output=True, check=False
    )
    # The value of config/env was opened with the key of then.
    assert (done.returncode, "1 secrets are sealed" in done.stdout) == (0, True), done


@pytest.mark.parametrize("archive", [_param(one) for one in ARCHIVES if one.parent.name == TOO_OLD])
def test_what_is_older_than_the_first_release_is_refused_and_stays_as_it_is(
    archive: Path, urls: tuple[str, str], tmp_path: Path
) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    restore(archive, data, urls[0])
    database = Database(urls[0])
    schema = schema_of(database)
    with pytest.raises(Conflict, match=r"before Curlew 0\.1\.0 .*Start it once with Curlew 0\.1\.0"):
        database.migrate()
    assert schema_of(database) == schema
    database.close()


@pytest.mark.parametrize("archive", [_param(one) for one in ARCHIVES if one.parent.name == WHOLE_SINCE])
def test_an_installation_that_has_the_whole_schema_keeps_it(
    archive: Path, urls: tuple[str, str], tmp_path: Path
) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    restore(archive, data, urls[0])
    database, history = Database(urls[0]), "SELECT name, applied FROM schema_migration ORDER BY name"
    schema, before = schema_of(database), database.rows(history)
    assert str(before[0][0]) == "0001_ground" and all(name > WHOLE for name in database.lacking())
    database.migrate()
    assert database.rows(history)[: len(before)] == before
    changed = {"activity", "schedule", "firing"}
    assert {line for line in schema if changed.isdisjoint(line.split())} <= schema_of(database)
    database.close()
