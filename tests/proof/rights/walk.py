"""A program: a number of steps of the machine of rights from one seed, on any database."""

from __future__ import annotations

import sys

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.proof.rights.empty_world import opened
from tests.proof.rights.machine import Machine
from tests.proof.walk import SAID

A_TIME = 40


def main(url: str, steps: int, number: int) -> None:
    """Walk; an empty URL is SQLite's."""
    with opened(url or None) as empty_world:
        Machine.empty_world = empty_world
        while empty_world.steps < steps:
            chosen = settings(
                max_examples=10,
                stateful_step_count=A_TIME,
                deadline=None,
                database=None,
                report_multiple_bugs=False,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            run_state_machine_as_test(seed(number)(Machine), settings=chosen)
            number += 1
    sys.stderr.write(f"{SAID}{empty_world.steps}\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
