"""A program: a number of steps of the state machine from one seed, over scripted steps and any database."""

from __future__ import annotations

import sys

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.proof.empty_world import EmptyWorld, opened
from tests.proof.machine import Machine

A_TIME = 50
SAID = "steps made: "


def walk(empty_world: EmptyWorld, steps: int, number: int) -> None:
    """Let the machine make this number of steps, by a seed and the ones that follow it."""

    class Here(Machine):
        pass

    Here.empty_world = empty_world
    while (left := steps - empty_world.steps) > 0:
        chosen = settings(
            max_examples=left // A_TIME + 1,
            stateful_step_count=A_TIME,
            deadline=None,
            database=None,
            report_multiple_bugs=False,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        run_state_machine_as_test(seed(number)(Here), settings=chosen)
        number += 1


def main(url: str, steps: int, number: int) -> None:
    """Walk; an empty URL is SQLite's."""
    with opened(url or None) as empty_world:
        walk(empty_world, steps, number)
    sys.stderr.write(f"{SAID}{empty_world.steps}\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
