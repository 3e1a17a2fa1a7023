"""Long tables in a browser: searched and put in order by their reader, in pages of plots and of documents."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from tests.handlers.pages.painter import Painter
from tests.handlers.pages.web_user import WebUser

NAMES = ("Ärger", "zoo", "Apfel", "Item 10", "Item 2", "Öl", "Birne", "Quark", "Nuss", "Mehl")
AMOUNTS = ("1.204,50", "13.040,25", "-9.000,75", "7,00", "", "80,00", "80,00", "3,10", "250,00", "2,00")
DAYS = ("3. März 2026", "2026-01-15", "1.2.2025", "", *(f"{day}.12.2024" for day in range(10, 16)))
ROWS = list(zip(NAMES, AMOUNTS, DAYS, strict=True))
DATA = "name;amount;day\n" + "".join(";".join(row) + "\n" for row in ROWS)
SUM = ("Summe", "5.667,10", "")
MARKDOWN = "---\nlang: de\n---\n# Waren\n\n| Ware | Betrag | Tag |\n|---|--:|---|\n" + "".join(
    f"| {' | '.join(row)} |\n" for row in [*ROWS, SUM]
)


def column(table: Locator, number: int) -> list[str]:
    return [
        row.locator("th, td").nth(number).inner_text().strip()
        for row in table.locator("tbody tr").all()
        if row.is_visible()
    ]


@pytest.fixture
def table_page(painter: Painter) -> str:
    page = painter.make(
        "plots/goods", data=DATA + ";".join(SUM) + "\n", config__type="table", config__lang="de"
    )
    painter.share("plots/goods", "public~r")
    return page


@pytest.fixture
def document_page(painter: Painter) -> str:
    page = painter.make("docs/goods", content=MARKDOWN)
    painter.share("docs/goods", "public~r")
    painter.vis("GET", "docs/goods/files/doc.html")
    return page


@pytest.fixture(params=["table_page", "document_page"])
def table(request: pytest.FixtureRequest, window: Callable[..., WebUser]) -> Locator:
    """A table of a plot's page that unfolded from its picture, and one in a document."""
    web_user = window(
        viewport={"width": 400, "height": 800}, has_touch=True, is_mobile=True, color_scheme="dark"
    )
    web_user.open(request.getfixturevalue(request.param))
    found = web_user.page.locator("table[data-search]:has(.order)").first
    found.wait_for()
    return found


def test_rows_are_put_in_order_by_their_values(table: Locator) -> None:
    sent = [*NAMES, "Summe"]
    assert column(table, 0) == sent
    button = table.locator("thead .order").nth(1)
    head = table.locator("thead th").nth(1)
    button.tap()
    expect(head).to_have_attribute("aria-sort", "ascending")
    rising = ["Apfel", "Mehl", "Quark", "Item 10", "Öl", "Birne", "Nuss", "Ärger", "zoo", "Item 2", "Summe"]
    assert column(table, 0) == rising
    button.press("Enter")
    expect(head).to_have_attribute("aria-sort", "descending")
    falling = ["zoo", "Ärger", "Nuss", "Öl", "Birne", "Item 10", "Quark", "Mehl", "Apfel", "Item 2", "Summe"]
    assert column(table, 0) == falling
    button.press(" ")
    assert head.get_attribute("aria-sort") is None
    assert column(table, 0) == sent
    table.locator("thead .order").nth(0).tap()
    words = ["Apfel", "Ärger", "Birne", "Item 2", "Item 10", "Mehl", "Nuss", "Öl", "Quark", "zoo", "Summe"]
    assert column(table, 0) == words
    table.locator("thead .order").nth(2).tap()
    assert column(table, 0)[-5:] == ["Apfel", "zoo", "Ärger", "Item 10", "Summe"]


def test_rows_are_searched(table: Locator) -> None:
    root = table.locator("xpath=ancestor::*[preceding-sibling::*[@class='seek']][1]")
    seek = root.locator("xpath=preceding-sibling::*[@class='seek']")
    box, count = seek.get_by_label("Tabelle durchsuchen"), seek.locator("output")
    box.fill("item")
    assert column(table, 0) == ["Item 10", "Item 2", "Summe"]
    expect(count).to_have_text("2 von 10 Zeilen")
    box.fill("80,00 ÖL")
    assert column(table, 0) == ["Öl", "Summe"]
    box.fill("/nowhere")
    expect(count).to_have_text("0 von 10 Zeilen")
    box.press("Escape")
    assert column(table, 0) == [*NAMES, "Summe"]
    expect(count).to_have_text("")
    width = "document.documentElement.scrollWidth <= innerWidth"
    assert table.page.evaluate(width)
    assert root.locator("xpath=../*[@class='seek']").count() == 1


def test_short_spanned_and_grouped_tables_are_unchanged(
    window: Callable[..., WebUser], painter: Painter
) -> None:
    plots = {
        "short": {"data": "a;b\n" + "x;1\n" * 8},
        "spans": {"data": "a;b\n" + "x;1\n" * 12, "config__table__cell__merge": "2,3 0"},
        "groups": {"data": "a;b;c\n" + "x;y;1\n;z;2\n" * 6},
        "parts": {"data": "a;b\n" + "x;1\ny;2\nTotal;3\n" * 4},
    }
    web_user = window()
    web_user.sign_in(painter.name)
    for name, files in plots.items():
        page = painter.make(f"plots/{name}", config__type="table", **files)
        web_user.open(page)
        web_user.page.wait_for_function("document.querySelector('figure.drawn img').naturalWidth > 0")
        web_user.page.wait_for_load_state("networkidle")
        assert web_user.page.locator(".unfolded .order").count() == 0, name
        assert web_user.page.locator(".unfolded .seek").count() == (name in ("groups", "parts")), name


def test_without_scripts_and_in_files_tables_are_whole(
    window: Callable[..., WebUser], table_page: str, document_page: str
) -> None:
    web_user = window(java_script_enabled=False)
    web_user.open(table_page)
    assert web_user.page.locator("figure.drawn img").is_visible()
    assert web_user.page.locator(".seek, .order").count() == 0
    web_user.open(document_page)
    shown = web_user.page.locator(".leaf table")
    assert column(shown, 0) == [*NAMES, "Summe"]
