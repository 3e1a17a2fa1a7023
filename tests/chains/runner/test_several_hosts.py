"""Runners on several hosts, each with separate folders: any of them takes a run, or goes on with one."""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest

from chains.language.ast import Phase
from chains.runner.segment import reason
from chains.runs.ports import Leases
from chains.runs.states import Status
from chains.sharing.run_files import digests_of
from storage.bytes.blobs import FileBlobs
from tests.chains.runner.test_going_on import repeated, resumed
from tests.chains.runner.test_holds import go_on, held, waiting
from tests.kit.runner import RunnerSetup
from tests.kit.suites.chains import chain
from vfs.errors import Gone, Unavailable

BEFORE, AFTER = Phase.BEFORE, Phase.AFTER
SIDE = chain("first", "mid", "last", edges=[("first", "last"), ("mid", "last")])
SCRIPTS = {"first": {"WRITE": "x=1;deep/y=12"}, "mid": {"COPY": "m-"}, "last": {"COPY": ""}}


def hosts_in(tmp_path: Path) -> tuple[RunnerSetup, RunnerSetup]:
    one, other = RunnerSetup(tmp_path, **SCRIPTS).share(tmp_path / "one", tmp_path / "other")
    return one, other


def test_a_run_is_done_where_it_was_not_triggered(tmp_path: Path) -> None:
    one, other = hosts_in(tmp_path)
    run = one.order(chain("mid"), {"a": "1", "deep/b": "2"})
    assert one.leftovers() == []
    with other.working():
        run = other.end(run)
        assert run.status is Status.SUCCESS
        other.emptied()
    assert not one.folders.of(run.key).path.exists()


def test_a_hold_is_continued_by_another_runner(tmp_path: Path) -> None:
    one, other = hosts_in(tmp_path)
    with one.working():
        run = one.order(held(SIDE, ("mid", AFTER)), {"sent": "2"})
        assert waiting(one, run) == {"sent": "2m-\n"}
    shutil.rmtree(one.folders.of(run.key).path)
    with other.working():
        go_on(other, run)
        run = other.end(run)
    assert (run.status, other.steps(run)) == (Status.SUCCESS, dict.fromkeys(SCRIPTS, "success"))
    assert run.output is not None


def test_hosts_take_turns_with_one_run(tmp_path: Path) -> None:
    one, other = hosts_in(tmp_path)
    plan = held(chain("first", "mid", "last"), ("first", AFTER), ("last", BEFORE))
    with one.working():
        run = one.order(plan, {"sent": "2"})
        waiting(one, run)
    with other.working():
        go_on(other, run)
        waiting(other, run)
    with one.working():  # which has a folder of the run still, from its first turn
        go_on(one, run)
        run = one.end(run)
        assert run.status is Status.SUCCESS
        one.emptied()


def test_what_a_waiting_run_needs_is_held_until_it_ends(tmp_path: Path) -> None:
    one, _ = hosts_in(tmp_path)
    assert one.run_files is not None
    with one.working():
        run = one.order(held(SIDE, ("mid", AFTER)), {"sent": "2"})
        waiting(one, run)
        manifests = one.run_store.retention.held_files()
        assert len(manifests) == 3  # the input, and what each of two steps left
        files = [file.path for name in manifests for file in one.run_files.read(name).files]
        assert sorted(files) == ["deep/y", "sent", "sent", "x"]
        assert len(digests_of(one.run_files, lambda: [*manifests, "f" * 64])) == 4 + 3 + 1
        go_on(one, run)
        one.end(run)
    assert one.run_store.retention.held_files() == []


@pytest.mark.parametrize("part", ["list", "file"])
def test_files_missing_from_the_store_are_reported(tmp_path: Path, part: str) -> None:
    one, other = hosts_in(tmp_path)
    run = one.order(chain("mid"), {"a": "1"})
    assert isinstance(one.blobs, FileBlobs) and one.run_files is not None and run.files is not None
    file = one.run_files.read(run.files).files[0]
    one.blobs.remove(run.files if part == "list" else file.digest, datetime.max.replace(tzinfo=UTC))
    with other.working():
        run = other.end(run)
        other.emptied()
    assert run.status is Status.FAILED
    last = other.log(run)[-1]
    assert "The files of the run are not as they were stored" in last
    assert "trigger the job again" in last
    assert part == "list" or json.dumps(file.path) in last


def test_a_runner_that_knows_of_no_other_host_refuses_what_one_stored(tmp_path: Path) -> None:
    one, _ = hosts_in(tmp_path)
    run = one.order(chain("mid"), {"a": "1"})
    (tmp_path / "alone").mkdir()
    alone = RunnerSetup(tmp_path / "alone", **SCRIPTS)
    alone.run_store, alone.builds = one.run_store, one.builds
    with alone.working():
        run = alone.end(run)
    assert run.status is Status.FAILED
    assert 'hosts = "several"' in alone.log(run)[-1]


def test_a_part_that_is_away_is_no_fault_of_the_job() -> None:
    said = "The store does not answer; that is no fault of the job: trigger it again with the same input"
    assert reason(Unavailable("The store does not answer.")) == said
    assert reason(Gone("The input is gone.")) == "The input is gone."
    assert reason(OSError(28, "No space left")) == "No space left."


class Unreachable:
    """The leases of a book that a host does not reach for a while."""

    def __init__(self, leases: Leases) -> None:
        self._leases = leases
        self.is_away = False

    def __getattr__(self, name: str) -> Any:
        if self.is_away:
            raise Unavailable("the database is away")
        return getattr(self._leases, name)


@pytest.mark.parametrize("fences", [True, False])
def test_a_runner_whose_lease_is_over_stops_its_own_containers(tmp_path: Path, fences: bool) -> None:
    (one,) = RunnerSetup(tmp_path, a={"SLEEP": "60"}).share(tmp_path / "one")
    leases = Unreachable(one.run_store.leases)
    one.run_store = replace(one.run_store, leases=cast("Leases", leases))
    one.settings = replace(one.settings, lease=0.5, fences=fences)
    with one.working():
        run = one.order(chain("a"))
        one.running(run, "a")
        leases.is_away = True
        if fences:
            run = one.end(run)
            assert run.status is Status.FAILED
            assert "cut off from the database for longer than its lease" in one.log(run)[-1]
        else:  # alone, where nobody else could have settled it
            time.sleep(1.0)
            assert one.steps(run) == {"a": "running"}
            one.cancel(run)
            assert one.end(run).status is Status.CANCELED
        leases.is_away = False


def test_a_run_goes_on_on_another_host_than_the_one_that_failed(tmp_path: Path) -> None:
    one, other = hosts_in(tmp_path)
    one.images["image-last"] = {"EXIT": "1"}
    with one.working():
        failed = one.end(one.order(SIDE, {"sent": "2"}))
        one.emptied()
    one.images["image-last"] = {"COPY": ""}
    with other.working():
        run = other.end(resumed(other, failed, "last"))
    assert (run.status, repeated(other, run)) == (Status.SUCCESS, {"last"})
    assert run.output is not None
