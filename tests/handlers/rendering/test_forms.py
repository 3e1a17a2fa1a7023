"""Each form of a plot is a file that its own programs read, the same bytes in every process."""

import io
import subprocess
import sys
import zipfile
from hashlib import sha256

import openpyxl
import pikepdf
import pytest
from PIL import Image
from pptx import Presentation

from handlers.render.plots.forms.drawing import png
from handlers.render.plots.types import TYPES
from handlers.rendering.forms import FORMS, render_order
from handlers.rendering.port import Rendering, RenderOrder
from handlers.rendering.render_kinds import RENDER_KINDS

SALES = "month,north,south\nJan,12,8\nFeb,15,9\nMar,11,14\n"


def render(form: str, type_: str = "bar", data: str = SALES, **options: str | int | bool) -> Rendering:
    texts = {"data": data, "config/type": type_, "config/title": "Sales by region", "name": "sales"}
    return render_order(RenderOrder("plot", form, texts, options))


def test_the_forms_are_those_that_each_kind_names() -> None:
    assert {kind: set(forms) for kind, forms in FORMS.items()} == {
        name: set(kind.forms) for name, kind in RENDER_KINDS.items()
    }


@pytest.mark.parametrize("scale", [1, 2, 3])
def test_a_png_has_the_requested_pixels(scale: int) -> None:
    with Image.open(io.BytesIO(render("png", width=400, scale=scale).body)) as image:
        assert image.width == 400 * scale


def test_a_png_can_be_transparent() -> None:
    with Image.open(io.BytesIO(render("png", transparent_background=True).body)) as image:
        assert image.getpixel((0, 0))[3] == 0


@pytest.mark.parametrize("form", ["svg", "html"])
@pytest.mark.parametrize("type_", ["line", "box", "custom"])
def test_a_picture_says_what_it_shows(type_: str, form: str) -> None:
    body = render(form, type_).body.decode()
    noun = {"line": "line chart", "box": "box plot"}.get(type_, "table")
    assert f"<title>Sales by region: {noun}, 2 series, 3 rows" in body
    assert 'role="img"' in body


def test_a_pdf_is_a_page_of_vectors_with_its_fonts_in_it() -> None:
    with pikepdf.open(io.BytesIO(render("pdf").body)) as document:
        (page,) = document.pages
        fonts = [str(font.BaseFont) for font in page.resources.Font.values()]
        assert fonts
        assert all("+Source-Sans-Pro" in font for font in fonts)
        assert all(one.Subtype == "/Form" for one in page.resources.XObject.values())
        (figure,) = (one for one in document.objects if isinstance(one, pikepdf.Dictionary) and "/Alt" in one)
        assert figure.S == "/Figure" and figure.Alt == document.docinfo["/Title"]
        assert str(document.docinfo["/Title"]) == (
            "Sales by region: bar chart, 2 series, 3 rows, Jan to Mar; "
            "values 8 to 15; greatest 15 of north at Feb"
        )


def test_a_colour_that_is_seen_through_keeps_its_hue() -> None:
    rect = '<rect width="4" height="4" fill="#0b5a6e" fill-opacity="0.22"/>'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4">{rect}</svg>'
    with Image.open(io.BytesIO(png(svg))) as image:
        pixel = image.getpixel((1, 1))
    assert isinstance(pixel, tuple)
    assert all(abs(a - b) <= 3 for a, b in zip(pixel, (11, 90, 110, 56), strict=True))


@pytest.mark.parametrize("type_,charts", [("bar", 1), ("line", 1), ("pie", 1), ("hist", 0)])
def test_a_workbook_holds_typed_cells_and_a_live_chart(type_: str, charts: int) -> None:
    book = openpyxl.load_workbook(io.BytesIO(render("xlsx", type_).body))
    sheet = book["data"]
    assert [[cell.value for cell in row] for row in sheet.iter_rows()] == [
        ["month", "north", "south"], ["Jan", 12, 8], ["Feb", 15, 9], ["Mar", 11, 14],
    ]  # fmt: skip
    assert sheet.freeze_panes == "B2"
    assert len(book["chart"]._charts) == charts


@pytest.mark.parametrize("cell", ["=1+1", "+1+1", "-cmd|x", "@SUM(1)", "\t=1"])
def test_no_cell_is_taken_for_a_formula(cell: str) -> None:
    data = f'"{cell}",b\n"{cell}",1\n'
    book = openpyxl.load_workbook(io.BytesIO(render("xlsx", data=data).body))
    assert {one.data_type for row in book["data"].iter_rows() for one in row} <= {"s", "n"}
    assert f"'{cell.strip()}" in render("csv", data=data).body.decode() or cell.startswith("\t")


