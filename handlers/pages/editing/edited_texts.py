"""Texts of an item as an editor shows them and as its form sends them, each with its base version."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from handlers.pages.acting.fields import BASE, TEXT
from handlers.pages.forms import Json, SentForm
from handlers.pages.request import PageRequest
from vfs.access import Verb
from vfs.errors import Outdated, VfsError
from vfs.path import Path

TEXTS = "texts"
ETAG = "etag."
"""Prefix of the name of the field with the version that was shown; used like TEXT and BASE."""
WRONG = "field"


class ShownText(NamedTuple):
    """A stored text with its version."""

    text: str
    etag: str


@dataclass(frozen=True, slots=True)
class EditedText:
    """A text as it was typed; `base` and `etag` are the text and version that the editor had shown."""

    rel: str
    text: str
    base: str
    etag: str

    @property
    def is_changed(self) -> bool:
        """Whether the text differs from the one that was shown."""
        return self.text != self.base


@dataclass(frozen=True, slots=True)
class TextConflict:
    """A text that another writer changed: mine, and theirs with its author and time if known.

    A `removed` one no longer exists.
    """

    mine: EditedText
    theirs: ShownText
    author: str | None
    changed_on: str | None
    removed: bool = False


ReadTexts = Callable[[PageRequest, Path], Mapping[str, ShownText]]
"""Reads the texts of an item for an editor."""


def shown_texts(request: PageRequest, item: Path) -> Mapping[str, ShownText]:
    """Return the texts of an item that the caller may read, by their paths. Raises vfs.errors."""
    found = request.read(item / TEXTS)
    return {rel: ShownText(one["text"], one["etag"]) for rel, one in found.items()}


def seen_texts(form: SentForm, stored: Mapping[str, ShownText]) -> dict[str, ShownText]:
    """Return the texts as the form had shown them, or as stored if the form had not shown them."""
    return {
        rel: ShownText(
            lines_of(form[BASE + rel]) if BASE + rel in form.fields else one.text,
            form.fields.get(ETAG + rel, one.etag),
        )
        for rel, one in stored.items()
    }


def edited_texts(form: SentForm, rels: Iterable[str]) -> list[EditedText]:
    """Return the texts of the editor that a form sends."""
    return [
        EditedText(rel, lines_of(form[TEXT + rel]), lines_of(form[BASE + rel]), form[ETAG + rel])
        for rel in rels
        if TEXT + rel in form.fields
    ]


def made_texts(texts: Mapping[str, str], seen: Mapping[str, ShownText]) -> list[EditedText]:
    """Return the texts that an editor built from its fields, each with the text that it had shown."""
    return [EditedText(rel, texts[rel], one.text, one.etag) for rel, one in seen.items() if rel in texts]


def save(
    request: PageRequest,
    item: Path,
    texts: Iterable[EditedText],
    *,
    read: ReadTexts = shown_texts,
    clears: bool = False,
) -> Sequence[TextConflict]:
    """Write the texts that were changed, all or none; return the conflicts that prevent it.

    With `clears`, a file with an empty text is cleared. Raises VfsError at the field of a file.
    """
    changed = {one.rel: one for one in texts if one.is_changed}
    if not changed:
        return []
    sent = {
        one.rel: {"text": None if clears and not one.text else one.text, "etag": one.etag}
        for one in changed.values()
    }
    try:
        request.call(Verb.WRITE, item / TEXTS, Json(sent))
    except Outdated as outdated:
        found = _conflicts(changed, read(request, item), outdated)
        agreed = {one.mine.rel for one in found if one.mine.text == one.theirs.text}
        if not agreed:
            return found
        others = [one for one in changed.values() if one.rel not in agreed]
        return save(request, item, others, read=read, clears=clears)
    except VfsError as refusal:
        if fields := refusal.members.get("rejected"):
            refusal.members[WRONG] = TEXT + str(fields[0]["field"])
        raise
    return []


def lines_of(text: str) -> str:
    """Return a text from a browser with LF line ends; browsers send CRLF."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _conflicts(
    changed: Mapping[str, EditedText], now: Mapping[str, ShownText], outdated: Outdated
) -> list[TextConflict]:
    """Return the conflicts with the present texts. Raises Outdated again if the error lists none."""
    found = [
        TextConflict(
            changed[one["path"]],
            ShownText(lines_of(now[one["path"]].text), now[one["path"]].etag),
            one.get("author"),
            one.get("last_modified"),
        )
        for one in outdated.members.get("changed", ())
        if one["path"] in now
    ]
    if not found:
        raise outdated
    return found
