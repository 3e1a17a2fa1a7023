"""`statements`: how many statements a call makes, whatever other threads have to write meanwhile."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

import pytest

Statements = Callable[[Callable[[], object]], int]


@pytest.fixture
def statements(caplog: pytest.LogCaptureFixture) -> Statements:
    """Counts the statements that a call makes in its own thread."""

    def count(call: Callable[[], object]) -> int:
        caplog.clear()
        with caplog.at_level(logging.DEBUG, "peewee"):
            call()
        here = threading.get_ident()
        return len([each for each in caplog.records if (each.name, each.thread) == ("peewee", here)])

    return count
