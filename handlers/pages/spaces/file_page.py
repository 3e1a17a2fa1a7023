"""The page of a file of a space: its text, to be changed by whoever may, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from handlers.pages.forms import Bytes, SentForm
from handlers.pages.items.item_path import ItemPath
from handlers.pages.job_parts import SIGNED, Command
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.pages.spaces.changes_page import newest_changes
from handlers.pages.spaces.space_facts import expect_version, page_of, space_facts
from vfs.access import Verb
from vfs.call import Form as Face
from vfs.errors import Invalid, NotFound, Outdated, VfsError
from vfs.ports.blobs import Ref

LARGEST_TEXT = 256 * 1024
MOST_CHANGES = 10


def show(at: ItemPath, names: Sequence[str], request: PageRequest) -> Page:
    """The page. Raises NotFound or Unauthenticated for whoever sees no such file."""
    space = space_facts(request, at)
    file = space.content / names
    row = request.entry(file)
    extra: Mapping[str, Any] = row.extra or {}
    text = _text(_bytes(request, at, names)) if extra.get("size", 0) <= LARGEST_TEXT else None
    facts = {
        "space": space,
        "head": space.head,
        "title": space.title,
        "names": list(names),
        "api": file,
        "row": row,
        "size": extra.get("size", 0),
        "version": extra.get("etag", ""),
        "text": text,
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
    return Page("space_file.html", facts)


def save(at: ItemPath, names: Sequence[str], request: PageRequest, form: SentForm) -> Redirect | Page:
    """Keep what was typed, unless somebody changed the file meanwhile: then both are shown."""
    file = at.api / ("content", *names)
    text = _as_stored(request, at, names, form["text"])
    try:
        request.send(Verb.WRITE, file, Bytes([text.encode()]), expect=expect_version(form["version"]))
    except Outdated as refusal:
        return _conflict(at, names, request, form["text"], refusal)
    return Redirect(str(page_of(at, names)), done="filesaved")


def remove(at: ItemPath, names: Sequence[str], request: PageRequest) -> Redirect:
    """Remove the file, and show the folder that it was in."""
    request.call(Verb.REMOVE, at.api / ("content", *names))
    return Redirect(str(page_of(at, names[:-1])), done="deleted", told={"name": names[-1]})


def _conflict(at: ItemPath, names: Sequence[str], request: PageRequest, mine: str, refusal: VfsError) -> Page:
    """The page of a file that somebody changed meanwhile: both texts; a save replaces what is there now."""
    try:
        page = show(at, names, request)
    except NotFound:
        raise Invalid(
            "somebody removed this file meanwhile: copy your text, and make the file anew",
            mine=mine,
        ) from None
    return Page(page.template, {**page.facts, "mine": mine, "trouble": refusal.detail}, refusal)


def _as_stored(request: PageRequest, at: ItemPath, names: Sequence[str], sent: str) -> str:
    """What was typed with the line ends of the file: a browser sends CRLF wherever a line ends."""
    old = _bytes(request, at, names)
    return sent if b"\r\n" in old else sent.replace("\r\n", "\n")


def _bytes(request: PageRequest, at: ItemPath, names: Sequence[str]) -> bytes:
    """The bytes of a file; none where it is gone, or too large for a page."""
    try:
        ref = request.call(Verb.READ, at.api / ("content", *names), want=Face.TEXT).value
    except NotFound:
        return b""
    if not isinstance(ref, Ref) or ref.size > LARGEST_TEXT:
        return b""
    with request.world.blobs.open(ref) as stream:
        return bytes(stream.read())


def _text(raw: bytes) -> str | None:
    """The text that bytes are; None where they are none."""
    try:
        return raw.decode() if b"\0" not in raw else None
    except UnicodeDecodeError:
        return None
