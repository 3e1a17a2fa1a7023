"""What `make test` leaves to other days, and what runs whole in `make soak`: `--sampled`.

Of a file that is dear (tests/shares.py) it runs a sixth, or less where that takes long; at least a test.
Where no floor of coverage depends on it, that is a half on every third day, as half of what such a file
costs is the servers and browsers that it starts before its first test. Of what is marked `sampled`, since it
repeats on PostgreSQL what SQLite has shown, it runs an eighth. A test that goes through a table (`daily`)
tries a twelfth of its cases, by the fixture `of_today`. It is another part with each day on which something
was committed, and the same part for all commits of a day: a mended failure does not bring other tests in.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TypeVar

import pytest

from tests.kit.counting.amount import OfToday
from tests.shares import DURATIONS, Took, durations, is_measured, is_sampled, parts_of, turn
from tests.today import number_of_today

T = TypeVar("T")

EIGHTHS, TWELFTHS = 8, 12
REPEATS = "what repeats on PostgreSQL"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the wish."""
    parser.addoption("--sampled", action="store_true", help="of what is dear, only the part of this day")


def pytest_configure(config: pytest.Config) -> None:
    """Tell what the marks mean."""
    config.addinivalue_line("markers", "sampled: `--sampled` runs an eighth of these; `make soak` runs all")
    config.addinivalue_line("markers", "daily: with `--sampled` it tries a twelfth of its cases itself")
    config.addinivalue_line("markers", "whole: `--sampled` runs none of these; `make test-all` does")
    config.addinivalue_line("markers", "dear: in a dear file, of which `--sampled` runs a part")


@pytest.fixture
def of_today(request: pytest.FixtureRequest) -> OfToday:
    """Of the cases of a `daily` test those of this day, in their order; without `--sampled` all of them."""

    def chosen(cases: Sequence[T]) -> list[T]:
        if not request.config.getoption("--sampled"):
            return [*cases]
        return cases_of(cases, number_of_today())

    return chosen


def cases_of(cases: Sequence[T], number: int) -> list[T]:
    """One of the twelfths of these cases, in their order."""
    chosen = set(part([*map(repr, cases)], number, TWELFTHS))
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
    day, known = number_of_today(), durations(DURATIONS)
    groups: dict[str, dict[str, pytest.Item]] = defaultdict(dict)
    for item in items:
        if item.get_closest_marker("whole"):
            continue
        group = REPEATS if item.get_closest_marker("sampled") else _file(item)
        groups[group][item.nodeid] = item
    for name, group in groups.items():
        if name == REPEATS:
            chosen = (test for test in group if _hash(test) % EIGHTHS == day % EIGHTHS)
        elif any(item.get_closest_marker("dear") for item in group.values()):
            chosen = _of_dear([*group], name, known[name], day)
        else:
            chosen = iter(group)
        yield from (group[test] for test in chosen)


def _of_dear(tests: Sequence[str], file: str, took: Took, day: int) -> Iterator[str]:
    """Those of the tests of a dear file that run on this day; none, if there are too few for each."""
    number, runs = turn(file, day)
    least = 1 if is_measured(file) else parts_of(file, took)
    return part(tests, number, parts_of(file, took), least) if runs else iter(())


def part(names: Sequence[str], number: int, parts: int, least: int = 1) -> Iterator[str]:
    """One of so many parts, about as large as the others; no more parts than names, but `least`."""
    shuffled = sorted(names, key=_hash)
    parts = min(parts, max(len(shuffled), least))
    return (name for place, name in enumerate(shuffled) if place % parts == number % parts)


def _hash(name: str) -> int:
    return zlib.crc32(name.encode(errors="replace"))


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]
