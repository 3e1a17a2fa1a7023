"""Maps are read back: the sizes and the order of their circles, and the part of the world that they show."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.render.plots.forms.drawing import Look, draw
from handlers.render.plots.look.palette import LIGHT
from handlers.render.plots.look.style import style_of
from handlers.words.plot import Plot
from tests.handlers.render.plots.charts.picture_reader import PictureReader
from tests.kit.counting.amount import points

few = settings(max_examples=points(4), deadline=None)
places = st.lists(
    st.tuples(st.integers(-55, 70), st.integers(-170, 170), st.integers(1, 900)), min_size=1, max_size=150
)
EUROPE = (
    "DE",
    "ES",
    "PL",
    "SE",
    "FI",
    "IE",
    "PT",
    "NL",
    "BE",
    "AT",
    "CZ",
    "HU",
    "RO",
    "BG",
    "EE",
    "LV",
    "UA",
)
ENDS = ("FI", "PT", "RO", "SE", "UA")


def shown_part(read: PictureReader) -> tuple[float, float, float, float]:
    """Return left, top, width and height of the part that a map shows."""
    (part,) = [one[0] for one in read.root.iter() if one.tag.endswith("clipPath")]
    left, top, width, height = (float(part.get(name, "0")) for name in ("x", "y", "width", "height"))
    return left, top, width, height


@few
@given(rows=places, times=st.sampled_from([1, 10]), width=st.sampled_from([900, 400]))
def test_circles_leave_the_map_to_be_seen(rows: list[tuple[int, int, int]], times: int, width: int) -> None:
    data = "lat,lon,value\n" + "".join(
        f"{lat + at / 9},{lon + at / 7},{value}\n" for at in range(times) for lat, lon, value in rows
    )
    read = PictureReader(draw(Plot(data, {"type": "symbolmap"}), Look(width=width)).svg)
    circles = read.of("symbol", LIGHT.category(0))
    assert len(circles) == len(rows) * times
    radii = [one.radius for one in circles]
    assert radii == sorted(radii, reverse=True)
    _, _, wide, high = shown_part(read)
    assert sum(math.pi * radius**2 for radius in radii) <= 0.16 * wide * high
    values = sorted((value for _, _, value in rows for _ in range(times)), reverse=True)
    for radius, value in zip(radii, values, strict=True):
        assert radius == pytest.approx(
            max(min(2, radii[0]), radii[0] * math.sqrt(value / values[0])), abs=0.02
        )


def test_crowded_circles_are_smaller() -> None:
    data = (
        "lat,lon,value\n" + "".join(f"{48 + at / 90},{2 + at % 9 / 9},5\n" for at in range(90)) + "10,60,5\n"
    )
    read = PictureReader(draw(Plot(data, {"type": "symbolmap"}), Look()).svg)
    circles = read.of("symbol", LIGHT.category(0))
    alone = PictureReader(draw(Plot("lat,lon,value\n48,2,5\n10,60,5\n", {"type": "symbolmap"}), Look()).svg)
    assert circles[0].radius < alone.of("symbol", LIGHT.category(0))[0].radius / 2


@pytest.mark.parametrize("size", [(900, None), (400, None), (1200, 500), (1000, 300)])
@few
@given(st.lists(st.sampled_from(EUROPE), unique=True))
def test_a_map_ends_a_little_beyond_its_values(size: tuple[int, int | None], codes: list[str]) -> None:
    data = "iso,v\n" + "".join(f"{code},{at + 1}\n" for at, code in enumerate(sorted({*codes, *ENDS})))
    read = PictureReader(draw(Plot(data, {"type": "choropleth"}), Look(width=size[0], height=size[1])).svg)
    colored = [one for one in read.of("shape") if one.fill != LIGHT.grid]
    left, top, width, height = shown_part(read)
    spots = [spot for shape in colored for spot in shape.points]
    xs, ys = [x for x, _ in spots], [y for _, y in spots]
    assert min(xs) >= left - 1
    assert max(xs) <= left + width + 1
    assert min(ys) >= top - 1
    assert max(ys) <= top + height + 1
    assert width <= max(max(xs) - min(xs), max(ys) - min(ys)) * 1.15
    assert left * 2 + width == pytest.approx(size[0] - 2 * style_of(size[0], "light").padding, abs=20)
