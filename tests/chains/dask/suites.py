"""The tests of other files that have their yard from a fixture, to be run over workers as they stand."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import ModuleType


def asking_for(fixture: str, *suites: ModuleType) -> dict[str, Callable[..., object]]:
    """The tests of these modules that ask for a fixture, by their names."""
    found: dict[str, Callable[..., object]] = {}
    for suite in suites:
        for name, test in vars(suite).items():
            if name.startswith("test_") and fixture in inspect.signature(test).parameters:
                assert name not in found, name
                found[name] = test
    assert found
    return found
