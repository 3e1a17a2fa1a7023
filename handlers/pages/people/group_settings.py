"""The pages of a group's or organisation's settings, and of a new group."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handlers.pages.acting.fields import at_field, name_of, typed_name, write_changed
from handlers.pages.forms import SentForm, unknown_form
from handlers.pages.items.item_path import GroupPath
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.pages.settings.profile_page import drop_picture, put_picture
from handlers.rules.addresses import API
from vfs.access import Verb
from vfs.errors import Denied, Invalid

TEXTS = ("name", "description")
PUBLIC = "options/public"
SWITCHES: Mapping[str, str] = {
    PUBLIC: "All signed-in users see that it exists",
    "options/show_profile": "Others see its name and picture",
    "options/show_description": "Others see its description",
    "options/show_members": "Others see its members",
}
OF_ORG: Mapping[str, str] = {"options/enable_subdomain": "Its groups may have mail addresses"}
OF_ORG_GROUP: Mapping[str, str] = {
    "options/allow_inbound_mail": "Mail to its address starts the jobs that are shared with it",
    "options/mail_verify_dkim": "The sender's signature is checked (DKIM)",
    "options/mail_verify_spf": "The sender's host is checked (SPF)",
}
COLOURS = ("options/primary_color", "options/secondary_color")
PICTURES = {"upload": put_picture, "drop": drop_picture}


def show(at: GroupPath, request: PageRequest) -> Page:
    """Return the page. Raises NotFound for a group that the caller does not see, Denied without the right."""
    _require(at, request)
    card = request.peek(at.api / "profile", {})
    facts: dict[str, Any] = {
        "at": at,
        "title": request.peek(at.api / "name", "") or at.group or at.owner,
        "fields": _kept_fields(at, request),
        "switches": _switches(at),
        "colours": _colours(at),
        "picture": API / ("o", at.ref, "img") if card.get("image") else None,
        "ends": request.may(Verb.REMOVE, at.admin),
    }
    return Page("group_settings.html", facts)


def act(at: GroupPath, request: PageRequest, form: SentForm) -> Redirect:
    """Handle a form of the page."""
    _require(at, request)
    word = form["do"]
    if word == "end":
        if form["name"].strip() != (at.group or at.owner):
            raise Invalid(f"nothing was removed: type the name {at.group or at.owner} to confirm")
        request.remove(at.admin)
        return Redirect("/" if not at.group or not at.org else f"/o/{at.owner}", done="removed")
    if word == "save":
        save(at, request, form)
    elif word in PICTURES:
        PICTURES[word](at.admin / ("profile", "picture", "image"), request, form)
    else:
        raise unknown_form()
    return Redirect(str(at.page / "settings"), done="set")


def save(at: GroupPath, request: PageRequest, form: SentForm) -> None:
    """Write the fields that were changed, all or none."""
    stored, typed = _kept_fields(at, request), _typed_fields(at, form)
    write_changed(request, at.admin / "profile", typed, stored, cleared=COLOURS)


def _require(at: GroupPath, request: PageRequest) -> None:
    request.read(at.api)
    if not request.may(Verb.WRITE, at.admin / ("profile", "name")):
        raise Denied(f"the settings of {at.ref} are changed by its admins and founders: ask one of them")


def _switches(at: GroupPath) -> Mapping[str, str]:
    if not at.org:
        return SWITCHES
    return {**SWITCHES, **(OF_ORG_GROUP if at.group else OF_ORG)}


def _colours(at: GroupPath) -> tuple[str, ...]:
    return COLOURS if at.org and not at.group else ()


def _kept_fields(at: GroupPath, request: PageRequest) -> dict[str, str]:
    texts = request.texts(at.admin / "profile")
    usual = {"options/mail_verify_dkim": "yes", "options/mail_verify_spf": "yes"}
    switches = {rel: texts.get(rel, usual.get(rel, "no")).strip() or "no" for rel in _switches(at)}
    # Stored with the group; not a text of its profile.
    switches[PUBLIC] = str(request.read(at.admin / ("profile", *PUBLIC.split("/")))).strip()
    return {**{rel: texts.get(rel, "") for rel in (*TEXTS, *_colours(at))}, **switches}


def _typed_fields(at: GroupPath, form: SentForm) -> dict[str, str]:
    texts = {rel: form[rel].replace("\r\n", "\n") for rel in TEXTS}
    colours = {rel: form[rel].strip() if form[f"use {rel}"] == "yes" else "" for rel in _colours(at)}
    switches = {rel: "yes" if form[rel] == "yes" else "no" for rel in _switches(at)}
    return {**texts, **colours, **switches}


GROUPS = API / ("admin", "groups")


def show_new(request: PageRequest) -> Page:
    """Return the page. Raises Unauthenticated if the caller is not signed in."""
    request.me("create a group")
    return Page("new_group.html", {})


def make_group(request: PageRequest, form: SentForm) -> Redirect:
    """Create the group with its display name, all or none; without a name it is made from the title."""
    me = request.me("create a group")
    title, name = form["title"].strip(), typed_name(form, "name") or name_of(form["title"])
    with request.world.atomic(), at_field("name"):
        if not name:
            raise Invalid("no group was created: enter a title, or a name for its address")
        request.create(GROUPS / name)
        if title:
            at = GroupPath(me, name)
            request.write(at.admin / ("profile", "name"), title)
    return Redirect(str(GroupPath(me, name).page), done="founded")
