"""The page of the trash, and the Undo of deletions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from handlers.pages.acting.fields import at_field
from handlers.pages.forms import Json, SentForm, unknown_form
from handlers.pages.items.item_path import OWNER
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.rules.addresses import API
from vfs.access import Verb
from vfs.call import Entry
from vfs.errors import Invalid
from vfs.path import Path
from vfs.ports.items import Item
from vfs.ports.trash import FILE, FOLDER

TRASH, PAGE = API / "trash", "/trash"
MOST, NONE = 200, "0"
"""Maximum entries on the page, and the number that stands for no entry."""


def moved_to_trash(request: PageRequest, there: Redirect, item: Item | None, count: int = 1) -> Redirect:
    """Return the redirect after a deletion, with the message that an item or files are in the trash.

    It has an Undo for their owner. Without a trash it is `there`.
    """
    if not request.world.service.settings.trash_days:
        return there
    entries = request.world.trash.newest(item.id if item is not None else 0, count)
    own = [str(entry.id) for entry in entries if entry.owner == request.caller.name]
    undo = {"do": "undo", "entries": " ".join(own)} if own else None
    return replace(there, done="trashed", undo=undo, undo_at=PAGE)


def show(request: PageRequest) -> Page:
    """Return the page. Raises Unauthenticated if the caller is not signed in."""
    request.me("see your trash")
    rows: Sequence[Entry] = request.read(TRASH)
    facts = {
        "entries": _all_facts(rows[:MOST], request),
        "more": max(len(rows) - MOST, 0),
        "size": sum((row.extra or {})["size"] for row in rows),
        "days": request.world.service.settings.trash_days,
    }
    return Page("trash.html", facts)


def act(request: PageRequest, form: SentForm) -> Redirect:
    """Handle a form of the page: restore an entry, delete it, or empty the trash."""
    match form["do"]:
        case "undo":
            return _undo(request, form["entries"].split())
        case "restore":
            entry = form["entry"] or NONE
            with at_field(f"name {entry}"):
                sent = {"name": form[f"name {entry}"].strip(), "shares": bool(form["shares"])}
                return _restored(request, entry, sent)
        case "end":
            (facts,) = _all_facts([request.entry(TRASH / (form["entry"] or NONE))], request)
            request.remove(TRASH / (form["entry"] or NONE))
            return Redirect(PAGE, done="removed permanently", values={"name": facts["title"]})
        case "empty":
            request.remove(TRASH)
            return Redirect(PAGE, done="trash emptied")
    raise unknown_form()


def _undo(request: PageRequest, entries: Sequence[str]) -> Redirect:
    """Restore the entries of a deletion, with their shares: all or none."""
    with request.world.atomic():
        done = [_restored(request, entry, {"shares": True}) for entry in entries]
    if not done:
        raise Invalid("nothing is left to undo: see the trash")
    return done[0] if len(done) == 1 else replace(done[0], values={"name": f"{len(done)} entries"})


def _restored(request: PageRequest, entry: str, sent: Mapping[str, object]) -> Redirect:
    """Restore an entry, and redirect to its page."""
    (facts,) = _all_facts([request.entry(TRASH / entry)], request)
    there = request.call(Verb.RENAME, TRASH / entry, Json(sent)).location or PAGE
    return Redirect(_page_at(there, facts, request), done="untrashed", values={"name": facts["title"]})


def _page_at(path: str, facts: Mapping[str, Any], request: PageRequest) -> str:
    """Return the page of a restored item; for files, that of their space."""
    names = path.split("/")
    kind = next(kind for kind in request.world.service.kinds.values() if kind.folder == names[5])
    return f"/u/{names[3]}/{kind.letter}/{names[6]}"


def entry_of(path: Path, request: PageRequest) -> str:
    """Return the number of the caller's newest entry that was at an address of the API, "" if none was."""
    rows: Sequence[Entry] = request.peek(TRASH, ()) if request.caller.name == path[OWNER] else ()
    return next((row.name for row in rows if (row.extra or {})["former_path"] == str(path)), "")


def _all_facts(rows: Sequence[Entry], request: PageRequest) -> list[dict[str, Any]]:
    """Return the template values of entries; items have their titles, as in lists."""
    items = {
        str(one.id): one.item for one in request.world.trash.of(request.caller.name or "") if one.is_item
    }
    texts = request.world.leaves.texts_of([items[row.name] for row in rows if row.name in items], ("name",))
    titles = (texts.get(items.get(row.name, 0), {}).get("name", "").strip() for row in rows)
    return [_facts(row, title, request) for row, title in zip(rows, titles, strict=True)]


def _facts(row: Entry, title: str, request: PageRequest) -> dict[str, Any]:
    facts = dict(row.extra or {})
    kind = request.world.service.kinds.get(facts["kind"])
    return {
        **facts,
        "id": row.name,
        "title": title or facts["former_name"] or "the content",
        "noun": kind.noun if kind is not None else facts["kind"],
        "from": "" if kind is not None else facts["former_path"].split("/")[6],
        "is_item": facts["kind"] not in (FILE, FOLDER),
    }
