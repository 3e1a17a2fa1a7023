"""The bars of an organisation's runs, day by day."""

from __future__ import annotations

from handlers.pages.people.group_page import activity_bars


def test_bars_show_runs_and_failures_of_thirty_days() -> None:
    quiet = {
        "total": 0,
        "trigger": {"api": 0, "schedule": 0, "email": 0},
        "status": {"success": 0, "failed": 0},
    }
    busy = {
        "total": 4,
        "trigger": {"api": 1, "schedule": 3, "email": 0},
        "status": {"success": 3, "failed": 1},
    }
    days = [{"day": f"2026-01-{number:02}", "jobs": quiet} for number in range(1, 32)]
    assert activity_bars(days) is None
    drawn = activity_bars([*days, {"day": "2026-02-01", "jobs": busy}])
    assert drawn is not None
    assert (len(drawn.bars), drawn.bars[-1].height, drawn.bars[-1].failed) == (30, 48, 12)
    assert drawn.words == "4 runs, 1 of them failed. By call 1, by clock 3, by mail 0."
