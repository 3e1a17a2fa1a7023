"""CommittedFiles: files of a repository at a commit; each form that changes them makes a commit."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path as Folder
from typing import Any

from chains.builds.repositories import label as label_of
from handlers.pages.acting.fields import at_field
from handlers.pages.editing.edited_texts import EditedText, ShownText, TextConflict
from handlers.pages.files.file_tree import Action, BrowsedFile, FileTree, with_line_ends
from handlers.pages.files.folder_page import chosen_name, chosen_names, typed_path
from handlers.pages.forms import MULTIPART, Json, SentForm
from handlers.pages.repos.builds import build_rows
from handlers.pages.repos.repo_facts import AT, COMMITS, EDIT, RepoFacts
from handlers.pages.request import PageRequest
from handlers.pages.result import Redirect
from vfs.access import Verb
from vfs.body import NoBody
from vfs.call import Data, Reply
from vfs.errors import Invalid, Outdated, Unavailable

FIELDS = ("branch", "parent", "message")
FIRST, SHORT = "main", 7
COMMITTER = re.compile(r"([a-z0-9_-]+) <\1>")
"""The author of a commit that a form made; pushed commits have other authors."""


class FormFiles(NoBody):
    """The files of a form for the kernel."""

    media = MULTIPART

    def __init__(self, form: SentForm) -> None:
        self._form = form

    def empty(self) -> bool:
        return False

    def files(self, folder: Folder, largest: int, most: int) -> list[str]:
        paths = self._form.files(folder, most)
        if not paths:
            raise Invalid("choose a file first")
        return paths


@dataclass(frozen=True, kw_only=True)
class CommittedFiles(FileTree):
    """Files of a repository at a label, and at the label's commit ("" for a repository without commits)."""

    repo: RepoFacts
    label: str
    commit: str

    @property
    def branch(self) -> str:
        """The branch that forms commit to; "" if there is none that the caller may write to."""
        return self.carried.get("branch", "")

    def edit_page(self, names: Sequence[str]) -> str:
        """Return the address of the editor of a file, which also takes its form."""
        return str(self.at.page / (EDIT, self.label or FIRST, *names))

    @property
    def actions(self) -> Mapping[str, Action]:
        """The forms of a folder, by their keys."""
        return {"upload": self._upload, "move": self._move, "delete": self._delete}

    def find(self, request: PageRequest, names: Sequence[str]) -> BrowsedFile | None:
        """Return a file, None if there is none."""
        return super().find(request, names) if self.commit else None

    def read_file(self, request: PageRequest, names: Sequence[str], reply: Reply) -> BrowsedFile:
        """Return the file in the reply of a call; its version is the commit."""
        return super().read_file(request, names, reply)._replace(version=self.commit)

    def at_commit(self, commit: str) -> CommittedFiles:
        """Return the files at another commit."""
        return replace(self, commit=commit, content=self.at.api / (COMMITS, commit, "files"))

    def last_commits(self, request: PageRequest, names: Sequence[str]) -> Mapping[str, Any]:
        """Return the last commit of each entry of a folder; empty if git cannot report them."""
        commit = self.at.api / (COMMITS, self.commit, "last_changes")
        try:
            value = request.call(Verb.READ, commit, query={"folder": "/".join(names)}).value
        except Unavailable:
            return {}
        assert isinstance(value, Data)
        changes: Mapping[str, Any] = value.value
        return changes

    def save_text(
        self, names: Sequence[str], request: PageRequest, form: SentForm, text: EditedText
    ) -> Redirect:
        """Commit a text, under another path if one was typed. Raises Outdated if a push changed it."""
        with at_field("path"):
            path = typed_path(form["path"] or "/".join(names))
        starts = form["new branch"].strip() if form["to"] == "new" else ""
        if form["to"] == "new" and not starts:
            with at_field("new branch"):
                raise Invalid("write the name of the new branch, such as fix-totals")
        branch = starts or form["branch"] or FIRST
        facts = {"branch": branch, "message": form["message"], "start" if starts else "parent": text.etag}
        made = self._commit(request, self._changes(names, path, request, text), facts)
        label = label_of(branch) or ""
        return self._back(label, path, request, made, branch=starts)

    def conflict(
        self, names: Sequence[str], request: PageRequest, mine: EditedText, refusal: Outdated
    ) -> TextConflict:
        """Return the file at the branch's present commit, with that commit's author; "" if it was removed."""
        if "commit" not in refusal.members:
            raise refusal
        now = self.at_commit(str(refusal.members["commit"]))
        name = str(request.peek(self.at.api / (COMMITS, now.commit, "author"), ""))
        author = name.partition(" <")[0] if COMMITTER.fullmatch(name) else None
        time = str(request.peek(self.at.api / (COMMITS, now.commit, "date"), "")).strip()
        found = now.find(request, names)
        if found is None:
            return TextConflict(mine, ShownText("", now.commit), author, time, removed=True)
        return TextConflict(mine, found.as_shown_text(), author, time)

    def _changes(
        self, names: Sequence[str], path: Sequence[str], request: PageRequest, text: EditedText
    ) -> list[Mapping[str, Any]]:
        """Return the changes: a file with another path is moved, and written if its text was changed."""
        stored = self.at_commit(text.etag).find(request, names)
        changes: list[Mapping[str, Any]] = []
        if stored is not None and list(path) != list(names):
            changes.append({"path": "/".join(names), "to": "/".join(path)})
        if stored is None or text.is_changed:
            sent = with_line_ends(text.text, stored.raw if stored is not None else b"")
            changes.append({"path": "/".join(path), "text": sent, "new": stored is None})
        if not changes:
            raise Invalid("no changes to commit: change the text or the path first")
        return changes

    def _upload(self, names: Sequence[str], request: PageRequest, form: SentForm) -> Redirect:
        """Commit the chosen files to a folder; files of the same names are replaced."""
        query = {**{key: form[key] for key in FIELDS}, "folder": "/".join(names)}
        return self._back(self.label, names, request, self._commit_of(request, FormFiles(form), query))

    def _move(self, names: Sequence[str], request: PageRequest, form: SentForm) -> Redirect:
        """Move one entry to another path, from the root of the repository."""
        chosen = chosen_name(form)
        with at_field("to"):
            change = {"path": "/".join((*names, chosen)), "to": "/".join(typed_path(form["to"]))}
            made = self._commit(request, [change], {key: form[key] for key in FIELDS})
        return self._back(self.label, names, request, made)

    def _delete(self, names: Sequence[str], request: PageRequest, form: SentForm) -> Redirect:
        """Delete the chosen entries, folders with their content."""
        changes = [{"path": "/".join((*names, one)), "remove": True} for one in chosen_names(form)]
        made = self._commit(request, changes, {key: form[key] for key in FIELDS})
        return self._back(self.label, names, request, made)

    def _commit(
        self, request: PageRequest, changes: Sequence[Mapping[str, object]], sent: Mapping[str, str]
    ) -> str:
        """Commit changes with the form's FIELDS and `start`; return the commit."""
        facts = {key: value for key, value in sent.items() if value}
        return self._commit_of(request, Json({**facts, "changes": list(changes)}), {})

    def _commit_of(self, request: PageRequest, body: NoBody, query: Mapping[str, str]) -> str:
        reply = request.call(Verb.WRITE, self.at.api / "commit", body, query=query)
        assert isinstance(reply.value, Data)
        return str(reply.value.value["commit"])

    def _back(
        self, label: str, names: Sequence[str], request: PageRequest, made: str, *, branch: str = ""
    ) -> Redirect:
        """Return the redirect to the files, where the build of the commit is followed."""
        page = self.at.page / (AT, label, *names) if label else self.at.page
        rows = build_rows(request, self.at.api)
        build = f"?build={rows[0]['id']}" if rows and rows[0]["commit"] == made else ""
        facts = {"commit": made[:SHORT], **({"branch": branch} if branch else {})}
        return Redirect(f"{page}{build}", done="began" if branch else "committed", values=facts)
