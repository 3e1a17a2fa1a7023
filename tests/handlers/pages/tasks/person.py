"""A person whose clicks from home are counted, and a colleague at another computer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from tests.handlers.pages.painter import Painter
from tests.handlers.pages.web_user import Owner, WebUser
from tests.kit.server import Server

MAIN, SAVE, TEXT = "main button.primary", ".savebar .primary", "textarea[name='text.content']"


class Person:
    """A person at the home page; typing and the keys that lead into a field are not clicks."""

    def __init__(self, browser: Browser, owner: Owner, *, scripts: bool) -> None:
        self.owner, self.scripts, self.clicks = owner, scripts, 0
        self._browser = browser
        self.window = self._open(owner.server)
        self.window.sign_in(owner.name)

    @property
    def page(self) -> Page:
        """The page of the window in front."""
        return self.window.page

    def begin(self) -> None:
        """Go home, and count from there."""
        self.window.open("/")
        self.clicks = 0

    def press(self, what: str) -> None:
        """Click on a control that leads to a page."""
        self.clicks += 1
        self.window.press(what)

    def click(self, what: str) -> None:
        """Click on a control that stays on its page."""
        self.clicks += 1
        self.page.click(what)

    def pick(self, what: str, option: str) -> None:
        """Choose from a list that unfolds."""
        self.clicks += 1
        self.page.select_option(what, option)

    def choose(self, what: str, file: Path) -> None:
        """Open the dialog of a file's box, and take a file."""
        self.clicks += 1
        self.page.set_input_files(what, file)

    def fill(self, what: str, text: str) -> None:
        """Type into a box."""
        self.page.fill(what, text)

    def paste(self, text: str) -> None:
        """Copy a text in another program, and paste it at the cursor."""
        with self.window.context.new_page() as other:
            other.set_content("<textarea></textarea>")
            other.fill("textarea", text)
            other.press("textarea", "Control+a")
            other.press("textarea", "Control+c")
        self.page.keyboard.press("Control+v")

    def new(self, noun: str, title: str) -> None:
        """Begin an item by the menu."""
        self.click("[popovertarget=new]")
        self.press(f"#new a[href='/new/{noun}']")
        self.fill("[name=title]", title)

    def say(self) -> str:
        """Return the text of the page."""
        return self.window.text()

    def read(self, path: str) -> Any:
        """Return the answer of the API to this person."""
        return self.owner.server.ask("GET", path, who=self.owner.name)

    def make(self, item: str, **files: str) -> None:
        """Make an item before the task begins."""
        Painter(self.owner).make(item, **files)

    def go_on(self, what: str) -> None:
        """Click on a control that opens a dialog with scripts, and a page without."""
        (self.click if self.scripts else self.press)(what)

    @contextmanager
    def elsewhere(self, server: Server) -> Iterator[None]:
        """Use another window without a session until the context ends; clicks are still counted."""
        mine, self.window = self.window, self._open(server)
        try:
            yield
        finally:
            self.window.close()
            self.window = mine

    @contextmanager
    def colleague(self, name: str = "") -> Iterator[None]:
        """Be a colleague at the home page until the context ends, or somebody without an account."""
        with self.elsewhere(self.owner.server):
            if name:
                self.window.sign_in(name)
            yield

    def _open(self, server: Server) -> WebUser:
        return WebUser(self._browser, server, java_script_enabled=self.scripts, timezone_id="Europe/Oslo")