@pytest.mark.parametrize(
    "type_,native", [("bar", True), ("line", True), ("scatter", True), ("donut", True), ("box", False)]
)
def test_a_slide_has_a_title_a_description_and_a_native_chart_where_there_is_one(
    type_: str, native: bool
) -> None:
    (slide,) = Presentation(io.BytesIO(render("pptx", type_).body)).slides
    assert slide.shapes.title.text == "Sales by region"
    assert "series" in slide.notes_slide.notes_text_frame.text
    assert [shape.has_chart for shape in slide.shapes].count(True) == int(native)


def test_a_fragment_holds_the_picture_and_the_data() -> None:
    html = render("html").body.decode()
    assert '<body>\n<figure style="margin:0"><svg ' in html
    assert '<td style="text-align:right">15</td>' in html


@pytest.mark.parametrize("type_", ["bar", "table", "custom"])
def test_a_fragment_is_a_page_with_title_language_and_the_faces_that_it_was_measured_with(type_: str) -> None:
    texts = {"data": SALES, "config/type": type_, "config/title": "Sales <b>"}
    pages = [
        render_order(RenderOrder("plot", "html", {**texts, "config/custom/custom.js": "1"})).body.decode(),
        render_order(RenderOrder("grid", "html", {"layout": "a", "name": "Sales <b>"})).body.decode(),
    ]
    for page in pages:
        assert page.startswith('<!doctype html>\n<html lang="en">')
        assert "<title>Sales &lt;b&gt;" in page
        assert "font-family:'Source Sans Pro';font-weight:400;src:url(data:font/woff;base64," in page


@pytest.mark.parametrize("type_", ["bar", "line", "scatter", "pie", "heatmap", "box", "calendar"])
def test_no_group_of_a_chart_has_a_role_without_a_name(type_: str) -> None:
    svg = render("svg", type_).body.decode()
    assert svg.count(" role=") == svg.count(' role="img"') == 1
    assert "<title>" in svg


@pytest.mark.parametrize("form", ["svg", "html", "txt", "ansi"])
@pytest.mark.parametrize("type_", ["table", "mtable", "map"])
def test_settings_of_cells_reach_every_form_of_a_table(type_: str, form: str) -> None:
    config = {"config/type": type_, "config/table/cell/format": "1: 1 $2m\n1: 2 nothing"}
    made = render_order(RenderOrder("plot", form, {"data": SALES, **config}))
    assert "$12.00" in made.body.decode()
    if form == "svg":
        assert made.notes[-1].startswith('config/table/cell/format, line 2: "nothing" is no format')


@pytest.mark.parametrize("form", ["txt", "ansi"])
@pytest.mark.parametrize("type_", ["bar", "line", "scatter", "hist", "value", "table", "pie", "sbar"])
def test_a_terminal_gets_no_more_columns_than_it_has(type_: str, form: str) -> None:
    lines = render(form, type_, cols=40, rows=12).body.decode().splitlines()
    plain = render("txt", type_, cols=40, rows=12).body.decode().splitlines()
    assert max(map(len, plain)) <= 40
    assert any("\x1b[" in line for line in lines) == (form == "ansi")


def test_a_terminal_is_not_sent_control_characters() -> None:
    data = 'name,value\n"\x1b]0;owned\x07\x1b[2J",1\n'
    assert "\x1b" not in render("txt", data=data).body.decode()
    assert "\x1b]" not in render("ansi", data=data).body.decode()


def test_the_same_order_makes_the_same_bytes_in_another_process() -> None:
    program = (
        "from handlers.rendering.forms import FORMS, render_order\n"
        "from handlers.rendering.port import RenderOrder\nfrom hashlib import sha256\n"
        "from handlers.render.plots.types import TYPES\n"
        f"texts = {{'data': {SALES!r}, 'config/type': 'line', 'config/title': 'Sales'}}\n"
        "for form in sorted(FORMS['plot']):\n"
        "    print(form, sha256(render_order(RenderOrder('plot', form, texts)).body).hexdigest())\n"
        "for type_ in TYPES:\n"
        "    order = RenderOrder('plot', 'svg', {**texts, 'config/type': type_})\n"
        "    print(type_, sha256(render_order(order).body).hexdigest())\n"
    )
    once, again = (
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    )
    assert len(once.splitlines()) == len(FORMS["plot"]) + len(TYPES)
    assert once == again


def test_an_archive_of_a_slide_has_no_time_of_its_making() -> None:
    with zipfile.ZipFile(io.BytesIO(render("pptx").body)) as archive:
        assert {info.date_time for info in archive.infolist()} == {(2000, 1, 1, 0, 0, 0)}
    assert sha256(render("pptx").body).digest() == sha256(render("pptx").body).digest()


@pytest.mark.parametrize("form", ["svg", "png", "pdf", "html", "pptx", "xlsx", "ansi", "csv"])
def test_signs_that_no_document_may_hold_are_replaced(form: str) -> None:
    data = "a,b\n\x01\x02\x1b[31m,1\n\ufffe\uffff,2\n"
    made = render_order(RenderOrder("plot", form, {"data": data, "config/title": "\x07bell", "name": "\x00"}))
    assert made.body
