"""The tests that failed: `--failures-to=FILE` tells each at once, and keeps them and their reasons."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the name of the file."""
    parser.addoption("--failures-to", metavar="FILE", help="write down which tests failed")


def pytest_configure(config: pytest.Config) -> None:
    """Keep the failures, when somebody wants to know."""
    if target := config.getoption("--failures-to"):
        # Who reports to the terminal is registered later than this.
        tell = lambda line: config.pluginmanager.getplugin("terminalreporter").write_line(line)  # noqa: E731
        config.pluginmanager.register(FailureList(Path(target), tell), "failure-list")


class FailureList:
    """The failed tests in their order, each with the last line of its report."""

    def __init__(self, target: Path, tell: Callable[[str], object]) -> None:
        self._target, self._tell = target, tell
        self._failed: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a test that failed, or was skipped, which is a failure; tell it: a session may be killed."""
        if report.failed or (report.skipped and not hasattr(report, "wasxfail")):
            last = report.longreprtext.strip().rpartition("\n")[2]
            self._failed[report.nodeid] = last
            self._target.write_text(json.dumps(self._failed))
            self._tell(f"\nfailed in {report.when}: {report.nodeid} ({last})")
