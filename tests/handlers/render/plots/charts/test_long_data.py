"""Long data stay legible: low rows, all years of days, the largest bars, and exact numbers."""

from __future__ import annotations

import re
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.render.plots.composed.notes import BAND
from handlers.render.plots.data.numbers import alone, exact, writer_of
from handlers.render.plots.data.type_columns import plot_frame
from handlers.render.plots.forms.drawing import Look, Picture, draw
from handlers.render.plots.forms.slide import slide_charts
from handlers.render.plots.forms.terminal.chart import ALL_ROWS, terminal_chart
from handlers.render.plots.look.options import read_options, write_number
from handlers.render.plots.look.palette import MODES, contrast, mix
from handlers.words.plot import Plot
from tests.handlers.render.plots.text_boxes import text_faults

TIPS = re.compile("<title>([^<]*)</title>")


def drawn(type_: str, data: str, width: int = 900, height: int | None = None, **config: str) -> Picture:
    paths = {path.replace("__", "/"): text for path, text in config.items()}
    return draw(Plot(data, {"type": type_, **paths}), Look(width=width, height=height))


def days(count: int) -> str:
    first = date(2019, 3, 4)
    return "day,v\n" + "".join(f"{first + timedelta(days=at)},{at % 7}\n" for at in range(count))


@pytest.mark.parametrize("width", [900, 400])
@given(st.integers(30, 90))
@settings(max_examples=6)
def test_many_rows_of_a_heat_map_are_low_and_named_by_fives(width: int, count: int) -> None:
    data = "year,a,b\n" + "".join(f"{1930 + at},{at % 9}345,{at % 7}\n" for at in range(count))
    picture = drawn("heatmap", data, width)
    (high,) = re.findall(r'<svg[^>]* height="(\d+)"', picture.svg)
    assert 6 * count <= int(high) <= 10 * count + 120
    texts = re.findall(r">([^<>]+)</text>", picture.svg)
    years = [int(text) for text in texts if re.fullmatch(r"(?:19|20)\d\d", text)]
    assert years == [year for year in range(1930, 1930 + count) if not year % 5]
    assert not any("345" in text for text in texts)


