"""Who is told how a run ended or that it waits, by the level of each."""

from __future__ import annotations

import pytest

from chains.language.ast import Phase
from chains.plan.model import Hold
from chains.runs.records import Order, Run
from chains.runs.states import Event
from handlers.services.notices import ToldNotice
from handlers.services.run_notices import notify_waiting, withdraw_waiting
from tests.handlers.household import Household
from vfs.access import Verb

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


@pytest.mark.parametrize(
    "usual,there,told,mailed",
    [
        ({"failed": "ignore"}, "", [], []),
        ({"success": "important"}, "", ["failed", "failed", "success"], ["success"]),
        ({"success": "info", "failed": "important"}, "ignore", [], []),
        ({"success": "important", "failed": "ignore"}, "info", ["failed", "failed", "success"], []),
        ({"failed": "ignore"}, "important", ["failed", "failed", "success"], ["success", "failed", "failed"]),
    ],
)
def test_an_account_has_a_level_for_each_event_and_that_of_the_thing_comes_before(
    household: Household, usual: dict[str, str], there: str, told: list[str], mailed: list[str]
) -> None:
    job = household.job(schedule="")
    for event, word in usual.items():
        household.write("alice", f"/v1/admin/profile/notices/{event}", word)
    if there:
        level(household, "alice", there)
    for how in ENDS:
        end(household, job, how)
    assert household.inbox("alice") == told
    assert [notice.kind for notice in household.world.social.notices.unsent()] == mailed


def test_a_notice_names_the_run_and_where_it_is(household: Household) -> None:
    run = end(household, household.job(schedule=""), "failed")
    (told,) = household.told("alice")
    job = "/v1/users/alice/code/jobs/nightly"
    assert told == ToldNotice(
        told.notice,
        f"{job}/runs/{run}",
        f"/u/alice/j/nightly/{run}",
        f"The run {run} of /u/alice/j/nightly failed.",
        f"{job}/notifications",
    )
    assert (told.notice.kind, told.notice.level) == ("failed", "info")
    household.call("alice", Verb.RENAME, job, '{"name": "daily"}', media="application/json")
    (told,) = household.told("alice")
    assert (told.page, told.text) == (
        f"/u/alice/j/daily/{run}",
        f"The run {run} of /u/alice/j/daily failed.",
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


def waiting(household: Household, job: int, by: str = "bob") -> Run:
    """A run of the job that waits at a hold, of which those who may answer are told."""
    number = len(household.runs(job))
    order = Order(job, f"20260102-030405-{number:08x}", "api", "curl", by, None, None)
    run = household.world.code.runs.queue.submit(order)
    notify_waiting(household.world, run, Hold("clean", Phase.BEFORE, 0, ("clean",)))
    return run


def test_whoever_may_answer_a_hold_is_told_of_it(household: Household) -> None:
    job = household.job(schedule="")
    for user, letters in (("bob", "r"), ("carol", "rx")):
        household.share(job, user, letters)
    run = waiting(household, job)
    assert [household.inbox(user) for user in ("alice", "bob", "carol")] == [["waiting"], [], ["waiting"]]
    (told,) = household.told("carol")
    assert told.path == f"/v1/users/alice/code/jobs/nightly/runs/{run.id}"
    assert told.text == f"The run {run.id} of /u/alice/j/nightly waits before clean for an answer."


def test_a_hold_is_told_by_the_level_of_each_and_withdrawn_when_it_is_answered(household: Household) -> None:
    job = household.job(schedule="")
    for user, word in (("bob", "important"), ("carol", "ignore")):
        household.share(job, user, "x")
        level(household, user, word)
    run, other = waiting(household, job), waiting(household, job)
    assert [len(household.inbox(user)) for user in ("alice", "bob", "carol")] == [2, 2, 0]
    assert [notice.user for notice in household.world.social.notices.unsent()] == ["bob", "bob"]
    withdraw_waiting(household.world, job, run.id)
    for user in ("alice", "bob"):
        (left,) = household.world.social.notices.of(user)
        assert left.path.endswith(other.id)
    withdraw_waiting(household.world, job)
    assert household.inbox("alice") == household.inbox("bob") == []


def test_holds_of_one_job_leave_an_inbox_its_other_notices(household: Household) -> None:
    job = household.job(schedule="")
    end(household, job, "failed")
    with household.world.atomic():
        for _ in range(53):
            waiting(household, job)
    assert household.inbox("alice") == ["waiting"] * 50 + ["failed"]
