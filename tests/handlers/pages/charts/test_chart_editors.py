"""Plots and grids are edited in a browser, with scripts and without."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.handlers.pages.visitor import Owner, Visitor

DATA = "week,North,South\n2026-10-05,312,180\n2026-10-12,298,205\n"


@pytest.fixture
def plot(owner: Owner) -> str:
    """A plot of the owner's; the address of its page."""
    owner.server.ask("PUT", "vis/plots/sales", who=owner.name)
    owner.server.ask("POST", "vis/plots/sales/data", DATA.encode(), owner.name)
    return f"/u/{owner.name}/p/sales"


def stored(owner: Owner, path: str) -> str:
    return str(owner.server.ask("GET", f"vis/{path}", who=owner.name))


def test_a_file_and_another_type_in_five_clicks(
    owner: Owner, plot: str, visitor: Visitor, tmp_path: Path
) -> None:
    page = visitor.page
    visitor.sign_in(owner.name)
    visitor.open(plot)
    visitor.press("a:has-text('Edit') >> nth=0")
    (tmp_path / "rows.csv").write_text("month,east\nJan,3\nFeb,5\n")
    page.set_input_files("input[name=file]", tmp_path / "rows.csv")
    page.check("input[name=type][value=line]", force=True)
    visitor.press("button.primary:has-text('Save')")
    assert page.url.split("?")[0].endswith(plot) and "The plot is saved." in page.inner_text("main")
    assert stored(owner, "plots/sales/data") == "month,east\nJan,3\nFeb,5\n"
    assert stored(owner, "plots/sales/config/type") == "line"
    assert visitor.complaints == []


def test_cells_words_and_rows_are_saved(owner: Owner, plot: str, visitor: Visitor) -> None:
    page = visitor.page
    visitor.sign_in(owner.name)
    visitor.open(f"{plot}/edit")
    page.fill("input[name='c1-2']", "999")
    page.fill("input[name='title']", "Sold")
    page.fill("input[name='y-high']", "1000")
    visitor.press("button[value=row]")
    assert page.input_value("input[name='c1-2']") == "999" and page.input_value("input[name=title]") == "Sold"
    page.fill("input[name='c3-1']", "2026-10-19")
    page.fill("input[name='c3-2']", "7")
    visitor.press("button.primary:has-text('Save')")
    assert stored(owner, "plots/sales/data") == (
        "week,North,South\n2026-10-05,999,180\n2026-10-12,298,205\n2026-10-19,7,\n"
    )
    assert stored(owner, "plots/sales/config/axis/domains") == "y _ 1000"
    assert stored(owner, "plots/sales/config/title") == "Sold"


def test_what_was_typed_is_drawn_and_not_stored(
    owner: Owner, plot: str, visitor: Visitor, scripts: bool
) -> None:
    page = visitor.page
    visitor.sign_in(owner.name)
    visitor.open(f"{plot}/edit")
    page.fill("input[name='title']", "Only tried")
    if scripts:
        expect(page.locator(".preview-said")).to_contain_text("nothing is stored yet")
        assert "Only%20tried" in (page.get_attribute(".paper-frame img", "src") or "")
        expect(page.locator(".state")).to_have_text("Not saved yet")
    else:
        page.click("button[formtarget]")
        frame = page.frame_locator("iframe[name=preview]")
        expect(frame.locator("svg").first).to_be_attached()
        assert page.url.endswith("/edit")
    assert stored(owner, "plots/sales/config/title") == ""


def test_what_somebody_else_wrote_is_not_written_over_unseen(
    owner: Owner, plot: str, visitor: Visitor
) -> None:
    page = visitor.page
    visitor.sign_in(owner.name)
    visitor.open(f"{plot}/edit")
    page.fill("input[name='title']", "Mine")
    owner.server.ask("POST", "vis/plots/sales/config/title", b"Theirs", owner.name)
    visitor.press("button.primary:has-text('Save')")
    assert "changed config/title meanwhile" in page.inner_text("[role=alert]")
    assert page.input_value("input[name=title]") == "Mine"
    assert stored(owner, "plots/sales/config/title") == "Theirs"
    visitor.press("button.primary:has-text('Save')")
    assert stored(owner, "plots/sales/config/title") == "Mine"


