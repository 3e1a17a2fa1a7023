"""Every type draws its data in light and dark, or says why not; hostile words stay words."""

import re
from xml.etree import ElementTree

import pytest

from handlers.render.plots.forms.drawing import Look, draw
from handlers.render.plots.types import TYPES
from handlers.words.plot import Plot

SALES = "month,north,south\nJan,12,8\nFeb,15,9\nMar,11,14\n"


def picture(type_: str, data: str = SALES, mode: str = "light", width: int = 900, **config: str) -> str:
    return draw(Plot(data, {"type": type_, **config}), Look(mode=mode, width=width)).svg


def texts(svg: str) -> list[str]:
    root = ElementTree.fromstring(svg)
    return ["".join(element.itertext()) for element in root.iter() if element.tag.endswith("}text")]


def test_a_single_series_of_bars_shows_its_values_and_the_gap() -> None:
    shown = texts(picture("bar", "year,profit\nA,42\nB,-64\nC,\n"))
    assert {"42", "−64", "n/a", "A", "B", "C"} <= set(shown)


def test_several_series_are_named_in_a_key_or_beside_their_lines() -> None:
    assert {"north", "south"} <= set(texts(picture("line")))
    assert {"north", "south"} <= set(texts(picture("gbar")))


def test_a_pie_names_the_values_that_it_leaves_out() -> None:
    drawn = draw(Plot("a,b,c\nx,10,1\ny,-2,1\n", {"type": "pie"}), Look())
    assert drawn.notes == (
        'Not drawn: "c".',
        'Only the first series, "b", is shown.',
        "1 negative value is left out.",
    )
    assert "100%" in texts(drawn.svg)


def test_repeated_names_are_summed_where_the_type_says_so() -> None:
    assert "30" in texts(picture("abar", "a,b\nx,10\nx,20\ny,5\n"))


def test_a_long_line_is_thinned_and_says_so() -> None:
    data = "t,v\n" + "".join(f"r{at},{at % 97}\n" for at in range(5000))
    drawn = draw(Plot(data, {"type": "line"}), Look())
    assert [note for note in drawn.notes if re.fullmatch(r"5,000 points drawn as 1,\d{3}\.", note)]


def test_an_unknown_type_is_a_table_and_a_note() -> None:
    drawn = draw(Plot(SALES, {"type": "map"}), Look())
    assert {"month", "north", "south", "Jan", "12"} <= set(texts(drawn.svg))
    assert drawn.notes[0].startswith('"map" is drawn as a table: the types that draw are abar, ')


@pytest.mark.parametrize(
    "type_,data,reason",
    [
        ("bar", "", "No values yet."),
        ("bar", "a,b\nx,y\n", "No column holds numbers."),
        ("scatter", "a,b\nx,1\n", "A scatter needs two columns of numbers."),
        ("calendar", SALES, "A calendar needs dates in the first column, such as 2026-11-20."),
        ("pie", "a,b\nx,-1\n", "A pie needs a value above 0."),
    ],
)
def test_data_that_cannot_be_drawn_have_the_reason(type_: str, data: str, reason: str) -> None:
    drawn = draw(Plot(data, {"type": type_}), Look())
    assert reason in drawn.notes
    assert reason in " ".join(texts(drawn.svg))


@pytest.mark.parametrize("type_", sorted({*TYPES, "table"}))
def test_hostile_words_stay_words(type_: str) -> None:
    word = "<script>alert(1)</script>]]>'\"};{{x}}${y}"
    data = f'"{word}","{word} 2","{word} 3"\n' + "".join(
        f'"2026-01-{n:02d}",{n},{n + 1}\n' for n in range(1, 9)
    )
    svg = picture(type_, data, title=word, caption=word, **{"colors/colors": "red;url(http://x)"})
    names = {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(svg).iter()}
    assert names <= {
        "svg",
        "g",
        "path",
        "rect",
        "text",
        "title",
        "circle",
        "line",
        "tspan",
        "defs",
        "clipPath",
    }
    assert "http://" not in svg.replace("http://www.w3.org/", "")


def test_no_more_series_are_drawn_than_can_be_distinguished() -> None:
    data = "a," + ",".join(f"c{at}" for at in range(300)) + "\nx" + ",1" * 300 + "\n"
    drawn = draw(Plot(data, {"type": "gbar"}), Look())
    assert "240 more series are in the data." in drawn.notes
    assert len(drawn.svg) < 60_000


def test_a_picture_of_a_fixed_height_keeps_it() -> None:
    drawn = draw(Plot(SALES, {"type": "bar", "title": "Sales"}), Look(width=600, height=500))
    assert int(ElementTree.fromstring(drawn.svg).get("height", 0)) == 500


def test_header_caption_and_ground_can_be_left_out() -> None:
    plot = Plot(SALES, {"type": "bar", "title": "Sales", "caption": "By region"})
    bare = draw(plot, Look(header=False, caption=False, transparent=True))
    assert not {"Sales", "By region"} & set(texts(bare.svg))
    assert '<rect width="100%"' not in bare.svg


def test_chosen_colours_are_used_and_other_words_ignored() -> None:
    svg = picture("line", **{"colors/colors": "#ABC nonsense #102030"})
    assert "#aabbcc" in svg
    assert "#102030" in svg


def test_the_description_has_title_and_summary_or_the_data() -> None:
    assert draw(Plot(SALES, {"type": "line"}), Look()).description == (
        "line chart, 2 series, 3 rows, Jan to Mar; values 8 to 15; "
        "last 11 of north at Mar; last 14 of south at Mar"
    )
    plot = Plot(SALES, {"type": "line", "title": "Sales"}, summary="Up in the north")
    assert draw(plot, Look()).description == "Sales: Up in the north"
