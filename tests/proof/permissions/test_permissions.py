"""Random worlds, and no disagreement between the service and the independent oracle about who may do what."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.kit.counting import amount
from tests.kit.postgres import Postgres
from tests.kit.world import migrate
from tests.proof.permissions.oracle_service import over_http
from tests.proof.permissions.walk import tried
from tests.proof.permissions.worlds import World

pytestmark = [pytest.mark.soak, pytest.mark.timeout(900)]

COMPARISONS = {"sqlite": 15_000, "postgresql": 9_000}
OVER_HTTP = 650
PART = 6
"""`make test` makes a sixth of the usual comparisons."""
DIALECTS = ["sqlite", pytest.param("postgresql", marks=[pytest.mark.postgres, pytest.mark.repeats])]


def walks(postgres: Callable[[], Postgres]) -> Sequence[Sequence[object]]:
    """A walk on each database."""
    urls = {"sqlite": "", "postgresql": postgres().copy_of("tests.proof", migrate)}
    return [
        ("tests.proof.permissions.walk", url, amount.points(COMPARISONS[dialect], PART), amount.seed())
        for dialect, url in urls.items()
    ]


@pytest.mark.postgres
@pytest.mark.walks(programs=walks)
def test_the_service_agrees_with_the_oracle(results: list[str], record_property: amount.Counted) -> None:
    made = [Counter[str](json.loads(said)) for said in results]
    usual = [amount.points(each, PART) for each in COMPARISONS.values()]
    for wanted, found in zip(usual, made, strict=True):
        assert found.total() >= wanted
        assert min(found.values()) > wanted // 1000, found
    record_property("comparisons with the oracle of permissions", sum(found.total() for found in made))


def richest(number: int) -> World:
    """The world of some that holds most."""
    found: list[World] = []
    tried(number, 20, lambda said, _: found.append(said), shrink=False)
    return max(found, key=lambda said: sum(len(item["shares"]) for item in said["items"])
               + sum(len(group["members"]) for group in said["groups"].values()))  # fmt: skip


def test_the_service_agrees_with_the_oracle_over_http(
    database_url: str, tmp_path: Path, record_property: amount.Counted
) -> None:
    dice = random.Random(amount.seed())
    with over_http(richest(amount.seed()), tmp_path / "data", database_url) as comparison:
        while comparison.made.total() < amount.points(OVER_HTTP):
            found = list(comparison.some(dice, 20))
            assert not found, "\n".join(found)
        assert comparison.made.total() >= amount.points(OVER_HTTP)
        record_property("comparisons with the oracle of permissions over HTTP", comparison.made.total())
