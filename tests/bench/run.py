"""`make bench`: figures of Curlew against floors that are measured in the same run, in turn."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from tests.bench import (
    fanout,
    history,
    hosts,
    image_builds,
    jobs,
    schedules,
    searches,
    web,
)
from tests.bench.figures import Figure, plain
from tests.bench.messages import mails
from tests.bench.renderings import documents, presentations, renders
from tests.bench.requests import answers, crowds, listeners
from tests.bench.speed_table import renew_table
from tests.kit.counting.machine import machine
from tests.kit.generated import renewed

FIGURES = Path(__file__).with_name("figures.md")
MILLION = 1_000_000
ROWS = (
    *jobs.ROWS,
    *fanout.ROWS,
    *hosts.ROWS,
    *image_builds.ROWS,
    *web.ROWS,
    *answers.ROWS,
    *crowds.ROWS,
    *listeners.ROWS,
    *history.ROWS,
    *schedules.ROWS,
    *searches.ROWS,
    *renders.ROWS,
    *documents.ROWS,
    *mails.ROWS,
    *presentations.ROWS,
)


def main() -> int:
    """Measure, print, write; 1 when a bound is not held."""
    chosen = arguments()
    here, day = machine(), f"{datetime.now(UTC):%Y-%m-%d}"
    print(f"{day}: {here}; load {os.getloadavg()[0]:.1f} at the start.", flush=True)
    scratch = Path(tempfile.mkdtemp(prefix="curlew-bench-"))
    figures = []
    try:
        for figure in measured(set(chosen.only or ROWS), chosen.rounds, scratch, chosen.requests):
            print("  ".join(cell for cell in figure.cells() if cell), flush=True)
            figures.append(figure)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print(f"\n{plain(figures)}")
    if chosen.write:
        table = partial(renew_table, machine=here, day=day, figures=figures, order=ROWS)
        FIGURES.write_text(renewed(FIGURES.read_text(), bench=lambda _, now: table(now)))
    return 0 if all(figure.passed for figure in figures) else 1


def measured(rows: set[str], rounds: int, scratch: Path, requests: int) -> Iterator[Figure]:
    """Every requested row; row r13 measures memory again after this number of requests."""
    yield from jobs.measure(rows, rounds, scratch)
    yield from fanout.measure(rows, scratch)
    yield from hosts.measure(rows, rounds, scratch)
    yield from image_builds.measure(rows, rounds, scratch)
    yield from web.measure(rows, rounds, scratch)
    yield from answers.measure(rows, rounds, scratch, requests)
    yield from crowds.measure(rows, scratch)
    yield from listeners.measure(rows, scratch)
    yield from history.measure(rows, rounds, scratch)
    yield from schedules.measure(rows, rounds, scratch)
    yield from searches.measure(rows, rounds, scratch)
    yield from renders.measure(rows, rounds, scratch)
    yield from documents.measure(rows, rounds, scratch)
    yield from mails.measure(rows, rounds, scratch)
    yield from presentations.measure(rows, rounds)


def arguments() -> argparse.Namespace:
    """What was typed."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--only", nargs="+", metavar="ROW", choices=ROWS, help=f"of {' '.join(ROWS)}")
    parser.add_argument("--rounds", type=int, default=5, help="each measure is taken so often (default 5)")
    parser.add_argument(
        "--requests", type=int, default=MILLION, help=f"requests of row r13 (default {MILLION:,})"
    )
    parser.add_argument("--write", action="store_true", help="renew the rows in figures.md")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
