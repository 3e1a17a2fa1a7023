"""The gates of a whole run: coverage by groups of modules, and no skipped test."""

from __future__ import annotations

import json
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import groupby
from pathlib import Path
from typing import Any

import coverage
import pytest

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Measured:
    """How many statements and branches of a file there are, how many were run, and where the others are."""

    there: int
    run: int
    missed: str


def floors() -> dict[str, int]:
    """Percent wanted by file pattern, in the order in which the patterns are tried."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        wanted: dict[str, int] = tomllib.load(file)["tool"]["curlew"]["coverage"]
    return wanted


def measure(data: coverage.Coverage) -> dict[str, Measured]:
    """What was run of each file, by its path from the repository's root."""
    if not data.get_data().measured_files():
        return {}
    with tempfile.NamedTemporaryFile("r", suffix=".json") as report:
        data.json_report(outfile=report.name)
        files = json.load(report)["files"]
    return {path: _measured(file) for path, file in files.items()}


def _measured(file: dict[str, Any]) -> Measured:
    total, missed = file["summary"], set(file["missing_lines"])
    jumps = [
        f"{start}->{end if end > 0 else 'exit'}"
        for start, end in file["missing_branches"]
        if start not in missed and end not in missed
    ]
    return Measured(
        there=total["num_statements"] + total["num_branches"],
        run=total["covered_lines"] + total["covered_branches"],
        missed=", ".join([*ranges(missed), *jumps]),
    )


def ranges(lines: Iterable[int]) -> Iterator[str]:
    """Lines in order, those in a row as their first and last."""
    for _, row in groupby(enumerate(sorted(lines)), key=lambda each: each[1] - each[0]):
        numbers = [number for _, number in row]
        yield f"{numbers[0]}-{numbers[-1]}" if len(numbers) > 1 else str(numbers[0])


@dataclass(frozen=True, slots=True)
class Gate:
    """How much of the files of a pattern was run, in percent, how much is wanted, and what was not run."""

    pattern: str
    run: float
    wanted: int
    missed: str

    def __str__(self) -> str:
        return f"{self.pattern}: {self.run:.2f} % run, {self.wanted} % wanted"


def gates(files: dict[str, Measured], wanted: dict[str, int]) -> Iterator[Gate]:
    """The gate of each pattern, for its files together."""
    groups: dict[str, list[str]] = {pattern: [] for pattern in wanted}
    for path in files:
        groups[next(pattern for pattern in wanted if fnmatch(path, pattern))].append(path)
    for pattern, paths in groups.items():
        there = sum(files[path].there for path in paths)
        run = sum(files[path].run for path in paths)
        missed = "".join(f"\n    {path}: {files[path].missed}" for path in paths if files[path].missed)
        yield Gate(pattern, 100 * run / there if there else 100.0, wanted[pattern], missed)


def shortfalls(found: Iterable[Gate]) -> Iterator[str]:
    """A sentence for each gate that stays shut."""
    for gate in found:
        if gate.run < gate.wanted:
            yield f"{gate}; not run:{gate.missed}"


def refusal(sentence: str) -> pytest.TestReport:
    """A gate that stayed shut, as the closing line counts it."""
    place = ("tests/gates.py", 0, "gate")
    return pytest.TestReport(
        "gates", place, keywords={}, outcome="failed", longrepr=sentence, when="teardown"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say which tests of a lane were skipped, and count them as failures."""
    if not config.getoption("--failures-to"):
        return
    skipped = terminalreporter.stats.get("skipped", [])
    sentences = [f"{report.nodeid} was skipped, and no test may be" for report in skipped]
    if sentences:
        terminalreporter.section("gates", red=True)
        terminalreporter.write_line("\n".join(sentences))
        terminalreporter.stats.setdefault("error", []).extend(map(refusal, sentences))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Iterator[None]:
    """Fail the run when a gate stayed shut."""
    yield
    reporter = session.config.pluginmanager.getplugin("terminalreporter")
    if reporter and reporter.stats.get("error") and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