def test_a_refused_type_keeps_all_that_was_typed(owner: Owner, plot: str, visitor: Visitor) -> None:
    page = visitor.page
    visitor.sign_in(owner.name)
    visitor.open(f"{plot}/edit")
    page.fill("input[name='title']", "Kept")
    page.check("input[name=type][value=other]", force=True)
    page.fill("input[name=type-word]", "No Type")
    visitor.press("button.primary:has-text('Save')")
    assert "is no plot type" in page.inner_text("[role=alert]")
    assert page.input_value("input[name=title]") == "Kept"
    assert stored(owner, "plots/sales/config/title") == ""


def test_a_grid_is_drawn_from_a_pattern_and_filled(owner: Owner, plot: str, visitor: Visitor) -> None:
    owner.server.ask("PUT", "vis/grids/board", who=owner.name)
    page = visitor.page
    visitor.sign_in(owner.name)
    visitor.open(f"/u/{owner.name}/g/board/edit")
    page.select_option("select[name=pattern]", "pair")
    visitor.press("button[value=pattern]")
    visitor.press("button[value=put]")
    assert page.input_value("input[name=box-A]") == "/p/sales"
    page.fill("input[name=box-B]", "/p/sales")
    visitor.press("button.primary:has-text('Save')")
    assert stored(owner, "grids/board/mapping") == "A => /p/sales, h=t\nB => /p/sales\n"
    assert "{A}" in stored(owner, "grids/board/layout")


def test_a_drawing_that_cannot_be_read_is_refused_at_its_place(
    owner: Owner, plot: str, visitor: Visitor
) -> None:
    owner.server.ask("PUT", "vis/grids/board", who=owner.name)
    page = visitor.page
    visitor.sign_in(owner.name)
    visitor.open(f"/u/{owner.name}/g/board/edit")
    page.fill("textarea[name=layout]", "+---+\n| {A}\n+---+")
    visitor.press("button.primary:has-text('Save')")
    assert "line 2, column" in page.inner_text("[role=alert]")
    assert page.input_value("textarea[name=layout]") == "+---+\n| {A}\n+---+"


def test_who_may_not_write_is_told_whom_to_ask(
    owner: Owner, plot: str, window: Callable[..., Visitor]
) -> None:
    owner.server.ask("PUT", "vis/plots/sales/shared/public~r", who=owner.name)
    stranger = window()
    assert stranger.open(f"{plot}/edit") in (403, 401)
    reader = Owner(owner.server, owner.scratch)
    stranger.sign_in(reader.name)
    assert stranger.open(f"{plot}/edit") == 403
    assert f"ask @{owner.name}" in stranger.page.inner_text("main")
    assert stranger.open(f"/u/{owner.name}/p/none/edit") == 404


def test_rows_from_a_spreadsheet_fill_the_cells_and_keys_move_in_them(
    owner: Owner, plot: str, window: Callable[..., Visitor]
) -> None:
    visitor = window()
    page = visitor.page
    visitor.sign_in(owner.name)
    visitor.open(f"{plot}/edit")
    page.focus("input[name='c2-2']")
    page.evaluate("""() => {
        const data = new DataTransfer();
        data.setData("text/plain", "1\\t2\\t3\\r\\n4\\t5\\t6\\r\\n");
        const paste = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
        document.activeElement.dispatchEvent(paste);
    }""")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.name") == "c3-2"
    page.fill("input[name=h4]", "West")
    page.keyboard.press("Control+s")
    page.wait_for_url("**done=plot-saved")
    assert stored(owner, "plots/sales/data") == (
        "week,North,South,West\n2026-10-05,312,180,\n2026-10-12,1,2,3\n,4,5,6\n"
    )
