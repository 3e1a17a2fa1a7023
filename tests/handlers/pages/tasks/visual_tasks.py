"""Tasks with plots, grids, documents and mails."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.handlers.pages.account.letters import letters_to
from tests.handlers.pages.painter import ROWS, Painter
from tests.handlers.pages.tasks.person import MAIN, SAVE, TEXT, Person
from tests.handlers.pages.web_user import Owner

GERMAN = "Monat;Nord;Süd\nJan 2026;1.234,5;980\nFeb 2026;1.100;1.020,25\nMrz 2026;987,2;1.105\n"
SHEET = "Monat\tNord\nJan 2026\t1.234,5\nMrz 2026\t987,2\n"
UNDERSTOOD = "2 rows, 2 columns; numbers as 1.234,5; dates by month"


def plot_a_file(me: Person) -> None:
    file = me.owner.scratch / "umsatz.csv"
    file.write_text(GERMAN)
    me.begin()
    me.new("plot", "Umsatz je Monat")
    me.choose("[name=file]", file)
    me.press(MAIN)
    plot = "vis/plots/umsatz_je_monat"
    assert (me.read(f"{plot}/data"), me.read(f"{plot}/config/type")) == (GERMAN, "line")
    assert "Nord" in me.read(f"{plot}/files/plot.svg")
    assert me.page.locator("figure.drawn, .paper-frame").count() == 1


def plot_pasted_rows(me: Person) -> None:
    me.begin()
    me.click("[popovertarget=new]")
    me.press("#new a[href='/new/plot']")
    me.paste(SHEET)
    me.fill("[name=title]", "Umsatz aus Excel")
    if me.scripts:
        expect(me.page.locator(".understood")).to_have_text(UNDERSTOOD)
        expect(me.page.locator(".best")).to_have_text(": Lines")
    else:
        me.click("button:has-text('Preview')")
        frame = me.page.frame_locator("iframe[name=preview]")
        expect(frame.locator("p").first).to_have_text(UNDERSTOOD)
        expect(frame.locator("svg").first).to_contain_text("Umsatz aus Excel")
    assert "umsatz_aus_excel" not in [row["name"] for row in me.read("vis/plots")]
    me.press(SAVE)
    assert "Umsatz aus Excel" in me.page.inner_text("h1")
    plot = "vis/plots/umsatz_aus_excel"
    assert (me.read(f"{plot}/data"), me.read(f"{plot}/config/type")) == (SHEET, "line")
    assert me.read(f"{plot}/config/title") == "", "the picture takes the title of the plot"


def change_a_chart(me: Person) -> None:
    me.make("plots/chart", data=ROWS, name="Sales of a spring")
    me.begin()
    me.press("main a:has-text('Sales of a spring')")
    me.press(".tabs a:has-text('Edit')")
    me.click("label:has(input[name=type][value=line])")
    me.fill("[name=title]", "Sales of a summer")
    me.pick("[name=pack]", "amber")
    me.press(SAVE)
    assert me.read("vis/plots/chart/config/type") == "line"
    assert me.read("vis/plots/chart/config/colors/theme") == "amber"
    assert "Sales of a summer" in me.page.inner_text("h1")


def write_with_a_chart(me: Person) -> None:
    me.make("plots/sales", data=ROWS, name="Sales by month")
    me.begin()
    me.new("document", "Weekly")
    me.press(MAIN)
    me.fill(TEXT, "# Weekly\n\nWe sold much.\n")
    insert(me, "Chart", "Sales by month")
    insert(me, "Table", "Sales by month" if me.scripts else "An empty table")
    me.press(SAVE)
    text = me.read("vis/docs/weekly/content")
    assert text.startswith("# Weekly\n\nWe sold much.\n\n{{ vis ref: /p/sales }}\n\n| ")
    assert ("| Jan | 12 | 8 |" in text) is me.scripts


def insert(me: Person, kind: str, title: str) -> None:
    """Insert an element at the end of a text by the list, without typing its syntax."""
    if me.scripts:
        me.page.focus(TEXT)
        me.page.keyboard.press("Control+End")
        me.click(f".insert-bar button:text-is('{kind}')")
        me.click(f"[role=option]:has-text('{title}')")
        return
    if me.page.locator("button[value=choose]").count():
        me.press("button[value=choose]")
    me.clicks += 1
    me.page.locator(f"optgroup[label={kind}] option:has-text('{title}')").first.evaluate(
        "option => option.selected = true"
    )
    me.press("button[value=insert]")


def make_a_grid(me: Person) -> None:
    for name in ("east", "west", "north"):
        me.make(f"plots/{name}", data=ROWS, name=f"The {name}")
    me.begin()
    me.new("grid", "Board")
    me.press(MAIN)
    if me.scripts:
        me.click(".beginnings button:has-text('three')")
        for box, name in zip("ABC", ("east", "west", "north"), strict=True):
            me.click(f"[aria-label='Choose a plot for box {box}']")
            me.click(f"[role=option]:has-text('The {name}')")
            expect(me.page.locator("[name='text.mapping']")).to_have_value(re.compile(f"{box} => /p/{name}"))
    else:
        me.pick("[name=pattern]", "three")
        me.press("button[value=pattern]")
        for name in ("east", "west", "north"):
            me.pick("[name=plot]", f"/p/{name}")
            me.press("button[value=put]")
    me.press(SAVE)
    assert me.read("vis/grids/board/mapping") == "".join(
        f"{box} => /p/{name}, h=t\n" for box, name in zip("ABC", ("east", "west", "north"), strict=True)
    )


def mail_it(me: Person) -> None:
    me.make("plots/mailed", data=ROWS, name="Sales to mail")
    me.begin()
    me.new("mail", "Monday")
    me.press(MAIN)
    me.fill(TEXT, "# Monday\n")
    insert(me, "Chart", "Sales to mail")
    me.fill("[name='text.recipients/to']", "me")
    me.press("text=Send a test to me")
    assert "The test is in the outbox of this server, which sends no mail yet" in me.say()
    assert letters_to(me.owner.server, f"{me.owner.name}@birds.example")[-1][0].endswith("Monday")


def download_it(me: Person) -> None:
    me.make("plots/files", data=ROWS, name="To be downloaded")
    me.begin()
    me.press("main a:has-text('To be downloaded')")
    for form, begins in (("PDF", b"%PDF"), ("PPTX", b"PK"), ("XLSX", b"PK")):
        with me.page.expect_download() as taken:
            me.click(f".offers a:has-text('{form}')")
        assert taken.value.path().read_bytes().startswith(begins)
        assert taken.value.suggested_filename == f"files.{form.lower()}"


def delete_it(me: Person) -> None:
    me.make("plots/old", data=ROWS, name="An old plot")
    me.make("docs/naming", content="{{ vis ref: /p/old }}\n", name="It names it")
    me.begin()
    me.press("main a:has-text('An old plot')")
    me.press(".tabs a:has-text('Settings')")
    me.press(".settings-nav a:has-text('Delet')")
    assert "These refer to it, and their references will break: the document naming" in me.say()
    me.click(".asks > summary")
    me.fill("[name=sure]", "old")
    me.press(".asks[open] button.danger")
    assert "Moved to trash: An old plot." in me.say()


def rename_it(me: Person) -> None:
    me.make("plots/umsatz", data=ROWS, name="A plot to rename")
    me.make("docs/shows", content="{{ vis ref: /p/umsatz }}\n", name="It shows it")
    me.begin()
    me.press("main a:has-text('A plot to rename')")
    me.press(".tabs a:has-text('Settings')")
    me.press(".settings-nav a:has-text('Address')")
    me.fill("[name=name]", "Umsatz 2026")
    me.press("button:text-is('Rename')")
    assert "umsatz_2026" in me.page.url
    assert me.read("vis/docs/shows/content") == "{{ vis ref: /p/umsatz_2026 }}\n"


def copy_a_colleague_s(me: Person) -> None:
    friend = Painter(Owner(me.owner.server, me.owner.scratch))
    friend.make("plots/profits", data=ROWS)
    friend.make("docs/profits", content="# Profits\n\n{{ vis ref: /p/profits }}\n", name="A report to copy")
    for item in ("plots/profits", "docs/profits"):
        friend.share(item, f"@{me.owner.name}~r")
    me.begin()
    me.press("main a:has-text('A report to copy')")
    me.press(".tabs a:has-text('Settings')")
    me.press(".settings-nav a:text-is('Make a copy')")
    assert "will lack" not in me.say()
    me.fill("[name=copy]", "profits")
    me.press("button:text-is('Copy')")
    assert me.page.url.partition("?")[0].endswith(f"/u/{me.owner.name}/d/profits")
    assert f"/u/{friend.name}/p/profits" in me.read("vis/docs/profits/content")


def lose_nothing(me: Person) -> None:
    me.make("docs/twice", content="One.\n\nTwo.\n", name="In two tabs")
    me.begin()
    me.press("main a:has-text('In two tabs')")
    me.press(".tabs a:has-text('Edit')")
    with me.window.context.new_page() as beside:
        beside.goto(me.page.url)
        beside.fill(TEXT, "One of there.\n\nTwo.\n")
        beside.click(SAVE)
        beside.wait_for_load_state()
    me.fill(TEXT, "One.\n\nTwo of here.\n")
    me.press(SAVE)
    me.press("button:has-text('Keep both changes')")
    assert me.read("vis/docs/twice/content") == "One of there.\n\nTwo of here.\n"
    me.window.open(f"/u/{me.owner.name}/d/twice/edit")
    me.fill(TEXT, "After the session.\n")
    me.window.context.clear_cookies()
    me.press(SAVE)
    assert "Your session ended" in me.say()
    me.window.sign_in(me.owner.name)
    me.press(f"button:has-text('Send it as @{me.owner.name}')")
    assert me.read("vis/docs/twice/content") == "After the session.\n"
