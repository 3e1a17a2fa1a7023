"""The words after the slices are read by the rules of their settings, or refused with a reason."""

from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import ImageColor

from handlers.render.plots.look.palette import DARK, LIGHT
from handlers.render.plots.tables import cell_words as words
from handlers.render.plots.tables.cell_colors import (
    ColorScale,
    Domain,
    color_of,
    parse_cell_color,
    parse_domain,
    parse_scale,
)
from handlers.render.plots.tables.instructions import (
    BadInstruction,
    parse_slice,
    read_instructions,
    side_marks,
)

PARSERS: dict[str, Callable[[str], object]] = {
    "align": words.parse_alignment,
    "border": words.parse_lines,
    "padding": words.parse_space,
    "text": words.parse_text_look,
    "overflow": words.parse_overflow,
    "priority": words.parse_priority,
    "width": words.parse_width,
    "format": words.parse_cell_format,
    "chart": words.parse_bar,
    "color": parse_cell_color,
}


def test_alignments() -> None:
    assert words.parse_alignment(">") == {"horizontal": "right"}
    assert words.parse_alignment("<^") == {"horizontal": "left", "vertical": "top"}
    assert words.parse_alignment("- v") == {"horizontal": "center", "vertical": "bottom"}


def test_lines_and_space() -> None:
    assert words.parse_lines("xt 2") == words.SideLines("trl", 2)
    color = words.parse_lines("a 1 gray-400 gray-200").color
    assert color is not None
    assert color.scale("dark") == ColorScale(("gray-200",))
    assert words.parse_space("y 3") == {"t": 3, "b": 3}


def test_looks_of_text() -> None:
    assert words.parse_text_look("bi") == words.TextLook("bi")
    assert words.parse_text_look("- lg mono") == words.TextLook("-", 1.2, "mono")
    assert words.parse_text_look("n 28px") == words.TextLook("n", 2.0)
    assert words.parse_text_look("b serif") == words.TextLook("b", None, "serif")


def test_widths_in_either_order() -> None:
    assert words.parse_width("x 200") == {"most": 200}
    assert words.parse_width("200 f") == {"fixed": 200}
    assert words.parse_width("i 999999999") == {"least": 4000}


def test_bars() -> None:
    assert words.parse_bar("hbar") == words.CellBar(None)
    assert words.parse_bar("hbar (0,100)^lin l") == words.CellBar(Domain(0, None, 100), labelled=True)
    assert words.parse_bar("hbar (_,0,_) lh") == words.CellBar(Domain(None, 0, None, True), True, True)


def test_formats() -> None:
    assert words.parse_cell_format("st") is None
    assert words.parse_cell_format("%d %b %Y") is not None


@pytest.mark.parametrize(
    "file,word",
    [
        ("align", ""), ("align", "<>"), ("align", "left"), ("border", "a"), ("border", "q 1"),
        ("border", "a 6"), ("border", "a 1 nocolour"), ("padding", "a 1 red"), ("text", "z"),
        ("text", "b huge"), ("text", "b lg comic"), ("overflow", "x"), ("priority", "0"),
        ("priority", "99999999999"), ("width", "x"), ("width", "z 200"), ("width", "x -5"),
        ("format", "nothing"), ("format", "%Q"), ("chart", "pie"), ("chart", "hbar (1)"),
        ("chart", "hbar (1,2)^cube"), ("chart", "hbar (5,2)"), ("chart", "hbar (a,b)"),
        ("chart", "hbar (0,1e999)"), ("chart", "hbar z"), ("color", "bg"), ("color", "red"),
        ("color", "bg #12345"), ("color", "bg red-550"), ("color", "fg url(http://x)"),
        ("color", "bg a b c"), ("color", "bg " + ",".join(["red"] * 10)),
    ],
)  # fmt: skip
def test_unknown_words_are_refused_with_a_reason(file: str, word: str) -> None:
    with pytest.raises(BadInstruction, match=r"\w+ \w+"):
        PARSERS[file](word)


