"""The editor of documents: the text, and how it looks in words."""

from __future__ import annotations

from handlers.pages.writing.text_editor import CONTENT, TextEditor
from handlers.trees.visuals.docs import KIND

DOCUMENT_EDITOR = TextEditor(
    kind=KIND,
    template="document_edit.html",
    titles={
        CONTENT: "Text",
        "name": "Title",
        "config/type": "Shown as",
        "config/theme": "Theme",
        "config/comments": "Comments",
        "config/custom/custom.css": "Own style sheet",
    },
    saved="saved-document",
    tried=(CONTENT, "name", "config/type", "config/theme", "config/custom/custom.css"),
)
