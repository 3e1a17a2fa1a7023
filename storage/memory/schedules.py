"""When jobs run next, in dictionaries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from chains.language.schedule import parse
from chains.schedules.timetable import Due, Firing
from storage.memory.state import Memory, Planned
from storage.runs.schedules import TOPIC, readable
from storage.signals.bell import Bell
from vfs.ports.world import stamp


class MemorySchedules:
    """chains.schedules.timetable.Schedules in dictionaries."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._bell = Bell()

    def set(self, job: int, text: str, enabled: bool) -> None:
        """As Schedules.set."""
        schedule = parse(text) if enabled else None
        with self._memory.lock:
            plans, known = self._memory.state.plans, self._memory.state.plans.get(job)
            if schedule is None:
                plans.pop(job, None)
            elif known is None or known.text != text:
                plans[job] = Planned(text, schedule, stamp(schedule.after(self._memory.clock.now())))
                self.ring()

    def rebuild(self) -> None:
        """As Schedules.rebuild."""
        with self._memory.atomic():
            state = self._memory.state
            jobs = [item.id for item in state.items.values() if item.kind == "job"]
            for job in jobs:
                text = self._leaf(job, "config/schedule")
                enabled = self._leaf(job, "config/enabled") != "false" and readable(text) is not None
                self.set(job, text, enabled)
            if any(planned > self._memory.now() for _, planned in state.firings):
                self.replan()

    def replan(self) -> None:
        """As Schedules.replan."""
        now = self._memory.clock.now()
        with self._memory.atomic():
            plans = self._memory.state.plans
            for job, known in plans.items():
                plans[job] = replace(known, planned=stamp(known.schedule.after(now)))

    def due(self, now: datetime, most: int) -> Sequence[Due]:
        """As Schedules.due."""
        state = self._memory.state
        found = [
            Due(state.items[job], known.schedule, known.planned, self._locked(state.items[job].owner))
            for job, known in list(state.plans.items())
            if known.planned <= stamp(now)
        ]
        return sorted(found, key=lambda due: (due.planned, due.job.id))[:most]

    def take(self, firings: Sequence[Firing]) -> Sequence[Firing]:
        """As Schedules.take."""
        with self._memory.atomic():
            return [one for one in firings if self._take(one)]

    def _take(self, firing: Firing) -> bool:
        state, due = self._memory.state, firing.due
        known = state.plans.get(due.job.id)
        if known is None or known.planned != due.planned:
            return False
        state.plans[due.job.id] = replace(known, planned=stamp(firing.next))
        if firing.at is None:
            return True
        key = due.job.id, stamp(firing.at)
        fresh = key not in state.firings
        state.firings[key] = None
        return fresh

    def _locked(self, name: str) -> bool:
        owner = self._memory.state.users.get(name)
        return owner is not None and owner.locked

    def last_fired(self, job: int, before: str) -> str | None:
        """As Schedules.fired."""
        times = (planned for id, planned in list(self._memory.state.firings) if id == job)
        return max((planned for planned in times if planned <= before), default=None)

    def first(self) -> str | None:
        """As Schedules.first."""
        state = self._memory.state
        return min((known.planned for known in list(state.plans.values())), default=None)

    def forget(self, before: datetime) -> None:
        """As Schedules.forget."""
        with self._memory.atomic():
            state = self._memory.state
            state.firings = {key: None for key in state.firings if key[1] >= stamp(before)}

    def wake(self, seen: int, seconds: float | None) -> int:
        """As Schedules.wake."""
        ticket = self._bell.ticket(TOPIC)
        if ticket.seen == seen:
            self._bell.wait(ticket, seconds)
        return self._bell.ticket(TOPIC).seen

    def ring(self) -> None:
        """As Schedules.ring."""
        self._bell.ring(TOPIC)

    def _leaf(self, job: int, rel: str) -> str:
        leaf = self._memory.state.leaves.get((job, rel))
        return leaf.text or "" if leaf is not None else ""
