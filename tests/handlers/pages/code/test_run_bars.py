"""Runs as bars: newest at the right, failures seen without colour, and all of it in words."""

from __future__ import annotations

from handlers.pages.run_bars import HIGH, MOST, run_bars


def run(status: str, duration: float | None = 1.0) -> dict[str, object]:
    return {
        "status": status,
        "duration": duration,
        "started_on": "2026-11-27T00:00:00.000Z" if duration else None,
    }


def test_the_newest_run_is_at_the_right_and_missing_runs_are_flat_bars() -> None:
    drawn = run_bars([run("waiting"), run("success", 60), run("failed", 0.1)])
    assert [bar.status for bar in drawn.bars] == ["failed", "success", "waiting"]
    assert drawn.bars[-1].x == (MOST - 1) * 5
    assert len(drawn.missing) == MOST - 3
    assert drawn.words == "Last 3 runs: 1 succeeded, 1 failed, 1 waiting; the newest waiting"
    assert (drawn.newest, drawn.began) == ("waiting", "2026-11-27T00:00:00.000Z")


def test_a_failed_run_is_notched_and_full_and_others_are_as_high_as_they_were_long() -> None:
    drawn = run_bars([run("rejected", None), run("success", 1e9), run("success", 10), run("success", None)])
    short, longer, longest, failed = drawn.bars
    assert 0 < short.height < longer.height < longest.height == HIGH == failed.height
    assert [bar.notched for bar in drawn.bars] == [False, False, False, True]
    assert "L" in failed.outline
    assert "L" not in short.outline


def test_only_thirty_are_drawn_and_a_job_that_never_ran_says_so() -> None:
    drawn = run_bars([run("success")] * 40)
    assert (len(drawn.bars), drawn.missing) == (MOST, ())
    one = run_bars([run("canceled")])
    assert one.words == "One run: 1 canceled; the newest canceled"
    none = run_bars([])
    assert (none.bars, len(none.missing), none.words, none.newest) == ((), MOST, "Never run", "")
