"""A table's picture, read back from its SVG, shows the cells as its settings say."""

import io
import re
import time
from itertools import pairwise
from xml.etree import ElementTree

import pikepdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.render.documents.pdf.paper import drawing_pdf
from handlers.render.plots.forms.drawing import Look, Picture, draw
from handlers.render.plots.look.palette import DARK, LIGHT, contrast
from handlers.render.plots.look.type_metrics import text_width
from handlers.words.plot import Plot

BANKS = (
    "country,,2023,2025,change\nNorway,NO,4.1,-0.4,0.0589\nSweden,007,12,1204.5,-0.1234\n"
    "Finland,FI,,-333,-1\nTotal,,16.1,871.1,0.044\n"
)
GROUPS = "region,2024,,2025,\n,north,south,north,south\nJan,12,8,13,9\nFeb,15,9,-4,9\n"
SVG = "{http://www.w3.org/2000/svg}"


def picture(data: str = BANKS, pixels: int = 900, mode: str = "light", **files: str) -> Picture:
    config = {f"table/cell/{name}": text for name, text in files.items() if name not in ("size", "colors")}
    more = {"colors/type": "ix", "colors/colors": files["colors"]} if "colors" in files else {}
    plot = Plot(data, {"type": "table", "table/size": files.get("size", ""), **config, **more})
    return draw(plot, Look(mode=mode, width=pixels))


def texts(drawn: Picture) -> dict[str, ElementTree.Element]:
    root = ElementTree.fromstring(drawn.svg)
    return {"".join(one.itertext()): one for one in root.iter(f"{SVG}text")}


def rects(drawn: Picture) -> list[dict[str, str]]:
    root = ElementTree.fromstring(drawn.svg)
    return [one.attrib for one in root.iter(f"{SVG}rect") if one.get("width") != "100%"]


def ends(element: ElementTree.Element) -> tuple[float, float]:
    """Return the begin and the end of a line of text."""
    x, size = float(element.get("x", 0)), float(element.get("font-size", 0))
    width = text_width("".join(element.itertext()), size, int(element.get("font-weight", 400)))
    return {"start": (x, x + width), "end": (x - width, x), "middle": (x - width / 2, x + width / 2)}[
        element.get("text-anchor", "start")
    ]


def test_without_settings_numbers_are_written_alike_and_all_else_as_it_was_sent() -> None:
    shown = texts(picture())
    assert {
        "country",
        "2023",
        "007",
        "4.1",
        "12.0",
        "−0.4",
        "1,204.5",
        "−0.1234",
        "0.0440",
        "–",
    } <= shown.keys()
    assert "column 2" not in shown


def test_numbers_end_below_each_other_and_words_begin_so() -> None:
    shown = texts(picture())
    right = {ends(shown[text])[1] for text in ("2025", "−0.4", "1,204.5", "−333.0", "871.1")}
    left = {ends(shown[text])[0] for text in ("country", "Norway", "Sweden", "Total")}
    assert len(right) == len(left) == 1


def test_formats_write_the_cells_that_they_select() -> None:
    shown = texts(picture(format="1:-2 2:3 ,.1f -- not the sum\n1: 4 +.1%"))
    assert {"12.0", "1,204.5", "−333.0", "+5.9%", "−12.3%", "16.1", "007", "2023"} <= shown.keys()


def test_alignment_is_that_of_the_last_line() -> None:
    shown = texts(picture(align=": : >\n: 0 -\n2 0 <"))
    assert [shown[name].get("text-anchor") for name in ("Norway", "Sweden", "NO")] == ["middle", None, "end"]


def test_looks_of_text() -> None:
    drawn = picture(text="-1 : b\n1 0 us lg\n2 0 i\n3 0 -\n0 0 r")
    shown = texts(drawn)
    assert shown["Total"].get("font-weight") == "600"
    assert shown["country"].get("font-weight") is None
    assert shown["Norway"].get("text-decoration") == "underline line-through"
    assert float(shown["Norway"].get("font-size", 0)) > float(shown["Total"].get("font-size", 0))
    assert "skewX" in drawn.svg
    assert "Finland" not in shown


def test_grounds_and_texts_have_their_colours_and_stay_readable() -> None:
    drawn = picture(colors="1 : bg #102030\n2 0 fg #fefefe\n1: 4 bg #ff0000,#00ff00(_,_)")
    grounds = [rect["fill"] for rect in rects(drawn)]
    assert grounds.count("#102030") == 4
    assert {"#00ff00", "#ff0000"} <= set(grounds)
    shown = texts(drawn)
    assert contrast(shown["Norway"].get("fill", ""), "#102030") > 4.5
    assert contrast(shown["Sweden"].get("fill", ""), LIGHT.paper) > 4.5


def test_a_second_colour_is_for_the_dark() -> None:
    for mode, color in (("light", "#ff0000"), ("dark", "#00ff00")):
        assert color in {rect["fill"] for rect in rects(picture(mode=mode, colors="1 0 bg #ff0000 #00ff00"))}


