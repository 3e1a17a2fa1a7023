"""The page of an item's settings: its texts, tags, variables, notices, address, copies and end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handlers.pages.forms import SentForm
from handlers.pages.items.item_head import FAVOURITE
from handlers.pages.items.item_path import ItemPath
from handlers.pages.owning import name_deeds, tag_deeds
from handlers.pages.owning.item_form import Deed, find_deed, head_of, text_of
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from vfs.access import Verb

LEVELS = (("important", "By notice and mail"), ("info", "By notice"), ("ignore", "Not at all"))
MOST_VARIABLES = 50
DEEDS: Mapping[str, Deed] = {
    "star": tag_deeds.star,
    "unstar": tag_deeds.unstar,
    "tag": tag_deeds.tag,
    "untag": tag_deeds.untag,
    "texts": name_deeds.save_texts,
    "level": name_deeds.choose_level,
    "variable": name_deeds.put_variable,
    "no variable": name_deeds.drop_variable,
    "rename": name_deeds.rename,
    "copy": name_deeds.copy,
    "delete": name_deeds.delete,
}


def show(at: ItemPath, request: PageRequest) -> Page:
    """The page. Raises NotFound or Unauthenticated if the caller sees no such item."""
    head = head_of(at, request)
    allowed = request.call(None, at.api).allow or ()
    own_tags = [row.name for row in request.peek(at.api / "tags", ()) if row.name != FAVOURITE]
    facts = {
        "head": head,
        "title": head.title,
        "texts": {field: text_of(at, request, file) for field, file in name_deeds.TEXTS.items()},
        "tags": [(name, tag_deeds.shown_tag(name)) for name in own_tags],
        "level": text_of(at, request, "notifications"),
        "levels": LEVELS,
        "variables": _variables(at, request),
        "naming": name_deeds.naming_items(at, request),
        "renames": Verb.RENAME in allowed and head.own,
        "copies": Verb.RENAME in allowed,
        "deletes": Verb.REMOVE in allowed,
    }
    return Page("item_settings.html", facts)


def act(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Take a form of the page."""
    return find_deed(DEEDS, form)(at, request, form)


def _variables(at: ItemPath, request: PageRequest) -> list[Mapping[str, Any]] | None:
    """The variables with what they hold, all their texts in one call; None for kinds that have none."""
    if request.peek(at.api / "vars") is None:
        return None
    texts = request.texts(at.api / "vars")
    names = sorted({path.partition("/")[0] for path in texts})[:MOST_VARIABLES]
    parts = ("value", "type", "format")
    return [{"name": name, **{one: texts.get(f"{name}/{one}", "") for one in parts}} for name in names]
