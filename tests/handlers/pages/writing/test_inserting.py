"""Inserting into documents and mails: the bar, its list, keys, pasted cells, pictures, and no scripts."""

from __future__ import annotations

import io
import random
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from playwright.sync_api import Page, expect

from handlers.pages.visuals.insertions import markdown_table
from handlers.render.documents.markup.blocks import DataTable
from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.markup.spans import words_of
from tests.handlers.pages.painter import ROWS, Painter
from tests.handlers.pages.web_user import Owner, WebUser
from tests.handlers.pages.wire import Wire

BOX = "textarea[name='text.content']"
SIGNS = "ab1 |\\*_~^`[]{}$<>!#-"
CELL = st.text(SIGNS)
SEND = """(box, sent) => {
    const data = new DataTransfer();
    for (const [type, text] of Object.entries(sent.texts ?? {})) data.setData(type, text);
    const bytes = [Uint8Array.from(sent.bytes ?? []), new Uint8Array(sent.more ?? 0)];
    if (sent.file) data.items.add(new File(bytes, sent.file, { type: "image/png" }));
    const init = { bubbles: true, cancelable: true };
    box.focus();
    return !box.dispatchEvent(sent.drop ? new DragEvent("drop", { ...init, dataTransfer: data })
        : new ClipboardEvent("paste", { ...init, clipboardData: data }));
}"""


def png() -> bytes:
    with io.BytesIO() as file:
        Image.new("RGB", (3, 2), "red").save(file, "PNG")
        return file.getvalue()


@pytest.fixture
def writer(window: Callable[..., WebUser], painter: Painter) -> Callable[..., Page]:
    """A function that opens the editor of a text, with the cursor at the end of the text."""

    def begin(text: str, kind: str = "docs", **options: bool) -> Page:
        painter.make("plots/sales", data=ROWS, name="Sales by month")
        painter.make("plots/staff", data="team,people\nHelp,9\n", name="People by team")
        painter.vis("PUT", "plots/sales/vars/most")
        painter.vis("POST", "plots/sales/vars/most/value", "15")
        page = painter.make(f"{kind}/weekly", content=text)
        web_user = window(**options)
        web_user.sign_in(painter.name)
        web_user.open(f"{page}/edit")
        return web_user.page

    return begin


def text_of(page: Page) -> str:
    return page.input_value(BOX)


def holds(page: Page, wanted: str) -> None:
    """Wait until the text holds these words."""
    expect(page.locator(BOX)).to_have_value(re.compile(re.escape(wanted)))


@pytest.mark.parametrize("kind", ["docs", "mails"])
def test_each_kind_is_inserted_with_keys_alone(
    writer: Callable[..., Page], painter: Painter, kind: str
) -> None:
    page = writer("---\ntitle: Weekly\n---\n# Weekly\n", kind)
    inserted = {
        "chart": ("sales", "\n{{ vis ref: /p/sales }}\n"),
        "table": ("sales", "\n| month | north | south |\n| --- | --: | --: |\n| Jan | 12 | 8 |\n"),
        "value": ("most", f"{{/u/{painter.name}/p/sales/v/most}}"),
    }
    for word, (typed, wanted) in inserted.items():
        page.focus(f".insert-bar [data-pick={word}]")
        page.keyboard.press("Enter")
        expect(page.locator("[role=combobox]")).to_be_focused()
        page.keyboard.type(f"{typed} {painter.name}" if word != "value" else typed)  # not those of others
        expect(page.locator("[role=option]")).to_have_count(1)
        page.keyboard.press("Enter")
        holds(page, wanted)
        expect(page.locator(BOX)).to_be_focused()
        page.keyboard.press("Control+z")
        assert wanted not in text_of(page), "one Undo takes it back"
        page.keyboard.press("Control+y")
        holds(page, wanted)
    page.keyboard.press("Control+s")
    page.wait_for_url("**done=*")
    stored = str(painter.vis("GET", f"{kind}/weekly/content"))
    assert stored.startswith("---\ntitle: Weekly\n---\n# Weekly\n\n")
    assert all(wanted in stored for _, wanted in inserted.values())


def test_braces_and_a_reference_open_the_list(writer: Callable[..., Page]) -> None:
    page = writer("# Weekly\n\n")
    picker = page.locator(".insert-list")
    page.focus(BOX)
    page.keyboard.type("{{")
    # Besides the own things there may be public ones of other tests.
    expect(page.locator("#insert-2")).to_be_visible()
    expect(page.locator(BOX)).to_be_focused()
    assert page.get_attribute(BOX, "aria-activedescendant") == "insert-1"
    page.keyboard.press("ArrowDown")
    assert page.get_attribute("#insert-2", "aria-selected") == "true"
    page.keyboard.press("Escape")
    expect(picker).to_be_hidden()
    assert text_of(page).endswith("{{")
    page.keyboard.type(" vis ref: /p/")
    expect(page.locator("[role=option][data-ref='/p/sales']")).to_be_visible()
    page.keyboard.type("st")
    expect(page.locator("[role=option][data-ref='/p/sales']")).to_have_count(0)
    expect(page.locator("#insert-1[data-ref='/p/staff']")).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.keyboard.type(" }}\n{{")
    expect(picker).to_be_visible()
    page.keyboard.type(" page /}}\n")
    expect(picker).to_be_hidden()
    page.keyboard.type("```\n{{")
    expect(picker).to_be_hidden()
    assert text_of(page) == "# Weekly\n\n{{ vis ref: /p/staff }}\n{{ page /}}\n```\n{{"


