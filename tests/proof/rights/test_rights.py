"""Hundreds of rights that come and go between the events of runs, and none is used that is not there."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from tests.kit.counting import amount
from tests.kit.postgres import Postgres
from tests.kit.world import migrate
from tests.proof.walk import SAID

pytestmark = [pytest.mark.soak, pytest.mark.timeout(900)]

STEPS = 250


def walks(postgres: Callable[[], Postgres]) -> Sequence[Sequence[object]]:
    """A walk on each database, by a different seed."""
    urls = ("", postgres().copy_of("tests.proof", migrate))
    return [
        ("tests.proof.rights.walk", url, amount.points(STEPS), amount.seed() + 1_000 * number)
        for number, url in enumerate(urls)
    ]


@pytest.mark.postgres
@pytest.mark.walks(programs=walks)
def test_no_right_is_used_that_was_taken_back(results: list[str], record_property: amount.Counted) -> None:
    for steps in (int(said.removeprefix(SAID)) for said in results):
        assert steps >= amount.points(STEPS)
        record_property("steps of the machine of rights", steps)
