"""A plot begins with rows: pasted, dropped or typed, with scripts and without."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.handlers.pages.charts.pasting import paste
from tests.handlers.pages.web_user import Owner, WebUser


def stored(owner: Owner, path: str) -> str:
    return str(owner.server.ask("GET", f"vis/{path}", who=owner.name))


GERMAN = "Monat\tNord\nJan 2026\t1.234,5\nMrz 2026\t987,2\n"
UNDERSTOOD = "2 rows, 2 columns; numbers as 1.234,5; dates by month"


@pytest.mark.parametrize(
    ("text", "html", "data"),
    [
        ('[{"city": "Oslo", "rain": 3}, {"city": "Bergen"}]', "", "city,rain\nOslo,3\nBergen,\n"),
        (
            "x",
            '<table><tr><th>Team<th>Points<tr><td>A "one"<td>3<tr><td>B<br>two<td>4</table>',
            'Team\tPoints\n"A ""one"""\t3\nB two\t4\n',
        ),
    ],
)
def test_json_and_tables_of_pages_are_rows(
    owner: Owner, window: Callable[..., WebUser], text: str, html: str, data: str
) -> None:
    web_user = window()
    web_user.sign_in(owner.name)
    web_user.open("/new/plot")
    paste(web_user, "textarea[data-rows]", text, html)
    expect(web_user.page.locator(".understood")).to_contain_text("2 rows, 2 columns")
    web_user.page.fill("input[name=title]", "Pasted")
    web_user.press(".savebar .primary")
    assert stored(owner, "plots/pasted/data") == data


def test_a_dropped_file_is_read_again_by_another_choice(owner: Owner, window: Callable[..., WebUser]) -> None:
    web_user = window()
    page = web_user.page
    web_user.sign_in(owner.name)
    web_user.open("/new/plot")
    file = page.evaluate_handle("""() => {
        const data = new DataTransfer();
        data.items.add(new File(["day;n\\n01/02/2026;1.200\\n"], "days.csv", { type: "text/csv" }));
        return data;
    }""")
    page.dispatch_event("textarea[data-rows]", "drop", {"dataTransfer": file})
    expect(page.locator(".understood")).to_contain_text("01/02/2026 is 2026-02-01")
    page.click(".read-as > summary")
    page.select_option("select[name=dates]", "month")
    expect(page.locator(".understood")).to_contain_text("01/02/2026 is 2026-01-02")
    page.fill("input[name=title]", "Days")
    web_user.press(".savebar .primary")
    assert stored(owner, "plots/days/data") == "day;n\n01/02/2026;1.200\n"
    assert stored(owner, "plots/days/config/reading/dates") == "month"
    web_user.open(f"/u/{owner.name}/p/days/edit")
    assert page.input_value("select[name=dates]") == "month"


def test_a_draft_of_a_new_plot_comes_back(owner: Owner, window: Callable[..., WebUser]) -> None:
    web_user = window()
    page = web_user.page
    page.on("dialog", lambda dialog: dialog.accept())
    web_user.sign_in(owner.name)
    web_user.open("/new/plot")
    page.fill("textarea[data-rows]", "a,b\nx,1\n")
    expect(page.locator(".state")).to_contain_text("kept in this browser")
    web_user.open("/new/plot")
    web_user.press("button:has-text('Restore draft')")
    assert page.input_value("textarea[data-rows]") == "a,b\nx,1\n"


def test_an_example_is_chosen_and_nothing_is_empty(owner: Owner, web_user: WebUser) -> None:
    page = web_user.page
    web_user.sign_in(owner.name)
    for kind in ("plot", "document", "mail"):
        web_user.open(f"/new/{kind}")
        page.fill("input[name=title]", "Nothing")
        web_user.press("main .primary")
        assert page.url.partition("?")[0].endswith("/nothing/edit")
        assert page.input_value("main textarea:visible >> nth=0") == ""
    web_user.open("/new/plot")
    web_user.press("a:has-text('An example')")
    assert page.input_value("textarea[data-rows]").startswith("month,north,south")
