"""A program: a number of comparisons with the oracle, in worlds from one seed and the ones that follow it."""

from __future__ import annotations

import contextlib
import itertools
import json
import random
import sys
from collections.abc import Callable

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.kit.unmeasured import paused_coverage
from tests.proof.permissions.oracle_service import OracleService, opened
from tests.proof.permissions.worlds import World, worlds

A_WORLD = 100
AT_ONCE = 5


def tried(number: int, examples: int, test: Callable[[World, int], None], *, shrink: bool = True) -> None:
    """Let Hypothesis make worlds, each with a number to choose by what is asked; the first is measured."""
    numbers = itertools.count()

    def measured(said: World, choice: int) -> None:
        with paused_coverage() if next(numbers) else contextlib.nullcontext():
            test(said, choice)

    chosen = settings(
        max_examples=examples,
        deadline=None,
        database=None,
        print_blob=True,
        report_multiple_bugs=False,
        phases=[Phase.generate, Phase.shrink] if shrink else [Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    seed(number)(chosen(given(worlds(), st.integers(0, 1 << 32))(measured)))()


def walk(oracle_service: OracleService, number: int) -> None:
    """Compare in some worlds, and see that nothing differs."""

    def agree(said: World, choice: int) -> None:
        with oracle_service.world(said) as comparison:
            found = list(itertools.islice(comparison.some(random.Random(choice), A_WORLD), 20))
        assert not found, "\n".join(found)

    tried(number, AT_ONCE, agree)


def main(url: str, wanted: int, number: int) -> None:
    """Walk until enough comparisons were made, and count each kind; an empty URL is SQLite's."""
    with opened(url or None) as oracle_service:
        while oracle_service.made.total() < wanted:
            walk(oracle_service, number)
            number += 1
    sys.stderr.write(f"{json.dumps(oracle_service.made)}\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
