"""Commits of the forms of a repository's files: one a form, on the branch that its page showed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path as Folder

from handlers.pages.acting.fields import at_field
from handlers.pages.browsing import chosen_name, chosen_names, typed_path
from handlers.pages.build_log import build_rows
from handlers.pages.forms import MULTIPART, Json, SentForm
from handlers.pages.items.item_path import ItemPath
from handlers.pages.repos.repo_facts import AT, EDIT
from handlers.pages.request import PageRequest
from handlers.pages.result import Redirect
from vfs.access import Verb
from vfs.body import NoBody
from vfs.call import Data
from vfs.errors import Invalid

FIELDS = ("branch", "parent", "message")
SHORT = 7
DONE = {
    "committed": "Committed as {commit}.",
    "began": "Committed as {commit}, on the new branch {branch}.",
}
Deed = Callable[[ItemPath, str, Sequence[str], PageRequest, SentForm], Redirect]


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


def commit(
    at: ItemPath, request: PageRequest, changes: Sequence[Mapping[str, object]], sent: Mapping[str, str]
) -> str:
    """Commit changes with what a form sends of FIELDS, and of a `start`; the commit. Raises vfs.errors."""
    told = {key: value for key, value in sent.items() if value}
    return _commit_of(request, at, Json({**told, "changes": list(changes)}), {})


def upload(at: ItemPath, label: str, names: Sequence[str], request: PageRequest, form: SentForm) -> Redirect:
    """Commit the files that were chosen to a folder; what has their names is replaced."""
    query = {**{key: form[key] for key in FIELDS}, "folder": "/".join(names)}
    return back(at, label, names, request, _commit_of(request, at, FormFiles(form), query))


def make(at: ItemPath, label: str, names: Sequence[str], request: PageRequest, form: SentForm) -> Redirect:
    """Go to the editor of a new file."""
    with at_field("name"):
        made = typed_path(form["name"])
    return Redirect(str(at.page / (EDIT, label, *names, *made)))


def move(at: ItemPath, label: str, names: Sequence[str], request: PageRequest, form: SentForm) -> Redirect:
    """Give one entry another path, from the top of the repository."""
    chosen = chosen_name(form)
    with at_field("to"):
        change = {"path": "/".join((*names, chosen)), "to": "/".join(typed_path(form["to"]))}
        made = commit(at, request, [change], sent_fields(form))
    return back(at, label, names, request, made)


def delete(at: ItemPath, label: str, names: Sequence[str], request: PageRequest, form: SentForm) -> Redirect:
    """Delete the chosen entries, folders with all that they hold."""
    changes = [{"path": "/".join((*names, one)), "remove": True} for one in chosen_names(form)]
    return back(at, label, names, request, commit(at, request, changes, sent_fields(form)))


def sent_fields(form: SentForm) -> dict[str, str]:
    """The fields that every form of a commit has."""
    return {key: form[key] for key in FIELDS}


def back(
    at: ItemPath, label: str, names: Sequence[str], request: PageRequest, made: str, *, branch: str = ""
) -> Redirect:
    """The way back to the files, where the build of the commit is followed."""
    page = at.page / (AT, label, *names) if label else at.page
    rows = build_rows(request, at.api)
    build = f"?build={rows[0]['id']}" if rows and rows[0]["commit"] == made else ""
    told = {"commit": made[:SHORT], **({"branch": branch} if branch else {})}
    return Redirect(f"{page}{build}", done="began" if branch else "committed", told=told)


def _commit_of(request: PageRequest, at: ItemPath, body: NoBody, query: Mapping[str, str]) -> str:
    reply = request.send(Verb.WRITE, at.api / "commit", body, query=query)
    assert isinstance(reply.value, Data)
    return str(reply.value.value["commit"])


DEEDS: Mapping[str, Deed] = {"upload": upload, "new": make, "move": move, "delete": delete}


def act(at: ItemPath, label: str, names: Sequence[str], request: PageRequest, form: SentForm) -> Redirect:
    """Take a form of a folder's page."""
    if form["do"] not in DEEDS:
        raise Invalid("this page cannot do what the form asks for: open the page again")
    return DEEDS[form["do"]](at, label, names, request, form)
