"""Plots for terminals keep to their columns and rows, and say in characters what the pictures show."""

from __future__ import annotations

import pytest

from handlers.render.plots.forms.terminal.chart import terminal_chart
from handlers.render.plots.forms.terminal.screen import ESCAPE
from handlers.render.plots.types import TYPES
from handlers.words.plot import Plot

SALES = "month,north,south\nJan,12,8\nFeb,15,\nMar,-11,14\n"
DATES = (f"2026-{1 + day // 28:02d}-{1 + day % 28:02d},{day % 9}" for day in range(300))
DAYS = "day,runs\n" + "\n".join(DATES)
POINTS = "x,y,z\n1,2,3\n4,5,6\n7,1,9\n"
LONG = "ministry,one,two\n" + "".join(f"Ministry number {at} of all,{at},{30 - at}\n" for at in range(30))
MONTHS = "month,north,south\n2026-01,10,20\n2026-02,20,25\n2026-04,40,30\n"


TASKS = "task,start,end\nSurvey,2026-01-05,2026-02-01\nBuild,2026-02-02,2026-03-31\nOpen,2026-04-01,\n"
FITTING = {
    "calendar": [DAYS],
    **{word: [POINTS] for word in ("scatter", "bubble")},
    **{word: [SALES, LONG] for word in ("dumbbell", "range", "slope", "pyramid", "errorbar", "band")},
    **{word: ["iso,share\nDK,57\nDE,29\nLU,6\n"] for word in ("choropleth", "symbolmap")},
    "gantt": [TASKS],
    **{word: [TYPES[word].example] for word in ("candlestick", "sankey", "bullet")},
}


def lines(
    type_: str, data: str, columns: int = 60, rows: int = 16, *, colored: bool = False, **config: str
) -> list[str]:
    plot = Plot(data, {"type": type_, **config})
    return terminal_chart(plot, columns, rows, colored=colored).splitlines()


@pytest.mark.parametrize("columns,rows", [(80, 24), (40, 10), (20, 6)])
@pytest.mark.parametrize("type_", sorted(TYPES))
def test_every_type_keeps_to_the_screen(type_: str, columns: int, rows: int) -> None:
    fitting = FITTING.get(type_, [SALES, DAYS, LONG])
    for data in fitting:
        drawn = lines(type_, data, columns, rows, title="Sales")
        assert drawn[0] == "Sales"
        assert max(map(len, drawn)) <= columns
        assert len(drawn) <= max(rows, 10)
        painted = lines(type_, data, columns, rows, title="Sales", colored=True)
        assert any("\x1b[" in line for line in painted)
        assert max(len(ESCAPE.sub("", line)) for line in painted) <= columns


def test_bars_are_on_both_sides_of_zero() -> None:
    assert lines("bar", "a,b\nx,4\ny,-2\nz,\n", 26) == [
        "x          ████████████ 4",
        "y −2 ██████",
        "z          n/a",
    ]


def test_stacks_show_their_parts_by_filling_and_their_sum() -> None:
    first, *_, key = lines("sbar", "a,b,c\nx,4,2\ny,3,3\n", 30)
    assert first == "x █████████████████▒▒▒▒▒▒▒▒▒ 6"
    assert key == "██ b  ▒▒ c"


def test_rows_without_room_are_counted() -> None:
    assert lines("gbar", LONG, 60, 10)[-1] == "(26 more rows)"


def test_lines_end_with_their_names_and_have_round_ticks() -> None:
    drawn = lines("line", MONTHS)
    assert [line.split()[-1] for line in drawn if line.endswith(("north", "south"))] == ["north", "south"]
    assert [line.split("┤")[0].strip() for line in drawn if "┤" in line][-1] == "0"
    assert "Jan 2026" in drawn[-1]


def test_a_step_has_corners_and_stacked_areas_are_summed() -> None:
    assert any("▔" in line or "⠉⠉⠉" in line or "⣀⣀⣀" in line for line in lines("step", MONTHS))
    ticks = [line.split("┤")[0].strip() for line in lines("sarea", MONTHS) if "┤" in line]
    assert float(ticks[0]) >= 60


def test_shares_come_the_largest_first_with_their_percentages() -> None:
    drawn = lines("pie", "a,b\nx,1\ny,3\n", 40)
    assert [line.split()[:3] for line in drawn] == [["y", "75%", "3"], ["x", "25%", "1"]]


def test_a_box_has_whiskers_a_middle_half_and_a_median() -> None:
    (box, _) = lines("box", "v\n" + "".join(f"{at}\n" for at in range(21)), 43)
    assert box == "v " + "─" * 10 + "▒" * 10 + "┃" + "▒" * 10 + "─" * 10


def test_a_heat_map_has_numbers_or_shades() -> None:
    assert lines("heatmap", "a,b,c\nx,1,5\n", 40)[-1].split() == ["x", "1", "5"]
    wide = "a," + ",".join(f"c{at}" for at in range(30)) + "\nx," + ",".join(map(str, range(30))) + "\n"
    assert lines("heatmap", wide, 40)[0].startswith("x ····")


def test_a_calendar_has_a_line_for_each_weekday() -> None:
    drawn = lines("calendar", DAYS, 80)
    assert [line[:3] for line in drawn[1:8]] == ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    assert drawn[0].split()[:3] == ["2026", "Jan", "Feb"]


def test_a_figure_shows_its_value_change_and_course() -> None:
    assert lines("value", "a,b\nx,1\ny,4\nz,3\n") == ["3  ▼ 25% less than y (−1)", "▁█▅"]
    assert lines("spark", "a,b\nx,1\ny,4\nz,3\n") == ["▁█▅ 3"]