def test_bars_are_as_long_as_their_numbers_and_turn_at_the_middle() -> None:
    data = "a,b\nw,-10\nx,20\ny,40\nz,0\n"
    drawn = picture(data, chart="1: 1 hbar (-40,0,40) l")
    bars = {rect["fill"]: rect for rect in rects(drawn)}
    widths = [float(rect["width"]) for rect in rects(drawn)]
    assert [round(width / widths[0], 1) for width in widths] == [1.0, 2.0, 4.0]
    near, far = bars[LIGHT.category(1)], bars[LIGHT.category(0)]
    assert float(near["x"]) + float(near["width"]) == pytest.approx(float(far["x"]), abs=0.02)
    assert {"−10", "20", "40", "0"} <= texts(drawn).keys()


def test_a_bar_without_label_replaces_its_number() -> None:
    assert not {"12.0", "4.1"} & texts(picture(chart="1: 2 hbar (0,100)")).keys()


def test_merged_cells_are_one_and_heads_are_centred_over_their_columns() -> None:
    drawn = picture(GROUPS, merge="0 1:2 a\n0 3:4 b\n0:1 0 c", align="0 1: -")
    shown = texts(drawn)
    north, south = ends(shown["12"])[1], ends(shown["8"])[1]
    assert north < sum(ends(shown["2024"])) / 2 + 60 < south + 60
    assert float(shown["region"].get("y", 0)) == pytest.approx(float(shown["north"].get("y", 0)))
    assert shown["north"].get("font-weight") == "600"


def test_lines_are_drawn_at_their_places_and_the_thicker_one_stays() -> None:
    drawn = picture(border=": : a 1 #123456\n0 : b 3 #654321\n1 : t 1 #abcdef\n2 : b 0")
    paths = re.findall(r'<path d="([^"]+)" stroke="(#\w+)" stroke-width="([\d.]+)"', drawn.svg)
    looks = {(color, size): path for path, color, size in paths}
    assert looks["#654321", "3"].count("M") == 1
    assert ("#abcdef", "1") not in looks
    assert len(re.findall(r"V", looks["#123456", "1"])) >= 6


def test_widths_bound_columns_and_the_size_bounds_the_table() -> None:
    wide = {rect["width"] for rect in rects(picture(colors=": 0 bg #eeeeee", size="small"))}
    fixed = Plot(BANKS, {"type": "table", "table/cell/width": ": 0 f 222", "colors/colors": ": 0 bg #eeeeee"})
    assert {rect["width"] for rect in rects(draw(fixed, Look()))} == {"222"}
    assert max(float(width) for width in wide) < 200


@pytest.mark.parametrize("overflow,count", [("w", 4), ("e", 1), ("t", 1), ("o", 1)])
def test_long_texts_wrap_are_cut_or_run_over(overflow: str, count: int) -> None:
    words = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda"
    drawn = draw(
        Plot(f"a,b\n{words},\n", {"type": "table", "table/cell/overflow": f": : {overflow}",
             "table/cell/width": ": 0 f 110"}), Look(width=400),
    )  # fmt: skip
    lines = [text for text in texts(drawn) if text.split()[0].strip("…") in words.split()]
    assert len(lines) >= count
    assert ("…" in "".join(lines)) == (overflow == "e")
    assert (words in lines) == (overflow == "o")
    if overflow == "t":
        assert lines[0].split()[-1] in words.split()


def test_columns_of_the_last_priority_are_left_out_first_and_are_named() -> None:
    data = "name," + ",".join(f"q{n}" for n in range(30)) + "\nrow," + ",".join(["12345"] * 30) + "\n"
    drawn = picture(data, 400, priority=": 25 1\n: 1 5")
    shown = texts(drawn)
    assert {"name", "q24", "q1", "q29"} <= shown.keys()
    assert not {"q0", "q15"} & shown.keys()
    assert re.fullmatch(r"\d+ of 31 columns shown\.", drawn.notes[-1])


def test_of_equal_columns_the_middle_is_left_out_first_and_the_last_one_stays() -> None:
    heads = ",".join(f"q{n}" for n in range(12))
    data = f"name,{heads},Total\n" + ("row," + ",".join(["12345"] * 13) + "\n") * 40
    drawn = draw(Plot(data, {"type": "table"}), Look(width=400, height=300))
    shown = texts(drawn)
    kept = [n for n in range(12) if f"q{n}" in shown]
    assert {"name", "q0", "q11", "Total"} <= shown.keys()
    assert sum(later != n + 1 for n, later in pairwise(kept)) == 1
    assert re.fullmatch(r"\d+ of 40 rows and \d+ of 14 columns shown\.", drawn.notes[-1])
    assert "columns shown." in "".join(texts(picture(data, 400)))


def test_the_name_of_a_row_is_wrapped_and_cut_only_by_a_setting() -> None:
    data = "name," + ",".join(f"q{n}" for n in range(4)) + "\nLower Northern Europe" + ",1234567" * 4 + "\n"
    assert not any("…" in text for text in texts(picture(data, 360)))
    assert any("…" in text for text in texts(picture(data, 360, overflow="1: 0 e")))


