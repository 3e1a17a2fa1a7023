"""What each file of tests takes, its processes and fixtures too: `--durations-to=FILE` writes it down."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import psutil
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
        self._file, self._began = "", (0.0, 0.0)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
        """Add what the tests of a file took in a row, and write it down."""
        file = item.nodeid.partition("::")[0]
        if file != self._file:
            self._file, self._began = file, _now()
        yield
        if nextitem is None or nextitem.nodeid.partition("::")[0] != file:
            worked, waited = (after - since for after, since in zip(_now(), self._began, strict=True))
            # A child that ends in a test may have worked for others before.
            worked = max(0.0, min(worked, waited * (os.cpu_count() or 1)))
            self._spent[file] = self._spent[file][0] + worked, self._spent[file][1] + waited
            self._file = ""
            lines = [f"{spent[0]:8.2f} {spent[1]:8.2f} {name}\n" for name, spent in self._spent.items()]
            self._target.write_text("".join(lines))


def _now() -> Seconds:
    """Seconds that this process and all below it worked, ended ones too, and those of the clock."""
    me = psutil.Process()
    worked = 0.0
    for process in [me, *me.children(recursive=True)]:
        try:
            worked += sum(process.cpu_times()[:4])
        except psutil.Error:
            continue
    return worked, time.monotonic()
