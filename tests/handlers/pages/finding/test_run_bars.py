"""Bars of runs: newest at the right, failures high and notched."""

from __future__ import annotations

from handlers.pages.finding.run_bars import HIGH, MOST, STEP, bars


def run(status: str, duration: float | None = 1.0) -> dict[str, object]:
    return {"status": status, "duration": duration, "started_on": "2026-11-27T00:00:00.000Z"}


def test_the_newest_run_stands_at_the_right() -> None:
    found = bars([run("waiting", None), run("failed"), run("success", 7200.0)])
    assert [bar.x for bar in found.bars] == [(MOST - 1) * STEP, (MOST - 2) * STEP, (MOST - 3) * STEP]
    assert found.says == "Last 3 runs: 1 succeeded, 1 failed, 1 wait"
    assert found.newest == "waiting"
    waiting, failed, long = found.bars
    assert failed.notched and failed.height == HIGH == long.height
    assert waiting.height < HIGH and waiting.y + waiting.height == HIGH


def test_only_the_newest_runs_have_bars() -> None:
    assert len(bars([run("success")] * (MOST + 5)).bars) == MOST
    assert bars([]).says == "Never run"
    assert bars([]).floor == MOST * STEP