def test_a_line_that_means_nothing_is_a_note_and_the_rest_holds() -> None:
    drawn = picture(align=": 0 >\n: x <\n1: 1 left", merge="0 ::2 a\n0 0:1 b\n0 1:2 c\n40 40 d")
    assert texts(drawn)["Norway"].get("text-anchor") == "end"
    assert [note.partition(": ")[0] for note in drawn.notes] == [
        f"config/table/cell/{place}"
        for place in ("align, line 2", "align, line 3", "merge, line 1", "merge, line 3", "merge, line 4")
    ]


def test_a_picture_of_a_fixed_height_shows_the_rows_that_fit() -> None:
    data = "a,b\n" + "x,1\n" * 50
    drawn = draw(Plot(data, {"type": "table"}), Look(height=300))
    assert abs(int(ElementTree.fromstring(drawn.svg).get("height", 0)) - 300) <= 30
    assert any(re.fullmatch(r"\d+ of 50 rows shown\.", note) for note in drawn.notes)


HOSTILE = "<script>alert(1)</script>]]>\x00\x0b'\"&\ufffe=cmd()"
CRAZY = {
    "format": "0:999999999999:1 : .999999999f\n: : %d\n: : .20f",
    "text": ": : b 999px\n: : bisu 3xl",
    "merge": "0:999999999999 0:999999999999 all",
    "chart": ": : hbar (_,_)^exp l",
    "padding": ": : a 5",
    "border": ": : a 5",
    "width": ": : f 999999",
    "overflow": ": : w",
}


def test_hostile_tables_are_drawn_in_bounded_time_and_are_words_only() -> None:
    wide = ",".join(f"c{n}" for n in range(10_000))
    for data in (
        f'"{HOSTILE}",b\n"{HOSTILE}",1\n',
        f"{wide}\n{wide}\n",
        f'"{"x" * 32_000}",b\n"{"y " * 16_000}",1e300\n',
        "a\n" + "1\n" * 20_000,
    ):
        began = time.thread_time()
        for config in (CRAZY, {}):
            drawn = picture(data, 400, **config)
            names = {one.tag.removeprefix(SVG) for one in ElementTree.fromstring(drawn.svg).iter()}
            assert names <= {"svg", "title", "g", "rect", "path", "text"}
            assert len(drawn.svg) < 3_000_000
        assert time.thread_time() - began < 12


def test_five_hundred_lines_over_many_rows_are_bounded() -> None:
    lines = "\n".join(f"{n}::{1 + n % 7} : bg red-100,blue-900(_,_)" for n in range(600))
    began = time.thread_time()
    drawn = picture("a,b\n" + "1,2\n" * 20_000, colors=lines, align=lines.replace("bg", "<"))
    assert time.thread_time() - began < 12
    assert any("first 500 instructions" in note for note in drawn.notes)


WORDS = st.sampled_from(
    ["<", "-^", "b", "bi lg", "hbar", "hbar (_,0,_) l", "a 1", "xb 3 red", "e", "w", "o", "f 80", "x 40",
     ",.2f", "$2m", "%d %b", "3", "name", "bg red-100", "fg bad,good(_,0,_)"]
)  # fmt: skip
SLICES = st.sampled_from([":", "0", "1:", "-1", "0,2", "::2", "1:2", ":-2", "9"])
FILES = st.sampled_from(
    ["align", "border", "chart", "format", "merge", "overflow", "padding", "priority", "text", "width"]
)


@given(
    st.dictionaries(FILES, st.lists(st.tuples(SLICES, SLICES, WORDS), max_size=4), max_size=6),
    st.sampled_from([120, 400, 900]),
    st.sampled_from([BANKS, GROUPS, "a\n1\n", "a,b\n", ",\n,\n"]),
)
@settings(max_examples=60, deadline=None)
def test_no_settings_break_a_table(
    files: dict[str, list[tuple[str, str, str]]], width: int, data: str
) -> None:
    config = {name: "\n".join(map(" ".join, lines)) for name, lines in files.items()}
    for mode, palette in (("light", LIGHT), ("dark", DARK)):
        drawn = picture(data, width, mode, **config)
        assert palette.paper in drawn.svg
        assert ElementTree.fromstring(drawn.svg).get("width") == str(width)


def test_a_long_text_takes_the_room_that_others_leave() -> None:
    words = "for the repair and the extension of the roads and the bridges of the northern counties in winter"
    assert words in texts(picture(f"ministry,purpose,spent\nWorks,{words},1\n", 1200))
    assert words not in texts(picture(f"ministry,purpose,spent\nWorks,{words},1\n", 500))


def test_a_pdf_of_a_table_has_its_words_and_fonts() -> None:
    drawn = picture(text="1: 0 ius\n-1 : b", colors="-1 : bg gray-100", chart="1: 2 hbar l")
    with pikepdf.open(io.BytesIO(drawing_pdf(drawn.svg, "Banks"))) as document:
        (page,) = document.pages
        assert {str(font.BaseFont).partition("+")[2] for font in page.resources.Font.values()} == {
            "Source-Sans-Pro", "Source-Sans-Pro-Semi-Bold",
        }  # fmt: skip
        assert all(one.Subtype == "/Form" for one in page.resources.XObject.values())
