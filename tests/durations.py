"""What each file of tests takes, its processes and fixtures too: `--durations-to=FILE` writes it down."""

from __future__ import annotations

import os
import resource
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

Seconds = tuple[float, float]

PROC = Path("/proc")
TICKS = os.sysconf("SC_CLK_TCK")
PARENT, WORKED = 1, slice(11, 15)
"""Places behind the name in /proc/:pid/stat (proc(5)): who started it; its time, and its ended children's."""


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
        """Add what the tests of a file took in a row."""
        file = _file_of(item)
        if file != self._file:
            self._file, self._began = file, now()
        yield
        if nextitem is None or _file_of(nextitem) != file:
            self._note(file, can_be_long=item.get_closest_marker("walks") is not None)

    def _note(self, file: str, *, can_be_long: bool) -> None:
        after, before = now(), self._began
        spent = after[0] - before[0], after[1] - before[1]
        if not can_be_long:
            spent = possible(spent, os.cpu_count() or 1)
        worked, waited = map(sum, zip(self._spent[file], spent, strict=True))
        self._spent[file], self._file = (worked, waited), ""
        lines = [
            f"{worked:8.2f} {waited:8.2f} {file}\n" for file, (worked, waited) in sorted(self._spent.items())
        ]
        self._target.write_text("".join(lines))


def possible(spent: Seconds, processors: int) -> Seconds:
    """What tests can have worked meanwhile: a child that ends in them may have worked for others before, and
    only who collects a walk has all of its time.
    """
    worked, waited = spent
    return max(0.0, min(worked, waited * processors)), waited


def now() -> Seconds:
    """Seconds that this process and all below it worked, ended ones too, and those of the clock."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    ended = sum(one.ru_utime + one.ru_stime for one in used)
    return ended + _worked_below(os.getpid()), time.monotonic()


def _worked_below(process: int) -> float:
    """Seconds that the living processes below one worked: servers and browsers end long after their tests."""
    below: dict[int, list[int]] = defaultdict(list)
    worked: dict[int, int] = {}
    for one in PROC.iterdir():
        if one.name.isdecimal() and (figures := _figures(one)):
            below[int(figures[PARENT])].append(int(one.name))
            worked[int(one.name)] = sum(map(int, figures[WORKED]))
    found, ticks = [process], 0
    for parent in found:
        found += below[parent]
        ticks += sum(worked[child] for child in below[parent])
    return ticks / TICKS


def _figures(process: Path) -> list[str]:
    """What the system says of a process, behind its name; nothing when it has ended."""
    try:
        return (process / "stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def _file_of(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]
