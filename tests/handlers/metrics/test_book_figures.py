"""Figures of the book: labels that are few, and a database that does not answer."""

from __future__ import annotations

from contextlib import nullcontext

from handlers.metrics.run_store_figures import RunStoreCollector, by_known_trigger
from storage.database.database import Database
from storage.upkeep.overview import StoredOverview
from tests.kit.suites.kernel import StillClock


def test_a_trigger_that_nobody_knows_is_another() -> None:
    ended = {("success", "api"): 2, ("success", "odd"): 1, ("success", "older"): 3}
    assert by_known_trigger(ended) == {("success", "api"): 2, ("success", "other"): 4}


def test_a_database_that_does_not_answer_is_the_only_figure() -> None:
    database = Database("postgresql://nobody@127.0.0.1:1/none")
    collector = RunStoreCollector(StoredOverview(database, StillClock(), {}), StillClock(), nullcontext)
    (family,) = collector.collect()
    assert (family.name, [sample.value for sample in family.samples]) == ("curlew_database_up", [0])
