"""Promises of counted runs."""

from __future__ import annotations

from datetime import date
from typing import Protocol

from chains.runs.activity import Activity, Day
from chains.runs.states import Status
from tests.kit.suites.kernel import EmptyWorld
from vfs.access import Grant, Role

GROUP, OTHER = "+village~birders", "+village~ringers"
FIRST, LAST = date(2025, 11, 16), date(2026, 11, 21)


class ActivityWorld(EmptyWorld, Protocol):
    """A world where runs are counted."""

    @property
    def activity(self) -> Activity: ...


def job(empty_world: EmptyWorld, name: str, *targets: str, letters: str = "rx") -> int:
    """A job of alice's, shared with targets."""
    item = empty_world.items.create("job", "alice", name)
    for target in targets:
        empty_world.grants.give(item.id, Grant(target, letters, f"{target}~{letters}"))
    return item.id


def settle(empty_world: EmptyWorld) -> None:
    """Put alice and bob into two groups of the organisation `village`."""
    for group in (GROUP, OTHER):
        for name in ("alice", "bob"):
            empty_world.join(group, name, Role.MEMBERS)


class ActivitySuite:
    """Promises of chains.runs.activity.Activity."""

    def count_run(self, empty_world: ActivityWorld, job: int, trigger: str, created_on: str) -> None:
        """Count a run that begins."""
        with empty_world.atomic():
            empty_world.activity.count_start([job], trigger, created_on)

    def days(self, empty_world: ActivityWorld, caller: str = "bob") -> list[Day]:
        """Counts of the organisation that a caller sees."""
        return list(empty_world.activity.days("village", caller, FIRST, LAST))

    def test_runs_are_counted_by_day_trigger_and_outcome(self, empty_world: ActivityWorld) -> None:
        settle(empty_world)
        nightly = job(empty_world, "nightly", GROUP)
        for trigger, created_on in (
            ("api", "2026-11-20T23:59:59.999Z"),
            ("schedule", "2026-11-21T00:00:00.000Z"),
            ("schedule", "2026-11-21T01:00:00.000Z"),
            ("email", "2026-10-31T12:00:00.000Z"),
        ):
            self.count_run(empty_world, nightly, trigger, created_on)
        with empty_world.atomic():
            empty_world.activity.count_end(nightly, Status.SUCCESS, "2026-11-21T00:00:00.000Z")
            empty_world.activity.count_end(nightly, Status.FAILED, "2026-11-21T01:00:00.000Z")
            empty_world.activity.count_end(nightly, Status.CANCELED, "2026-11-20T23:59:59.999Z")
        assert self.days(empty_world) == [
            Day("2026-10-31", email=1),
            Day("2026-11-20", api=1),
            Day("2026-11-21", schedule=2, success=1, failed=1),
        ]
        assert [day.total for day in self.days(empty_world)] == [1, 1, 2]

    def test_days_before_the_first_and_after_the_last_are_left_out(self, empty_world: ActivityWorld) -> None:
        settle(empty_world)
        nightly = job(empty_world, "nightly", GROUP)
        for day in ("2025-11-15", "2025-11-16", "2026-11-21", "2026-11-22"):
            self.count_run(empty_world, nightly, "api", f"{day}T12:00:00.000Z")
        assert [day.day for day in self.days(empty_world)] == ["2025-11-16", "2026-11-21"]

    def test_jobs_are_added_and_one_shared_twice_counts_once(self, empty_world: ActivityWorld) -> None:
        settle(empty_world)
        for name, targets in (("one", (GROUP,)), ("two", (GROUP, OTHER))):
            self.count_run(empty_world, job(empty_world, name, *targets), "api", "2026-11-21T12:00:00.000Z")
        assert self.days(empty_world) == [Day("2026-11-21", api=2)]

    def test_only_what_is_shared_readable_with_ones_groups_there_counts(
        self, empty_world: ActivityWorld
    ) -> None:
        settle(empty_world)
        elsewhere = "+villages~birders"
        empty_world.join(elsewhere, "alice", Role.FOUNDERS)
        empty_world.join(elsewhere, "bob", Role.MEMBERS)
        empty_world.join("+village", "bob", Role.FOUNDERS)
        for target in (elsewhere, "public", "@bob", "@alice~friends", "+village~others", "+village"):
            self.count_run(
                empty_world,
                job(empty_world, f"j{target[1:3]}{len(target)}", target),
                "api",
                "2026-11-21T12:00:00Z",
            )
        self.count_run(empty_world, job(empty_world, "unshared"), "api", "2026-11-21T12:00:00Z")
        self.count_run(
            empty_world, job(empty_world, "blind", GROUP, letters="x"), "api", "2026-11-21T12:00:00Z"
        )
        assert self.days(empty_world) == []

    def test_both_the_caller_and_the_owner_are_in_the_group(self, empty_world: ActivityWorld) -> None:
        settle(empty_world)
        self.count_run(empty_world, job(empty_world, "nightly", GROUP), "api", "2026-11-21T12:00:00.000Z")
        empty_world.join(GROUP, "carol", Role.ADMINS, pending=True)
        assert self.days(empty_world, "carol") == []
        empty_world.join(GROUP, "carol", Role.ADMINS)
        assert len(self.days(empty_world, "carol")) == 1
        empty_world.join(GROUP, "alice", Role.MEMBERS, pending=True)
        assert self.days(empty_world, "carol") == []

    def test_a_job_that_is_gone_is_forgotten(self, empty_world: ActivityWorld) -> None:
        settle(empty_world)
        nightly = job(empty_world, "nightly", GROUP)
        self.count_run(empty_world, nightly, "api", "2026-11-21T12:00:00.000Z")
        empty_world.activity.forget(nightly)
        assert self.days(empty_world) == []

    def test_what_is_taken_back_does_not_count(self, empty_world: ActivityWorld) -> None:
        settle(empty_world)
        nightly = job(empty_world, "nightly", GROUP)
        self.count_run(empty_world, nightly, "api", "2026-11-21T12:00:00.000Z")
        try:
            with empty_world.atomic():
                empty_world.activity.count_start([nightly], "api", "2026-11-21T12:00:00.000Z")
                raise KeyError("taken back")
        except KeyError:
            pass
        assert self.days(empty_world) == [Day("2026-11-21", api=1)]
