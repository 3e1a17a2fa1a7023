"""Figures of the book and the disk as Prometheus takes them, asked anew at each scrape."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from storage.upkeep.figures import BookFigures, OpenTally
from vfs.errors import VfsError

Label = tuple[str, ...]


class BookCollector(Collector):
    """Asks for the figures of the book; where the database does not answer, it says that instead."""

    def __init__(self, figures: Callable[[], BookFigures]) -> None:
        self._figures = figures

    def collect(self) -> Iterator[Metric]:
        """The families of metrics."""
        try:
            found = self._figures()
        except VfsError:
            yield GaugeMetricFamily("curlew_database_up", "Whether the database answers.", 0)
            return
        yield GaugeMetricFamily("curlew_database_up", "Whether the database answers.", 1)
        yield from _tallies("runs", "Top-level runs that go on", found.runs)
        yield from _tallies("builds", "Builds of images that go on", found.builds)
        yield from _tallies("holds", "Holds at which runs wait for people", found.holds)
        about = "Runs that ended in the last 24 hours."
        yield gauge("runs_ended_day", about, found.ended.items(), ("state", "trigger"))
        about = "Mails that wait to leave, or to be handled."
        yield gauge("mails_waiting", about, _by_one(found.mails), ("kind",))
        yield gauge("runners", "Runners by their last entry in the book.", _by_one(found.runners), ("state",))


class FiguresCollector(Collector):
    """Asks for figures of one kind each time: their name, what they tell, and their values by one label."""

    def __init__(self, name: str, about: str, label: str, ask: Callable[[], Mapping[str, float]]) -> None:
        self._facts = (name, about, label)
        self._ask = ask

    def collect(self) -> Iterator[Metric]:
        """The one family of metrics."""
        name, about, label = self._facts
        yield gauge(name, about, _by_one(self._ask()), (label,))


def gauge(name: str, about: str, values: Iterable[tuple[Label, float]], labels: Label) -> Metric:
    """A family of gauges with its values by their labels."""
    family = GaugeMetricFamily(f"curlew_{name}", about, labels=labels)
    for label, value in values:
        family.add_metric(label, value)
    return family


def _by_one(values: Mapping[str, float]) -> Iterator[tuple[Label, float]]:
    """The values by one label."""
    return (((word,), value) for word, value in values.items())


def _tallies(name: str, about: str, tallies: Mapping[str, OpenTally]) -> Iterator[Metric]:
    """Numbers by state, and the ages of the oldest."""
    numbers = {state: tally.number for state, tally in tallies.items()}
    ages = {state: tally.oldest for state, tally in tallies.items()}
    yield gauge(name, f"{about}.", _by_one(numbers), ("state",))
    yield gauge(f"{name}_oldest_seconds", f"{about}: age of the oldest.", _by_one(ages), ("state",))
