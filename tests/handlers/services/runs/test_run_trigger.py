"""Each trigger orders runs in the same way, and leaves no input without a run."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from chains.runs.states import Status
from handlers.services.runs.kept_inputs import NO_INPUT, StoredInput, bring_input
from handlers.services.runs.run_trigger import (
    API,
    LONGEST_SOURCE,
    MAIL,
    SCHEDULE,
    NoChain,
    RunRequest,
    order,
    run_job,
)
from handlers.services.viewer import Viewer
from tests.handlers.service_world import ServiceWorld
from vfs.access import Caller
from vfs.body import NoBody
from vfs.cause import caused_by
from vfs.errors import QuotaReached, Unavailable
from vfs.ports.items import Item
from vfs.ports.quotas import QuotaName

CHAINS = {"good": "count", "closed": "@carol/private", "none": ""}
ASKS = (
    RunRequest(API, "curl", "alice"),
    RunRequest(MAIL, "mail", "alice"),
    RunRequest(SCHEDULE, "scheduler", "bob"),
)


@pytest.fixture
def jobs(service_world: ServiceWorld) -> dict[str, Item]:
    """Jobs of alice's, named by whether their chains may be used."""
    service_world.image("carol", "private")
    for name, chain in CHAINS.items():
        service_world.job(name, "", chain)
    found = {name: service_world.world.items.find("job", "alice", name, "alice") for name in CHAINS}
    return {name: one.item for name, one in found.items() if one is not None}


def bring(service_world: ServiceWorld) -> StoredInput:
    def write(folder: Path) -> None:
        (folder / "input.json").write_text("{}")

    job = service_world.world.items.find("job", "alice", "good", "alice")
    assert job is not None
    return bring_input(service_world.world, job.item, write)


def is_there(service_world: ServiceWorld, stored: StoredInput) -> bool:
    """Return whether an input still exists."""
    assert stored.folder is not None
    folder: Path = service_world.world.code.folders.path(stored.folder)
    return folder.exists()


def expected(name: str, *, has_room: bool, is_awaited: bool) -> object:
    """Return the class of the expected error, or the expected status of the run."""
    if name == "none":
        return NoChain
    if name == "closed":
        return Status.REJECTED
    if has_room:
        return Status.PROCESSING
    return QuotaReached if is_awaited else Status.REJECTED


def test_an_input_stays_with_a_run_that_goes_on_alone(
    service_world: ServiceWorld, jobs: dict[str, Item]
) -> None:
    under_way = 0
    for name, ask, has_room, is_awaited in product(CHAINS, ASKS, (True, False), (True, False)):
        service_world.world.service.quotas.set("alice", {QuotaName.RUNS: under_way + has_room})
        before, stored = service_world.runs(jobs[name].id), bring(service_world)
        outcome: object
        try:
            run, refusal = order(service_world.world, jobs[name], ask, stored, is_awaited=is_awaited)
            outcome = run.status
            assert (refusal is not None) == (run.status is Status.REJECTED)
            assert (run.trigger, run.source, run.by) == ask[:3]
        except (NoChain, QuotaReached) as error:
            outcome = type(error)
        case = name, ask.trigger, has_room, is_awaited
        assert outcome == expected(name, has_room=has_room, is_awaited=is_awaited), case
        assert is_there(service_world, stored) == (outcome is Status.PROCESSING), case
        made = len(service_world.runs(jobs[name].id)) - len(before)
        assert made == isinstance(outcome, Status), case
        under_way += outcome is Status.PROCESSING


def test_a_chain_that_may_not_be_used_is_refused_before_the_body_is_read(
    service_world: ServiceWorld, jobs: dict[str, Item]
) -> None:
    class Sent(NoBody):
        media = "multipart/form-data"

        def files(self, folder: Path, largest: int, most: int) -> list[str]:
            raise Unavailable("this is sent")

    def refused(name: str) -> bool:
        viewer = Viewer(service_world.world, jobs[name], Caller("alice"))
        return run_job(viewer, ASKS[0], Sent()).refusal is not None

    with pytest.raises(NoChain):
        refused("none")
    with pytest.raises(Unavailable, match="this is sent"):
        refused("good")
    assert refused("closed")
    runs = {name: [run.status for run in service_world.runs(job.id)] for name, job in jobs.items()}
    assert runs == {"good": [], "closed": [Status.REJECTED], "none": []}


@pytest.mark.parametrize("cause", ["request c0ffee00-0000", "run 20261130-060625-c0ffee00"])
def test_a_request_gives_its_digits_to_all_runs_that_it_causes(
    service_world: ServiceWorld, jobs: dict[str, Item], cause: str
) -> None:
    world, job = service_world.world, jobs["good"]
    with caused_by(cause):
        ids = [order(world, job, ASKS[0], bring(service_world)).run.id for _ in range(3)]
    assert all(id.endswith("-c0ffee00") for id in ids), ids
    assert len(set(ids)) == 3
    assert not order(world, job, ASKS[0], bring(service_world)).run.id.endswith("-c0ffee00")


def test_a_run_that_an_event_started_is_of_the_api_and_names_the_event(
    service_world: ServiceWorld, jobs: dict[str, Item]
) -> None:
    world, job = service_world.world, jobs["good"]
    ask = RunRequest.of_event("push", "@alice/count", "alice")
    run = order(world, job, ask, NO_INPUT).run
    (row,) = service_world.read("alice", "/v1/code/jobs/good/runs")
    stats = service_world.read("alice", f"/v1/code/jobs/good/runs/{run.id}/stats")
    for one in (row.extra, stats):
        assert (one["trigger"], one["source"], one["created_by"]) == ("api", "push @alice/count", "alice")


def test_the_source_of_a_run_is_bounded(service_world: ServiceWorld, jobs: dict[str, Item]) -> None:
    source = RunRequest.of_event("changed", "/u/alice/s/orders/" + "a" * 2048, "alice").source
    assert len(source) == LONGEST_SOURCE
    assert source.startswith("changed /u/alice/s/orders/a")
