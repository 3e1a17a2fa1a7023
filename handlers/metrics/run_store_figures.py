"""Figures of the run store and the disk for Prometheus, queried at each scrape."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from datetime import datetime, timedelta

from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from chains.runs.activity import TRIGGERS
from chains.runs.overview import OpenTally, Overview
from vfs.errors import VfsError
from vfs.ports.clock import Clock, stamp

Label = tuple[str, ...]

MOST_ENDED = 50_000
"""Maximum of counted ended runs: a figure of this value means "at least"."""
DAY = timedelta(days=1)


class RunStoreCollector(Collector):
    """Queries the overview in one `session`; reports a database that does not answer."""

    def __init__(
        self, overview: Overview, clock: Clock, session: Callable[[], AbstractContextManager[object]]
    ) -> None:
        self._overview = overview
        self._clock = clock
        self._session = session

    def collect(self) -> Iterator[Metric]:
        """Yield the families of metrics."""
        try:
            with self._session():
                found = list(self._families())
        except VfsError:
            yield GaugeMetricFamily("curlew_database_up", "Whether the database answers.", 0)
            return
        yield GaugeMetricFamily("curlew_database_up", "Whether the database answers.", 1)
        yield from found

    def _families(self) -> Iterator[Metric]:
        """Yield the families of metrics from the database. Raises VfsError."""
        asked, now = self._overview, self._clock.now()
        states = ("queued", "running", "waiting", "canceling")
        runs = dict.fromkeys(states, OpenTally()) | dict(asked.tally_runs())
        builds = dict.fromkeys(("queued", "building"), OpenTally()) | dict(asked.tally_builds())
        yield from _tallies("runs", "Active top-level runs", runs, now)
        yield from _tallies("builds", "Active builds of images", builds, now)
        holds = {"waiting": asked.tally_holds()}
        yield from _tallies("holds", "Holds at which runs wait for people", holds, now)
        ended = by_known_trigger(asked.ended_runs(stamp(now - DAY), MOST_ENDED))
        about = "Runs that ended in the last 24 hours."
        yield gauge("runs_ended_day", about, ended.items(), ("state", "trigger"))
        waiting = asked.mails()
        mails = {"sending": waiting.sent, "message": waiting.own}
        mails |= {"notice": waiting.notices, "inbound": waiting.inbound}
        yield gauge("mails_waiting", "Mails that wait to leave, or to be handled.", _by_one(mails), ("kind",))
        about = "Messages of hooks that wait or are failing, and hooks that are paused."
        yield gauge("hooks", about, _by_one(asked.hooks()), ("state",))
        runners = _by_one(asked.count_runners())
        yield gauge("runners", "Runners by their last entry in the run store.", runners, ("state",))


class FiguresCollector(Collector):
    """Queries figures of one kind at each scrape: their name, description, and values by one label."""

    def __init__(self, name: str, about: str, label: str, ask: Callable[[], Mapping[str, float]]) -> None:
        self._facts = (name, about, label)
        self._ask = ask

    def collect(self) -> Iterator[Metric]:
        """Yield the one family of metrics."""
        name, about, label = self._facts
        yield gauge(name, about, _by_one(self._ask()), (label,))


def by_known_trigger(ended: Mapping[tuple[str, str], int]) -> Mapping[Label, int]:
    """Return runs by state and trigger; unknown triggers are `other`, so that labels are few."""
    found = Counter[Label]()
    for (state, trigger), number in ended.items():
        found[state, trigger if trigger in TRIGGERS else "other"] += number
    return found


def gauge(name: str, about: str, values: Iterable[tuple[Label, float]], labels: Label) -> Metric:
    """Return a family of gauges with its values by their labels."""
    family = GaugeMetricFamily(f"curlew_{name}", about, labels=labels)
    for label, value in values:
        family.add_metric(label, value)
    return family


def _by_one(values: Mapping[str, float]) -> Iterator[tuple[Label, float]]:
    """Return the values by one label."""
    return (((word,), value) for word, value in values.items())


def _tallies(name: str, about: str, tallies: Mapping[str, OpenTally], now: datetime) -> Iterator[Metric]:
    """Yield numbers by state, and the ages of the oldest."""
    numbers = {state: tally.number for state, tally in tallies.items()}
    ages = {state: _age(tally.since, now) for state, tally in tallies.items()}
    yield gauge(name, f"{about}.", _by_one(numbers), ("state",))
    yield gauge(f"{name}_oldest_seconds", f"{about}: age of the oldest.", _by_one(ages), ("state",))


def _age(since: str | None, now: datetime) -> float:
    """Return the seconds from a stamp to now; 0 without one."""
    return max(0.0, (now - datetime.fromisoformat(since)).total_seconds()) if since else 0.0
