"""Glance: the state of a service at one moment, for `curlew top`."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from chains.runs.overview import OpenRun, OpenTally
from handlers.http.health import CheckResult
from handlers.processes.watching.figures import count_answers, disk, renders
from handlers.processes.watching.readiness import checks
from handlers.processes.watching.service_processes import ServiceProcess, service_processes
from handlers.processes.world import LiveWorld
from handlers.settings.settings import Settings
from vfs.errors import VfsError

MOST_RUNS = 200


@dataclass(frozen=True, slots=True)
class Glance:
    """The state of a service at a moment.

    `now` is the time of day, `moment` the seconds of a monotonic clock. `requests` are those answered, by
    status, since the web server began; None if they are not counted. `away` is why the database does not
    answer. `disk` is in bytes, `renders` are active orders (None: no service).
    """

    now: datetime
    moment: float
    health: Mapping[str, CheckResult]
    processes: Sequence[ServiceProcess]
    requests: Mapping[str, float] | None
    disk: Mapping[str, float]
    renders: float | None
    runs: Mapping[str, int]
    builds: Mapping[str, int]
    open_runs: Sequence[OpenRun]
    away: str = ""


class ServiceWatch:
    """Looks at a service repeatedly."""

    def __init__(self, settings: Settings, live_world: LiveWorld) -> None:
        self._settings, self._live_world = settings, live_world
        self._checks = checks(live_world)

    def look(self) -> Glance:
        """Return the present state."""
        runs, builds, open_runs, away = self._run_store()
        return Glance(
            now=self._live_world.world.clock.now(),
            moment=time.monotonic(),
            health=self._checks(),
            processes=service_processes(self._settings.folder, self._settings.config),
            requests=count_answers(self._settings.folder) if self._settings.metrics else None,
            disk=disk(self._settings),
            renders=renders(self._settings).get("in_hand"),
            runs=runs,
            builds=builds,
            open_runs=open_runs,
            away=away,
        )

    def _run_store(self) -> tuple[Mapping[str, int], Mapping[str, int], Sequence[OpenRun], str]:
        """Return active runs and builds by state, the oldest run, and why they are unknown."""
        overview = self._live_world.world.code.overview
        try:
            with self._live_world.database.session():
                runs, builds = _numbers(overview.tally_runs()), _numbers(overview.tally_builds())
                return runs, builds, overview.runs(MOST_RUNS), ""
        except VfsError as refusal:
            return {}, {}, (), refusal.detail


def _numbers(tallies: Mapping[str, OpenTally]) -> Mapping[str, int]:
    return {state: tally.number for state, tally in tallies.items()}
