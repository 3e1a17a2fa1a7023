"""Favourites and tags of an item, which are the reader's own; categories are its owner's."""

from __future__ import annotations

from handlers.pages.acting.fields import at_field, typed_name
from handlers.pages.forms import SentForm
from handlers.pages.items.item_head import FAVOURITE
from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from handlers.pages.result import Redirect
from vfs.access import Verb

OWN, CATEGORY = "+", "="


def star(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Make an item a favourite."""
    request.call(Verb.CREATE, at.api / ("tags", FAVOURITE))
    return Redirect(str(at.page))


def unstar(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Take an item from the favourites; nothing where it is none."""
    if request.peek(at.api / ("tags", FAVOURITE)) is not None:
        request.call(Verb.REMOVE, at.api / ("tags", FAVOURITE))
    return Redirect(str(at.page))


def tag(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Give an item a tag, which is the caller's own unless it begins with another sign."""
    typed = "-".join(typed_name(form, "tag").split()).casefold()
    known = typed[:1] in (OWN, CATEGORY) or form["plain"]
    name = typed if known else f"{OWN}{typed}"
    with at_field("tag"):
        request.call(Verb.CREATE, at.api / ("tags", name))
    return Redirect(
        _page(at), done="tagged", told={"tag": shown_tag(name)}, undo={"do": "untag", "name": name}
    )


def untag(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Take a tag off an item."""
    name = form["name"]
    request.call(Verb.REMOVE, at.api / ("tags", name))
    undo = {"do": "tag", "tag": name, "plain": "yes"}
    return Redirect(_page(at), done="untagged", told={"tag": shown_tag(name)}, undo=undo)


def shown_tag(name: str) -> str:
    """A tag as people read it: their own ones without the sign."""
    return name.removeprefix(OWN)


def _page(at: ItemPath) -> str:
    return f"{at.page}/settings"
