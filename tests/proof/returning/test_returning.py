"""What is deleted comes back whole, what ends stays ended, and no stale key opens anything."""

from __future__ import annotations

import os

from hypothesis import Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.proof.returning.ground import opened
from tests.proof.returning.machine import Machine


def test_x() -> None:
    with opened(None) as ground:
        Machine.ground = ground
        few = settings(
            max_examples=int(os.environ.get("N", "5")),
            stateful_step_count=30,
            deadline=None,
            database=None,
            phases=[Phase.generate],
        )
        run_state_machine_as_test(seed(int(os.environ.get("S", "1")))(Machine), settings=few)
