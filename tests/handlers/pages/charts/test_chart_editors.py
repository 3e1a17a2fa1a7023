"""Plots and grids are edited in a browser, with scripts and without."""

from __future__ import annotations

from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.handlers.pages.charts.pasting import paste
from tests.handlers.pages.web_user import Owner, WebUser
from tests.handlers.pages.wire import Answer, Wire

DATA = "week,North,South\n2026-10-05,312,180\n2026-10-12,298,205\n"
LONGER = f"{DATA}2026-10-19,7,8\n"


@pytest.fixture
def plot(owner: Owner) -> str:
    """A plot of the owner's; the address of its page."""
    owner.server.ask("PUT", "vis/plots/sales", who=owner.name)
    owner.server.ask("POST", "vis/plots/sales/data", DATA.encode(), owner.name)
    return f"/u/{owner.name}/p/sales"


def stored(owner: Owner, path: str) -> str:
    return str(owner.server.ask("GET", f"vis/{path}", who=owner.name))


def send_file(wire: Wire, page: str, file: str | bytes, **fields: str) -> Answer:
    """Return the response of the editor's form to a file and some fields."""
    raw = file.encode() if isinstance(file, str) else file
    return wire.post_file(page, {"rows.csv": raw}, token=wire.token(page), **fields)


def test_a_file_and_another_type_in_five_clicks(
    owner: Owner, plot: str, web_user: WebUser, tmp_path: Path
) -> None:
    page = web_user.page
    web_user.sign_in(owner.name)
    web_user.open(plot)
    web_user.press("a:has-text('Edit') >> nth=0")
    (tmp_path / "rows.csv").write_text("month,east\nJan,3\nFeb,5\n")
    page.set_input_files("input[name=file]", tmp_path / "rows.csv")
    page.check("input[name=type][value=line]", force=True)
    web_user.press("button.primary:has-text('Save')")
    assert page.url.split("?")[0].endswith(plot) and "The plot is saved." in page.inner_text("main")
    assert stored(owner, "plots/sales/data") == "month,east\nJan,3\nFeb,5\n"
    assert stored(owner, "plots/sales/config/type") == "line"
    assert web_user.complaints == []


def test_cells_words_and_rows_are_saved(owner: Owner, plot: str, web_user: WebUser) -> None:
    page = web_user.page
    web_user.sign_in(owner.name)
    web_user.open(f"{plot}/edit")
    page.fill("input[name='c1-2']", "999")
    page.fill("input[name='title']", "Sold")
    page.fill("input[name='y-high']", "1000")
    web_user.press("button[value=row]")
    assert page.input_value("input[name='c1-2']") == "999" and page.input_value("input[name=title]") == "Sold"
    page.fill("input[name='c3-1']", "2026-10-19")
    page.fill("input[name='c3-2']", "7")
    web_user.press("button.primary:has-text('Save')")
    assert stored(owner, "plots/sales/data") == (
        "week,North,South\n2026-10-05,999,180\n2026-10-12,298,205\n2026-10-19,7,\n"
    )
    assert stored(owner, "plots/sales/config/axis/domains") == "y _ 1000"
    assert stored(owner, "plots/sales/name") == "Sold"


def test_typed_rows_are_drawn_and_not_stored(
    owner: Owner, plot: str, web_user: WebUser, scripts: bool
) -> None:
    page = web_user.page
    web_user.sign_in(owner.name)
    web_user.open(f"{plot}/edit")
    page.fill("input[name='title']", "Only tried")
    if scripts:
        expect(page.locator(".preview-said")).to_contain_text("nothing is stored yet")
        assert "Only%20tried" in (page.get_attribute(".paper-frame img", "src") or "")
        expect(page.locator(".state")).to_contain_text("kept in this browser")
    else:
        page.click("button[formtarget]")
        frame = page.frame_locator("iframe[name=preview]")
        expect(frame.locator("svg").first).to_be_attached()
        assert page.url.endswith("/edit")
    assert stored(owner, "plots/sales/name") == ""


def test_a_change_by_somebody_else_is_merged_or_chosen(owner: Owner, plot: str, web_user: WebUser) -> None:
    page = web_user.page
    owner.server.ask("POST", "vis/plots/sales/data", LONGER.encode(), owner.name)
    web_user.sign_in(owner.name)
    web_user.open(f"{plot}/edit")
    page.fill("input[name='title']", "Mine")
    page.fill("input[name='c3-3']", "9")
    owner.server.ask("POST", "vis/plots/sales/data", LONGER.replace("312", "313").encode(), owner.name)
    web_user.press(".savebar .primary")
    assert f"@{owner.name} changed this meanwhile" in page.inner_text("h1")
    assert stored(owner, "plots/sales/name") == ""
    web_user.press("button:has-text('Keep both changes')")
    both = LONGER.replace("312", "313").replace("7,8", "7,9")
    assert stored(owner, "plots/sales/data") == both
    assert stored(owner, "plots/sales/name") == "Mine"
    web_user.open(f"{plot}/edit")
    page.fill("input[name='title']", "Mine again")
    owner.server.ask("POST", "vis/plots/sales/name", b"Theirs", owner.name)
    web_user.press(".savebar .primary")
    assert "You changed the same lines" in page.inner_text("main")
    web_user.press("button:has-text('Keep editing mine')")
    assert page.input_value("input[name=title]") == "Mine again"
    assert stored(owner, "plots/sales/name") == "Theirs"
    web_user.press(".savebar .primary")
    assert stored(owner, "plots/sales/name") == "Mine again"


