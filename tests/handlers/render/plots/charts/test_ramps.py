"""The key of a ramp: both ends of the values, zero if it divides them, and the colour of missing values."""

import math
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from handlers.render.plots.charts.chart import LEAST_SIDE, KeyEntry, ramp_of
from handlers.render.plots.data.type_columns import plot_frame
from handlers.render.plots.forms.drawing import Look, describe, draw
from handlers.render.plots.forms.terminal.chart import terminal_chart
from handlers.render.plots.look.colors import read_color_scale
from handlers.render.plots.look.data_settings import BadSetting
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.style import style_of
from handlers.words.plot import Plot
from tests.handlers.render.plots.charts.picture_reader import PictureReader

OPTIONS = ChartOptions()
NUMBERS = st.lists(st.integers(-999, 999).map(float), min_size=1, max_size=12)


@given(NUMBERS, st.sampled_from(["light", "dark"]))
def test_a_ramp_goes_from_the_least_to_the_greatest_value(values: list[float], mode: str) -> None:
    ramp = ramp_of(style_of(900, mode), values)
    low, high = min(values), max(values)
    key = ramp.key(OPTIONS, KeyEntry("hatch", "#000000", "no value"))
    assert key[-1].text == "no value"
    assert ramp.two_sided == (min(-low, high) > LEAST_SIDE * (high - low))
    if low == high:
        assert [entry.sign for entry in key] == ["square", "hatch"]
        return
    first, last = key[0], key[-2]
    assert (first.start, last.text) == (OPTIONS.write_key(low), OPTIONS.write_key(high))
    assert (first.stops[0], last.stops[-1]) == (ramp.color(low), ramp.color(high))
    assert (first.text == "0" and len(key) == 3) or not ramp.two_sided


SCALES = st.sampled_from(["quantile 3", "quantile 7", "equal 5", "-10 0 10 20", "-5 5", "2 4 6"])


@given(NUMBERS, SCALES, st.sampled_from(["light", "dark"]))
@example([-1.0, -1.0, -1.0, 0.0], "quantile 3", "light")
@example([0.0, 0.0, 1e-9, 100.0], "quantile 3", "dark")
def test_classes_have_a_colour_each_and_a_key_that_holds(values: list[float], said: str, mode: str) -> None:
    ramp = ramp_of(style_of(900, mode), values, read_color_scale(said))
    if not ramp.bounds:
        assert len(set(values)) == 1
        return
    key = ramp.key(OPTIONS)
    assert len({entry.color for entry in key}) == len(key) == len(ramp.bounds) + 1
    ends = [-math.inf, *ramp.bounds, math.inf]
    for value in values:
        (at,) = [at for at, (low, high) in enumerate(pairwise(ends)) if low <= value < high]
        assert ramp.color(value) == key[at].color
    shares = [ramp.share(value) for value in sorted(values)]
    assert shares == sorted(shares)
    written = [entry.text.replace("\u2009", " ").replace("\u2212", "-") for entry in key]
    assert len(set(written)) == len(written)
    if said == "-5 5":
        assert written == ["< -5", "-5 \u2013 5", "\u2265 5"]


@pytest.mark.parametrize(
    "said", ["quantile", "quantile 2", "equal 8", "1", "3 2 1", "1 2 3 4 5 6 7", "red", "log 3"]
)
def test_a_wrong_scale_is_refused(said: str) -> None:
    with pytest.raises(BadSetting, match="is no scale of colours"):
        read_color_scale(said)


@given(st.lists(st.integers(1, 10**6).map(float), min_size=2, max_size=9, unique=True))
def test_colours_by_powers_part_equal_factors_alike(values: list[float]) -> None:
    ramp = ramp_of(style_of(900, "light"), values, read_color_scale("log"))
    middle = math.sqrt(min(values) * max(values))
    assert ramp.share(middle) == pytest.approx(0.5)
    key = ramp.key(OPTIONS)
    assert len(key) == 2 and key[0].stops[-1] == key[1].stops[0]


def test_classes_are_drawn_and_named_in_every_form() -> None:
    data = "iso,v\nDE,10\nFR,20\nES,31\nIT,44\nPL,1\n"
    for word, sent in (("choropleth", data), ("heatmap", "a,b,c\nx,1,20\ny,30,4\n")):
        plot = Plot(sent, {"type": word, "colors/scale": "5 15 25"})
        picture = PictureReader(draw(plot, Look()).svg)
        assert {"< 5", "\u2265 25"} <= set(picture.words)
        assert "colours by 5 15 25" in describe(plot, plot_frame(plot))
    assert "\u2265 25" in terminal_chart(Plot(plot.data, plot.config), 40)
    notes = draw(Plot("a,b\nx,-1\ny,5\n", {"type": "heatmap", "colors/scale": "log"}), Look()).notes
    assert "config/colors/scale: log needs values above 0" in notes


def test_a_few_values_below_zero_make_no_second_side() -> None:
    rows = "".join(f"2026-{month:02}-01,{value}\n" for month, value in enumerate((-1.6, 8, 21, 35.6), 1))
    picture = PictureReader(draw(Plot(f"day,t\n{rows}", {"type": "calendar"}), Look()).svg)
    assert {"−1.6", "35.6", "no value"} <= set(picture.words)
    assert "0" not in picture.words


def test_a_full_heat_map_has_no_key_of_gaps() -> None:
    full, lacking = "a,b,c\nx,1,2\ny,3,4\n", "a,b,c\nx,1,2\ny,3,\n"
    for data, words in ((full, False), (lacking, True)):
        picture = PictureReader(draw(Plot(data, {"type": "heatmap"}), Look()).svg)
        assert ("no value" in picture.words) is words
