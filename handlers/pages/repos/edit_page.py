"""The page on which a file of a repository is written: it ends in a commit, and in nothing that is lost."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from chains.builds.repositories import label as label_of
from handlers.pages.acting.fields import at_field
from handlers.pages.browsing import (
    FILE,
    LARGEST_TEXT,
    NO_TEXT,
    leading_bytes,
    text_in,
    typed_path,
    with_line_ends,
)
from handlers.pages.editing.conflict_page import GO_ON, THEIRS, conflict_page, settle
from handlers.pages.editing.edited_texts import EditedText, ShownText, TextConflict, edited_texts, lines_of
from handlers.pages.forms import SentForm
from handlers.pages.items.item_path import ItemPath
from handlers.pages.job_parts import SIGNED, Command
from handlers.pages.repos.commit_form import back, commit
from handlers.pages.repos.repo_facts import AT, COMMITS, EDIT, RepoFacts, repo_facts
from handlers.pages.request import PageRequest
from handlers.pages.result import Answered, Page, Redirect
from vfs.access import Verb
from vfs.errors import Denied, Invalid, NotFound, Outdated

FIRST = "main"
CARRIED = ("path", "message", "to", "new branch")
"""Fields that a conflict carries along."""
COMMITTER = re.compile(r"([a-z0-9_-]+) <\1>")
"""The author of a commit that was made here, not of one that somebody pushed."""


def show(at: ItemPath, label: str, names: Sequence[str], request: PageRequest) -> Page:
    """The page, with what is at a path of a branch, or nothing yet. Raises Denied, NotFound and Invalid."""
    repo = repo_facts(request, at)
    if not repo.writes:
        raise Denied("you may read this repo and not push to it: its owner has to share it with w")
    branch, parent = _branch(repo, label)
    raw = _bytes(request, at, parent, names)
    text = text_in(raw) if raw is not None else ""
    if text is None or len(raw or b"") > LARGEST_TEXT:
        raise Invalid("this file is no text that a page can hold: change it with git, or upload another one")
    facts = {
        "repo": repo,
        "head": repo.head,
        "title": repo.title,
        "label": label,
        "names": list(names),
        "branch": branch,
        "is_new": raw is None,
        "unsaved": False,
        "texts": {FILE: ShownText(lines_of(text), parent)},
        "page": at.page / (EDIT, label, *names),
        "commands": [
            Command("Commit a file", f"{SIGNED} -F file=@main.py '{request.origin}{at.api}/commit'")
        ],
    }
    return Page("repo_edit.html", facts)


def act(at: ItemPath, label: str, names: Sequence[str], request: PageRequest, form: SentForm) -> Answered:
    """Commit what was typed, unless a push changed the file meanwhile: then both are shown."""
    if form["do"] == GO_ON:
        return _again(at, label, names, request, form)
    for text in settle(form, edited_texts(form, (FILE,))):
        if form["do"] == THEIRS:
            is_there = _bytes(request, at, text.etag, names) is not None
            return Redirect(str(at.page / (AT, label, *(names if is_there else names[:-1]))))
        try:
            return _commit(at, label, names, request, form, text)
        except Outdated as refusal:
            if "commit" not in refusal.members:
                raise
            conflict = _conflict(at, names, request, text, str(refusal.members["commit"]))
            more = {key: form[key] for key in CARRIED}
            page, crumb = str(at.page / (EDIT, label, *names)), names[-1] if names else form["path"]
            return conflict_page(at, [text], [conflict], {FILE: crumb}, action=page, crumb=crumb, more=more)
    raise Invalid("the form came without its text: open the page again")


def _again(at: ItemPath, label: str, names: Sequence[str], request: PageRequest, form: SentForm) -> Page:
    page = show(at, label, names, request)
    return Page(page.template, {**page.facts, "unsaved": True}, typed=form.fields)


def _commit(
    at: ItemPath, label: str, names: Sequence[str], request: PageRequest, form: SentForm, text: EditedText
) -> Redirect:
    """Commit a text, under another path where one was typed. Raises vfs.errors."""
    with at_field("path"):
        path = typed_path(form["path"] or "/".join(names))
    starts = form["new branch"].strip() if form["to"] == "new" else ""
    if form["to"] == "new" and not starts:
        with at_field("new branch"):
            raise Invalid("write the name of the new branch, such as fix-totals")
    branch = starts or form["branch"] or FIRST
    told = {"branch": branch, "message": form["message"], "start" if starts else "parent": text.etag}
    made = commit(at, request, _changes(at, names, path, request, text), told)
    return back(at, label_of(branch) or "", path, request, made, branch=starts)


def _changes(
    at: ItemPath, names: Sequence[str], path: Sequence[str], request: PageRequest, text: EditedText
) -> list[Mapping[str, Any]]:
    """The changes: a file that gets another path is moved first, and written where its text was changed."""
    stored = _bytes(request, at, text.etag, names)
    changes: list[Mapping[str, Any]] = []
    if stored is not None and list(path) != list(names):
        changes.append({"path": "/".join(names), "to": "/".join(path)})
    if stored is None or text.is_changed:
        sent = with_line_ends(text.text, stored or b"")
        changes.append({"path": "/".join(path), "text": sent, "new": stored is None})
    if not changes:
        raise Invalid("nothing was changed: change the text or the path, then commit")
    return changes


def _branch(repo: RepoFacts, label: str) -> tuple[str, str]:
    """The branch that is written to, and its commit; the first branch of a repository without any."""
    if not repo.branches:
        return FIRST, ""
    branch = repo.branch_at(label)
    if not branch:
        raise NotFound(f"there is no branch {label}: files are changed on a branch, not at a tag or commit")
    return branch, repo.branches[branch]


def _bytes(request: PageRequest, at: ItemPath, commit: str, names: Sequence[str]) -> bytes | None:
    """A file of a commit, a little more than a page can hold of it; None where there is none."""
    if not commit or not names:
        return None
    try:
        reply = request.call(Verb.READ, at.api / (COMMITS, commit, "files", *names))
    except NotFound:
        return None
    if reply.folder:
        raise Invalid(f'"{"/".join(names)}" is a folder: open it, and make a file in it')
    return leading_bytes(reply, LARGEST_TEXT + 1)


def _conflict(
    at: ItemPath, names: Sequence[str], request: PageRequest, mine: EditedText, tip: str
) -> TextConflict:
    """The file as it is at the present commit of the branch, with who made that; "" where it is gone."""
    told = str(request.peek(at.api / (COMMITS, tip, "author"), ""))
    author = told.partition(" <")[0] if COMMITTER.fullmatch(told) else None
    time = str(request.peek(at.api / (COMMITS, tip, "date"), "")).strip()
    raw = _bytes(request, at, tip, names)
    if raw is None:
        return TextConflict(mine, ShownText("", tip), author, time, removed=True)
    text = text_in(raw) if len(raw) <= LARGEST_TEXT else None
    return TextConflict(mine, ShownText(lines_of(text) if text is not None else NO_TEXT, tip), author, time)
