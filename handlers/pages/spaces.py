"""The pages of spaces: their files, and the changes to them, newest first."""

from __future__ import annotations

from collections.abc import Sequence

from handlers.pages.files import file_page
from handlers.pages.files.stored_files import StoredFiles, changes_in, journal
from handlers.pages.forms import SentForm
from handlers.pages.items.item_head import item_head, users_of
from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from handlers.pages.result import Answered, Page
from vfs.access import Verb

MOST = 100
WARNING = "They {}, folders with their content."


def space_files(request: PageRequest, at: ItemPath) -> StoredFiles:
    """Return the files of a space. Raises NotFound or Unauthenticated if the caller sees no such space."""
    entry = request.entry(at.api)
    lead = request.texts(at.api).get("summary", "")
    head = item_head(request, at, lead=lead, writes=False, entry=entry)
    return StoredFiles(
        at=at,
        title=head.title,
        words=at.name,
        content=at.api / "content",
        front=at.page,
        pages=at.page,
        head=head,
        writes=request.may(Verb.CREATE, at.api / ("content", "-")),
        warning=WARNING.format(_ending(request, at)),
        used_by=users_of(request, at),
    )


def show(at: ItemPath, names: Sequence[str], request: PageRequest) -> Page:
    """Return the page of the folder or file at a path. Raises NotFound or Unauthenticated."""
    return file_page.show(space_files(request, at), names, request)


def act(at: ItemPath, names: Sequence[str], request: PageRequest, form: SentForm) -> Answered:
    """Handle a form of the page."""
    return file_page.act(space_files(request, at), names, request, form)


def show_changes(at: ItemPath, request: PageRequest) -> Page:
    """Return the page of the changes, the newest hundred or those before `?before=`."""
    tree = space_files(request, at)
    latest = journal(request, at, 0, 1).get("latest_seq", 0)
    asked = request.query.get("before", "")
    before = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 19 else latest + 1
    before = min(before, latest + 1)
    since = max(0, before - 1 - MOST)
    reported = journal(request, at, since, before - 1 - since)
    rows = [change for change in changes_in(reported) if change["seq"] < before]
    facts = {
        **tree.facts(()),
        "rows": rows,
        "newer": before <= latest,
        "older": rows[-1]["seq"] if rows and rows[-1]["seq"] > 1 and len(rows) == MOST else 0,
        "closed": reported == {},
    }
    return Page("space_changes.html", facts)


def _ending(request: PageRequest, at: ItemPath) -> str:
    """Return the words for the result of a deletion: permanent, or kept in the trash."""
    days = request.world.service.settings.trash_days
    if not days:
        return "are deleted permanently"
    owner = "your trash" if at.user == request.caller.name else "the trash of their owner"
    return f"stay in {owner} for {days} days"
