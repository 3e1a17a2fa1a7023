"""Snapshots that a schedule or a run has made: once each, of what all behind the order may see."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from handlers.mail.mail_dispatch import OrderDispatch
from handlers.trees.facets.result_writer import ResultWriter
from handlers.trees.visuals.mails import RECIPE
from tests.handlers.service_world import TREE, ServiceWorld
from tests.handlers.services.documents.stage import DOC, Reader, share
from tests.handlers.services.snapshots.stage import SNAPSHOTS, body, files, item, make, names
from vfs.access import Verb
from vfs.errors import Denied, Invalid, NotFound

JOB = "/v1/users/alice/code/jobs/weekly"
GRID = "/v1/users/alice/vis/grids/board"
pytestmark = pytest.mark.usefixtures("renderer")


class Killed(BaseException):
    """The end of a process at this very step."""


def carry_out(service_world: ServiceWorld, minutes: float = 0) -> None:
    if minutes:
        service_world.pass_minutes(minutes)
    OrderDispatch(service_world.world, RECIPE).round()


def run_with(service_world: ServiceWorld, folder: Path, results: str, user: str = "alice") -> list[str]:
    """The lines of the log after a run of the job wrote its results."""
    if service_world.world.items.find("job", "alice", "weekly", "alice") is None:
        service_world.job("weekly", schedule="")
        share(service_world, "job", "alice", "weekly", "@bob", "rwx")
    service_world.write(user, f"{JOB}/config/results", results)
    service_world.write("alice", f"{JOB}/config/schedule", "* * * * *")
    service_world.pass_minutes(1)
    service_world.write("alice", f"{JOB}/config/schedule", "")
    job = item(service_world, "weekly", "job")
    run = service_world.world.code.runs.reader.by_key(service_world.runs(job.id)[-1].key)
    assert run is not None
    said: list[str] = []
    (folder / "out.md").write_text("# New\n{{ vis ref: /u/alice/p/one }}\n")
    ResultWriter(TREE, service_world.world).write(run, {"out.md": folder / "out.md"}, said.extend)
    return said


class TestBySchedule:
    def test_each_time_makes_one_with_the_date_of_its_zone(self, service_world: ServiceWorld) -> None:
        service_world.write("alice", f"{DOC}/config/snapshots", "TZ=Asia/Tokyo 0 1 * * *  # at night")
        carry_out(service_world, 13 * 60)
        assert names(service_world) == ["2026-01-03"]
        assert body(service_world, "2026-01-03/made_by") == "alice\n"
        carry_out(service_world)
        carry_out(service_world, 24 * 60)
        assert sorted(names(service_world)) == ["2026-01-03", "2026-01-04"]
        service_world.call("alice", Verb.REMOVE, f"{DOC}/config/snapshots")
        carry_out(service_world, 24 * 60)
        assert len(names(service_world)) == 2

    def test_a_second_one_of_a_day_has_a_number(self, service_world: ServiceWorld) -> None:
        service_world.write("alice", f"{GRID}/config/snapshots", "0 * * * *")
        make(service_world, "2026-01-02", path=GRID)
        carry_out(service_world, 60)
        carry_out(service_world, 60)
        assert sorted(names(service_world, path=GRID)) == ["2026-01-02", "2026-01-02-2", "2026-01-02-3"]

    def test_it_shares_no_time_with_the_schedule_of_mails(self, service_world: ServiceWorld) -> None:
        for rel in ("config/schedule", "config/snapshots"):
            service_world.write("alice", f"{DOC}/{rel}", "* * * * *")
        service_world.write("alice", f"{DOC}/config/recipients", "me")
        carry_out(service_world, 1)
        assert names(service_world) == ["2026-01-02"]
        assert "sending" in str(service_world.read("alice", f"{DOC}/log"))
        service_world.write("alice", f"{DOC}/config/enabled", "no")
        carry_out(service_world, 1)
        assert sorted(names(service_world)) == ["2026-01-02", "2026-01-02-2"]
        said = service_world.read("alice", f"{DOC}/config/snapshots")
        assert (said["enabled"], said["explanation"]) == (True, "Every minute, UTC")

    def test_only_the_owner_sets_it(self, service_world: ServiceWorld) -> None:
        share(service_world, "doc", "alice", "report", "@bob", "rwdx")
        with pytest.raises(Denied):
            service_world.write("bob", "/v1/users/alice/vis/docs/report/config/snapshots", "0 6 * * *")
        with pytest.raises(Invalid):
            service_world.write("alice", f"{DOC}/config/snapshots", "each day")

    def test_a_kill_at_any_step_neither_loses_nor_repeats_it(
        self, service_world: ServiceWorld, renderer: Reader, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        service_world.write("alice", f"{DOC}/config/snapshots", "5 3 * * *")
        real = renderer.render

        def dies(order: object) -> object:
            raise Killed

        with monkeypatch.context() as killed:
            killed.setattr(renderer, "render", dies)
            with pytest.raises(Killed):
                carry_out(service_world, 1)
        assert renderer.render == real
        carry_out(service_world)
        assert names(service_world) == []
        carry_out(service_world, 11)
        carry_out(service_world, 11)
        assert names(service_world) == ["2026-01-02"]

    def test_a_snapshot_that_cannot_be_made_notifies_the_owner(
        self, service_world: ServiceWorld, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.CRITICAL)
        service_world.write("alice", "/v1/vis/plots/one/data", "break")
        service_world.write("alice", f"{DOC}/config/snapshots", "* * * * *")
        carry_out(service_world, 1)
        assert names(service_world) == []
        (notice,) = service_world.shown_notices("alice")
        assert "no snapshot 2026-01-02 was made (snapshot scheduled for" in notice.text
        assert "/u/alice/p/one has no svg" in notice.text


class TestAfterARun:
    def test_the_results_are_kept_as_they_were_written(
        self, service_world: ServiceWorld, tmp_path: Path
    ) -> None:
        said = run_with(service_world, tmp_path, "out.md => /d/report, snapshot 2026-q1")
        assert said[1] == "A snapshot 2026-q1 of /d/report will be made."
        carry_out(service_world)
        assert body(service_world, "2026-q1/text").startswith("# New")
        assert files(service_world, "2026-q1")[0] == "data/one.csv"

    def test_without_a_name_it_has_the_date_where_the_owner_is(
        self, service_world: ServiceWorld, tmp_path: Path
    ) -> None:
        user = service_world.world.people.users.find("alice")
        assert user is not None
        service_world.world.leaves.put(user.item, "timezone", "Pacific/Kiritimati", "alice")
        service_world.pass_minutes(8 * 60)
        run_with(service_world, tmp_path, "out.md => /d/report, snapshot")
        carry_out(service_world)
        run_with(service_world, tmp_path, "out.md => /g/board/v/x, snapshot")
        carry_out(service_world)
        assert names(service_world) == names(service_world, path=GRID) == ["2026-01-03"]

    def test_a_taken_name_sends_a_notice_and_the_results_are_written(
        self, service_world: ServiceWorld, tmp_path: Path
    ) -> None:
        make(service_world, "2026-q1")
        run_with(service_world, tmp_path, "out.md => /d/report, snapshot 2026-q1")
        carry_out(service_world)
        assert str(service_world.call("alice", Verb.READ, f"{DOC}/content").value).startswith("# New")
        assert body(service_world, "2026-q1/text").startswith("# Report")
        assert "there is already a snapshot 2026-q1" in service_world.shown_notices("alice")[0].text

    def test_it_keeps_only_what_all_behind_the_run_may_see(
        self, service_world: ServiceWorld, tmp_path: Path
    ) -> None:
        share(service_world, "doc", "alice", "report", "@bob", "rw")
        run_with(service_world, tmp_path, "out.md => /d/report/v/x, snapshot 2026-q1", "bob")
        carry_out(service_world)
        assert "/u/alice/p/one, which @bob may not see" in service_world.shown_notices("alice")[0].text
        share(service_world, "plot", "alice", "one", "@bob", "x")
        share(service_world, "grid", "alice", "board", "@bob", "x")
        run_with(service_world, tmp_path, "out.md => /d/report/v/x, snapshot 2026-q2", "bob")
        carry_out(service_world)
        assert names(service_world) == ["2026-q2"]
        assert not [rel for rel in files(service_world, "2026-q2") if rel.startswith("data/")]

    @pytest.mark.parametrize(
        "line", ["out.md => /m/x, snapshot", "out.md => /p/one, snapshot", "out.md => /s/x/y, snapshot may"]
    )
    def test_only_documents_and_grids_have_snapshots(self, service_world: ServiceWorld, line: str) -> None:
        service_world.job("weekly", schedule="")
        with pytest.raises(Invalid, match="snapshot"):
            service_world.write("alice", f"{JOB}/config/results", line)


def test_a_removed_document_gets_no_snapshot(service_world: ServiceWorld) -> None:
    service_world.write("alice", f"{DOC}/config/snapshots", "* * * * *")
    service_world.pass_minutes(1)
    service_world.call("alice", Verb.REMOVE, DOC)
    carry_out(service_world)
    with pytest.raises(NotFound):
        service_world.read("alice", SNAPSHOTS)
