"""Walks that take minutes: begun with the first test of this folder, collected by the last of all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest

from tests.kit.postgres import Postgres
from tests.kit.unmeasured import Beside

Words = Sequence[object]
Programs = Callable[[Callable[[], Postgres]], Sequence[Words]]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "walks(programs): what the test collects has begun long before")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the tests that collect come last."""
    items.sort(key=lambda item: item.get_closest_marker("walks") is not None)


@pytest.fixture(scope="session", autouse=True)
def begun(request: pytest.FixtureRequest) -> Iterator[dict[str, list[Beside]]]:
    """The programs of the tests that were chosen, by the test."""
    programs: dict[str, list[Beside]] = {}
    for item in request.session.items:
        if mark := item.get_closest_marker("walks"):
            wanted: Programs = mark.kwargs["programs"]
            words = wanted(lambda: request.getfixturevalue("postgres"))
            programs[item.nodeid] = [Beside(*each) for each in words]
    yield programs
    for each in programs.values():
        for program in each:
            program.end()


@pytest.fixture
def results(begun: dict[str, list[Beside]], request: pytest.FixtureRequest) -> list[str]:
    """What the programs of a test said at their end, which is awaited."""
    return [program.result() for program in begun[request.node.nodeid]]