@given(st.sampled_from(sorted(PARSERS)), st.text(max_size=40))
def test_any_words_are_read_or_refused(file: str, text: str) -> None:
    refusal = ""
    try:
        PARSERS[file](text)
    except BadInstruction as mistake:
        refusal = str(mistake)
    assert len(refusal) < 300


def test_colours_of_names_turn_in_dark() -> None:
    assert color_of("#ABC", "dark") == "#aabbcc"
    assert color_of("good", "light") == LIGHT.good
    assert color_of("good", "dark") == DARK.good
    assert color_of("red-100", "light") != color_of("red-900", "light")
    assert color_of("red-100", "dark") == color_of("red-900", "light")
    assert color_of("Red", "dark") == color_of("red", "light") == "#ff0000"
    ImageColor.getrgb("teal")  # as every program that draws with Pillow does
    assert color_of("teal", "light") == color_of("teal", "light") == "#008080"
    assert color_of("warn", "dark") == color_of("amber-500", "light")


def test_a_scale_colours_values_between_its_stops() -> None:
    scale = parse_scale("#000000,#ffffff(0,100)")
    domain = scale.domain.within([])
    assert [scale.color("light", value, domain) for value in (-5, 0, 50, 100, 500)] == [
        "#000000", "#000000", "#808080", "#ffffff", "#ffffff",
    ]  # fmt: skip
    assert scale.color("light", None, domain) is None


@pytest.mark.parametrize(
    "text,value,share",
    [
        ("(0,100)", 25, 0.25),
        ("(0,100)^pow", 50, 0.25),
        ("(0,10)^log", 10, 1.0),
        ("(-10,0,100)", -5, 0.25),
        ("(-10,0,100)", 50, 0.75),
        ("(-10,0,100)^exp", 0, 0.5),
        ("(3,3)", 3, 0.0),
        ("(3,3)", 4, 1.0),
        ("(-1e308,1e308)", 0, 0.5),
    ],
)
def test_a_domain_places_values(text: str, value: float, share: float) -> None:
    assert parse_domain(text).within([]).share(value) == pytest.approx(share)


@given(
    st.lists(st.floats(-1e9, 1e9), max_size=20),
    st.floats(-1e9, 1e9),
    st.sampled_from(["lin", "pow", "exp", "log"]),
)
@example([5e-324], 1.0, "lin")
def test_every_share_is_between_the_ends(values: list[float], value: float, scale: str) -> None:
    for text in ("(_,_)", "(_,0,_)", "(_,_,_)", "(0,_)", "(_,7)"):
        assert -1e-9 <= parse_domain(f"{text}^{scale}").within(values).share(value) <= 1 + 1e-9


def test_lines_are_noted_with_their_numbers_and_the_rest_holds() -> None:
    text = "-- heads\n0 : b  -- bold\n\n: bad\n:\n1: 0 q\n 1: 1 i\n"
    lines, notes = read_instructions("config/table/cell/text", text, words.parse_text_look)
    assert [line.line for line in lines] == [2, 7]
    assert [note.partition(": ")[0] for note in notes] == [
        f"config/table/cell/text, line {line}" for line in (4, 5, 6)
    ]


def test_a_thousand_mistakes_are_a_few_notes_and_the_lines_read_are_limited() -> None:
    _, notes = read_instructions("f", "x\n" * 1000, words.parse_overflow)
    assert len(notes) == 12
    assert "490 more lines" in notes[10]
    assert "first 500 instructions" in notes[11]


@given(
    st.lists(st.sampled_from([":", "1:", "0", "::2", "0,3,-1", "2:4", "-2:", "9:"]), max_size=12),
    st.integers(0, 12),
)
def test_marks_have_the_selections_of_every_row(slices: list[str], size: int) -> None:
    selections = [parse_slice(text).of(size) for text in slices]
    assert side_marks(selections, size) == [
        sum(1 << index for index, selection in enumerate(selections) if row in selection)
        for row in range(size)
    ]
