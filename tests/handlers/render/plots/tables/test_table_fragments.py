"""A table's HTML is a table: its cells, heads, spans and looks are read back from the fragment."""

import re
from collections.abc import Iterator

import pytest
from lxml import html

from handlers.render.plots.data.table_text import read_frame
from handlers.render.plots.forms.drawing import Look
from handlers.render.plots.forms.fragment import fragment
from handlers.words.plot import Plot
from tests.handlers.render.plots.tables.test_table_pictures import BANKS, CRAZY, GROUPS, HOSTILE


def figure(data: str = BANKS, look: Look | None = None, **files: str) -> html.HtmlElement:
    config = {
        f"table/cell/{name}": text for name, text in files.items() if name not in ("colors", "size", "index")
    }
    config |= {"colors/colors": files.get("colors", ""), "table/size": files.get("size", "")}
    config |= {"table/index": files.get("index", ""), "title": "Banks & co", "caption": "By us"}
    made = fragment(Plot(data, {"type": "table", **config}), read_frame(data), look or Look(), "n")
    return html.fragment_fromstring(made)


def cells(root: html.HtmlElement) -> dict[str, html.HtmlElement]:
    return {cell.text_content(): cell for cell in root.iter("td", "th")}


def declarations(cell: html.HtmlElement) -> dict[str, str]:
    return dict(pair.split(":", 1) for pair in cell.get("style").split(";"))


def rows(root: html.HtmlElement) -> Iterator[list[str]]:
    for row in root.iter("tr"):
        yield [cell.text_content() for cell in row.iter("td", "th")]


def test_the_cells_are_below_their_heads() -> None:
    root = figure()
    assert list(rows(root))[:3] == [
        ["country", "", "2023", "2025", "change"],
        ["Norway", "NO", "4.1", "−0.4", "0.0589"],
        ["Sweden", "007", "12.0", "1,204.5", "−0.1234"],
    ]
    assert [cell.get("scope") for cell in root.iter("th")] == ["col"] * 4 + ["row"] * 4
    assert root.find(".//figcaption").text_content() == "Banks & co"


def test_cells_have_their_chosen_looks() -> None:
    root = figure(
        format="1: 4 +.1%", align="1: 1 -^", text="-1 : bi lg\n1 0 us mono", padding="1 0 l 3",
        border="1 0 b 3 #123456\n2 0 b 0", width=": 0 f 120\n: 1 x 90", overflow=": 1 w",
        colors="1: 2 bg #000000,#ffffff(_,_)\n3 0 fg #ff0000",
    )  # fmt: skip
    shown = cells(root)
    assert {"+5.9%", "−12.3%"} <= shown.keys()
    assert declarations(shown["NO"])["text-align"] == "center"
    assert declarations(shown["NO"])["vertical-align"] == "top"
    assert declarations(shown["NO"])["max-width"] == "90px"
    total, norway = declarations(shown["Total"]), declarations(shown["Norway"])
    assert (total["font-weight"], total["font-style"], total["font-size"]) == ("600", "italic", "1.2em")
    assert norway["text-decoration"] == "underline line-through"
    assert norway["padding"] == "5px 8px 5px 20px"
    assert norway["border-bottom"] == "3px solid #123456"
    assert norway["width"] == "120px"
    assert "monospace" in norway["font-family"]
    assert declarations(shown["Sweden"])["border-bottom"] == "hidden"
    assert declarations(shown["4.1"])["background"] == "#000000"
    assert declarations(shown["16.1"])["background"] == "#ffffff"


def test_merged_cells_span_rows_and_columns() -> None:
    root = figure(GROUPS, merge="0 1:2 a\n0 3:4 b\n0:1 0 c")
    shown = cells(root)
    assert (shown["2024"].get("colspan"), shown["2024"].get("scope")) == ("2", "colgroup")
    assert shown["region"].get("rowspan") == "2"
    assert len(list(root.find(".//thead").iter("tr"))) == 2
    assert list(rows(root))[1] == ["north", "south", "north", "south"]


def test_bars_say_their_numbers_to_those_who_do_not_see_them() -> None:
    root = figure(chart="1:3 3 hbar (_,0,_)\n1: 2 hbar l")
    labels = [svg.get("aria-label") for svg in root.iter("svg")]
    assert labels == ["4.1", "−0.4", "12.0", "1,204.5", "−333.0", "16.1"]
    assert "4.1" in cells(root)


def test_heads_of_rows_and_the_size_are_settings() -> None:
    assert [one.get("scope") for one in figure(index="no").iter("th")] == ["col"] * 4
    assert len([one for one in figure(index="2").iter("th") if one.get("scope") == "row"]) == 8
    assert "width:400px" in figure(size="small").find(".//table").get("style")


def test_header_caption_and_ground_can_be_left_out() -> None:
    bare = figure(look=Look(header=False, caption=False, transparent=True))
    assert bare.find(".//figcaption") is None
    assert bare.find(".//p") is None
    assert "background" not in bare.get("style")


def test_rows_left_out_are_counted() -> None:
    data = ",".join(f"c{n}" for n in range(100)) + "\n" + ("1," * 99 + "1\n") * 600
    note, caption = figure(data).findall(".//p")
    assert note.text_content() == "100 of 600 rows and 60 of 100 columns shown."
    assert caption.text_content() == "By us"


def test_a_sum_at_the_end_of_many_rows_stays_below_a_dotted_line() -> None:
    data = "name,amount\n" + "".join(f"row {n},{n}\n" for n in range(700))
    for last, files in (("Grand total,9", {}), ("Altogether so far,9", {"text": "-1 : b"})):
        shown = figure(f"{data}{last}\n", **files)
        names = [row[0] for row in rows(shown)]
        ends = [*range(250), *range(451, 700)]
        assert names == ["name", *(f"row {n}" for n in ends), last.partition(",")[0]]
        dotted = [row[0].text_content() for row in shown.iter("tr") if "dotted" in row.get("style", "")]
        assert dotted == ["row 249"]
        assert shown.find(".//p").text_content() == "500 of 701 rows shown."


@pytest.mark.parametrize("config", [{}, CRAZY])
def test_hostile_words_stay_words(config: dict[str, str]) -> None:
    word = HOSTILE.replace('"', '""')
    root = figure(f'"{word}","{word}"\n"{word}",1\n', **config)
    names = {element.tag for element in root.iter()}
    assert names <= {
        "figure", "figcaption", "div", "table", "thead", "tbody", "tr", "th", "td", "p", "svg", "rect",
        "path", "span",
    }  # fmt: skip
    styles = " ".join(element.get("style", "") for element in root.iter())
    assert not re.search(r"url\(|expression|@import", styles)
    assert all(not name.startswith("on") for element in root.iter() for name in element.attrib)
