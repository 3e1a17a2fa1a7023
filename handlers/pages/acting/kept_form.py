"""A form whose session had ended: what was typed is shown, and sent by its sender once they are signed in.

Nothing of it is done by itself: a person reads what is sent, as whom, and presses the button.
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
"""Bytes of a form around the text of each of its fields."""
SHORT = 40
TEMPLATE = "kept.html"


class KeptField(NamedTuple):
    """A field as it was typed; a `long` one is shown, to be read, copied and changed."""

    name: str
    value: str

    @property
    def long(self) -> bool:
        """Whether it is a text rather than a choice."""
        is_long = len(self.value) > SHORT or any(one.isspace() for one in self.value)
        return is_long and not self.name.startswith(BASE)

    @property
    def title(self) -> str:
        """The words over it."""
        return self.name.removeprefix(TEXT).capitalize()


@dataclass(frozen=True, slots=True)
class KeptForm:
    """The fields of a form, and the path that it is for; its files have to be chosen again."""

    to: str
    fields: Mapping[str, str]
    files: bool = False

    @property
    def rows(self) -> list[KeptField]:
        """The fields in order."""
        return [KeptField(*one) for one in self.fields.items()]

    @property
    def carried(self) -> bool:
        """Whether the sign-in form can carry it along; else it is only shown."""
        size = sum(len(value.encode()) + AROUND for value in self.fields.values())
        return size < LARGEST // 2


def keep(path: Path, form: SentForm) -> KeptForm:
    """A form that was sent to a path, without its secrets."""
    return KeptForm(quote(str(path), safe="/@~:+"), shown_again(form.fields), form.kind.startswith(MULTIPART))


def find_carried(form: SentForm) -> KeptForm | None:
    """The form that a sign-in form carries along; None where it carries none. Raises Invalid."""
    if not form[TO]:
        return None
    fields = {
        name.removeprefix(PREFIX): value for name, value in form.fields.items() if name.startswith(PREFIX)
    }
    return KeptForm(str(Path.parse(form[TO])), shown_again(fields), bool(form["kept files"]))


def page(
    request: PageRequest, form: KeptForm, error: VfsError | None, *, name: str = "", said: str = ""
) -> Page:
    """The page that shows a kept form, with the way to sign in for callers who are not signed in."""
    facts = {"form": form, "signed": request.caller.name, "username": name, "said": said, "prefix": PREFIX}
    return Page(TEMPLATE, facts, error)
