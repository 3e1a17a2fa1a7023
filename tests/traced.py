"""Which tests run under a trace, where there is one: all that prove a floor of 100 % or the protocol; of any
other test that has parameters, the first, as the others run through nearly the same lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from tests.kit.unmeasured import paused_coverage
from tests.shares import WHOLE

SEEN = pytest.StashKey[set[str]]()


def pytest_configure(config: pytest.Config) -> None:
    """Begin with nothing seen."""
    config.stash[SEEN] = set()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Run a test with a trace, or without."""
    with nullcontext() if is_traced(item.nodeid, item.config.stash[SEEN]) else paused_coverage():
        return (yield)


def is_traced(test: str, seen: set[str]) -> bool:
    """A trace of it may show something new; it is added to what was `seen`."""
    if test.startswith(WHOLE):
        return True
    name, fresh = test.partition("[")[0], len(seen)
    seen.add(name)
    return len(seen) > fresh
