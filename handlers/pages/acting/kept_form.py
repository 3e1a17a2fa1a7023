"""A form of an expired session: it is shown again, and its sender can send it after signing in.

Nothing is sent automatically: a person reads what is sent, as which account, and presses the button.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote

from handlers.pages.acting.fields import BASE, TEXT, shown_again
from handlers.pages.forms import LARGEST, MULTIPART, SentForm
from handlers.pages.request import PageRequest
from handlers.pages.result import Page
from vfs.errors import VfsError
from vfs.path import Path

PREFIX, TO = "kept.", "kept to"
AROUND = 200
"""Overhead in bytes of each field of a form, added to its text."""
SHORT = 40
TEMPLATE = "kept.html"


class KeptField(NamedTuple):
    """A field as it was typed; a `long` one is shown as text that can be copied and changed."""

    name: str
    value: str

    @property
    def long(self) -> bool:
        """Whether the value is a text rather than a choice."""
        is_long = len(self.value) > SHORT or any(one.isspace() for one in self.value)
        return is_long and not self.name.startswith(BASE)

    @property
    def title(self) -> str:
        """The label."""
        return self.name.removeprefix(TEXT).capitalize()


@dataclass(frozen=True, slots=True)
class KeptForm:
    """The fields of a form and the path that it is for; its files must be chosen again."""

    to: str
    fields: Mapping[str, str]
    files: bool = False

    @property
    def rows(self) -> list[KeptField]:
        """The fields in order."""
        return [KeptField(*one) for one in self.fields.items()]

    @property
    def carried(self) -> bool:
        """Whether the sign-in form can carry the form in a hidden field; otherwise it is only shown."""
        size = sum(len(value.encode()) + AROUND for value in self.fields.values())
        return size < LARGEST // 2


def keep(path: Path, form: SentForm) -> KeptForm:
    """Return a form that was sent to a path, without its secrets."""
    return KeptForm(quote(str(path), safe="/@~:+"), shown_again(form.fields), form.kind.startswith(MULTIPART))


def find_carried(form: SentForm) -> KeptForm | None:
    """Return the form that a sign-in form carries; None if it carries none. Raises Invalid."""
    if not form[TO]:
        return None
    fields = {
        name.removeprefix(PREFIX): value for name, value in form.fields.items() if name.startswith(PREFIX)
    }
    return KeptForm(str(Path.parse(form[TO])), shown_again(fields), bool(form["kept files"]))


def page(
    request: PageRequest, form: KeptForm, error: VfsError | None, *, name: str = "", said: str = ""
) -> Page:
    """Return the page of a kept form, with a sign-in form for callers who are not signed in."""
    asks_code = error is not None and error.members.get("needs") == "code"
    facts = {"form": form, "signed": request.caller.name, "username": name, "said": said, "prefix": PREFIX}
    more = {"asks_code": asks_code, "passwords": request.world.service.settings.password_sign_in}
    return Page(TEMPLATE, {**facts, **more}, error)
