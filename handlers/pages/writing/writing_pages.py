"""The pages of the editors of documents and mails."""

from __future__ import annotations

from functools import partial

from handlers.pages.acting.view import PagePart, View
from handlers.pages.items.item_head import EDIT
from handlers.pages.items.item_path import item_at
from handlers.pages.writing.document_editor import DOCUMENT_EDITOR
from handlers.pages.writing.mail_editor import MAIL_EDITOR, SENT, TESTED
from handlers.pages.writing.text_editor import LARGEST, PREVIEW, act, preview, show_editor
from handlers.rules.kinds import Kinds
from vfs.path import Path

EDITORS = {editor.kind.name: editor for editor in (DOCUMENT_EDITOR, MAIL_EDITOR)}


def find(path: Path, kinds: Kinds) -> View | None:
    """The editor of a document or a mail at a path, or its preview."""
    found = item_at(path, kinds)
    if found is None or found[0].kind.name not in EDITORS:
        return None
    at, rest = found
    editor = EDITORS[at.kind.name]
    if rest == (EDIT,):
        return View(partial(show_editor, editor, at), partial(act, editor, at), LARGEST)
    if rest == (EDIT, PREVIEW):
        return View(None, partial(preview, editor, at), LARGEST)
    return None


WRITING = PagePart(
    find,
    {
        DOCUMENT_EDITOR.saved: "Saved.",
        MAIL_EDITOR.saved: "Saved.",
        TESTED: "Saved, and a test is on its way to the mail’s owner.",
        SENT: "Saved, and the mail is on its way.",
    },
)
