"""What `make test` leaves to other days, and what runs whole in `make soak`: `--sampled`.

Of a file that is dear (tests/shares.py) it runs a sixth, or less where `RARELY` says so; at least a test.
Where no floor of coverage depends on it, that is a third on every second day, as half of what such a file
costs is the servers and browsers that it starts before its first test. Of what is marked `sampled`, since it
repeats on PostgreSQL what SQLite has shown, it runs an eighth. A test that goes through a table (`daily`)
tries a sixth of its cases, by the fixture `of_today`. It is another part with each day on which something
was committed, and the same part for all commits of a day: a mended failure does not bring other tests in.
"""

from __future__ import annotations

import os
import subprocess
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TypeVar

import pytest

from tests.kit.counting.amount import OfToday
from tests.shares import (
    DURATIONS,
    ROOT,
    SIXTHS,
    days_of,
    durations,
    is_sampled,
    parts_at_once,
    parts_of,
)

T = TypeVar("T")

EIGHTHS = 8
REPEATS = "what repeats on PostgreSQL"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the wish."""
    parser.addoption("--sampled", action="store_true", help="of what is dear, only the part of this day")


def pytest_configure(config: pytest.Config) -> None:
    """Tell what the marks mean."""
    config.addinivalue_line("markers", "sampled: `--sampled` runs an eighth of these; `make soak` runs all")
    config.addinivalue_line("markers", "daily: with `--sampled` it tries a sixth of its cases itself")
    config.addinivalue_line("markers", "dear: in a dear file, of which `--sampled` runs a part")


@pytest.fixture
def of_today(request: pytest.FixtureRequest) -> OfToday:
    """Of the cases of a `daily` test those of this day, in their order; without `--sampled` all of them."""

    def chosen(cases: Sequence[T]) -> list[T]:
        if not request.config.getoption("--sampled"):
            return [*cases]
        return sixth(cases, _number_of_today())

    return chosen


def sixth(cases: Sequence[T], number: int) -> list[T]:
    """One of the sixths of these cases, in their order."""
    chosen = set(part([*map(repr, cases)], number, SIXTHS))
    return [case for case in cases if repr(case) in chosen]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what is dear, so that it can be chosen by that, and leave out what belongs to other days."""
    dear = {file for file, took in durations(DURATIONS).items() if is_sampled(file, took)}
    for item in items:
        if _file(item) in dear:
            item.add_marker("dear")
    if not config.getoption("--sampled"):
        return
    chosen = set(_chosen(items))
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = [item for item in items if item in chosen]


def _chosen(items: Sequence[pytest.Item]) -> Iterator[pytest.Item]:
    day = _number_of_today()
    groups: dict[str, dict[str, pytest.Item]] = defaultdict(dict)
    for item in items:
        group = REPEATS if item.get_closest_marker("sampled") else _file(item)
        groups[group][item.nodeid] = item
    for name, group in groups.items():
        dear = any(item.get_closest_marker("dear") for item in group.values())
        if name == REPEATS:
            chosen = part([*group], day, EIGHTHS)
        elif dear:
            # Files of one test each run on different days.
            number = day + zlib.crc32(name.encode())
            chosen = part([*group], number, parts_of(name), days_of(name), parts_at_once(name))
        else:
            chosen = iter(group)
        yield from (group[test] for test in chosen)


def part(names: Sequence[str], number: int, parts: int, least: int = 1, at_once: int = 1) -> Iterator[str]:
    """One of so many parts, about as large as the others; no more parts than names, but `least`.

    With several `at_once` there are as many parts, some of which are empty while the others are larger.
    """
    shuffled = sorted(names, key=lambda name: zlib.crc32(name.encode(errors="replace")))
    parts = min(parts, max(len(shuffled), least))
    full = -(-parts // at_once)
    return (name for place, name in enumerate(shuffled) if place % full == number % parts)


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


@cache
def _number_of_today() -> int:
    return zlib.crc32(_day().encode())


def _day() -> str:
    """The day of the last commit, in UTC; nothing without git, or without a repository."""
    command = ["git", "-C", str(ROOT), "log", "-1", "--date=format-local:%F", "--format=%cd"]
    try:
        found = subprocess.run(
            command, env=os.environ | {"TZ": "UTC"}, text=True, capture_output=True, check=False
        )
    except OSError:
        return ""
    return found.stdout.strip()
