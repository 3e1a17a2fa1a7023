"""Who is told how a run ended, by the level of each."""

from __future__ import annotations

import pytest

from chains.runs.records import Order
from chains.runs.states import Event
from tests.handlers.household import Household
from vfs.ports.people import Notice
from vfs.ports.world import stamp

ENDS = {
    "success": (Event.SUCCEED,),
    "failed": (Event.FAIL,),
    "lost": (Event.LOSE,),
    "canceled": (Event.CANCEL, Event.TORN_DOWN),
    "waiting": (Event.HOLD,),
    "declined": (Event.HOLD, Event.DECLINE),
}


def level(household: Household, user: str, word: str) -> None:
    household.write(user, "/v1/users/alice/code/jobs/nightly/notifications", word)


def end(household: Household, job: int, how: str) -> str:
    """Let a run of bob's end so; its id."""
    number = len(household.runs(job))
    order = Order(job, f"20260102-030405-{number:08x}", "api", "curl", "bob", None, None)
    run = household.world.code.runs.queue.submit(order)
    household.end(run, *ENDS[how])
    return run.id


@pytest.mark.parametrize(
    "word,told",
    [
        ("", ["failed", "failed"]),
        ("info", ["failed", "failed"]),
        ("important", ["failed", "failed", "success"]),
        ("ignore", []),
    ],
)
def test_each_level_has_its_notices(household: Household, word: str, told: list[str]) -> None:
    job = household.job(schedule="")
    if word:
        level(household, "alice", word)
    for how in ENDS:
        end(household, job, how)
    assert household.inbox("alice") == told
    assert [notice.kind for notice in household.world.social.notices.unsent()] == (
        told[::-1] if word == "important" else []
    )


def test_a_notice_names_the_run_and_where_it_is(household: Household) -> None:
    run = end(household, household.job(schedule=""), "failed")
    (notice,) = household.world.social.notices.of("alice")
    assert notice == Notice(
        notice.id,
        "alice",
        stamp(household.clock.now()),
        "failed",
        "info",
        f"/v1/users/alice/code/jobs/nightly/runs/{run}",
        f"The run {run} of /u/alice/j/nightly failed.",
    )


def test_others_are_told_when_they_chose_to_be_and_may_read(household: Household) -> None:
    job = household.job(schedule="")
    for user, letters in (("bob", "r"), ("carol", "x")):
        household.share(job, user, letters)
        level(household, user, "important")
    end(household, job, "failed")
    assert [household.inbox(user) for user in ("alice", "bob", "carol")] == [["failed"], ["failed"], []]
    household.world.grants.take(job, "@bob")
    end(household, job, "success")
    assert [household.inbox(user) for user in ("alice", "bob", "carol")] == [["failed"], ["failed"], []]


def test_a_run_of_a_job_that_is_gone_tells_nobody(household: Household) -> None:
    job = household.job(schedule="")
    run = household.world.code.runs.queue.submit(
        Order(job, "20260102-030405-00000000", "api", "curl", "bob", None, None)
    )
    found = household.world.items.find("job", "alice", "nightly", "alice")
    assert found is not None
    household.world.items.remove(found.item)
    household.end(run, Event.FAIL)
    assert household.inbox("alice") == []
