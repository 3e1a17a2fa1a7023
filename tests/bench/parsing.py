"""Rows of parsing: the text of a chain, a line each, and how that grows."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator

from chains.chain import parse
from tests.bench.figures import Figure, in_turn

ROWS = ("f", "f2")
SHORT, LONG = 50, 5_000
LARGEST = 1 << 20


def measure(rows: set[str], rounds: int) -> Iterator[Figure]:
    """The rows that are asked for."""
    if not rows & set(ROWS):
        return
    short, long = text(SHORT), text(LONG)
    parse(short, LARGEST)
    often = LONG // SHORT
    one, other = in_turn(3 * rounds, lambda: seconds(short, often), lambda: seconds(long, 1))
    if "f" in rows:
        yield Figure("f", f"chain text, a line of {SHORT}", one / often / SHORT * 1e6, unit="us", bound=25)
    if "f2" in rows:
        what = f"chain text, a line of {LONG:,} : of {SHORT}"
        yield Figure("f2", what, other / LONG * 1e6, one / often / SHORT * 1e6, "us", 1.15)


def text(lines: int) -> str:
    """A chain of so many lines: as many bindings as edges."""
    steps = lines // 2
    bindings = [f"step{number} <- @alice/repo{number % 7}:latest" for number in range(steps)]
    edges = [f"step{number} -> step{number + 1}" for number in range(steps - 1)]
    return "\n".join([*bindings, *edges, f"step0 -> step{steps - 1}"]) + "\n"


def seconds(chain: str, times: int) -> float:
    """Processor time that it takes to parse the text so often."""
    # As in a worker, what was there before is not looked through for garbage meanwhile.
    gc.collect()
    gc.freeze()
    began = time.process_time()
    for _ in range(times):
        parse(chain, LARGEST)
    took = time.process_time() - began
    gc.unfreeze()
    return took
