"""Promises of counted runs."""

from __future__ import annotations

from datetime import date
from typing import Protocol

from chains.runs.activity import Activity, Day
from chains.runs.states import Status
from tests.kit.suites.kernel import Ground
from vfs.access import Grant, Role

GROUP, OTHER = "+village~birders", "+village~ringers"
FIRST, LAST = date(2025, 11, 16), date(2026, 11, 21)


class ActivityGround(Ground, Protocol):
    """A ground where runs are counted."""

    @property
    def activity(self) -> Activity: ...


def job(ground: Ground, name: str, *targets: str, letters: str = "rx") -> int:
    """A job of alice's, shared with targets."""
    item = ground.items.create("job", "alice", name)
    for target in targets:
        ground.grants.give(item.id, Grant(target, letters, f"{target}~{letters}"))
    return item.id


def settle(ground: Ground) -> None:
    """Put alice and bob into two groups of the organisation `village`."""
    for group in (GROUP, OTHER):
        for name in ("alice", "bob"):
            ground.join(group, name, Role.MEMBERS)


class ActivitySuite:
    """Promises of chains.runs.activity.Activity."""

    def count_run(self, ground: ActivityGround, job: int, trigger: str, created_on: str) -> None:
        """Count a run that begins."""
        with ground.atomic():
            ground.activity.count_start([job], trigger, created_on)

    def days(self, ground: ActivityGround, caller: str = "bob") -> list[Day]:
        """Counts of the organisation, as a caller is told."""
        return list(ground.activity.days("village", caller, FIRST, LAST))

    def test_runs_are_counted_by_day_trigger_and_outcome(self, ground: ActivityGround) -> None:
        settle(ground)
        nightly = job(ground, "nightly", GROUP)
        for trigger, created_on in (
            ("api", "2026-11-20T23:59:59.999Z"),
            ("schedule", "2026-11-21T00:00:00.000Z"),
            ("schedule", "2026-11-21T01:00:00.000Z"),
            ("email", "2026-10-31T12:00:00.000Z"),
        ):
            self.count_run(ground, nightly, trigger, created_on)
        with ground.atomic():
            ground.activity.count_end(nightly, Status.SUCCESS, "2026-11-21T00:00:00.000Z")
            ground.activity.count_end(nightly, Status.FAILED, "2026-11-21T01:00:00.000Z")
            ground.activity.count_end(nightly, Status.CANCELED, "2026-11-20T23:59:59.999Z")
        assert self.days(ground) == [
            Day("2026-10-31", email=1),
            Day("2026-11-20", api=1),
            Day("2026-11-21", schedule=2, success=1, failed=1),
        ]
        assert [day.total for day in self.days(ground)] == [1, 1, 2]

    def test_days_before_the_first_and_after_the_last_are_left_out(self, ground: ActivityGround) -> None:
        settle(ground)
        nightly = job(ground, "nightly", GROUP)
        for day in ("2025-11-15", "2025-11-16", "2026-11-21", "2026-11-22"):
            self.count_run(ground, nightly, "api", f"{day}T12:00:00.000Z")
        assert [day.day for day in self.days(ground)] == ["2025-11-16", "2026-11-21"]

    def test_jobs_are_added_and_one_shared_twice_counts_once(self, ground: ActivityGround) -> None:
        settle(ground)
        for name, targets in (("one", (GROUP,)), ("two", (GROUP, OTHER))):
            self.count_run(ground, job(ground, name, *targets), "api", "2026-11-21T12:00:00.000Z")
        assert self.days(ground) == [Day("2026-11-21", api=2)]

    def test_only_what_is_shared_readable_with_ones_groups_there_counts(self, ground: ActivityGround) -> None:
        settle(ground)
        elsewhere = "+villages~birders"
        ground.join(elsewhere, "alice", Role.FOUNDERS)
        ground.join(elsewhere, "bob", Role.MEMBERS)
        ground.join("+village", "bob", Role.FOUNDERS)
        for target in (elsewhere, "public", "@bob", "@alice~friends", "+village~others", "+village"):
            self.count_run(
                ground, job(ground, f"j{target[1:3]}{len(target)}", target), "api", "2026-11-21T12:00:00Z"
            )
        self.count_run(ground, job(ground, "unshared"), "api", "2026-11-21T12:00:00Z")
        self.count_run(ground, job(ground, "blind", GROUP, letters="x"), "api", "2026-11-21T12:00:00Z")
        assert self.days(ground) == []

    def test_both_the_caller_and_the_owner_are_in_the_group(self, ground: ActivityGround) -> None:
        settle(ground)
        self.count_run(ground, job(ground, "nightly", GROUP), "api", "2026-11-21T12:00:00.000Z")
        ground.join(GROUP, "carol", Role.ADMINS, pending=True)
        assert self.days(ground, "carol") == []
        ground.join(GROUP, "carol", Role.ADMINS)
        assert len(self.days(ground, "carol")) == 1
        ground.join(GROUP, "alice", Role.MEMBERS, pending=True)
        assert self.days(ground, "carol") == []

    def test_a_job_that_is_gone_is_forgotten(self, ground: ActivityGround) -> None:
        settle(ground)
        nightly = job(ground, "nightly", GROUP)
        self.count_run(ground, nightly, "api", "2026-11-21T12:00:00.000Z")
        ground.activity.forget(nightly)
        assert self.days(ground) == []

    def test_what_is_taken_back_does_not_count(self, ground: ActivityGround) -> None:
        settle(ground)
        nightly = job(ground, "nightly", GROUP)
        self.count_run(ground, nightly, "api", "2026-11-21T12:00:00.000Z")
        try:
            with ground.atomic():
                ground.activity.count_start([nightly], "api", "2026-11-21T12:00:00.000Z")
                raise KeyError("taken back")
        except KeyError:
            pass
        assert self.days(ground) == [Day("2026-11-21", api=1)]
