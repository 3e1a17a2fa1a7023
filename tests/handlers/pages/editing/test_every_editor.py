"""Every editor keeps typed text, also after each round trip, and saves it by Ctrl+S from any field."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib.resources import files

import pytest
from playwright.sync_api import Page, expect

from handlers.pages.routes import EDITORS
from handlers.pages.text_editor import MAIL_EDITOR
from handlers.trees import KINDS
from tests.handlers.pages.web_user import Owner, WebUser

FILES = ("repo", "space")
"""Kinds with files that are edited."""
DRAWN = "+------+------+\n| {A}  |  {B} |\n+------+------+\n"
FORM = "form[data-editor]"
FIELD = (
    ":is(textarea, .pane input:not([type=radio], [type=checkbox], [type=file])):not([readonly], [tabindex])"
)
FIELDS = """() => Object.fromEntries([...new FormData(document.querySelector("form[data-editor]"))]
    .filter(([name, value]) => /^(text|base)[.]|^[ch][0-9]/.test(name)))"""


def editor_of(owner: Owner, kind: str) -> str:
    """Make an item; return the address of its editor, or of the editor of a file in it."""
    known = KINDS[kind]
    owner.server.ask("PUT", f"{known.family}/{known.folder}/draft", who=owner.name)
    page = f"/u/{owner.name}/{known.letter}/draft"
    if kind == "space":
        owner.server.ask("PUT", "code/spaces/draft/content/note.txt", b"first\n", owner.name)
        return f"{page}/note.txt?edit=yes"
    return f"{page}/edit/main/note.txt" if kind == "repo" else f"{page}/edit"


def fill(page: Page, kind: str, text: str) -> None:
    """Type into the main field of an editor."""
    main = page.locator(f"{FORM} :is([data-main], [data-code])")
    field = main if main.count() else page.locator(f"{FORM} {FIELD}").locator("visible=true").first
    field.fill(DRAWN.replace("A", text[-1].upper()) if kind == "grid" else text)


def press_save(web_user: WebUser) -> None:
    """Press Ctrl+S with the focus on no field."""
    web_user.page.evaluate("document.activeElement.blur()")
    with web_user.page.expect_navigation():
        web_user.page.keyboard.press("Control+s")


def kept(page: Page) -> Mapping[str, str]:
    """Wait until an editor says that its fields are kept; return the fields."""
    expect(page.locator(f"{FORM} .state")).to_contain_text("kept in this browser")
    return dict(page.evaluate(FIELDS))


def words_of(page: Page) -> set[str]:
    """Return the actions of the buttons of an editor that lead back to it."""
    buttons = page.locator(f"{FORM} button[name=do]:not([formtarget], [disabled])").all()
    return {str(button.get_attribute("value")) for button in buttons}


def press(page: Page, word: str) -> None:
    """Press such a button, shown or folded away, and wait until it is answered."""
    with page.expect_response(lambda answer: f'"do"\r\n\r\n{word}' in (answer.request.post_data or "")):
        page.locator(f"{FORM} button[name=do][value={word}]").evaluate("button => button.click()")
    page.wait_for_load_state()


def bring_back(web_user: WebUser, address: str) -> Mapping[str, str]:
    """Leave the page, come back, and take the draft that is offered; its fields."""
    web_user.open("/menu")
    web_user.open(address)
    web_user.press("text=Restore draft")
    return kept(web_user.page)


def assert_stored(web_user: WebUser, address: str, typed: Mapping[str, str]) -> None:
    """Fail unless an editor shows that these texts are stored, and offers no draft."""
    web_user.open(address)
    shown = web_user.page.evaluate(FIELDS)
    for name, text in typed.items():
        if name.startswith("text."):
            assert shown[name.replace("text.", "base.", 1)].strip() == text.strip(), name
        elif text and name[0] in "ch":
            assert any(text in stored for stored in shown.values()), name
    assert web_user.page.locator("text=Restore draft").count() == 0


@pytest.fixture
def here(window: Callable[..., WebUser], owner: Owner) -> WebUser:
    """A window with a session of the owner, which confirms that a page is left."""
    web_user = window()
    web_user.page.on("dialog", lambda dialog: dialog.accept())
    web_user.sign_in(owner.name)
    return web_user


@pytest.mark.parametrize("kind", [*EDITORS, *FILES])
def test_each_round_trip_is_kept_and_then_saved(here: WebUser, owner: Owner, kind: str) -> None:
    address, page = editor_of(owner, kind), here.page
    here.open(address)
    fill(page, kind, "draft")
    typed = kept(page)
    pressed = set(MAIL_EDITOR.acts)
    while words := sorted(words_of(page) - pressed):
        press(page, words[0])
        pressed.add(words[0])
        typed = kept(page)
    assert bring_back(here, address) == typed
    press_save(here)
    assert_stored(here, address, typed)


@pytest.mark.parametrize("kind", [*EDITORS, *FILES])
def test_a_conflict_is_kept_and_then_saved(here: WebUser, owner: Owner, kind: str) -> None:
    address, page = editor_of(owner, kind), here.page
    here.open(address)
    fill(page, kind, "draft")
    press_save(here)
    here.open(address)
    with here.context.new_page() as other:
        other.goto(page.url)
        fill(other, kind, "draftb")
        with other.expect_navigation():
            other.keyboard.press("Control+s")
    fill(page, kind, "draftc")
    # Empty fields of steps come and go with the steps of a job's typed chain.
    typed = {name: text for name, text in kept(page).items() if text}
    press_save(here)
    assert page.locator("form[data-conflict]").count() == 1
    assert bring_back(here, address).items() >= typed.items()
    press_save(here)
    press_save(here)
    assert kept(page).items() >= {name: text for name, text in typed.items() if name[:5] != "base."}.items()
    press_save(here)
    assert_stored(here, address, typed)


def test_no_editor_is_left_out() -> None:
    folder = files("handlers.pages").joinpath("templates")
    pages = {
        one.name for one in folder.iterdir() if re.search("<form[^>]*data-editor", one.read_text("utf-8"))
    }
    assert pages == {"editor.html", "file_edit.html", "new_plot.html"}
