"""The pages of an item's settings: its texts, variables, notices, address and copies, and deletion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from handlers.pages.acting.fields import address_name, at_field, target_choices, typed_name
from handlers.pages.editing.edited_texts import lines_of
from handlers.pages.forms import Json, SentForm, find_action
from handlers.pages.items.item_head import FAVOURITE, ItemHead, item_head, tag_label
from handlers.pages.items.item_path import ItemPath, item_of
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.pages.trash import moved_to_trash
from handlers.pages.visuals.shown_parts import ask_for_parts, lacks_of, may_ask
from handlers.services.alerts.alert_rules import NOTICES as BY_NOTICE
from handlers.trees.facets.renames import referrers_of
from vfs.access import Verb
from vfs.errors import Invalid
from vfs.path import Path

Action = Callable[[ItemPath, PageRequest, SentForm], Redirect]
EDITOR = "name"
"""The file whose permissions show whether an account may edit an item."""


def head_of(at: ItemPath, request: PageRequest) -> ItemHead:
    """Return an item's head, if the caller is signed in and sees it. Raises NotFound, Unauthenticated."""
    entry = request.entry(at.api)
    request.me("see the settings")
    return item_head(request, at, writes=request.may(Verb.WRITE, at.api / EDITOR), entry=entry)


def text_of(at: ItemPath, request: PageRequest, file: str) -> str:
    """Return a text of an item; "" if the caller may not see it."""
    stored: Any = request.peek(at.api / tuple(file.split("/")), "")
    raw = stored.get("raw", "") if isinstance(stored, Mapping) else stored
    return str(raw).strip("\r\n")


OWN, CATEGORY = "+", "="


