"""Schedules that an earlier version accepted: they keep running, and are shown as they run."""

from __future__ import annotations

import pytest

from tests.handlers.service_world import ServiceWorld
from vfs.access import Verb
from vfs.errors import Invalid

ENABLED = "/v1/code/jobs/nightly/config/enabled"
SCHEDULE = "/v1/code/jobs/nightly/config/schedule"


def test_a_schedule_that_an_earlier_version_accepted_is_shown_as_it_runs(service_world: ServiceWorld) -> None:
    job = service_world.job(schedule="0 4 * * *")
    for text in ("TZ=localtime 0 6 * * *", "*/90 * * * *"):
        with pytest.raises(Invalid):
            service_world.write("alice", SCHEDULE, text)
        service_world.world.leaves.put(job, "config/schedule", text, "alice")
    service_world.world.code.schedules.rebuild()
    assert service_world.world.code.schedules.first() == "2026-01-02T04:00:00.000Z"
    schedule = service_world.read("alice", SCHEDULE)
    assert (schedule["explanation"], schedule["next"][0]) == (
        "At the start of every hour, UTC",
        "2026-01-02T04:00:00.000Z",
    )
    service_world.call("alice", Verb.REMOVE, ENABLED)
    service_world.write("alice", ENABLED, "yes")
    assert service_world.world.code.schedules.first() == "2026-01-02T04:00:00.000Z"
