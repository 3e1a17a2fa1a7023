"""Notes on charts: each is drawn at its place or logged, its words touch no others, and every form has it."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.render.plots.composed.notes import draw_annotated
from handlers.render.plots.data.type_columns import plot_frame
from handlers.render.plots.forms.drawing import Look, describe, draw
from handlers.render.plots.forms.terminal.chart import terminal_chart
from handlers.render.plots.look.style import style_of
from handlers.render.plots.look.type_metrics import text_width
from handlers.render.plots.plot_type import one_of
from handlers.render.plots.shown.native_chart import native_chart
from handlers.render.plots.shown.shown_chart import shown_chart
from handlers.render.plots.types import TYPES
from handlers.words.plot import Plot
from tests.handlers.render.plots.charts.picture_reader import PictureReader
from tests.handlers.render.plots.words_of_types import reading

MONTHS = "month,a\n" + "".join(f"2008-{month:02d},{month * 10}\n" for month in range(1, 13))
TOWNS = "town,a\nUlm,5\nBonn,70\nKiel,30\n"
POINTS = "x,y,z\n1,2,3\n3,4,5\n"
PLACES = st.tuples(st.integers(1, 12), st.text("abc de", min_size=1, max_size=40))
INK = "#22252a"


def plot_of(word: str, data: str, notes: str, **config: str) -> Plot:
    return Plot(data, {"type": word, "notes": notes, **config})


def test_lines_and_bands_are_at_their_places() -> None:
    plot = plot_of("line", MONTHS, '2008-07-01 "half"\ny 150 "target"\n2008-01..2008-04 "band"\n')
    picture = PictureReader(draw(plot, Look()).svg)
    (series,) = [one for one in picture.of("line") if len(one.points) == 12]
    places = [x for x, _ in series.points]
    rules = picture.of("rule", INK)
    upright = [one.box[0] for one in rules if one.box[0] == one.box[2]]
    assert upright == pytest.approx([places[6]], abs=0.1)
    (lying,) = [one.box[1] for one in rules if one.box[1] == one.box[3]]
    assert lying == pytest.approx(picture.axis(upward=True).at(150), abs=0.1)
    (band,) = picture.of("rect", INK)
    assert [band.box[0], band.box[2]] == pytest.approx([places[0], places[3]], abs=0.1)
    assert {"half", "target", "band"} <= set(picture.words)


@settings(max_examples=20, deadline=None)
@given(
    st.sampled_from(["line", "step", "area"]),
    st.lists(st.none() | st.integers(-50, 50), min_size=3, max_size=30),
    st.data(),
)
def test_lines_are_dashed_to_the_values_from_a_place_on(
    word: str, values: list[int | None], data: st.DataObject
) -> None:
    first = data.draw(st.integers(0, len(values) - 1))
    rows = "".join(f"{1990 + at},{'' if one is None else one}\n" for at, one in enumerate(values))
    plot = plot_of(word, f"year,a\n1989,1\n{rows}", f"{1990 + first}.. dashed")
    root = ElementTree.fromstring(draw(plot, Look()).svg)
    paths = [one for one in root.iter() if one.get("stroke-linecap") == "round" and one.get("d")]
    solid, dashed = (
        sum(
            len(one.get("d", "").split("H" if word == "step" else "L")) - 1
            for one in paths
            if is_dashed(one) is wanted
        )
        for wanted in (False, True)
    )
    known = [True, *(one is not None for one in values)]
    pairs = [after and known[at] for at, after in enumerate(known[1:])]
    assert (solid, dashed) == (sum(pairs[:first]), sum(pairs[first:]))
    assert f"dashed from {1990 + first}" in terminal_chart(plot, colored=False)


def is_dashed(path: ElementTree.Element) -> bool:
    return path.get("stroke-dasharray") is not None


def test_dashes_of_a_type_without_lines_are_noted() -> None:
    assert any("no lines" in note for note in draw(plot_of("bar", TOWNS, "Kiel.. dashed"), Look()).notes)


@settings(max_examples=12, deadline=None)
@given(st.lists(PLACES, min_size=1, max_size=12), st.sampled_from([360, 600, 900]))
def test_words_touch_no_others_and_none_is_lost(notes: list[tuple[int, str]], width: int) -> None:
    plot = plot_of("line", MONTHS, "".join(f'2008-{month:02d}-01 "{words}"\n' for month, words in notes))
    style = style_of(width, "light")
    shown = shown_chart(plot, plot_frame(plot))
    chart = draw_annotated(shown.kind.draw, style, shown.frame, None, shown.options)
    root = ElementTree.fromstring(f"<svg>{chart.svg}</svg>")
    written = [one for one in root.iter("text") if one.get("stroke-width") == "4"]
    boxes = list[tuple[float, float, float, float]]()
    for one in written:
        x, y = map(float, one.get("transform", "")[len("translate(") : -1].split(","))
        wide = text_width(one.text or "", style.source, 400)
        left = x if one.get("text-anchor") is None else x - wide
        boxes.append((left, y - style.source * 0.8, left + wide, y + style.source * 0.2))
    for at, (left, top, right, bottom) in enumerate(boxes):
        for other in boxes[:at]:
            assert right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
    drawn, below = "".join(one.text or "" for one in written).replace(" ", ""), " ".join(chart.notes)
    for note in shown.options.annotations:
        letters = note.text.replace(" ", "")
        assert note.text in below or letters in drawn or "…" in drawn or "-" in drawn


def test_a_note_on_a_row_is_logged_for_horizontal_bars_and_drawn_for_vertical_ones() -> None:
    assert "Kiel: new road." in draw(plot_of("hbar", TOWNS, 'Kiel "new road"'), Look()).notes
    picture = PictureReader(draw(plot_of("bar", TOWNS, 'kiel "new road"'), Look()).svg)
    assert "new road" in picture.words and len(picture.of("rect", INK)) == 1


def test_a_low_picture_keeps_its_height() -> None:
    plot = plot_of("line", MONTHS, '2008-07-01 "half of the year is over"', title="T")
    for height in (120, 200, 400):
        assert f'height="{height}"' in draw(plot, Look(height=height, width=400)).svg


@pytest.mark.parametrize("word", sorted(TYPES))
def test_every_type_draws_notes_or_logs_that_it_does_not(word: str) -> None:
    known = {"calendar": MONTHS, "scatter": POINTS, "bubble": POINTS}
    known |= {one: TYPES[one].example for one in ("band", "candlestick")}
    data = known.get(word, TOWNS)
    plot = plot_of(word, data, "y 3 «limit»")
    drawn = draw(plot, Look(width=500))
    if word not in reading("notes"):
        said = f"config/notes is kept, but has no effect on {one_of(word)}"
        assert any(note.startswith(said) for note in drawn.notes)
        return
    assert "limit" in PictureReader(drawn.svg).words
    shown = shown_chart(plot, plot_frame(plot))
    assert native_chart(shown, 1000) is None  # the picture, which has the notes
    assert "(3: limit)" in terminal_chart(plot, colored=False)
    assert describe(plot, plot_frame(plot)).endswith("notes: 3: limit")


def test_wrong_places_are_logged() -> None:
    notes = draw(plot_of("line", MONTHS, '\n1990 "long ago"\n'), Look()).notes
    assert notes == ('config/notes: line 2: "1990" is no place along this chart',)
    log = draw(plot_of("line", MONTHS, 'y -5 "low"', **{"axis/scale": "y log"}), Look()).notes
    assert log == ("config/notes: line 1: log cannot show 0 and below",)


@pytest.mark.parametrize("word", ["line", "bar", "hbar", "hgbar", "ibar"])
def test_an_axis_reaches_to_its_notes(word: str) -> None:
    plot = plot_of(word, TOWNS, 'y 400 "far"')
    (line,) = PictureReader(draw(plot, Look()).svg).of("rule", INK)
    shown = shown_chart(plot, plot_frame(plot))
    chart = shown.kind.draw(style_of(900, "light"), shown.frame, None, shown.options)
    assert chart.scales is not None
    scales = chart.scales
    at = line.box[0] - scales.left if scales.lying else line.box[1] - scales.top
    assert at == pytest.approx(scales.upward(400), abs=0.1)
    assert -0.1 <= at <= max(scales.width, scales.height) + 0.1


def test_words_of_a_value_are_at_the_end_where_no_line_crosses_them() -> None:
    for word, data, side in (("line", MONTHS, "start"), ("bar", MONTHS, "end"), ("scatter", POINTS, "end")):
        svg = draw(plot_of(word, data, 'y 115 "target"' if word != "scatter" else 'y 4 "target"'), Look()).svg
        texts = (one for one in PictureReader(svg).root.iter() if one.text == "target")
        assert {one.get("text-anchor", "start") for one in texts} == {side}, word


@pytest.mark.parametrize("word", ["hsbar", "hgbar"])
def test_grids_are_behind_bars(word: str) -> None:
    data = "a question with a long name,yes,no\nIs there room enough for bicycles,50,51\n"
    svg = draw(Plot(data, {"type": word}), Look(width=360)).svg
    assert svg.index("mark-rule") < svg.index("mark-rect")
