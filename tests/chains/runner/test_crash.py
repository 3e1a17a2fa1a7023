"""A runner killed at any moment leaves no container, no lost run and no wrong status (decisions 25)."""

from __future__ import annotations

import itertools
import random
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from chains.builds.run_store import BuildStatus
from chains.runs.records import Run
from chains.runs.states import Event, Status
from storage.database.database import Database
from tests.kit.crashing import NEVER, Opened, Site, work
from tests.kit.postgres import Postgres
from tests.kit.suites.chains import chain
from tests.kit.unmeasured import processes, start
from vfs.errors import Conflict

PLAN = chain("a", "b")
OUTPUT = b"curlew\na\nb\n"
SEED = 20261121


def prepare(url: str) -> None:
    """Make the tables, and alice's job."""
    database = Database(url)
    database.migrate()
    database.run(
        "INSERT INTO item (id, kind, owner, name, shortname, created_on, last_modified)"
        " VALUES (1, 'job', 'alice', 'nightly', 'Jobby', '', '')"
    )
    database.close()


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("crash") / "curlew.db"
    prepare(f"sqlite:///{path}")
    return path


@pytest.fixture
def sites(template: Path, tmp_path: Path) -> Iterator[Site]:
    """As many data folders as a test asks for, each with a separate database."""
    return (at_sqlite(template, tmp_path / str(number)) for number in itertools.count())


def at_sqlite(template: Path, folder: Path) -> Site:
    folder.mkdir()
    shutil.copy(template, folder / "curlew.db")
    return Site(f"sqlite:///{folder}/curlew.db", folder)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def sites_of_both(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    """The same, once on SQLite and once on PostgreSQL."""
    if request.param == "sqlite":
        sites: Iterator[Site] = request.getfixturevalue("sites")
        return sites
    postgres: Postgres = request.getfixturevalue("postgres")
    return at_postgres(postgres, tmp_path)


def at_postgres(postgres: Postgres, place: Path) -> Iterator[Site]:
    for number in itertools.count():
        folder, url = place / str(number), postgres.copy_of("tests.chains.runner.test_crash", prepare)
        folder.mkdir()
        yield Site(url, folder)
        postgres.drop(url)


def live(site: Site, death: int | None = None, kill_after: float | None = None) -> int:
    """Run a runner in a separate process; its exit code."""
    process = processes.Process(target=work, args=(site, death))
    start(process)
    if kill_after is not None:
        time.sleep(kill_after)
        process.kill()
    process.join(NEVER)
    assert process.exitcode is not None
    return process.exitcode


def recover(opened: Opened, run: Run) -> Run:
    """What became of the run once the next runner has started."""
    assert live(opened.site) == 0
    found = opened.run_store.reader.by_key(run.key)
    assert found is not None
    return found


def check(opened: Opened, run: Run) -> None:
    """Whatever happened, the book, the disk and the engine agree about it."""
    steps = [str(row.status) for row in opened.run_store.reader.steps(run.key)]
    log = [line.message for line in opened.run_store.reader.lines(run.key)]
    if run.status is Status.SUCCESS:
        assert steps == ["success", "success"]
        assert run.output is not None
        with opened.blobs.open(run.output) as stream:
            assert stream.read() == OUTPUT
        assert log[0] == "Chain: a -> b"
        assert [line for line in log if "speaks" in line] == ["a: a speaks", "b: b speaks"]
    else:
        assert run.output is None
        assert set(steps) <= {"success", "canceled"}
    if run.status is Status.FAILED:
        assert "interrupted and cannot be continued" in log[-1]
    assert opened.live_tokens() == 0
    assert list(opened.run_store.retention.open_runs()) == []
    containers = opened.site.folder / "containers"
    assert [path.name for path in containers.glob("*")] == []
    assert [path.name for path in opened.folders.root.glob("[!.]*")] == []


def test_a_runner_killed_at_every_recorded_event_leaves_nothing_wrong(sites_of_both: Iterator[Site]) -> None:
    ends = []
    for death in range(1, 200):
        with next(sites_of_both).opened() as opened:
            run = opened.order(PLAN)
            code = live(opened.site, death)
            run = recover(opened, run)
            assert run.status in (Status.SUCCESS, Status.FAILED)
            check(opened, run)
            ends.append(run.status)
        if code == 0:
            break
        assert code == -signal.SIGKILL
    assert len(ends) >= 10
    assert ends[0] is Status.SUCCESS, "killed before it took the run: the next runner takes it"
    assert Status.FAILED in ends
    assert ends[-1] is Status.SUCCESS


def test_a_runner_killed_at_random_moments_leaves_nothing_wrong(sites: Iterator[Site]) -> None:
    """Fifty kills, and more until every end was seen; three of four runs are canceled before it or after."""
    dice = random.Random(SEED)
    ends: set[Status] = set()
    for number in itertools.count():
        if number >= 50 and ends == {Status.SUCCESS, Status.FAILED, Status.CANCELED}:
            break
        with next(sites).opened() as opened:
            run = opened.order(PLAN)
            canceled = number % 2 == 1 and cancel_soon(opened, run, dice)
            live(opened.site, kill_after=dice.uniform(0.01, 0.25 + number / 500))
            canceled = canceled or (number % 4 == 2 and cancel_soon(opened, run, dice))
            run = recover(opened, run)
            assert run.status in (Status.SUCCESS, Status.FAILED, Status.CANCELED)
            assert (run.status is Status.CANCELED) <= canceled
            check(opened, run)
            ends.add(run.status)


def cancel_soon(opened: Opened, run: Run, dice: random.Random) -> bool:
    """Cancel the run; False when it has ended already."""
    time.sleep(dice.uniform(0, 0.02))
    try:
        return opened.run_store.states.event(run.key, Event.CANCEL) is Status.CANCELING
    except Conflict:
        return False


def test_a_build_whose_runner_was_killed_fails_and_says_what_to_do(sites: Iterator[Site]) -> None:
    with next(sites).opened() as opened:
        build = opened.builds.queue(1, ["main"], "refs/heads/main", "c1", "bob")
        assert opened.builds.take("a runner that is gone") is not None
        run = opened.order(PLAN)
        assert recover(opened, run).status is Status.SUCCESS
        ended = opened.builds.get(build)
        assert ended is not None
        assert ended.status is BuildStatus.FAILED
        assert "repeat the build" in ended.error


def test_a_runner_elsewhere_settles_runs_when_the_lease_runs_out(sites: Iterator[Site]) -> None:
    """Another data folder over the same database: only the lease can tell that the runner is gone."""
    with next(sites).opened() as opened:
        run = opened.order(PLAN)
        opened.run_store.leases.enlist("far away", "another home", 0.5)
        assert opened.run_store.queue.take("far away") is not None
        assert live(opened.site) == 0
        assert opened.run_store.reader.by_key(run.key).status is Status.FAILED  # type: ignore[union-attr]
