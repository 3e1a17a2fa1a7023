"""Long data are read back: pictures have the newest rows, and forms of text have all of them."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.render.plots.charts.marks.canvas import MOST_TIPS
from handlers.render.plots.forms.drawing import Look, draw
from handlers.render.plots.forms.terminal.chart import ALL_ROWS, terminal_chart
from handlers.render.plots.look.palette import LIGHT
from handlers.words.plot import Plot
from tests.handlers.render.plots.charts.picture_reader import PictureReader
from tests.handlers.render.plots.text_boxes import text_faults
from tests.kit.counting.amount import points

NEAR, NEWEST = 1.5, 8888
FIRST = date(1850, 1, 1)
counts = st.integers(1, 1500) | st.sampled_from([120, 400, 401, 1500])
ROWED = (
    "bar",
    "hbar",
    "sbar",
    "abar",
    "dot",
    "lollipop",
    "dumbbell",
    "pyramid",
    "slope",
    "errorbar",
    "heatmap",
)
few = settings(max_examples=points(3), deadline=None)


def days(count: int, series: int, *, backward: bool = False) -> str:
    """Return rows of days with numbers; those of the newest day are larger. It is first if `backward`."""
    names = ["a", "low", "high"] if series == 3 else [f"s{at}" for at in range(series)]
    rows = [[FIRST + timedelta(days=30 * row), *(row + at for at in range(series))] for row in range(count)]
    rows[-1][1:] = [NEWEST] * series
    lines = [["day", *names], *(rows[::-1] if backward else rows)]
    return "".join(",".join(map(str, line)) + "\n" for line in lines)


@pytest.mark.parametrize("type_", ROWED)
@few
@given(count=counts, backward=st.booleans(), width=st.sampled_from([900, 400]))
def test_pictures_have_the_newest_rows_and_texts_have_all(
    type_: str, count: int, backward: bool, width: int
) -> None:
    series = {"errorbar": 3, "bar": 1, "hbar": 1, "dot": 1, "lollipop": 1}.get(type_, 2)
    plot = Plot(days(count, series, backward=backward), {"type": type_})
    lines = terminal_chart(plot, 100, ALL_ROWS, colored=False).splitlines()
    assert len(lines) >= count
    assert not any("more" in line for line in lines)
    drawn = draw(plot, Look(width=width))
    noted = any("horizontal bars" in note or "area" in note for note in drawn.notes)
    assert "8,888" in drawn.svg or noted or count * series > MOST_TIPS


@few
@given(count=st.integers(450, 1500), width=st.sampled_from([900, 400]))
def test_bars_that_would_be_too_thin_are_an_area_to_the_last_row(count: int, width: int) -> None:
    plot = Plot(days(count, 1), {"type": "bar"})
    drawn = draw(plot, Look(width=width))
    read = PictureReader(drawn.svg)
    upward = read.axis(upward=True)
    spots = [point for one in read.of("line", LIGHT.category(0)) for point in one.points]
    assert min(y for x, y in spots if x > max(spots)[0] - NEAR) == pytest.approx(upward.at(NEWEST), abs=NEAR)
    assert min(spots)[1] == pytest.approx(upward.at(0), abs=NEAR)


@pytest.mark.parametrize("series", [1, 2, 7])
@few
@given(count=st.integers(2, 400))
def test_thin_bars_are_all_there(series: int, count: int) -> None:
    plot = Plot(days(count, series), {"type": "sbar"})
    read = PictureReader(draw(plot, Look()).svg)
    tops = [one.box for one in read.of("rect", LIGHT.category(0))]
    assert len(tops) == count
    assert all(box[2] - box[0] >= 1 for box in tops)


@few
@given(st.integers(401, 1999))
def test_names_that_are_not_days_are_all_there(count: int) -> None:
    data = "n,v\n" + "".join(f"row {at},{at % 90 + 1}\n" for at in range(count))
    read = PictureReader(draw(Plot(data, {"type": "bar"}), Look()).svg)
    assert len(read.of("rect", LIGHT.category(0))) == count
    middles = [one.middle[1] for one in read.of("rect", LIGHT.category(0))]
    assert middles == sorted(middles)


def test_one_row_more_is_one_row() -> None:
    data = "day,v\n" + "".join(f"{FIRST + timedelta(days=at)},{at}\n" for at in range(401))
    assert "1 more row is in the data." in draw(Plot(data, {"type": "dot"}), Look()).notes


@few
@given(st.integers(4_001, 9_000))
def test_strips_say_how_many_values_they_draw(count: int) -> None:
    data = "v\n" + "".join(f"{at * at % 997 / 7:.4f}\n" for at in range(count))
    drawn = draw(Plot(data, {"type": "strip"}), Look())
    (said,) = [note for note in drawn.notes if "drawn as" in note]
    assert len(PictureReader(drawn.svg).of("symbol")) == int(said.split()[-1].rstrip(".").replace(",", ""))


@pytest.mark.parametrize("width", [900, 400])
@pytest.mark.parametrize("type_", ["bar", "hbar", "line", "sarea", "band", "slope", "dot", "scatter", "hist"])
def test_names_of_sixty_letters_stay_in_the_picture(type_: str, width: int) -> None:
    name = "a name of sixty letters that is as long as some people write"
    heads = ",".join([name, *(f"{name} {at}" for at in range(3))])
    rows = "".join(f"{name} {at},{at * 7 % 13},{at * 5 % 11},{at}\n" for at in range(30))
    assert not text_faults(draw(Plot(f"{heads}\n{rows}", {"type": type_}), Look(width=width)).svg)
