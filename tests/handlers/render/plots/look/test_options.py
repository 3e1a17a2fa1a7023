"""The texts of a plot's settings are read as options, and mistakes are noted."""

from dataclasses import replace

import pytest

from handlers.render.plots.data.dates_written import milliseconds, read_date
from handlers.render.plots.look.options import AxisOptions, KeyPosition, read_options
from handlers.render.plots.look.palette import MODES

USUAL = AxisOptions()


@pytest.mark.parametrize(
    "name,text,axis,options",
    [
        ("domains", "0 100", "y", replace(USUAL, low=0.0, high=100.0)),
        ("domains", "y (_, 2.5) -- the end alone", "y", replace(USUAL, high=2.5)),
        ("domains", "x -5,auto", "x", replace(USUAL, low=-5.0)),
        ("scale", "log", "y", replace(USUAL, log=True)),
        ("scale", "-- nothing\n\nlinear", "y", USUAL),
        ("ticks", "4", "y", replace(USUAL, count=4)),
        ("ticks", "0 50 25", "y", replace(USUAL, at=(0.0, 25.0, 50.0))),
        ("ticks", "x none", "x", replace(USUAL, ticks=False)),
        ("labels", ".0%", "y", replace(USUAL, format=".0%")),
        ("labels", "x %b %Y", "x", replace(USUAL, format="%b %Y")),
        ("labels", "none", "y", replace(USUAL, labels=False)),
    ],
)
def test_lines_of_an_axis_are_read(name: str, text: str, axis: str, options: AxisOptions) -> None:
    found = read_options({f"axis/{name}": text}, "light")
    assert (found.along if axis == "x" else found.values) == options
    assert found.notes == ()


def test_an_end_of_an_axis_can_be_a_date() -> None:
    moment = read_date("2026-02-01")
    assert moment is not None
    assert read_options({"axis/domains": "x 2026-02-01 _"}, "light").along.low == milliseconds(moment)


@pytest.mark.parametrize(
    "path,text",
    [
        ("axis/domains", "y 100 0"),
        ("axis/domains", "y low high"),
        ("axis/domains", "1"),
        ("axis/scale", "cubic"),
        ("axis/ticks", "many"),
        ("axis/ticks", "y 0"),
        ("axis/labels", "nice ones"),
        ("axis/offset", "3"),
        ("legend/type", "big"),
        ("legend/format", "%%"),
        ("colors/colors", "#12345"),
        ("colors/theme", "loud"),
        ("colors/type", "rgb"),
        ("bg/color", "wall"),
        ("bg/type", "wall"),
    ],
)
def test_mistakes_are_noted_and_change_nothing(path: str, text: str) -> None:
    found = read_options({path: text}, "light")
    (note,) = found.notes
    assert note.startswith(f"config/{path}")
    assert replace(found, notes=()) == read_options({}, "light")


@pytest.mark.parametrize(
    "config,place",
    [
        ({}, KeyPosition.AUTO),
        ({"legend/type": "key"}, KeyPosition.TOP),
        ({"legend/type": "none"}, KeyPosition.NONE),
        ({"legend/position": "bottom"}, KeyPosition.BOTTOM),
        ({"legend/position": "none"}, KeyPosition.NONE),
        ({"legend/type": "direct", "legend/position": "bottom"}, KeyPosition.AUTO),
    ],
)
def test_the_key_is_at_the_chosen_place(config: dict[str, str], place: KeyPosition) -> None:
    assert read_options(config, "light").key is place


def test_colours_are_hex_names_of_the_web_or_numbers_of_the_pack() -> None:
    found = read_options({"colors/colors": "#ABC, navy\n3 -- the third"}, "light").colors
    assert found.series == ("#aabbcc", "#000080", MODES["light"].categories[2])


def test_a_pack_brings_its_own_tones_and_the_colours_are_passed_over() -> None:
    found = read_options({"colors/type": "pack", "colors/theme": "plum", "colors/colors": "#123456"}, "dark")
    assert found.colors.series == ()
    assert found.colors.palette("dark").category(0) == "#f7a8e3"


def test_a_colour_that_is_hardly_seen_is_noted_where_it_is() -> None:
    config = {"colors/colors": "#ffff80"}
    assert read_options(config, "light").notes == (
        "config/colors/colors: #ffff80 has a contrast of 1.0 on the light background: use at least 3",
    )
    assert read_options(config, "dark").notes == ()


def test_each_mode_takes_the_ground_that_carries_its_text() -> None:
    config = {"bg/color": "#ffffff #101418"}
    assert read_options(config, "light").colors.palette("light").paper == "#ffffff"
    assert read_options(config, "dark").colors.palette("dark").paper == "#101418"
    only = read_options({"bg/color": "#fff"}, "dark")
    assert only.colors.palette("dark") == MODES["dark"]
    assert only.notes == ("config/bg/color: text of the dark mode is not readable on any of these colours",)
