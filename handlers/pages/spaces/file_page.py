"""The page of a file of a space: its text, to be changed by whoever may, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from handlers.pages.browsing import (
    FILE,
    LARGEST_TEXT,
    NO_TEXT,
    bytes_of,
    text_in,
    with_line_ends,
)
from handlers.pages.editing.conflict_page import GO_ON, THEIRS, conflict_page, settle
from handlers.pages.editing.edited_texts import (
    EditedText,
    ShownText,
    TextConflict,
    edited_texts,
    lines_of,
)
from handlers.pages.forms import Bytes, SentForm
from handlers.pages.items.item_path import ItemPath
from handlers.pages.job_parts import SIGNED, Command
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.pages.spaces.changes_page import newest_changes
from handlers.pages.spaces.space_facts import expect_version, page_of, space_facts
from vfs.access import Verb
from vfs.call import Form as Face
from vfs.errors import Invalid, NotFound, Outdated
from vfs.ports.blobs import Ref

MOST_CHANGES = 10


def show(at: ItemPath, names: Sequence[str], request: PageRequest, form: SentForm | None = None) -> Page:
    """The page, with what was typed where a form came.

    Raises NotFound or Unauthenticated if the caller sees no such file.
    """
    space = space_facts(request, at)
    file = space.content / names
    row = request.entry(file)
    extra: Mapping[str, Any] = row.extra or {}
    text = text_in(_bytes(request, at, names)) if extra.get("size", 0) <= LARGEST_TEXT else None
    facts = {
        "space": space,
        "head": space.head,
        "title": space.title,
        "names": list(names),
        "api": file,
        "row": row,
        "size": extra.get("size", 0),
        "texts": {FILE: ShownText(text or "", extra.get("etag", ""))},
        "text": text,
        "largest": LARGEST_TEXT,
        "unsaved": form is not None,
        "changes": newest_changes(request, at, "/".join(names))[:MOST_CHANGES],
        "commands": [
            Command("Take it", f"{SIGNED} -O {request.origin}{file}"),
            *(
                [Command("Replace it", f"{SIGNED} -T {names[-1]} {request.origin}{file}")]
                if space.writes
                else []
            ),
        ],
    }
    return Page("space_file.html", facts, typed=form.fields if form is not None else {})


def save(at: ItemPath, names: Sequence[str], request: PageRequest, form: SentForm) -> Redirect | Page:
    """Keep what was typed, unless somebody changed the file meanwhile: then both are shown."""
    if form["do"] == GO_ON:
        return show(at, names, request, form)
    for text in settle(form, edited_texts(form, (FILE,))):
        if form["do"] == THEIRS and not text.etag:
            return Redirect(str(page_of(at, names[:-1])))
        if conflict := _write(at, names, request, text):
            titles, action = {FILE: names[-1]}, str(page_of(at, names))
            return conflict_page(at, [text], [conflict], titles, action=action, crumb=names[-1])
        return Redirect(str(page_of(at, names)), done="filesaved")
    raise Invalid("the form came without its text: open the page again")


def remove(at: ItemPath, names: Sequence[str], request: PageRequest) -> Redirect:
    """Remove the file, and show the folder that it was in."""
    request.call(Verb.REMOVE, at.api / ("content", *names))
    return Redirect(str(page_of(at, names[:-1])), done="dropped", told={"name": names[-1]})


def _write(at: ItemPath, names: Sequence[str], request: PageRequest, text: EditedText) -> TextConflict | None:
    """Write a text that was changed, or whose file is gone; the conflict that keeps it from that."""
    if not text.is_changed and text.etag:
        return None
    sent = Bytes([with_line_ends(text.text, _bytes(request, at, names)).encode()])
    try:
        expect = expect_version(text.etag)
        request.send(Verb.WRITE, at.api / ("content", *names), sent, expect=expect)
    except Outdated:
        conflict = _conflict(at, names, request, text)
        return conflict if conflict.removed or conflict.theirs.text != text.text else None
    return None


def _conflict(at: ItemPath, names: Sequence[str], request: PageRequest, mine: EditedText) -> TextConflict:
    """The file as it is now, and since when; "" with no version where it was removed."""
    last = next(iter(newest_changes(request, at, "/".join(names))), None)
    time = last["created_on"] if last else None
    try:
        extra: Mapping[str, Any] = request.entry(at.api / ("content", *names)).extra or {}
    except NotFound:
        return TextConflict(mine, ShownText("", ""), None, time, removed=True)
    text = text_in(_bytes(request, at, names)) if extra.get("size", 0) <= LARGEST_TEXT else None
    now = ShownText(lines_of(text) if text is not None else NO_TEXT, extra.get("etag", ""))
    return TextConflict(mine, now, None, time)


def _bytes(request: PageRequest, at: ItemPath, names: Sequence[str]) -> bytes:
    """The bytes of a file; none where it is gone, or too large for a page."""
    try:
        ref = request.call(Verb.READ, at.api / ("content", *names), want=Face.TEXT).value
    except NotFound:
        return b""
    if not isinstance(ref, Ref) or ref.size > LARGEST_TEXT:
        return b""
    return bytes_of(request, ref)
