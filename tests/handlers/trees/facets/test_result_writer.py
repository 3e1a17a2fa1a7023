"""Results of runs: all or none are written, with the rights of all authors, whatever the outputs hold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from chains.runs.records import Run
from chains.runs.states import Event
from handlers.trees.facets.result_writer import LARGEST, ResultWriter
from tests.handlers.service_world import TREE, ServiceWorld
from vfs.access import Grant, Verb
from vfs.call import Data
from vfs.errors import Denied, Invalid, NotFound, TooLarge, VfsError

JOB = "/v1/code/jobs/report"
HERS = "/v1/users/alice/code/jobs/report"
PLOT, DOC = "/v1/vis/plots/sales", "/v1/vis/docs/weekly"


class Desk:
    """alice's job `report` with a run at work, a plot and a document."""

    def __init__(self, service_world: ServiceWorld, folder: Path) -> None:
        self.live_world, self.folder = service_world, folder
        for path in (PLOT, DOC):
            service_world.call("alice", Verb.CREATE, path)
        self.job = service_world.job("report")
        self.lines("chart.csv => /p/sales\nreport.md => /d/weekly")

    def lines(self, text: str, by: str = "alice") -> None:
        self.live_world.write(by, f"{HERS}/config/results", text)

    def run(self) -> Run:
        self.live_world.pass_minutes(1)
        run = self.live_world.world.code.runs.reader.by_key(self.live_world.runs(self.job)[-1].key)
        assert run is not None
        return run

    def share(self, kind: str, name: str, user: str, letters: str) -> None:
        found = self.live_world.world.items.find(kind, "alice", name, "alice")
        assert found is not None
        self.live_world.world.grants.give(found.item.id, Grant(f"@{user}", letters, f"@{user}~{letters}"))

    def write(self, run: Run, **contents: bytes) -> Sequence[str]:
        """Write the results of a run, and give the lines for its log."""
        said: list[str] = []
        files = {name.replace("_", "."): self.folder / name for name in contents}
        for name, content in contents.items():
            (self.folder / name).write_bytes(content)
        ResultWriter(TREE, self.live_world.world).write(run, files, said.extend)
        return said

    def text(self, path: str) -> str:
        return str(self.live_world.call("alice", Verb.READ, path).value or "")

    def refused(self, kind: type[VfsError], run: Run, **contents: bytes) -> str:
        """The reason why nothing was written."""
        with pytest.raises(kind) as refused:
            self.write(run, **contents)
        assert self.text(f"{PLOT}/data") == self.text(f"{DOC}/content") == ""
        return refused.value.detail


def test_the_activity_of_the_job_tells_what_became_of_results(desk: Desk) -> None:
    run = desk.run()
    desk.write(run, chart_csv=b"a,1\n", report_md=b"Hello")
    ResultWriter(TREE, desk.live_world.world).notify(run)
    answer = desk.live_world.call("alice", Verb.READ, f"{JOB}/activity").value
    assert isinstance(answer, Data)
    rows = [(row["did"], row["path"]) for row in answer.value["activity"]]
    assert ("wrote results", f"runs/{run.id}") in rows and ("wrote no results", f"runs/{run.id}") in rows


@pytest.fixture
def desk(service_world: ServiceWorld, tmp_path: Path) -> Desk:
    folder = tmp_path / "outputs"
    folder.mkdir()
    return Desk(service_world, folder)


def test_all_are_written_as_the_owner(desk: Desk) -> None:
    assert desk.write(desk.run(), chart_csv=b"a,1\n", report_md="Bekkasin æ".encode()) == [
        "chart.csv was written to /p/sales (4 bytes).",
        "report.md was written to /d/weekly (11 bytes).",
    ]
    assert (desk.text(f"{PLOT}/data"), desk.text(f"{DOC}/content")) == ("a,1\n", "Bekkasin æ")


def test_a_result_that_is_no_text_is_refused_with_all_others(desk: Desk) -> None:
    run = desk.run()
    assert "is not UTF-8 text (byte 1)" in desk.refused(Invalid, run, chart_csv=b"a", report_md=b"a\xff")
    assert "NUL" in desk.refused(Invalid, run, chart_csv=b"a", report_md=b"a\0")


def test_missing_and_too_large_results_are_refused(desk: Desk) -> None:
    run = desk.run()
    said = desk.refused(NotFound, run, chart_csv=b"a")
    assert said == "the run left no file for report.md => /d/weekly: it left chart.csv"
    assert "it left nothing" in desk.refused(NotFound, run)
    assert "at once" in desk.refused(TooLarge, run, chart_csv=b"a", report_md=b"a" * LARGEST)
    desk.lines("total.txt => /d/weekly/v/total")
    assert "total.txt => /d/weekly/v/total: " in desk.refused(TooLarge, run, total_txt=b"1" * 1000)


def test_a_run_that_is_being_canceled_writes_nothing(desk: Desk) -> None:
    run = desk.run()
    desk.live_world.end(run, Event.CANCEL)
    desk.write(run, chart_csv=b"a", report_md=b"b")
    assert desk.text(f"{PLOT}/data") == desk.text(f"{DOC}/content") == ""


def test_nothing_is_written_without_lines_or_for_a_job_that_is_gone(desk: Desk) -> None:
    run = desk.run()
    desk.live_world.call("alice", Verb.REMOVE, f"{JOB}/config/results")
    assert desk.write(run, chart_csv=b"a") == []
    desk.live_world.call("alice", Verb.REMOVE, JOB)
    assert desk.write(run, chart_csv=b"a") == []


def test_the_writer_of_the_lines_is_the_author_and_loses_it_with_the_share(desk: Desk) -> None:
    world = desk.live_world.world
    desk.share("job", "report", "bob", "rw")
    desk.share("plot", "sales", "bob", "rw")
    desk.lines("chart.csv => /p/sales", by="bob")
    run = desk.run()
    assert len(desk.write(run, chart_csv=b"a")) == 1
    plot = world.items.find("plot", "alice", "sales", "alice")
    assert plot is not None
    leaf = world.leaves.get(plot.item.id, "data")
    assert leaf is not None
    assert leaf.author == "alice bob"
    world.people.users.change("bob", locked=True)
    with pytest.raises(Denied, match="@bob, who is behind the job, is locked"):
        desk.write(run, chart_csv=b"b")
    world.people.users.change("bob", locked=False)
    world.grants.take(plot.item.id, "@bob")
    with pytest.raises(VfsError) as refused:
        desk.write(run, chart_csv=b"b")
    assert refused.value.detail.startswith("chart.csv => /p/sales: for @bob: there is no ")
    assert desk.text(f"{PLOT}/data") == "a"


def test_all_authors_behind_results_need_the_right_to_write(desk: Desk) -> None:
    for user in ("bob", "carol"):
        desk.share("job", "report", user, "rw")
        desk.share("repo", "count", user, "x")
    desk.share("plot", "sales", "bob", "rw")
    desk.lines("chart.csv => /p/sales", by="bob")
    desk.live_world.write("carol", f"{HERS}/config/chains", "count")
    run = desk.run()
    said = desk.refused(NotFound, run, chart_csv=b"a")
    assert said.startswith("chart.csv => /p/sales: for @carol: there is no ")
    desk.share("plot", "sales", "carol", "rw")
    assert len(desk.write(run, chart_csv=b"a")) == 1


def test_the_owner_is_notified(desk: Desk) -> None:
    run = desk.run()
    ResultWriter(TREE, desk.live_world.world).notify(run)
    assert desk.live_world.inbox("alice") == ["unwritten"]
    assert "its results could not be written" in str(desk.live_world.shown_notices("alice")[0])
