"""The pages of former contents: the files of an item that have some, and those of one file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handlers.http.response import tags
from handlers.pages.forms import Bytes, SentForm, unknown_form
from handlers.pages.items.item_path import ItemPath
from handlers.pages.owning.settings_page import head_of
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.words.text_changes import DiffLine, compare
from vfs.access import Verb
from vfs.call import Form, Reply
from vfs.errors import Denied, NotFound
from vfs.nodes import AT, HISTORY
from vfs.path import Path
from vfs.ports.blobs import Ref, chunks

VERSIONS, FILE, VERSION = "versions", "file", "version"
LARGEST_COMPARED = 1 << 20
"""Maximum characters of a text that is shown and compared; a longer one is read at its address."""
RESTORE, FORGET = "restore", "forget"


def show(at: ItemPath, request: PageRequest) -> Page:
    """Return the page. Raises NotFound or Unauthenticated without the item, Denied for readers."""
    head = head_of(at, request)
    if not head.writes:
        raise Denied(f"only @{at.user} and people who may edit it see former contents of its files")
    rel = request.query.get(FILE, "")
    path = _path(at, rel) if rel else at.api
    facts = {"head": head, "here": _page(at), "file": rel, "address": path}
    if not rel:
        return Page("versions.html", {**facts, "files": request.history(path)})
    rows = request.history(path)
    if not all("etag" in row for row in rows):
        raise NotFound(f"{rel} is a folder: the page lists its files")
    present = _present(request, path)
    wanted = f'"{request.query.get(VERSION, "")}"'
    chosen = next((row for row in rows if row["etag"] == wanted), rows[0] if rows else None)
    shown = _compared(request, path, present, chosen) if chosen is not None else {"tag": ""}
    return Page("versions.html", {**facts, "rows": rows, "chosen": chosen, **shown})


def act(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Restore a former content, or remove all of a file. Raises vfs.errors."""
    rel, version = form[FILE], form[VERSION]
    path, values = _path(at, rel), {"name": rel}
    here = f"{_page(at)}?{FILE}={rel}"
    if form["do"] == FORGET:
        request.call(Verb.REMOVE, path, query={HISTORY: ""})
        return Redirect(_page(at), done="unversioned", values=values)
    if form["do"] != RESTORE:
        raise unknown_form()
    present = _present(request, path)
    _write(request, path, _former(request, path, version))
    undo = {"do": RESTORE, FILE: rel, VERSION: tags(present)[-1]} if present is not None else None
    return Redirect(here, done="restored", values=values, undo=undo)


def _page(at: ItemPath) -> str:
    return f"{at.page}/{VERSIONS}"


def _path(at: ItemPath, rel: str) -> Path:
    return at.api / tuple(rel.split("/"))


def _present(request: PageRequest, path: Path) -> Reply | None:
    """Return the reply with the present content; None if the file was removed."""
    try:
        return request.call(Verb.READ, path, want=Form.TEXT)
    except NotFound:
        return None


def _former(request: PageRequest, path: Path, version: str) -> str | Ref:
    value = request.call(Verb.READ, path, want=Form.TEXT, query={AT: version}).value
    assert isinstance(value, str | Ref)
    return value


def _write(request: PageRequest, path: Path, content: str | Ref) -> None:
    """Write a former content as any other. Raises vfs.errors."""
    if isinstance(content, str):
        request.write(path, content)
        return
    with request.world.blobs.open(content) as stored:
        request.call(Verb.WRITE, path, Bytes(chunks(stored), content.media))


def _compared(
    request: PageRequest, path: Path, present: Reply | None, chosen: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Return the template values of a version: its difference from the present text, or its picture."""
    tag = chosen["etag"].strip('"')
    former = _former(request, path, tag)
    now = present.value if present is not None else ""
    diff: list[DiffLine] | None = None
    if isinstance(former, str) and isinstance(now, str) and max(len(former), len(now)) <= LARGEST_COMPARED:
        diff = compare(former, now)
    return {
        "tag": tag,
        "there": f"{path}?{AT}={tag}",
        "diff": diff,
        "is_same": present is not None and tag in {one.strip('"') for one in tags(present)},
        "is_removed": present is None,
        "picture": isinstance(former, Ref) and former.media.startswith("image/"),
    }