def test_styles_by_keys_and_by_the_bar(writer: Callable[..., Page]) -> None:
    page = writer("one two")
    page.focus(BOX)
    page.keyboard.press("End")
    page.keyboard.press("Control+Shift+ArrowLeft")
    page.keyboard.press("Control+b")
    page.keyboard.press("Control+i")
    assert text_of(page) == "one ***two***"
    page.click(".insert-bar [data-write=heading]")
    page.click(".insert-bar [data-write=heading]")
    page.click(".insert-bar [data-write=list]")
    assert text_of(page) == "- one ***two***"
    page.keyboard.press("Control+z")
    assert text_of(page) == "one ***two***"


def test_pictures_that_are_dropped_or_pasted_are_assets(
    writer: Callable[..., Page], painter: Painter, window: Callable[..., WebUser]
) -> None:
    page = writer("# Weekly\n")
    box = page.locator(BOX)
    sent = {"file": "My Logo.png", "bytes": list(png())}
    assert box.evaluate(SEND, {**sent, "drop": True})
    holds(page, '\n{{ img ref: my-logo.png, alt: "my logo" }}\n')
    assert box.evaluate(SEND, sent)
    holds(page, "\n{{ img ref: my-logo-2.png,")
    assert box.evaluate(SEND, {"file": "bad.png", "bytes": [1, 2, 3]})
    expect(page.locator(".insert-told")).to_contain_text("is not a picture or a font")
    assert box.evaluate(SEND, {**sent, "file": "large.png", "more": 5 << 20})
    expect(page.locator(".insert-told")).to_contain_text("large.png was not added")
    assert not box.evaluate(SEND, {**sent, "texts": {"text/plain": "words win"}})
    rows = painter.owner.server.ask("GET", "vis/docs/weekly/assets", who=painter.name)
    assert [row["name"] for row in rows] == ["my-logo-2.png", "my-logo.png"]
    page.click(".insert-bar [data-pick=picture]")
    expect(page.locator("[role=option] img")).to_have_count(2)
    page.locator("[role=option]").nth(1).click()
    expect(box).to_have_value(re.compile(r"my-logo\.png.*my-logo\.png", re.DOTALL))


def test_pasted_cells_are_a_table_and_come_back_as_they_were(writer: Callable[..., Page]) -> None:
    page = writer("")
    box = page.locator(BOX)
    draw = random.Random(7)
    for _ in range(20):
        width = draw.randint(2, 4)
        rows = range(draw.randint(2, 5))
        cells = [[f"x{''.join(draw.choices(SIGNS, k=6))}y" for _ in range(width)] for _ in rows]
        page.fill(BOX, "")
        assert box.evaluate(SEND, {"texts": {"text/plain": "\r\n".join("\t".join(row) for row in cells)}})
        assert cells_in(text_of(page)) == [[" ".join(cell.split()) for cell in row] for row in cells]
    page.fill(BOX, "Before")
    html = "<table><tr><th colspan=2>Region<th>2026</tr><tr><td>North<td>a|b<td>1.234,5</table>"
    assert box.evaluate(SEND, {"texts": {"text/html": html, "text/plain": "x"}})
    assert text_of(page) == (
        "Before\n\n| Region |  | 2026 |\n| --- | --- | --: |\n| North | a\\|b | 1.234,5 |\n"
    )
    page.keyboard.press("Control+z")
    assert text_of(page) == "Before"
    box.dispatch_event("keydown", {"key": "V", "ctrlKey": True, "shiftKey": True})
    assert not box.evaluate(SEND, {"texts": {"text/html": html, "text/plain": "a\tb\nc\td"}})
    for words in ("one line\twith a tab", "two\nlines"):
        assert not box.evaluate(SEND, {"texts": {"text/plain": words}})
    assert not box.evaluate(SEND, {"texts": {"text/html": f"<p>Words</p>{html}", "text/plain": "Words"}})


def cells_in(text: str) -> list[list[str]]:
    """The cells of the first table that a document shows."""
    table = next(block for block in read_document(text).blocks() if isinstance(block, DataTable))
    return [[words_of(cell) for cell in row] for row in (table.head, *table.rows)]


@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=5))
def test_rows_of_a_plot_are_a_table_of_the_same_cells(rows: list[tuple[str, str]]) -> None:
    cells = [["one", "two"], *([f"x{cell}y" for cell in row] for row in rows)]
    text = "".join("\t".join(row) + "\n" for row in cells)
    assert cells_in(markdown_table(text)) == [[" ".join(cell.split()) for cell in row] for row in cells]


def test_the_list_has_the_plots_of_the_writer_and_marks_those_hidden_from_the_owner(
    wire: Wire, painter: Painter
) -> None:
    bob = Painter(Owner(painter.owner.server, painter.owner.scratch))
    bob.make("plots/hidden", data=ROWS)
    bob.make("plots/open", data=ROWS, name="Open <b>")
    bob.share("plots/open", f"@{painter.name}~r")
    page = painter.make("docs/weekly", content="#")
    painter.share("docs/weekly", f"@{bob.name}~rw")
    hers = wire.ask("GET", f"{page}/edit/insert?what=chart").body
    assert f"/u/{bob.name}/p/open" in hers and "hidden" not in hers
    assert "Open &lt;b&gt;" in hers and f"plot of @{bob.name}" in hers and "not shown" not in hers
    his = Wire(bob.owner).ask("GET", f"{page}/edit/insert?what=chart").body
    assert his.count(f"not shown: @{painter.name} may not see it") == 1
    assert wire.ask("GET", f"{page}/edit/insert?of=/u/{bob.name}/p/hidden").status == 404
    assert wire.ask("GET", f"{page}/edit/insert?what=cake").status == 404
    painter.vis("DELETE", f"docs/weekly/shared/@{bob.name}~rw")
    painter.share("docs/weekly", f"@{bob.name}~r")
    assert Wire(bob.owner).ask("GET", f"{page}/edit/insert?what=chart").status == 403
