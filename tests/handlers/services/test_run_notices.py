"""Notices of runs that ended or wait, by the level of each user."""

from __future__ import annotations

import pytest

from chains.language.ast import Phase
from chains.plan.model import Hold
from chains.runs.records import Order, Run
from chains.runs.states import Event
from handlers.services.notices import ShownNotice
from handlers.services.run_notices import notify_waiting, withdraw_waiting
from tests.handlers.service_world import ServiceWorld
from vfs.access import Verb

ENDS = {
    "success": (Event.SUCCEED,),
    "failed": (Event.FAIL,),
    "lost": (Event.LOSE,),
    "canceled": (Event.CANCEL, Event.TORN_DOWN),
    "waiting": (Event.HOLD,),
    "declined": (Event.HOLD, Event.DECLINE),
}


def level(service_world: ServiceWorld, user: str, word: str) -> None:
    service_world.write(user, "/v1/users/alice/code/jobs/nightly/notifications", word)


def end(service_world: ServiceWorld, job: int, how: str) -> str:
    """Let a run of bob's end so; its id."""
    number = len(service_world.runs(job))
    order = Order(job, f"20260102-030405-{number:08x}", "api", "curl", "bob", None, None)
    run = service_world.world.code.runs.queue.submit(order)
    service_world.end(run, *ENDS[how])
    return run.id


@pytest.mark.parametrize(
    "word,kinds",
    [
        ("", ["failed", "failed"]),
        ("info", ["failed", "failed"]),
        ("important", ["failed", "failed", "success"]),
        ("ignore", []),
    ],
)
def test_each_level_has_its_notices(service_world: ServiceWorld, word: str, kinds: list[str]) -> None:
    job = service_world.job(schedule="")
    if word:
        level(service_world, "alice", word)
    for how in ENDS:
        end(service_world, job, how)
    assert service_world.inbox("alice") == kinds
    assert [notice.kind for notice in service_world.world.social.notices.unsent()] == (
        kinds[::-1] if word == "important" else []
    )


@pytest.mark.parametrize(
    "usual,there,kinds,mailed",
    [
        ({"failed": "ignore"}, "", [], []),
        ({"success": "important"}, "", ["failed", "failed", "success"], ["success"]),
        ({"success": "info", "failed": "important"}, "ignore", [], []),
        ({"success": "important", "failed": "ignore"}, "info", ["failed", "failed", "success"], []),
        ({"failed": "ignore"}, "important", ["failed", "failed", "success"], ["success", "failed", "failed"]),
    ],
)
def test_an_account_has_a_level_for_each_event_and_that_of_the_thing_comes_before(
    service_world: ServiceWorld, usual: dict[str, str], there: str, kinds: list[str], mailed: list[str]
) -> None:
    job = service_world.job(schedule="")
    for event, word in usual.items():
        service_world.write("alice", f"/v1/admin/profile/notices/{event}", word)
    if there:
        level(service_world, "alice", there)
    for how in ENDS:
        end(service_world, job, how)
    assert service_world.inbox("alice") == kinds
    assert [notice.kind for notice in service_world.world.social.notices.unsent()] == mailed


def test_a_notice_names_the_run_and_where_it_is(service_world: ServiceWorld) -> None:
    run = end(service_world, service_world.job(schedule=""), "failed")
    (shown,) = service_world.shown_notices("alice")
    job = "/v1/users/alice/code/jobs/nightly"
    assert shown == ShownNotice(
        shown.notice,
        f"{job}/runs/{run}",
        f"/u/alice/j/nightly/{run}",
        f"The run {run} of /u/alice/j/nightly failed.",
        "/u/alice/j/nightly/settings",
    )
    assert (shown.notice.kind, shown.notice.level) == ("failed", "info")
    service_world.call("alice", Verb.RENAME, job, '{"name": "daily"}', media="application/json")
    (shown,) = service_world.shown_notices("alice")
    assert (shown.page, shown.text) == (
        f"/u/alice/j/daily/{run}",
        f"The run {run} of /u/alice/j/daily failed.",
    )


def test_others_who_chose_notices_and_may_read_are_notified(service_world: ServiceWorld) -> None:
    job = service_world.job(schedule="")
    for user, letters in (("bob", "r"), ("carol", "x")):
        service_world.share(job, user, letters)
        level(service_world, user, "important")
    end(service_world, job, "failed")
    assert [service_world.inbox(user) for user in ("alice", "bob", "carol")] == [["failed"], ["failed"], []]
    service_world.world.grants.take(job, "@bob")
    end(service_world, job, "success")
    assert [service_world.inbox(user) for user in ("alice", "bob", "carol")] == [["failed"], ["failed"], []]


def test_a_run_of_a_removed_job_notifies_nobody(service_world: ServiceWorld) -> None:
    job = service_world.job(schedule="")
    run = service_world.world.code.runs.queue.submit(
        Order(job, "20260102-030405-00000000", "api", "curl", "bob", None, None)
    )
    found = service_world.world.items.find("job", "alice", "nightly", "alice")
    assert found is not None
    service_world.world.items.remove(found.item)
    service_world.end(run, Event.FAIL)
    assert service_world.inbox("alice") == []


def waiting(service_world: ServiceWorld, job: int, by: str = "bob") -> Run:
    """Return a run that waits at a hold, after those who may answer were notified."""
    number = len(service_world.runs(job))
    order = Order(job, f"20260102-030405-{number:08x}", "api", "curl", by, None, None)
    run = service_world.world.code.runs.queue.submit(order)
    notify_waiting(service_world.world, run, Hold("clean", Phase.BEFORE, 0, ("clean",)))
    return run


def test_users_who_may_answer_a_hold_are_notified(service_world: ServiceWorld) -> None:
    job = service_world.job(schedule="")
    for user, letters in (("bob", "r"), ("carol", "rx")):
        service_world.share(job, user, letters)
    run = waiting(service_world, job)
    assert [service_world.inbox(user) for user in ("alice", "bob", "carol")] == [["waiting"], [], ["waiting"]]
    (shown,) = service_world.shown_notices("carol")
    assert shown.path == f"/v1/users/alice/code/jobs/nightly/runs/{run.id}"
    assert shown.text == f"The run {run.id} of /u/alice/j/nightly waits before clean for an answer."


def test_notices_of_a_hold_follow_levels_and_are_withdrawn_when_it_is_answered(
    service_world: ServiceWorld,
) -> None:
    job = service_world.job(schedule="")
    for user, word in (("bob", "important"), ("carol", "ignore")):
        service_world.share(job, user, "x")
        level(service_world, user, word)
    run, other = waiting(service_world, job), waiting(service_world, job)
    assert [len(service_world.inbox(user)) for user in ("alice", "bob", "carol")] == [2, 2, 0]
    assert [notice.user for notice in service_world.world.social.notices.unsent()] == ["bob", "bob"]
    withdraw_waiting(service_world.world, job, run.id)
    for user in ("alice", "bob"):
        (left,) = service_world.world.social.notices.of(user)
        assert left.path.endswith(other.id)
    withdraw_waiting(service_world.world, job)
    assert service_world.inbox("alice") == service_world.inbox("bob") == []


def test_holds_of_one_job_leave_an_inbox_its_other_notices(service_world: ServiceWorld) -> None:
    job = service_world.job(schedule="")
    end(service_world, job, "failed")
    with service_world.world.atomic():
        for _ in range(53):
            waiting(service_world, job)
    assert service_world.inbox("alice") == ["waiting"] * 50 + ["failed"]
