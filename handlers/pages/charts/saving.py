"""Texts of an item as an editor reads them, and saving those that were changed: all of them or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from handlers.pages.editing import edited_texts
from handlers.pages.editing.edited_texts import EditedText, TextConflict, version_of
from handlers.pages.request import PageRequest
from vfs.access import Verb
from vfs.body import TextBody
from vfs.call import Form
from vfs.errors import Outdated
from vfs.path import Path

VERSION = "v:"
"""Before the path of a text: the name of the field that holds the version that the page showed."""


LARGEST_TOGETHER = 1 << 20
"""Characters of a text that is written with others; a larger one is written by itself, after them."""


@dataclass(frozen=True, slots=True)
class StoredTexts:
    """Texts of an item by their paths, as they are stored."""

    texts: Mapping[str, str]

    def version(self, rel: str) -> str:
        """The validator of a text, which is empty where nothing is stored."""
        return version_of(self.texts.get(rel, ""))


def lines_of(text: str) -> str:
    """A text that a browser sent, with the line ends that it was written with."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def changes(stored: StoredTexts, sent: Mapping[str, str], seen: Mapping[str, str]) -> dict[str, str]:
    """The texts that the writer changed: others than were shown, and others than are stored.

    `seen` are the versions of the texts as they were shown.
    """
    found = {}
    for rel, text in sent.items():
        now = stored.texts.get(rel, "")
        shown = seen.get(rel, "")
        if text in (now, lines_of(now)) or version_of(text) == shown:
            continue
        if rel.startswith("config/") and text.strip("\n") == lines_of(now).strip("\n"):
            continue
        found[rel] = text
    return found


def read_stored(request: PageRequest, item: Path, files: Sequence[str]) -> StoredTexts:
    """The texts of the item's settings and of some files. Raises vfs.errors."""
    config = request.texts(item / "config")
    texts = {f"config/{rel}": text for rel, text in config.items()}
    for name in files:
        value = request.call(Verb.READ, item / name, want=Form.TEXT).value
        texts[name] = value if isinstance(value, str) else ""
    return StoredTexts(texts)


def save(
    request: PageRequest,
    item: Path,
    stored: StoredTexts,
    changed: Mapping[str, str],
    seen: Mapping[str, str],
) -> None:
    """Write the texts that were changed, all or none.

    Raises Outdated where somebody else wrote one since it was shown, and tells who and when; else VfsError.
    """
    texts = [
        EditedText(rel, text, stored.texts.get(rel, ""), seen.get(rel, "")) for rel, text in changed.items()
    ]
    large = [one for one in texts if len(one.text) > LARGEST_TOGETHER]
    for one in large:
        if version_of(one.base) != one.etag:
            raise Outdated(f"somebody else changed {one.rel} meanwhile")
    if conflicts := edited_texts.save(request, item, [one for one in texts if one not in large]):
        raise Outdated(" and ".join(map(_tell, conflicts)), conflicts=conflicts)
    for one in large:
        request.call(Verb.WRITE, item / one.rel, TextBody(one.text), want=Form.TEXT)


def _tell(conflict: TextConflict) -> str:
    """A conflict in words."""
    who = f"@{conflict.author}" if conflict.author else "somebody else"
    return f"{who} changed {conflict.mine.rel} meanwhile"
