"""Links without an account on the page of an item's shares: making, changing and ending them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any

from handlers.pages.acting.fields import address_name, at_field
from handlers.pages.forms import SentForm
from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from handlers.pages.result import Redirect
from handlers.rules.expiry import PREFIX, link_password
from handlers.rules.kinds import VISUALS
from vfs.access import Verb
from vfs.errors import Conflict, VfsError
from vfs.path import Path

NEW = "link"
"""The prefix of the fields of a new link; those of others have the name of the link."""
FILES = ("expires", "uses", "password")
USUAL_END = "30 days"
PRESENT = "-"
"""Value of the field `pinned` of a link that shows the present item; no snapshot has this name."""


def link_facts(at: ItemPath, request: PageRequest, made: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the template values; `made` is a new link, whose address is shown once."""
    rows = [row for row in request.peek(at.api / "shared", ()) if row.name.startswith(PREFIX)]
    links = [{"name": row.name.removeprefix(PREFIX), **row.extra} for row in rows]
    taken = {one["name"] for one in links}
    return {
        "links": links if at.kind.family == VISUALS else None,
        "made": made,
        "linking": request.world.service.settings.links,
        "free": next(name for name in (f"link-{number}" for number in count(1)) if name not in taken),
        "usual_end": USUAL_END,
        "pins": [
            (PRESENT, f"the present {at.kind.noun}"),
            *((row.name, f"the snapshot {row.name}") for row in request.peek(at.api / "snapshots", ())),
        ],
    }


def make_link(at: ItemPath, request: PageRequest, form: SentForm) -> Mapping[str, Any]:
    """Make a link with what the form says of it, all or nothing, and return it with its address."""
    with at_field("link"):
        link = at.api / ("shared", f"{PREFIX}{address_name(form, 'link')}")
        if request.peek(link) is not None:
            raise Conflict(f'there is already a link named "{form["link"][:80]}": choose another name')
    with at_field("link password"):
        if form["link password"]:
            link_password(form["link password"])
    made: Mapping[str, Any] = request.answer(Verb.CREATE, link)
    try:
        _write_files(request, link, form, NEW)
    except VfsError:
        request.remove(link)
        raise
    return made


def change_link(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Change what a link shows, when it ends, its uses and password; an empty password stays as it is."""
    link = at.api / ("shared", f"{PREFIX}{form['name']}")
    _write_files(request, link, form, link[-1])
    if form["open"]:
        request.remove(link / "password")
    return Redirect(f"{at.page}/share#links", done="link changed", values={"name": form["name"]})


def end_link(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """End a link. There is no Undo: its key cannot be made again."""
    request.remove(at.api / ("shared", f"{PREFIX}{form['name']}"))
    return Redirect(f"{at.page}/share#links", done="link ended", values={"name": form["name"]})


def _write_files(request: PageRequest, link: Path, form: SentForm, prefix: str) -> None:
    """Write the files of a link from fields with a prefix; empty ones clear theirs, except the password."""
    for file in FILES:
        field = f"{prefix} {file}"
        sent = form[field] if file == "password" else form[field].strip()
        with at_field(field):
            if sent or file != "password":
                request.write(link / file, sent, clears=True)
    with at_field(f"{prefix} pinned"):
        _pin(request, link, form[f"{prefix} pinned"])


def _pin(request: PageRequest, link: Path, sent: str) -> None:
    """Pin a snapshot, or none. A form without the field, and one with the present pin, changes nothing.

    Thus no form shows the present item by mistake, and a pin to a removed snapshot stays.
    """
    if sent == PRESENT:
        request.remove(link / "pinned")
    elif sent and sent != (request.entry(link).extra or {}).get("pinned"):
        request.write(link / "pinned", sent)
