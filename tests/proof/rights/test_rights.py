"""Hundreds of rights that come and go between the events of runs, and none is used that is not there."""

from __future__ import annotations

import pytest

from tests.kit import amount
from tests.kit.postgres import Postgres
from tests.kit.unmeasured import told
from tests.kit.world import migrate
from tests.proof.walk import SAID

pytestmark = [pytest.mark.soak, pytest.mark.timeout(900)]

STEPS = 250


def walked(url: str, number: int) -> int:
    """The steps that another process made."""
    said = told("tests.proof.rights.walk", url, amount.points(STEPS), amount.seed() + number)
    return int(said.removeprefix(SAID))


def test_no_right_is_used_that_was_taken_back(record_property: amount.Counted) -> None:
    steps = walked("", 0)
    assert steps >= amount.points(STEPS)
    record_property("steps of the machine of rights", steps)


@pytest.mark.postgres
def test_no_right_is_used_that_was_taken_back_on_postgresql(
    postgres: Postgres, record_property: amount.Counted
) -> None:
    steps = walked(postgres.copy_of("tests.proof", migrate), 1_000)
    assert steps >= amount.points(STEPS)
    record_property("steps of the machine of rights on PostgreSQL", steps)
