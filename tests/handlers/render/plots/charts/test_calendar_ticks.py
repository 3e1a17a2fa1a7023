"""Ticks of a calendar are at steps that people count in, with space between their labels."""

from datetime import datetime, timedelta

import pytest

from handlers.render.plots.charts.calendar_ticks import TickRoom, calendar_ticks

DAY = timedelta(days=1)
ROOM = TickRoom.of_pixels(340, 13)


@pytest.mark.parametrize(
    "low,high,finest,labels",
    [
        ("2026-01-04T10:00", "2026-01-04T11:00", timedelta(minutes=1), ["10:00\n4 Jan", "10:10", "10:20"]),
        ("2026-01-04T00:00", "2026-01-05T12:00", timedelta(hours=1), ["00:00\n4 Jan", "06:00", "12:00"]),
        ("2026-01-30", "2026-02-08", DAY, ["30\nJan 2026", "1\nFeb", "3", "5", "7"]),
        ("2025-12-01", "2026-03-01", timedelta(days=28), ["Dec\n2025", "Jan\n2026", "Feb", "Mar"]),
        ("1990-01-01", "2026-01-01", timedelta(days=365), ["1990", "2000", "2010", "2020"]),
    ],
)
def test_ticks_have_their_greater_unit_below_the_first(
    low: str, high: str, finest: timedelta, labels: list[str]
) -> None:
    ticks = calendar_ticks(datetime.fromisoformat(low), datetime.fromisoformat(high), ROOM, finest)
    assert ["\n".join(tick.lines) for tick in ticks][: len(labels)] == labels


def test_ticks_are_no_finer_than_the_data() -> None:
    ends = datetime(2026, 1, 1), datetime(2026, 3, 1)  # noqa: DTZ001
    ticks = calendar_ticks(*ends, TickRoom.of_pixels(2000, 13), timedelta(days=28))
    assert [tick.lines[0] for tick in ticks] == ["Jan", "Feb", "Mar"]


def test_one_moment_is_named_whole() -> None:
    (tick,) = calendar_ticks(*[datetime(2026, 1, 4)] * 2, ROOM, DAY)  # noqa: DTZ001
    assert tick.lines == ("4 Jan", "2026")
