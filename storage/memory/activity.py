"""Counts of runs in dictionaries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from datetime import date

from chains.runs.activity import OUTCOMES, TRIGGERS, Day
from chains.runs.states import Status
from storage.memory.state import Memory


class MemoryActivity:
    """chains.runs.activity.Activity in dictionaries."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def begun(self, jobs: Sequence[int], trigger: str, created_on: str) -> None:
        """As Activity.begun."""
        for job in jobs if trigger in TRIGGERS else ():
            self._add(job, trigger, created_on)

    def ended(self, job: int, status: Status, created_on: str) -> None:
        """As Activity.ended."""
        if status in OUTCOMES:
            self._add(job, status, created_on)

    def forget(self, job: int) -> None:
        """As Activity.forget."""
        days = self._memory.state.days
        for key in [key for key in days if key[0] == job]:
            del days[key]

    def days(self, org: str, caller: str, first: date, last: date) -> Sequence[Day]:
        """As Activity.days."""
        jobs, added = self._jobs(org, caller), dict[str, Day]()
        for (job, name), day in self._memory.state.days.items():
            if job in jobs and first.isoformat() <= name <= last.isoformat():
                added[name] = _sum(added.get(name, Day(name)), day)
        return [added[name] for name in sorted(added)]

    def _jobs(self, org: str, caller: str) -> set[int]:
        memory, jobs = self._memory, set()
        for (item, target), grant in memory.state.grants.items():
            job = memory.state.items[item]
            readable = job.kind == "job" and target.startswith(f"+{org}~") and "r" in grant.letters
            if readable and None not in (memory.role(target, caller), memory.role(target, job.owner)):
                jobs.add(item)
        return jobs

    def _add(self, job: int, counter: str, created_on: str) -> None:
        name = created_on[:10]
        with self._memory.lock:
            day = self._memory.state.days.get((job, name), Day(name))
            self._memory.state.days[job, name] = replace(day, **{counter: getattr(day, counter) + 1})


def _sum(one: Day, other: Day) -> Day:
    counters = [field.name for field in fields(Day)][1:]
    return Day(one.day, *(getattr(one, name) + getattr(other, name) for name in counters))