def test_a_draft_comes_back_with_the_version_that_it_changed(
    owner: Owner, plot: str, window: Callable[..., WebUser]
) -> None:
    web_user = window()
    page = web_user.page
    owner.server.ask("POST", "vis/plots/sales/data", LONGER.encode(), owner.name)
    page.on("dialog", lambda dialog: dialog.accept())
    web_user.sign_in(owner.name)
    web_user.open(f"{plot}/edit")
    page.fill("input[name='c3-3']", "9")
    page.fill("input[name='title']", "Half a thought")
    expect(page.locator(".state")).to_contain_text("kept in this browser")
    owner.server.ask("POST", "vis/plots/sales/data", LONGER.replace("312", "313").encode(), owner.name)
    web_user.open(f"{plot}/edit")
    assert page.input_value("input[name='c3-3']") == "8"
    web_user.press("button:has-text('Restore draft')")
    assert page.input_value("input[name='c3-3']") == "9"
    assert page.input_value("input[name=title]") == "Half a thought"
    web_user.press(".savebar .primary")
    web_user.press("button:has-text('Keep both changes')")
    assert stored(owner, "plots/sales/data") == LONGER.replace("312", "313").replace("7,8", "7,9")
    web_user.open(f"{plot}/edit")
    assert page.locator("button:has-text('Restore draft')").count() == 0


def test_a_file_of_many_rows_is_saved_with_the_rest_or_not(wire: Wire, owner: Owner, plot: str) -> None:
    many = "a,b\n" + "1,2\n" * 400_000
    refused = send_file(wire, f"{plot}/edit", many, title="Many", type="other", **{"type-word": "No Type"})
    assert (
        refused.status == 400 and "choose the file again" in refused.body and 'value="Many"' in refused.body
    )
    assert stored(owner, "plots/sales/data") == DATA
    assert stored(owner, "plots/sales/name") == ""
    assert send_file(wire, f"{plot}/edit", many, title="Many").status == 303
    assert stored(owner, "plots/sales/data") == many
    assert stored(owner, "plots/sales/name") == "Many"
    outdated = {"etag.data": '"old"', "title": "Kept"}
    answer = send_file(wire, f"{plot}/edit", many.replace("1,2", "3,4", 1), **outdated)
    assert answer.status == 412 and "choose the file again" in answer.body and 'value="Kept"' in answer.body
    assert '"old"' not in unescape(answer.body) and stored(owner, "plots/sales/name") == "Many"
    small = {"as": "text", "base.data": "a,b", "text.data": "a,c", "etag.data": '"old"'}
    answer = wire.post(f"{plot}/edit", token=wire.token(f"{plot}/edit"), **small)
    assert answer.status == 412 and len(answer.body) < 100_000 and "too large to compare" in answer.body
    assert "a,c</textarea>" in answer.body
    wrong = send_file(wire, f"{plot}/edit", b"\xff\xfe", title="Kept")
    assert wrong.status == 400 and "is not UTF-8 text" in wrong.body and 'value="Kept"' in wrong.body


def test_a_refused_type_keeps_all_that_was_typed(owner: Owner, plot: str, web_user: WebUser) -> None:
    page = web_user.page
    web_user.sign_in(owner.name)
    web_user.open(f"{plot}/edit")
    page.fill("input[name='title']", "Kept")
    page.click(".all-types > summary")
    page.check("input[name=type][value=other]", force=True)
    page.fill("input[name=type-word]", "No Type")
    web_user.press("button.primary:has-text('Save')")
    assert "is no plot type" in page.inner_text("[role=alert]")
    assert page.input_value("input[name=title]") == "Kept"
    assert stored(owner, "plots/sales/name") == ""


def test_a_grid_is_drawn_from_a_pattern_and_filled(
    owner: Owner, plot: str, window: Callable[..., WebUser]
) -> None:
    web_user = window(java_script_enabled=False)
    owner.server.ask("PUT", "vis/grids/board", who=owner.name)
    owner.server.ask("POST", "vis/plots/sales/name", b"What was sold", owner.name)
    page = web_user.page
    web_user.sign_in(owner.name)
    web_user.open(f"/u/{owner.name}/g/board/edit")
    assert page.locator("select[name=plot] option[value='/p/sales']").text_content() == "What was sold"
    page.select_option("select[name=pattern]", "pair")
    web_user.press("button[value=pattern]")
    web_user.press("button[value=put]")
    assert page.input_value("input[name=box-A]") == "/p/sales"
    page.fill("input[name=box-B]", "/p/sales")
    web_user.press("button.primary:has-text('Save')")
    assert stored(owner, "grids/board/mapping") == "A => /p/sales, h=t\nB => /p/sales\n"
    assert "{A}" in stored(owner, "grids/board/layout")


