"""Random worlds, and no disagreement between the service and the independent oracle about who may do what."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.durability import amount
from tests.proof.permissions.stand import Stand, opened, over_http
from tests.proof.permissions.worlds import World, worlds
from tests.storage.grounds import migrate

pytestmark = [pytest.mark.soak, pytest.mark.timeout(900)]

COMPARISONS = {"sqlite": 80_000, "postgresql": 50_000}
OVER_HTTP = 2_600
A_WORLD = 100
AT_ONCE = 5
DIALECTS = ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]


def tried(number: int, examples: int, test: Callable[[World, int], None], *, shrink: bool = True) -> None:
    """Let Hypothesis make worlds, each with a number to choose by what is asked there."""
    chosen = settings(
        max_examples=examples,
        deadline=None,
        database=None,
        print_blob=True,
        report_multiple_bugs=False,
        phases=[Phase.generate, Phase.shrink] if shrink else [Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    seed(number)(chosen(given(worlds(), st.integers(0, 1 << 32))(test)))()


def walk(stand: Stand, number: int) -> None:
    """Compare in some worlds, and see that nothing differs."""

    def agree(said: World, choice: int) -> None:
        with stand.world(said) as comparison:
            found = list(itertools.islice(comparison.some(random.Random(choice), A_WORLD), 20))
        assert not found, "\n".join(found)

    tried(number, AT_ONCE, agree)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_service_agrees_with_the_oracle(
    dialect: str, request: pytest.FixtureRequest, record_property: amount.Counted
) -> None:
    url = None
    if dialect == "postgresql":
        url = request.getfixturevalue("postgres").copy_of("tests.proof", migrate)
    wanted = amount.points(COMPARISONS[dialect])
    with opened(url) as stand:
        for number in itertools.count(amount.seed()):
            walk(stand, number)
            if stand.made.total() >= wanted:
                break
        assert stand.made.total() >= wanted
        assert min(stand.made.values()) > wanted // 1000, stand.made
        record_property("comparisons with the oracle of permissions", stand.made.total())


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
