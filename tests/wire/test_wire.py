"""Plays every transcript of this folder, on SQLite and PostgreSQL."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.wire.player import Service, play
from tests.wire.transcript import Scenario, scenarios

TRANSCRIPTS = sorted(Path(__file__).parent.glob("*.txt"))


@pytest.mark.parametrize("scenario", [each for file in TRANSCRIPTS for each in scenarios(file)], ids=str)
def test_transcript(scenario: Scenario, service: Service) -> None:
    play(scenario, service)