def test_a_drawing_that_cannot_be_read_is_refused_at_its_place(
    owner: Owner, plot: str, web_user: WebUser
) -> None:
    owner.server.ask("PUT", "vis/grids/board", who=owner.name)
    page = web_user.page
    web_user.sign_in(owner.name)
    web_user.open(f"/u/{owner.name}/g/board/edit")
    page.fill("textarea[name='text.layout']", "+---+\n| {A}\n+---+")
    web_user.press("button.primary:has-text('Save')")
    assert "line 2, column" in page.inner_text("[role=alert]")
    assert page.input_value("textarea[name='text.layout']") == "+---+\n| {A}\n+---+"


def test_a_reader_sees_whom_to_ask_for_write_access(
    owner: Owner, plot: str, window: Callable[..., WebUser]
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
    owner: Owner, plot: str, window: Callable[..., WebUser]
) -> None:
    web_user = window()
    page = web_user.page
    web_user.sign_in(owner.name)
    web_user.open(f"{plot}/edit")
    paste(web_user, "input[name='c2-2']", "1\t2\t3\r\n4\t5\t6\r\n")
    page.click("button:has-text('Only these cells')")
    assert "3 rows, 4 columns" in page.inner_text(".understood")
    page.focus("input[name='c2-2']")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.name") == "c3-2"
    page.fill("input[name=h4]", "West")
    page.keyboard.press("Control+s")
    page.wait_for_url("**done=plot-saved")
    assert stored(owner, "plots/sales/data") == (
        "week,North,South,West\n2026-10-05,312,180,\n2026-10-12,1,2,3\n,4,5,6\n"
    )


def test_a_paste_into_the_first_cell_replaces_rows_that_nobody_changed(
    owner: Owner, plot: str, window: Callable[..., WebUser]
) -> None:
    web_user = window()
    page = web_user.page
    web_user.sign_in(owner.name)
    web_user.open(f"{plot}/edit")
    paste(web_user, "input[name=h1]", "Region\tQ1\r\nNord\t1\r\n")
    assert page.locator(".cells input").count() == 4
    expect(page.locator(".understood")).to_contain_text("1 row, 2 columns")
    page.click(".pasted button:has-text('Undo')")
    assert page.input_value("input[name='c2-3']") == "205"
    page.fill("input[name='c1-2']", "9")
    paste(web_user, "input[name=h1]", "Region\tQ1\r\nNord\t1\r\n")
    assert page.input_value("input[name='c2-3']") == "205"
    page.click("button:has-text('Replace all')")
    web_user.press(".savebar .primary")
    assert stored(owner, "plots/sales/data") == "Region,Q1\nNord,1\n"
    web_user.open(f"{plot}/edit")
    many = "a\tb\n" + "x\t1\n" * 300
    paste(web_user, "input[name=h1]", many)
    page.wait_for_selector("textarea[data-rows]")
    assert page.input_value("textarea[data-rows]") == many
    assert web_user.complaints == []


def test_only_settings_that_the_type_reads_are_shown(owner: Owner, plot: str, web_user: WebUser) -> None:
    page = web_user.page
    web_user.sign_in(owner.name)
    web_user.open(f"{plot}/edit")
    assert page.is_visible("input[name=combo]") and not page.is_visible("input[name=map-area]")
    assert page.locator(".types >> nth=0").locator("label").count() == 6
    page.click(".all-types > summary")
    page.click("label:has(input[name=type][value=pie])")
    web_user.press(".savebar .primary")
    web_user.open(f"{plot}/edit")
    assert not page.is_visible("input[name=combo]") and not page.is_visible("select[name=sort]")
    assert page.is_checked("input[name=type][value=pie]") and page.is_visible("select[name=pack]")


def test_cells_survive_the_end_of_a_session(web_user: WebUser, owner: Owner, plot: str) -> None:
    page = web_user.page
    web_user.sign_in(owner.name)
    web_user.open(f"{plot}/edit")
    page.fill("input[name='c1-2']", "999")
    web_user.context.clear_cookies()
    web_user.press(".savebar .primary")
    assert "Your session ended" in page.inner_text("main")
    assert not page.is_visible("textarea[name='kept.base.data'], input[name='kept.base.data']")
    page.fill("main input[name=username]", owner.name)
    page.fill("main input[name=password]", owner.server.password(owner.name))
    web_user.press("main button.primary")
    web_user.press(f"button:has-text('Send it as @{owner.name}')")
    assert stored(owner, "plots/sales/data") == DATA.replace("312", "999")
