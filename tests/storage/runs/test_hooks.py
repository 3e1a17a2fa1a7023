"""The stored hooks of jobs keep the promises of their port, on SQLite and on PostgreSQL."""

from __future__ import annotations

import pytest

from chains.runs.hooks import KEPT_CALLS, JobHook, JobHookCall, JobHooks
from storage.runs.hooks import StoredJobHooks
from tests.kit.world import StoredWorld
from vfs.ports.items import Item
from vfs.ports.people import Account

HOOK = JobHook("digest", "shop", "2026-01-01")


@pytest.fixture
def hooks(stored: StoredWorld) -> JobHooks:
    return StoredJobHooks(stored.database)


@pytest.fixture
def job(stored: StoredWorld) -> Item:
    stored.users.add("alice", "-", Account.REGULAR, None, public=False)
    return stored.items.create("job", "alice", "nightly")


def call(number: int, status: int = 202) -> JobHookCall:
    return JobHookCall(f"2026-02-{number:03}", status, number, f"run{number}" if status == 202 else None, "")


def test_a_hook_is_found_by_its_digest_until_it_is_ended(hooks: JobHooks, job: Item) -> None:
    assert hooks.add(job.id, HOOK)
    assert not hooks.add(job.id, JobHook("another", "shop", "2026-01-02"))
    assert not hooks.add(job.id, JobHook("digest", "other", "2026-01-02"))
    found = hooks.find("digest")
    assert found is not None
    assert (found[0].id, found[0].name, found[1]) == (job.id, "nightly", HOOK)
    assert hooks.find("another") is None
    assert hooks.of(job.id) == [HOOK]
    assert hooks.drop(job.id, "shop")
    assert not hooks.drop(job.id, "shop")
    assert (hooks.find("digest"), hooks.of(job.id)) == (None, [])


def test_the_hooks_of_a_locked_account_are_not_found(hooks: JobHooks, job: Item, stored: StoredWorld) -> None:
    hooks.add(job.id, HOOK)
    stored.users.change("alice", locked=True)
    assert hooks.find("digest") is None
    stored.users.change("alice", locked=False)
    assert hooks.find("digest") is not None


def test_hooks_are_removed_with_their_job(hooks: JobHooks, job: Item, stored: StoredWorld) -> None:
    hooks.add(job.id, HOOK)
    hooks.note("digest", call(1))
    stored.items.remove(job)
    assert (hooks.find("digest"), hooks.log("digest")) == (None, [])


def test_the_last_calls_are_kept(hooks: JobHooks, job: Item) -> None:
    hooks.add(job.id, HOOK)
    hooks.add(job.id, JobHook("other", "other", "2026-01-01"))
    hooks.note("other", call(7))
    for number in range(KEPT_CALLS + 5):
        hooks.note("digest", call(number))
    assert hooks.log("digest") == [call(number) for number in range(5, KEPT_CALLS + 5)]
    assert hooks.log("other") == [call(7)]
    (_, shop) = hooks.of(job.id)
    assert (shop.calls, shop.called_on, shop.status) == (KEPT_CALLS + 5, call(KEPT_CALLS + 4).called_on, 202)
    hooks.note("unknown", call(1))
    assert hooks.log("unknown") == []


def test_calls_that_come_too_often_displace_no_others(hooks: JobHooks, job: Item) -> None:
    hooks.add(job.id, HOOK)
    hooks.note("digest", call(1))
    for number in range(2, 2 * KEPT_CALLS):
        hooks.note("digest", call(number, 429), once=True)
    hooks.note("digest", call(900))
    hooks.note("digest", call(901, 429), once=True)
    assert hooks.log("digest") == [call(1), call(2, 429), call(900), call(901, 429)]
