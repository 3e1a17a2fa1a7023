"""The page of a file, with a preview of its content, and the editor of its text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from handlers.pages.editing.edited_texts import ShownText, edited_texts, lines_of
from handlers.pages.editing.editor_frame import BOTH, GO_ON, MINE, THEIRS, conflict_page, settle
from handlers.pages.files.file_tree import FILE, LARGEST_TEXT, BrowsedFile, FileTree, text_in
from handlers.pages.files.folder_page import (
    LARGEST_README,
    MARKDOWN,
    begin_file,
    markdown_html,
    show_folder,
)
from handlers.pages.forms import SentForm, unknown_form
from handlers.pages.request import PageRequest
from handlers.pages.result import Answered, Page, Redirect
from handlers.pages.visuals.data_sample import sample_data
from handlers.rules.media import HEAD, sniff
from vfs.access import Verb
from vfs.errors import Denied, Invalid, Outdated

SAVES = ("save", BOTH, GO_ON, MINE, THEIRS)
MOST_LINES, LONGEST_LINE = 5_000, 1_000
PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
LARGEST_PICTURE = 5_000_000
"""Maximum bytes of a picture that a page loads automatically."""
TABLES = (".csv", ".tsv")
EDIT = "edit"
CARRIED = ("path", "message", "to", "new branch")
"""Fields that a conflict's form keeps."""


def show(tree: FileTree, names: Sequence[str], request: PageRequest) -> Page:
    """Return the page of a folder or a file. Raises NotFound or Unauthenticated."""
    if names and EDIT in request.query:
        return show_editor(tree, names, request)
    try:
        reply = request.call(Verb.READ, tree.content / names)
    except Denied:
        if names:
            raise
        return show_folder(tree, names, request, None)
    if reply.folder:
        return show_folder(tree, names, request, reply)
    return Page("file.html", file_facts(tree, names, request, tree.read_file(request, names, reply)))


def act(tree: FileTree, names: Sequence[str], request: PageRequest, form: SentForm) -> Answered:
    """Handle a form of the page of a folder, or of the editor of a file."""
    do = form["do"] or "save"
    if do == "new":
        return begin_file(tree, names, request, form)
    if do in tree.actions:
        return tree.actions[do](names, request, form)
    if do in SAVES:
        return save(tree, names, request, form)
    raise unknown_form()


def file_facts(
    tree: FileTree, names: Sequence[str], request: PageRequest, found: BrowsedFile
) -> dict[str, Any]:
    """Return the template values of a file: its preview and its changes."""
    return {
        **tree.facts(names),
        "file": found,
        "editable": tree.writes and found.text is not None,
        "changes": tree.changes(request, names),
        "build": None,
        **_preview(tree, names, request, found),
    }


def _preview(
    tree: FileTree, names: Sequence[str], request: PageRequest, found: BrowsedFile
) -> Mapping[str, Any]:
    """Return the preview of a file: a picture, a table, Markdown, or lines; None for lines if not text."""
    facts: dict[str, Any] = {"picture": False, "table": None, "html": "", "lines": None, "cut": False}
    if sniff(found.raw[:HEAD]) in PICTURES:
        return {**facts, "picture": found.size <= LARGEST_PICTURE}
    text = text_in(found.raw[:LARGEST_TEXT]) if found.size <= LARGEST_TEXT else _leading_text(found.raw)
    if text is None:
        return facts
    name, lines = names[-1].lower(), text.removesuffix("\n").split("\n")
    if name.endswith(TABLES):
        facts["table"] = sample_data(text)
    if name.endswith(MARKDOWN) and len(found.raw) <= LARGEST_README:
        facts["html"] = markdown_html(tree, names[:-1], request, text)
    shown = [line[:LONGEST_LINE] for line in lines[:MOST_LINES]] if text else []
    return {**facts, "lines": shown, "cut": found.size > LARGEST_TEXT or len(lines) > MOST_LINES}


def _leading_text(raw: bytes) -> str | None:
    """Return the beginning of a long text, without a cut character; None if it is not text."""
    return text_in(raw[: raw.rfind(b"\n") + 1]) if b"\n" in raw else None


def show_editor(
    tree: FileTree, names: Sequence[str], request: PageRequest, form: SentForm | None = None
) -> Page:
    """Return the editor of a file that need not exist yet, with the input if a form was sent."""
    if not tree.writes:
        raise Denied("you can read these files, but not change them: ask their owner for write access")
    found = tree.find(request, names)
    if found is not None and found.text is None:
        raise Invalid("this file is not text, or too large to edit here: edit it elsewhere, then upload it")
    shown = found.as_shown_text() if found is not None else ShownText("", tree.carried.get("parent", ""))
    facts = {
        **tree.facts(names),
        "is_new": found is None,
        "changed": found.changed if found is not None else "",
        "unsaved": form is not None,
        "texts": {FILE: shown},
    }
    return Page("file_edit.html", facts, typed=form.fields if form is not None else {})


def save(tree: FileTree, names: Sequence[str], request: PageRequest, form: SentForm) -> Answered:
    """Save the input, or show both texts if another writer changed the file meanwhile."""
    if form["do"] == GO_ON:
        return show_editor(tree, names, request, form)
    for text in settle(form, edited_texts(form, (FILE,))):
        if form["do"] == THEIRS:
            is_there = tree.find(request, names) is not None
            return Redirect(str(tree.page_of(names if is_there else names[:-1])))
        try:
            return tree.save_text(names, request, form, text)
        except Outdated as refusal:
            conflict = tree.conflict(names, request, text, refusal)
        if not conflict.removed and lines_of(conflict.theirs.text) == text.text:
            return Redirect(str(tree.page_of(names)), done="filesaved")
        crumb = names[-1] if names else form["path"]
        more = {key: form[key] for key in CARRIED if key in form.fields}
        action = tree.edit_page(names)
        return conflict_page(
            tree.at, [text], [conflict], {FILE: crumb}, action=action, crumb=crumb, more=more
        )
    raise Invalid("the form has no text: reload the page and try again")
