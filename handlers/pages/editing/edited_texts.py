"""Texts of an item as an editor shows them and as its form sends them, each with what it was made from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from handlers.http.conditions import etag as etag_of
from handlers.pages.forms import Json, SentForm
from handlers.pages.request import PageRequest
from vfs.access import Verb
from vfs.errors import Outdated, VfsError
from vfs.path import Path

TEXTS = "texts"
TEXT, BASE, ETAG = "text.", "base.", "etag."
"""The beginnings of the names of three fields of each text: what was typed, what was shown, its version."""
WRONG = "field"


class ShownText(NamedTuple):
    """A text as it is stored, with its version."""

    text: str
    etag: str


@dataclass(frozen=True, slots=True)
class EditedText:
    """A text as it was typed; `base` and `etag` are what the editor had shown and its version."""

    rel: str
    text: str
    base: str
    etag: str

    @property
    def is_changed(self) -> bool:
        """Whether something else was typed than was shown."""
        return self.text != self.base


@dataclass(frozen=True, slots=True)
class TextConflict:
    """A text that somebody else wrote meanwhile: mine, and theirs with its author and time where known."""

    mine: EditedText
    theirs: ShownText
    author: str | None
    changed_on: str | None


def shown_texts(request: PageRequest, item: Path) -> Mapping[str, ShownText]:
    """The texts of an item that the caller may read, by their paths. Raises vfs.errors."""
    found = request.read(item / TEXTS)
    return {rel: ShownText(one["text"], one["etag"]) for rel, one in found.items()}


def edited_texts(form: SentForm, rels: Iterable[str]) -> list[EditedText]:
    """The texts that a form sends, of those of the editor. A browser sends CRLF wherever a line ends."""
    return [
        EditedText(rel, _lines(form[TEXT + rel]), _lines(form[BASE + rel]), form[ETAG + rel])
        for rel in rels
        if TEXT + rel in form.fields
    ]


def save(request: PageRequest, item: Path, texts: Iterable[EditedText]) -> list[TextConflict]:
    """Write the texts that were changed, all or none; the conflicts that keep them from it.

    Raises VfsError, which names the field that it is about.
    """
    changed = {one.rel: one for one in texts if one.is_changed}
    if not changed:
        return []
    sent = {one.rel: {"text": one.text, "etag": one.etag} for one in changed.values()}
    try:
        request.call(Verb.WRITE, item / TEXTS, Json(sent))
    except Outdated as outdated:
        return _conflicts(request, item, changed, outdated)
    except VfsError as refusal:
        if fields := refusal.members.get("rejected"):
            refusal.members[WRONG] = TEXT + str(fields[0]["field"])
        raise
    return []


def version_of(text: str) -> str:
    """The version that a text has once it is stored."""
    return etag_of(text.encode())


def _conflicts(
    request: PageRequest, item: Path, changed: Mapping[str, EditedText], outdated: Outdated
) -> list[TextConflict]:
    """The texts that changed, as they are now. Raises Outdated again where nothing is told of them."""
    now = shown_texts(request, item)
    found = [
        TextConflict(changed[one["path"]], now[one["path"]], one.get("author"), one.get("last_modified"))
        for one in outdated.members.get("changed", ())
        if one["path"] in now
    ]
    if not found:
        raise outdated
    return found


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
