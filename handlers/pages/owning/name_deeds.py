"""Texts, variables, levels, address, copies and end of an item, as forms of its settings ask for them."""

from __future__ import annotations

from typing import NamedTuple

from handlers.pages.acting.fields import at_field, typed_name
from handlers.pages.forms import Json, SentForm
from handlers.pages.items.item_path import ItemPath
from handlers.pages.owning.item_form import text_of, typed_text
from handlers.pages.request import PageRequest
from handlers.pages.result import Redirect
from handlers.trees.facets.referrers import referrers_of
from vfs.access import Verb
from vfs.body import TextBody
from vfs.errors import Invalid
from vfs.path import Path

TEXTS = {"title": "name", "summary": "summary", "description": "description"}
"""Fields of the form about an item's texts, each with its file."""
MOST_NAMED = 6


class NamingItem(NamedTuple):
    """An item that names another in one of its files."""

    noun: str
    name: str
    page: str


def naming_items(at: ItemPath, request: PageRequest) -> list[NamingItem]:
    """The items of the caller that name an own one by its address, of those that are looked up."""
    found = request.world.items.find(at.kind.name, at.user, at.name, request.caller.name)
    if found is None or request.caller.name != at.user:
        return []
    kinds = request.world.service.kinds
    named = {(one.kind, one.name): None for one in referrers_of(at.kind, request.world, found.item)}
    paths = [ItemPath(kinds[kind], at.user, name) for kind, name in named]
    return [NamingItem(one.kind.noun, one.name, str(one.page)) for one in paths]


def save_texts(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Write those of an item's texts that the form changes: all of them, or none."""
    with request.world.atomic():
        for field, file in TEXTS.items():
            text = typed_text(form[field])
            if text != text_of(at, request, file):
                with at_field(field):
                    request.call(Verb.WRITE, at.api / file, TextBody(text))
    return Redirect(settings(at), done="saved texts")


def choose_level(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Say how much of what happens to an item reaches the caller."""
    with at_field("level"):
        request.call(Verb.WRITE, at.api / "notifications", TextBody(form["level"]))
    return Redirect(settings(at), done="level")


def put_variable(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Write a variable's value, type and format, and make it where there is none."""
    name = typed_name(form, "var")
    if not name:
        with at_field("var"):
            raise Invalid("a variable has a name, by which documents quote it: type one, such as total")
    variable = at.api / ("vars", name)
    with request.world.atomic(), at_field("var"):
        if request.peek(variable) is None:
            request.call(Verb.CREATE, variable)
        for field in ("type", "value", "format"):
            request.call(Verb.WRITE, variable / field, TextBody(typed_text(form[f"var {field}"])))
    return Redirect(settings(at), done="variable", told={"name": name})


def drop_variable(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Take a variable away."""
    name = form["name"]
    kept = {one: text_of(at, request, f"vars/{name}/{one}") for one in ("value", "type", "format")}
    request.call(Verb.REMOVE, at.api / ("vars", name))
    undo = {"do": "variable", "var": name, **{f"var {one}": text for one, text in kept.items()}}
    return Redirect(settings(at), done="no variable", told={"name": name}, undo=undo)


def rename(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Give an item another address; what names it follows where that is wished."""
    wish = {"name": form["name"].strip(), **({"mend": True} if form["mend"] else {})}
    with at_field("name"):
        request.call(Verb.RENAME, at.api, Json(wish))
    there = ItemPath(at.kind, at.user, str(wish["name"]))
    return Redirect(settings(there), done="renamed", told={"name": there.name})


def copy(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Make a copy, which is the caller's own, and go to it."""
    name = form["copy"].strip()
    with at_field("copy"):
        request.call(Verb.RENAME, at.api, Json({"name": name, "copy": True}))
    there = ItemPath(at.kind, request.caller.name or at.user, name)
    return Redirect(str(there.page), done="copied", told={"name": at.name})


def delete(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Delete an item for ever, by its name."""
    if form["sure"].strip() != at.name:
        with at_field("sure"):
            raise Invalid(f'nothing was deleted: type the name, which is "{at.name}", to be sure')
    request.call(Verb.REMOVE, at.api)
    return Redirect(str(Path((at.kind.list_page,))), done="deleted", told={"name": at.name})


def settings(at: ItemPath) -> str:
    """The address of the page of an item's settings."""
    return f"{at.page}/settings"
