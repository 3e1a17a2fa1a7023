"""Floors of coverage: what part of groups of modules a run has to run (`[tool.curlew.coverage]`)."""

from __future__ import annotations

import json
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from itertools import groupby
from pathlib import Path
from typing import Any

import coverage

ROOT = Path(__file__).resolve().parents[1]
WHOLE = 100


@dataclass(slots=True)
class Floor:
    """How many lines and branches of the files of a pattern there are and were run, and percent wanted."""

    pattern: str
    wanted: int
    there: int = 0
    run: int = 0
    missed: list[str] = field(default_factory=list)

    @property
    def percent(self) -> float:
        """What was run."""
        return 100 * self.run / self.there if self.there else 100.0

    @property
    def is_reached(self) -> bool:
        """As much was run as is wanted."""
        return self.percent >= self.wanted

    def __str__(self) -> str:
        missed = "" if self.is_reached else "; not run:" + "".join(self.missed)
        return f"{self.pattern}: {self.percent:.2f} % run, {self.wanted} % wanted{missed}"


def floors(data: coverage.Coverage, *, all_of_them: bool) -> list[Floor]:
    """Measure the floors of 100 %, or all of them; a file counts for the first pattern that it matches."""
    with (ROOT / "pyproject.toml").open("rb") as settings:
        wanted: Mapping[str, int] = tomllib.load(settings)["tool"]["curlew"]["coverage"]
    found = {pattern: Floor(pattern, percent) for pattern, percent in wanted.items()}
    for path, file in _report(data).items():
        floor = next(floor for pattern, floor in found.items() if fnmatch(path, pattern))
        total = file["summary"]
        floor.there += total["num_statements"] + total["num_branches"]
        floor.run += total["covered_lines"] + total["covered_branches"]
        if missed := ", ".join(_missed(file)):
            floor.missed.append(f"\n    {path}: {missed}")
    return [floor for floor in found.values() if all_of_them or floor.wanted == WHOLE]


def _report(data: coverage.Coverage) -> dict[str, Any]:
    if not data.get_data().measured_files():
        return {}
    with tempfile.NamedTemporaryFile("r", suffix=".json") as report:
        data.json_report(outfile=report.name)
        files: dict[str, Any] = json.load(report)["files"]
    return files


def _missed(file: Mapping[str, Any]) -> Iterator[str]:
    """Lines that were not run, those in a row as their first and last, and branches not taken."""
    lines = {*file["missing_lines"]}
    for _, row in groupby(enumerate(sorted(lines)), key=lambda each: each[1] - each[0]):
        numbers = [number for _, number in row]
        yield f"{numbers[0]}-{numbers[-1]}" if len(numbers) > 1 else str(numbers[0])
    for start, end in file["missing_branches"]:
        if start not in lines and end not in lines:
            yield f"{start}->{end if end > 0 else 'exit'}"
