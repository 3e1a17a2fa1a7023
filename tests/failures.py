"""The tests that failed: `--failures-to=FILE` writes their names down, as a list in JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the name of the file."""
    parser.addoption("--failures-to", metavar="FILE", help="write down which tests failed")


def pytest_configure(config: pytest.Config) -> None:
    """Keep the failures, when somebody wants to know."""
    if target := config.getoption("--failures-to"):
        config.pluginmanager.register(FailureList(Path(target)), "failure-list")


class FailureList:
    """Names of the tests of which any phase failed, in the order in which they ran."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._failed: dict[str, None] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a test that failed; the file is written at once, for a session may be killed."""
        if report.failed:
            self._failed[report.nodeid] = None
            self._target.write_text(json.dumps([*self._failed]))
