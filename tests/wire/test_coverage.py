"""Every row and rule of the interface has its test, or the issue that owes it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.kit.sources import ROOT
from tests.wire.transcript import scenarios

LIST = Path(__file__).with_name("coverage")
LINE = re.compile(r"^(?P<row>[a-z-]+/[^:]+) : (?P<shown>.+)$")
OWED = re.compile(r"^issue \d+\+?$")


def lines() -> list[str]:
    """The lines that name a row."""
    return [line for line in LIST.read_text().splitlines() if line and not line.startswith("#")]


def test_every_row_is_named_once_with_its_proof() -> None:
    rows = [match["row"] if (match := LINE.match(line)) else line for line in lines()]
    assert [row for row in rows if row in lines()] == []
    assert sorted({row for row in rows if rows.count(row) > 1}) == []


def named_tests() -> list[str]:
    """The tests that the list refers to, each once."""
    shown = [match["shown"] for line in lines() if (match := LINE.match(line))]
    return sorted({name for name in shown if not OWED.match(name)})


@pytest.mark.parametrize("named", named_tests())
def test_a_named_test_exists(named: str) -> None:
    file, _, name = named.partition("::")
    path = ROOT / file
    assert path.is_file(), f"{file} is not there"
    if path.suffix == ".py":
        assert re.search(rf"^ *def {re.escape(name)}\(", path.read_text(), re.MULTILINE)
    else:
        assert name in [scenario.name for scenario in scenarios(path)]