def star(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Make an item a favourite."""
    request.create(at.api / ("tags", FAVOURITE))
    return Redirect(str(at.page))


def unstar(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Remove an item from the favourites, if it is one."""
    if request.peek(at.api / ("tags", FAVOURITE)) is not None:
        request.remove(at.api / ("tags", FAVOURITE))
    return Redirect(str(at.page))


def tag(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Add a tag to an item; it is the caller's own tag unless it begins with another sign."""
    typed = "-".join(typed_name(form, "tag").split()).casefold()
    known = typed[:1] in (OWN, CATEGORY) or form["plain"]
    name = typed if known else f"{OWN}{typed}"
    with at_field("tag"):
        request.create(at.api / ("tags", name))
    return _tagged(at, "tagged", name, {"do": "untag", "name": name})


def untag(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Remove a tag from an item."""
    name = form["name"]
    request.remove(at.api / ("tags", name))
    return _tagged(at, "untagged", name, {"do": "tag", "tag": name, "plain": "yes"})


def _tagged(at: ItemPath, done: str, name: str, undo: Mapping[str, str]) -> Redirect:
    reported = {"tag": tag_label(name)}
    return Redirect(str(at.page), done=done, values=reported, undo=undo, undo_at=settings(at))


ABOUT, VARIABLES, NOTICES, ADDRESS, DELETE = "", "variables", "notices", "address", "delete"
PARTS = {
    ABOUT: "About it",
    VARIABLES: "Variables",
    NOTICES: "Notices",
    ADDRESS: "Address and copies",
    DELETE: "Delete",
}
"""Titles of the parts of the settings by the last name of their addresses."""


TEXTS = {"title": "name", "summary": "summary", "description": "description"}
"""Fields of the form for an item's texts, each with its file."""
MOST_NAMED = 6


class NamingItem(NamedTuple):
    """An item that refers to another in one of its files."""

    noun: str
    name: str
    page: str


def naming_items(at: ItemPath, request: PageRequest) -> list[NamingItem]:
    """Return the caller's items that refer to an own item by its address, as far as they are searched."""
    item = item_of(request, at)
    if item is None or request.caller.name != at.user:
        return []
    kinds = request.world.service.kinds
    named = {(one.kind, one.name): None for one in referrers_of(at.kind, request.world, item)}
    paths = [ItemPath(kinds[kind], at.user, name) for kind, name in named]
    return [NamingItem(one.kind.noun, one.name, str(one.page)) for one in paths]


def save_texts(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Write the item's texts that the form changes, all or none."""
    with request.world.atomic():
        for field, file in TEXTS.items():
            text = lines_of(form[field])
            if text != text_of(at, request, file):
                with at_field(field):
                    request.write(at.api / file, text)
    return Redirect(settings(at), done="saved texts")


def choose_level(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Set which events of an item notify the caller."""
    with at_field("level"):
        request.write(at.api / "notifications", form["level"])
    return Redirect(settings(at, NOTICES), done="level")


def put_variable(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Write a variable's value, type and format; create it if it is missing."""
    name = typed_name(form, "var")
    if not name:
        with at_field("var"):
            raise Invalid("enter a name for the variable, such as total")
    variable = at.api / ("vars", name)
    with request.world.atomic(), at_field("var"):
        if request.peek(variable) is None:
            request.create(variable)
        for field in VARIABLE_TEXTS:
            if field in ALWAYS or form[f"var {field}"]:
                request.write(variable / field, lines_of(form[f"var {field}"]))
    return Redirect(settings(at, VARIABLES), done="variable", values={"name": name})


def drop_variable(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Delete a variable."""
    name = form["name"]
    kept = {one: text_of(at, request, f"vars/{name}/{one}") for one in VARIABLE_TEXTS}
    request.remove(at.api / ("vars", name))
    undo = {"do": "variable", "var": name, **{f"var {one}": text for one, text in kept.items()}}
    return Redirect(settings(at, VARIABLES), done="no variable", values={"name": name}, undo=undo)


def save_alert(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Write the alerts of a variable and their targets, or remove them."""
    name = form["var"]
    variable = at.api / ("vars", name)
    with request.world.atomic():
        # The targets first: an alert may start at once.
        if to := form[f"to {name}"]:
            with at_field(f"to {name}"):
                request.write(variable / "to", to)
        with at_field(f"alert {name}"):
            text = "" if form["end"] else lines_of(form[f"alert {name}"]).strip()
            request.write(variable / "alert", text, clears=True)
    done = "alert" if text else "no alert"
    return Redirect(settings(at, VARIABLES), done=done, values={"name": name})


def rename(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Change an item's address; references to it are updated if the form asks for it."""
    requested = {"name": address_name(form, "name"), **({"mend": True} if form["mend"] else {})}
    with at_field("name"):
        request.call(Verb.RENAME, at.api, Json(requested))
    there = ItemPath(at.kind, at.user, str(requested["name"]))
    return Redirect(settings(there, ADDRESS), done="renamed", values={"name": there.name})


def copy(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Create a copy owned by the caller, and redirect to it."""
    name = address_name(form, "copy")
    with at_field("copy"):
        request.call(Verb.RENAME, at.api, Json({"name": name, "copy": True}))
    there = ItemPath(at.kind, request.caller.name or at.user, name)
    return Redirect(str(there.page), done="copied", values={"name": at.name})


def delete(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Delete an item; its name must be typed."""
    if form["sure"].strip() != at.name:
        with at_field("sure"):
            raise Invalid(f'nothing was deleted: type the name "{at.name}" to confirm')
    title = text_of(at, request, EDITOR) or at.name
    item = item_of(request, at)
    request.remove(at.api)
    there = Redirect(str(Path((at.kind.list_page,))), done="deleted", values={"name": title})
    return moved_to_trash(request, there, item)


def settings(at: ItemPath, part: str = ABOUT) -> str:
    """Return the address of a part of an item's settings."""
    return f"{at.page}/settings/{part}".rstrip("/")


LEVELS = (("important", "By notice and mail"), ("info", "By notice"), ("ignore", "Not at all"))
MOST_VARIABLES = 50
ALWAYS = ("type", "value", "format")
VARIABLE_TEXTS = (*ALWAYS, "to", "alert")
"""Files of a variable that its form writes, in that order; the last two only if they are sent."""
ACTIONS: Mapping[str, Action] = {
    "star": star,
    "unstar": unstar,
    "tag": tag,
    "untag": untag,
    "texts": save_texts,
    "level": choose_level,
    "variable": put_variable,
    "no variable": drop_variable,
    "alert": save_alert,
    "rename": rename,
    "copy": copy,
    "ask for parts": ask_for_parts,
    "delete": delete,
}


def show(part: str, at: ItemPath, request: PageRequest) -> Page:
    """Return the page of a part. Raises NotFound or Unauthenticated if the caller sees no such item."""
    head = head_of(at, request)
    allowed = request.call(None, at.api).allow or ()
    has_variables = head.writes and request.peek(at.api / "vars") is not None
    open_parts = {
        ABOUT: head.writes,
        VARIABLES: has_variables,
        NOTICES: True,
        ADDRESS: Verb.RENAME in allowed,
        DELETE: Verb.REMOVE in allowed,
    }
    if not open_parts[part]:
        part = NOTICES
    lacks = lacks_of(at, request) if part == ADDRESS else []
    titles = PARTS if head.own else {**PARTS, ADDRESS: "Make a copy"}
    facts = {
        "head": head,
        "part": part,
        "parts_open": [
            (settings(at, one), titles[one], one) for one, is_open in open_parts.items() if is_open
        ],
        "texts": {field: text_of(at, request, file) for field, file in TEXTS.items()},
        "level": text_of(at, request, "notifications"),
        "levels": LEVELS,
        "variables": _variables(at, request) if part == VARIABLES else (),
        "choices": target_choices(request) if head.own and part == VARIABLES else (),
        "naming": naming_items(at, request) if part in (ADDRESS, DELETE) else (),
        "renames": head.own,
        "kept": request.world.service.settings.trash_days,
        "lacks": lacks,
        "asks": bool(lacks) and may_ask(at, request),
    }
    return Page("item_settings.html", facts)


def act(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Handle a form of the page."""
    return find_action(ACTIONS, form)(at, request, form)


def _variables(at: ItemPath, request: PageRequest) -> list[dict[str, Any]]:
    """Return the variables, each with its texts and the states of its alerts."""
    rows = request.peek(Path.parse(f"/v1{at.page}/v"), ())[:MOST_VARIABLES]
    found = [{"alert": "", "to": BY_NOTICE, "states": (), **row} for row in rows]
    for one in found:
        if one["alert"]:
            one["states"] = request.peek(at.api / ("vars", one["name"], "state"), ())
    return found