@pytest.mark.parametrize("width", [400, 900])
def test_a_calendar_draws_all_years(width: int) -> None:
    picture = drawn("calendar", days(2200), width)
    assert not picture.notes
    assert all(f">{year}</text>" in picture.svg for year in range(2019, 2026))
    text = terminal_chart(Plot(days(2200), {"type": "calendar"}), width // 8, ALL_ROWS, colored=False)
    assert all(f"{year} " in text for year in range(2019, 2026)) and "earlier" not in text
    assert len(re.findall("[·░▒▓█]", text.rsplit("\n", 2)[0])) >= 2200


def test_years_that_a_calendar_leaves_out_are_counted() -> None:
    (note,) = drawn("calendar", days(2200), 600, 300).notes[:1]
    assert re.fullmatch(r"In the data, and not here: \d earlier years?\.", note)


@given(st.lists(st.integers(1, 10**6), min_size=60, max_size=140, unique=True))
@settings(max_examples=10)
def test_horizontal_bars_of_a_slide_are_the_largest(values: list[int]) -> None:
    data = "n,v\n" + "".join(f"row {at},{value}\n" for at, value in enumerate(values))
    picture = drawn("hbar", data, 800, 350)
    names = [int(name) for name in re.findall(r">row (\d+)</text>", picture.svg)]
    assert {values[at] for at in names} == set(sorted(values)[-len(names) :]) and names == sorted(names)
    assert f"{len(values) - len(names)} more rows are in the data." in picture.notes[0]
    plot = Plot(data, {"type": "hbar"})
    assert slide_charts(plot, plot_frame(plot)) is None


@given(st.lists(st.integers(1, 10**7), min_size=2, max_size=6))
@settings(max_examples=20)
def test_a_pointer_is_shown_all_digits(values: list[int]) -> None:
    data = "n,v\n" + "".join(f"row {at},{value / 100}\n" for at, value in enumerate(values))
    for type_ in ("bar", "hbar", "line", "dot", "donut"):
        tips = " ".join(TIPS.findall(drawn(type_, data).svg)[1:])
        assert all(exact(value / 100) in tips for value in values)


@given(st.floats(1e-9, 1e15), st.sampled_from(["", "€", "kg"]))
def test_exact_numbers_are_read_back(number: float, unit: str) -> None:
    written = "".join(sign for sign in exact(number, unit) if sign in "0123456789.")
    assert float(written) == pytest.approx(number, rel=1e-14)


@pytest.mark.parametrize(
    "number,text",
    [(16_988, "17.0k"), (17_000, "17k"), (11_506, "11.5k"), (99_999, "100k"), (9_995_000, "10.0m")],
)
def test_three_digits_matter(number: float, text: str) -> None:
    assert alone(number) == text


def test_numbers_of_one_size_have_as_many_digits() -> None:
    values = [22_800.0, 18_000.0, 12.0]
    assert [*map(writer_of(values), values)] == ["22.8k", "18.0k", "12"]


@given(st.lists(st.floats(0, 9).map(lambda value: round(value, 1)), min_size=2, max_size=14))
@settings(max_examples=20)
def test_histograms_count_in_whole_numbers(values: list[float]) -> None:
    svg = drawn("hist", "v\n" + "".join(f"{value}\n" for value in values)).svg
    upward = re.findall(r'<text x="0"[^>]*>([^<]+)</text>', svg)
    assert "how many" in svg and not any("." in text for text in upward if text[0].isdigit())


@pytest.mark.parametrize(
    "format,text",
    [("$.3s", "$1.28m"), ("$,.0f", "$1,280,346"), ("€,.2f", "€1,280,345.68"), (",.1f", "1,280,345.7")],
)
def test_one_language_of_formats(format: str, text: str) -> None:
    assert write_number(1_280_345.678, format) == text
    assert read_options({"axis/labels": f"y {format}"}, "light").values.format == format
    options = read_options({"value/format": format}, "light")
    assert options.figure.format == format and not options.notes


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_bands_are_seen(mode: str) -> None:
    palette = MODES[mode]
    least = 1.6 if mode == "dark" else 1.15
    assert contrast(mix(palette.paper, palette.ink, BAND[mode]), palette.paper) >= least


def test_remarks_about_means_are_in_the_log_alone() -> None:
    data = "n,v\n" + "".join(f"a rather long name of row {at},{at}\n" for at in range(30))
    picture = drawn("bar", data, 400)
    said = "Drawn as horizontal bars, so that names fit."
    assert said in picture.notes and said not in picture.svg
    long = drawn("line", days(3000), 400)
    assert any("points drawn as" in note for note in long.notes) and "drawn as" not in long.svg


def test_points_along_days_name_mistakes() -> None:
    (note,) = drawn("scatter", "day,a,b\n2026-01-01,1,2\n2026-01-02,2,3\n").notes
    assert '"day", holds days' in note


LEFTWARD = "מילים ארוכות מאוד שנמשכות על פני שורה אחת ועוד קצת טקסט כאן!"


@pytest.mark.parametrize("type_", ["box", "bar", "bubble", "heatmap", "hbar", "line", "scatter", "slope"])
def test_long_names_from_right_to_left_stay_in_the_picture(type_: str) -> None:
    first = "" if type_ in ("box", "bubble", "scatter") else LEFTWARD
    rows = [f"{first}{number},{number},{9 - number}\n" for number in range(1, 5)]
    data = f"{LEFTWARD},{LEFTWARD}1,{LEFTWARD}2\n{''.join(rows)}"
    faults = text_faults(drawn(type_, data, width=400).svg)
    assert not [fault for fault in faults if "leaves the picture" in fault]
