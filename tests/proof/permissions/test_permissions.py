"""Random worlds, and no disagreement between the service and the independent oracle about who may do what."""

from __future__ import annotations

import json
import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.kit import amount
from tests.kit.postgres import Postgres
from tests.kit.unmeasured import told
from tests.kit.world import migrate
from tests.proof.permissions.stand import over_http
from tests.proof.permissions.walk import tried
from tests.proof.permissions.worlds import World

pytestmark = [pytest.mark.soak, pytest.mark.timeout(900)]

COMPARISONS = {"sqlite": 60_000, "postgresql": 36_000}
OVER_HTTP = 2_600
DIALECTS = ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]


@pytest.mark.postgres
def test_the_service_agrees_with_the_oracle(postgres: Postgres, record_property: amount.Counted) -> None:
    """On both databases at once, each in a process of its own."""
    urls = {"sqlite": "", "postgresql": postgres.copy_of("tests.proof", migrate)}
    with ThreadPoolExecutor(len(urls)) as pool:
        done = list(pool.map(compared, COMPARISONS, [urls[dialect] for dialect in COMPARISONS]))
    record_property("comparisons with the oracle of permissions", sum(done))


def compared(dialect: str, url: str) -> int:
    """How often another process compared over a database."""
    wanted = amount.points(COMPARISONS[dialect])
    made = Counter(json.loads(told("tests.proof.permissions.walk", url, wanted, amount.seed())))
    assert made.total() >= wanted
    assert min(made.values()) > wanted // 1000, made
    return made.total()


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
        while comparison.made.total() < OVER_HTTP:
            found = list(comparison.some(dice, 20))
            assert not found, "\n".join(found)
        assert comparison.made.total() >= OVER_HTTP
        record_property("comparisons with the oracle of permissions over HTTP", comparison.made.total())
