"""What each file of tests takes, its children and fixtures included: `--durations-to=FILE` writes it down."""

from __future__ import annotations

import os
import resource
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

Seconds = tuple[float, float]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the name of the file."""
    parser.addoption("--durations-to", metavar="FILE", help="write down what each file of tests took")


def pytest_configure(config: pytest.Config) -> None:
    """Watch, when somebody wants to know."""
    if target := config.getoption("--durations-to"):
        config.pluginmanager.register(Stopwatch(Path(target)), "stopwatch")


class Stopwatch:
    """Seconds of the processors and of the clock, added up by file."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._spent: dict[str, Seconds] = defaultdict(lambda: (0.0, 0.0))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Add what a test took to what its file did."""
        before = now()
        yield
        file, after = item.nodeid.partition("::")[0], now()
        spent = after[0] - before[0], after[1] - before[1]
        if not item.get_closest_marker("walks"):
            spent = possible(spent, os.cpu_count() or 1)
        worked, waited = map(sum, zip(self._spent[file], spent, strict=True))
        self._spent[file] = worked, waited
        lines = [
            f"{worked:8.2f} {waited:8.2f} {file}\n" for file, (worked, waited) in sorted(self._spent.items())
        ]
        self._target.write_text("".join(lines))


def possible(spent: Seconds, processors: int) -> Seconds:
    """What a test can have worked meanwhile: a child that ends in it may have worked for others before, and
    only who collects a walk has all of its time.
    """
    worked, waited = spent
    return min(worked, waited * processors), waited


def now() -> Seconds:
    """Seconds that this process and its ended children worked, and those of the clock."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used), time.monotonic()
