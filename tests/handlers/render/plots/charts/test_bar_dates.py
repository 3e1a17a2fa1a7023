"""Dates below bars: years where days are the first ones of years, and words that never touch."""

from datetime import datetime, timedelta

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from handlers.render.plots.forms.drawing import Look, draw
from handlers.render.plots.forms.terminal.chart import terminal_chart
from handlers.words.plot import Plot
from tests.handlers.render.plots.text_boxes import text_faults

FIRST = datetime(2019, 1, 1)  # noqa: DTZ001


def bars(dates: list[str]) -> Plot:
    return Plot("day,n\n" + "".join(f"{date},{row + 1}\n" for row, date in enumerate(dates)), {"type": "bar"})


@pytest.mark.parametrize("last", ["2005-01-01", "2001-01-01"])
def test_days_that_begin_years_are_years(last: str) -> None:
    plot = bars(["2000-01-01", last])
    assert f">{last[:4]}<" in draw(plot, Look(width=300)).svg
    assert terminal_chart(plot, 40, 10, colored=False).splitlines()[1].startswith(last[:4])


def test_one_day_stays_a_day() -> None:
    assert "2026-01-01" in terminal_chart(bars(["2026-01-01"]), 40, 10, colored=False) or (
        "1 Jan" in terminal_chart(bars(["2026-01-01"]), 40, 10, colored=False)
    )


@settings(max_examples=12, deadline=None)
@example([30] * 8, 400, "%Y-%m-%d")
@example([25] * 12, 500, "%Y-%m-%dT%H:%M")
@given(
    st.lists(st.integers(1, 500), min_size=2, max_size=24),
    st.sampled_from([280, 400, 640]),
    st.sampled_from(["%Y-%m-%d", "%Y-%m-%dT%H:%M"]),
)
def test_dates_never_touch(steps: list[int], width: int, written: str) -> None:
    moments = [FIRST + timedelta(days=sum(steps[:at]), hours=7 * at % 24) for at in range(len(steps))]
    picture = draw(bars([f"{moment:{written}}" for moment in moments]), Look(width=width)).svg
    assert [fault for fault in text_faults(picture) if "touch" in fault] == []


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 14), st.integers(1, 12), st.sampled_from(["bar", "line", "area", "step"]))
def test_ends_of_months_have_the_names_of_their_months(count: int, first: int, word: str) -> None:
    ends = [datetime(2024 + at // 12, at % 12 + 1, 1) - timedelta(1) for at in range(first, first + count)]  # noqa: DTZ001
    starts = [end.replace(day=1) for end in ends]
    drawn = []
    for days in (ends, starts):
        rows = "".join(f"{day:%Y-%m-%d},{row + 1}\n" for row, day in enumerate(days))
        svg = draw(Plot(f"day,n\n{rows}", {"type": word}), Look(width=900)).svg
        drawn.append({f"{day:%b}" for day in starts if f">{day:%b}<" in svg})
        assert not any(f">{day.day}<" in svg for day in days if day.day > 27)
    assert drawn[0] == drawn[1] and len(drawn[0]) > 1
