"""Forms of an item's pages: deeds by their words, and the facts that all these pages begin with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from handlers.pages.forms import SentForm
from handlers.pages.items.item_head import ItemHead, item_head
from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from handlers.pages.result import Redirect
from vfs.access import Verb
from vfs.errors import Invalid, Unauthenticated

Deed = Callable[[ItemPath, PageRequest, SentForm], Redirect]
EDITOR = "name"
"""The file by which it is told whether somebody may edit an item."""


def find_deed(deeds: Mapping[str, Deed], form: SentForm) -> Deed:
    """The deed that a form asks for. Raises Invalid."""
    if form["do"] not in deeds:
        raise Invalid("this page cannot do what the form asks for: open the page again")
    return deeds[form["do"]]


def head_of(at: ItemPath, request: PageRequest) -> ItemHead:
    """The head of an item, if the caller is signed in and sees it. Raises NotFound, Unauthenticated."""
    entry = request.entry(at.api)
    if request.caller.name is None:
        raise Unauthenticated("sign in to see the settings")
    writes = request.may(Verb.WRITE, at.api / EDITOR)
    title = text_of(at, request, EDITOR) or at.name
    return item_head(request, at, title=title, writes=writes, entry=entry)


def text_of(at: ItemPath, request: PageRequest, file: str) -> str:
    """A text of an item; "" where the caller sees none."""
    told: Any = request.peek(at.api / tuple(file.split("/")), "")
    raw = told.get("raw", "") if isinstance(told, Mapping) else told
    return str(raw).strip("\r\n")


def typed_text(text: str) -> str:
    """A text as it was typed, with the ends of lines that files have."""
    return text.replace("\r\n", "\n")
