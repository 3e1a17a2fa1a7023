"""Settings of axes, keys, colours and backgrounds change the picture."""

import re
from xml.etree import ElementTree

import pytest

from handlers.render.plots.forms.drawing import Look, Picture, draw
from handlers.render.plots.types import TYPES
from handlers.words.plot import Plot

SALES = "month,north,south\n2026-01,12,8\n2026-02,15,9\n2026-03,110,14\n"
POINTS = "x,y,z\n" + "".join(f"{at},{at * at},{at + 1}\n" for at in range(1, 13))


def picture(type_: str, data: str = SALES, mode: str = "light", **config: str) -> Picture:
    paths = {key.replace("__", "/"): text for key, text in config.items()}
    return draw(Plot(data, {"type": type_, **paths}), Look(mode=mode, width=700))


def texts(drawn: Picture) -> list[str]:
    root = ElementTree.fromstring(drawn.svg)
    return ["".join(element.itertext()) for element in root.iter() if element.tag.endswith("}text")]


def test_an_axis_reaches_its_chosen_ends_and_no_value_is_cut_off() -> None:
    assert "200" in texts(picture("line", axis__domains="y 0 200"))
    drawn = picture("line", axis__domains="y 0 20")
    assert not [text for text in texts(drawn) if text in ("60", "80", "100")] or "100" in texts(drawn)
    assert not re.search(r"M-?\d+,-\d", drawn.svg)


def test_ticks_are_at_the_chosen_places() -> None:
    assert {"0", "55", "110"} <= set(texts(picture("gbar", axis__ticks="y 0 55 110")))
    assert not {"50", "100"} & set(texts(picture("gbar", axis__ticks="y 0 55 110")))


def test_labels_follow_their_format_or_are_left_out() -> None:
    assert "$100.0" in texts(picture("gbar", axis__labels="y $1m"))
    assert texts(picture("line", axis__labels="x %m/%y")).count("01/26") == 1
    bare = texts(picture("gbar", axis__labels="y none\nx none"))
    assert set(bare) - {""} == {"north", "south"}


def test_values_on_bars_follow_the_format() -> None:
    assert {"12.00", "15.00"} <= set(texts(picture("bar", "a,b\nx,12\ny,15\n", axis__labels=",.2f")))


@pytest.mark.parametrize("type_", ["line", "scatter", "box"])
def test_a_logarithmic_scale_puts_equal_steps_between_powers(type_: str) -> None:
    first = "row " if type_ == "box" else ""
    data = "x,y\n" + "".join(f"{first}{at},{10**at}\n" for at in range(6))
    drawn = picture(type_, data, axis__scale="y log")
    assert drawn.notes == (('Not drawn, as words: "x".',) if first else ())
    assert {"1", "10", "1,000"} <= set(texts(drawn))


def test_a_logarithmic_scale_is_refused_where_marks_begin_at_zero() -> None:
    assert picture("bar", axis__scale="log").notes == (
        "config/axis/scale: a bar begins at zero, which log cannot show",
    )
    zero = picture("line", "a,b\nx,0\ny,5\n", axis__scale="log")
    assert zero.notes == ("config/axis/scale: log needs values above 0",)


def test_the_key_is_above_below_beside_or_absent() -> None:
    def height_of(text: str, drawn: Picture) -> float:
        found = re.search(rf'translate\(\d+,([\d.]+)\)">(?:(?!<g ).)*>{text}<', drawn.svg)
        return float(found[1]) if found else -1.0

    above, below = (picture("gbar", legend__type="key", legend__position=at) for at in ("top", "bottom"))
    assert 0 <= height_of("north", above) < 40
    assert height_of("north", below) > 200
    assert "north" not in texts(picture("gbar", legend__type="none"))
    assert "north" not in texts(picture("line", legend__position="none"))


def test_a_pack_colours_series_and_ramps() -> None:
    assert 'fill="#7c366d"' in picture("gbar", colors__theme="plum").svg
    assert "#511c46" in picture("heatmap", colors__theme="plum").svg


def test_a_background_is_drawn_or_left_out() -> None:
    assert '<rect width="100%" height="100%" fill="#ffffff"/>' in picture("bar", bg__color="#fff").svg
    assert '<rect width="100%"' not in picture("bar", bg__type="none").svg


@pytest.mark.parametrize("type_", sorted(TYPES))
def test_every_type_draws_with_every_setting(type_: str) -> None:
    settings = {
        "axis__domains": "y -5 300\nx 0 40", "axis__scale": "y log\nx log", "axis__ticks": "y 3\nx 3",
        "axis__labels": "y .1f\nx %d %b", "legend__type": "key", "legend__position": "bottom",
        "legend__layout": "column", "legend__format": ".0%", "colors__theme": "amber",
        "bg__color": "#101010 #fefefe",
    }  # fmt: skip
    days = "day,runs\n" + "".join(f"2026-01-{day:02d},{day % 7}\n" for day in range(1, 32))
    data = POINTS if type_ in ("scatter", "bubble") else days if type_ == "calendar" else SALES
    for wanted in (
        {},
        {"axis__ticks": "y none\nx none"},
        {"axis__ticks": "y 1 2 500", "axis__labels": "none"},
    ):
        ElementTree.fromstring(picture(type_, data, **{**settings, **wanted}).svg)
