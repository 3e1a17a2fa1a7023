"""The key of a ramp: both ends of the values, zero where it parts them, and what has no value."""

from hypothesis import given
from hypothesis import strategies as st

from handlers.render.plots.charts.chart import KeyEntry
from handlers.render.plots.charts.ramps import LEAST_SIDE, ramp_of
from handlers.render.plots.forms.drawing import Look, draw
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


def test_a_few_values_below_zero_make_no_second_side() -> None:
    rows = "".join(f"2026-{month:02}-01,{value}\n" for month, value in enumerate((-1.6, 8, 21, 35.6), 1))
    picture = PictureReader(draw(Plot(f"day,t\n{rows}", {"type": "calendar"}), Look()).svg)
    assert {"−1.6", "35.6", "no value"} <= set(picture.words)
    assert "0" not in picture.words


def test_a_full_heat_map_tells_of_no_gap() -> None:
    full, lacking = "a,b,c\nx,1,2\ny,3,4\n", "a,b,c\nx,1,2\ny,3,\n"
    for data, words in ((full, False), (lacking, True)):
        picture = PictureReader(draw(Plot(data, {"type": "heatmap"}), Look()).svg)
        assert ("no value" in picture.words) is words
