"""The pages of snapshots: the list, which also creates and deletes them, and one with all its files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from handlers.pages.acting.fields import at_field, typed_name
from handlers.pages.forms import SentForm, unknown_form
from handlers.pages.items.item_head import item_head
from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.pages.visuals.document_reading import LARGEST, reading_of
from handlers.services.snapshots import FOLDER, today_of
from handlers.trees.visuals.docs import KIND as DOCUMENT
from handlers.words.text_changes import ADDED, LEFT_OUT, REMOVED, SAME, DiffLine
from vfs.access import Verb
from vfs.errors import Invalid
from vfs.path import Path

MAKE, END, PLAN = "make", "end", "plan"
SCHEDULE = ("config", FOLDER)
MOST_CHANGES = 450
"""Lines of the difference that a page shows."""
SIGNS = {"+": ADDED, "-": REMOVED, "@": LEFT_OUT}


class KeptFile(NamedTuple):
    """A file of a snapshot: its name, and its address."""

    name: str
    path: Path


def show_all(at: ItemPath, request: PageRequest) -> Page:
    """Return the page of all snapshots. Raises NotFound for an item not seen, Denied for one not readable."""
    rows = request.read(at.api / FOLDER)
    makes = request.may(Verb.CREATE, at.api / (FOLDER, "new"))
    plans = request.may(Verb.WRITE, at.api / SCHEDULE)
    facts = {
        **_head(at, request),
        "rows": rows,
        "ends": {row.name for row in rows if Verb.REMOVE in row.verbs},
        "makes": makes,
        "plans": plans,
        "plan": request.peek(at.api / SCHEDULE, {}) if plans else {},
        "today": today_of(request.world, request.caller.name or ""),
        "api": at.api / FOLDER,
    }
    return Page("snapshots.html", facts)


def act(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Create or delete a snapshot, or set the schedule of snapshots. Raises vfs.errors."""
    page, do = str(at.page / FOLDER), form["do"]
    if do == END and form["name"]:
        request.remove(at.api / (FOLDER, form["name"]))
        return Redirect(page, done="snapshot-ended", values={"name": form["name"]})
    if do == PLAN:
        with at_field(PLAN):
            request.write(at.api / SCHEDULE, form[PLAN].strip())
        return Redirect(page, done="snapshots-planned")
    if do != MAKE:
        raise unknown_form()
    name = typed_name(form, "name")
    with at_field("name"):
        if not name:
            raise Invalid("name the snapshot first, as in 2026-q1")
        request.create(at.api / (FOLDER, name))
    return Redirect(f"{page}/{name}", done="snapshot-made")


def show_one(at: ItemPath, name: str, request: PageRequest) -> Page:
    """Return the page of a snapshot. Raises as `show_all`, and NotFound if there is no such snapshot."""
    api = at.api / (FOLDER, name)
    entry = request.entry(api)
    pictures = _files(request, api / "pictures")
    shown = at.kind is DOCUMENT
    html = request.kept_text(api / "html", LARGEST) if shown else ""
    changes = str(request.read(api / "difference")).splitlines()[2:]
    facts = {
        **_head(at, request),
        "name": name,
        "entry": entry,
        "made_by": str(request.read(api / "made_by")).strip(),
        "reading": reading_of(html) if html else None,
        "picture": None if shown else next((one for one in pictures if _is_whole(one, at)), None),
        "forms": [KeptFile(one, api / one) for one in ("pdf", "html", "text")],
        "pictures": pictures,
        "sheets": _files(request, api / "data"),
        "changes": list(_changes(changes[:MOST_CHANGES])),
        "cut": len(changes) > MOST_CHANGES,
        "ends": Verb.REMOVE in entry.verbs,
        "api": api,
    }
    return Page("snapshot.html", facts, document=True)


def _head(at: ItemPath, request: PageRequest) -> Mapping[str, Any]:
    writes = request.may(Verb.WRITE, at.api / at.kind.takes)
    return {"at": at, "head": item_head(request, at, writes=writes)}


def _files(request: PageRequest, folder: Path) -> Sequence[KeptFile]:
    return [KeptFile(row.name, folder / row.name) for row in request.read(folder)]


def _is_whole(file: KeptFile, at: ItemPath) -> bool:
    """Return whether a file is the picture of the whole item."""
    return file.name.endswith(f".{at.kind.name}.svg") and not file.name.startswith("@")


def _changes(lines: Sequence[str]) -> Iterator[DiffLine]:
    """Yield the lines of a unified difference for display."""
    for line in lines:
        sign = SIGNS.get(line[:1], SAME)
        yield DiffLine(sign, line if sign == LEFT_OUT else line[1:])
