"""The page that creates an item: a title, the address made from it, and its first content."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path as File

from handlers.pages.acting.fields import LONGEST_NAME, at_field, name_of, typed_name
from handlers.pages.editing.edited_texts import lines_of
from handlers.pages.examples import kind_example
from handlers.pages.forms import Bytes, SentForm, pieces_of, text_of
from handlers.pages.items.item_head import EDIT
from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.rules.kinds import ResourceKind
from vfs.access import Verb
from vfs.body import TextBody
from vfs.errors import Conflict, Invalid
from vfs.path import Path

NOTHING, EXAMPLE, FILE = "nothing", "example", "file"


def show(kind: ResourceKind, request: PageRequest) -> Page:
    """Return the page. Raises Unauthenticated if the caller is not signed in."""
    request.me(f"create a {kind.noun}")
    begin = request.query.get("from", "")
    facts = {
        "kind": kind,
        "has_example": bool(kind_example(kind)),
        "begin": begin if begin in (EXAMPLE, FILE) else NOTHING,
        "title": f"New {kind.noun}",
    }
    return Page("new.html", facts)


def make(kind: ResourceKind, request: PageRequest, form: SentForm) -> Redirect:
    """Create an item with its title and first content, all or none; redirect to its editor.

    An item filled from a file is shown on its own page first.
    """
    at, title = requested_item(kind, request, form)
    largest = request.world.service.settings.input_limit
    with form.unpack(largest) as files, request.world.atomic():
        with at_field("name"):
            create(at, request)
        if title:
            with at_field("title"):
                request.write(at.api / "name", title)
        begin = _begin(at, request, form["begin"], files)
    opens = begin != FILE and kind.has_editor
    return Redirect(f"{at.page}/{EDIT}" if opens else str(at.page), done="made")


def requested_item(kind: ResourceKind, request: PageRequest, form: SentForm) -> tuple[ItemPath, str]:
    """Return the item that a form creates, with its title. Raises Unauthenticated and Invalid."""
    me = request.me(f"create a {kind.noun}")
    title, name = form["title"].strip(), typed_name(form, "name") or name_of(form["title"])
    if not name:
        with at_field("name" if title else "title"):
            raise Invalid(
                "this title has no letters a to z or digits for the address: enter an address, such as "
                f"{kind.noun}_1"
                if title
                else "enter a title, such as Weekly sales"
            )
    return ItemPath(kind, me, name), title


def create(at: ItemPath, request: PageRequest) -> None:
    """Create an empty item. Raises Conflict with a free name if the name is taken."""
    if request.peek(at.api) is not None:
        folder = Path(at.api[:-1])
        free = next((one for one in _number_names(at.name) if request.peek(folder / one) is None), "another")
        raise Conflict(
            f'you already have a {at.kind.noun} named "{at.name}": choose another name, such as {free}'
        )
    request.create(at.api)


def _number_names(name: str) -> list[str]:
    return [f"{name[: LONGEST_NAME - 4]}_{number}" for number in range(2, 12)]


def _begin(at: ItemPath, request: PageRequest, begin: str, files: Mapping[str, File]) -> str:
    """Write a new item's first content and return its kind: a file if one was chosen."""
    if files and at.kind.takes:
        begin = FILE
    if begin == EXAMPLE:
        for file, text in kind_example(at.kind).items():
            _write(at, request, file, TextBody(text))
    if begin == FILE:
        with at_field("file"):
            _fill(at, request, files)
    return begin


def _fill(at: ItemPath, request: PageRequest, files: Mapping[str, File]) -> None:
    """Write the chosen file. Raises Invalid if none was chosen."""
    if not files:
        raise Invalid("choose a file, or start with something else")
    for name, file in files.items():
        if at.kind.takes.endswith("/"):
            _write(at, request, f"{at.kind.takes}{name}", Bytes(pieces_of(file)))
        else:
            _write(at, request, at.kind.takes, TextBody(lines_of(text_of(name, file))))


def _write(at: ItemPath, request: PageRequest, file: str, body: TextBody | Bytes) -> None:
    request.call(Verb.WRITE, at.api / tuple(file.split("/")), body)
