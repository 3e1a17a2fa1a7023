"""What the whole suite shares: profiles of Hypothesis, databases, and Podman."""

from __future__ import annotations

import atexit
import faulthandler
import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from vfs.cause import caused_by

pytest_plugins = [
    "tests.kit.postgres",
    "tests.kit.podman",
    "tests.durations",
    "tests.kit.counting.statements",
]

EXIT_WITHIN = 240.0

SLOW_MACHINE = (HealthCheck.too_slow,)

settings.register_profile("dev", max_examples=50, deadline=None)
settings.register_profile(
    "ci",
    max_examples=25,
    deadline=None,
    derandomize=True,
    database=None,
    print_blob=True,
    suppress_health_check=SLOW_MACHINE,
)
settings.register_profile("soak", max_examples=3_000, deadline=None, suppress_health_check=SLOW_MACHINE)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))


@pytest.fixture(autouse=True)
def without_cause() -> Iterator[None]:
    """Let a test begin without the cause that a request of an earlier test left in this thread."""
    with caused_by(""):
        yield


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the list of files in which everything runs but what is marked `whole`."""
    parser.addoption("--repeating", metavar="FILE", help="leave out tests marked whole, and repeats but here")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what `make test` does not run."""
    if not (listing := config.getoption("--repeating")):
        return
    files = {*Path(listing).read_text().splitlines()}
    left = [item for item in items if not _runs(item, files)]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if _runs(item, files)]


def _runs(item: pytest.Item, files: set[str]) -> bool:
    repeats = item.get_closest_marker("repeats") is not None
    return item.get_closest_marker("whole") is None and (
        not repeats or item.nodeid.partition("::")[0] in files
    )


def pytest_collection(session: pytest.Session) -> None:
    """Collect no garbage while tests are collected: what thousands of them consist of lasts."""
    gc.disable()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Collect garbage from now on, but look no more for it in what there is, until Python ends."""
    gc.freeze()
    gc.enable()
    atexit.register(gc.unfreeze)


def pytest_unconfigure() -> None:
    """Say where threads hang that a failed test may have left, and end nevertheless."""
    faulthandler.dump_traceback_later(EXIT_WITHIN, exit=True, file=sys.__stderr__)
