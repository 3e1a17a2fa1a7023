"""Deeds of the forms of a folder's page: upload, make, rename or move, and delete."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from chains.spaces.refusals import Taken
from handlers.pages.acting.fields import FIELD, at_field
from handlers.pages.browsing import chosen_name, chosen_names, typed_path
from handlers.pages.forms import Bytes, Json, SentForm, pieces_of
from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from handlers.pages.result import Redirect
from handlers.pages.spaces.space_facts import expect_version, page_of
from vfs.access import Verb
from vfs.errors import Invalid, NotFound, Outdated, Unauthenticated, VfsError
from vfs.path import Path

MOST_TOLD = 20
"""Files of which a refusal tells one by one."""
Deed = Callable[[ItemPath, Sequence[str], PageRequest, SentForm], Redirect]


def upload(at: ItemPath, names: Sequence[str], request: PageRequest, form: SentForm) -> Redirect:
    """Add the files that were chosen, those of folders below them; what has their names is replaced.

    Each is stored by itself, as their bytes may take long: of several, those that are refused are named.
    """
    folder = at.api / ("content", *names)
    stored: list[str] = []
    refused: dict[str, VfsError] = {}
    with form.unpack(request.world.service.settings.input_parts) as files:
        if not files:
            raise Invalid("choose a file first")
        for name, file in files.items():
            try:
                request.call(Verb.WRITE, folder / name.split("/"), Bytes(pieces_of(file)))
            except Unauthenticated:
                raise
            except VfsError as refusal:
                refused[name] = refusal
            else:
                stored.append(name)
    if refused:
        raise _refusal_of(refused, stored)
    return _back(at, names, "uploaded")


def make_folder(at: ItemPath, names: Sequence[str], request: PageRequest, form: SentForm) -> Redirect:
    """Make a folder, and go there."""
    with at_field("name"):
        made = typed_path(form["name"])
        request.send(Verb.CREATE, at.api / ("content", *names, *made), folder=True)
    return _back(at, (*names, *made), "foldermade")


def make_text(at: ItemPath, names: Sequence[str], request: PageRequest, form: SentForm) -> Redirect:
    """Make an empty file, and go there to write it."""
    with at_field("name"):
        made = typed_path(form["name"])
        path = at.api / ("content", *names, *made)
        request.send(Verb.WRITE, path, Bytes([b""]), expect=expect_version(""))
    return _back(at, (*names, *made), "filemade")


def move(at: ItemPath, names: Sequence[str], request: PageRequest, form: SentForm) -> Redirect:
    """Give one entry another path, from the top of the space; a file that is there is asked about first."""
    chosen = chosen_name(form)
    with at_field("to"):
        to = typed_path(form["to"])
        if Path(to) == Path((*names, chosen)):
            raise Invalid("that is its path already: write another one")
        wish = {"to": "/".join(to), "replace": form["do"] == "replace"}
        try:
            request.call(Verb.RENAME, at.api / ("content", *names, chosen), Json(wish))
        except Taken as taken:
            taken.members[FIELD] = "replace"
            taken.detail = f'a file "{"/".join(to)}" is there already, and nothing was moved'
            raise
    return Redirect(str(page_of(at, names)), done="moved", told={"name": chosen, "to": "/".join(to)})


def delete(at: ItemPath, names: Sequence[str], request: PageRequest, form: SentForm) -> Redirect:
    """Delete the chosen entries, folders with all that they hold: all of them or none."""
    chosen = chosen_names(form)
    with request.world.atomic():
        for name in chosen:
            try:
                request.send(Verb.REMOVE, at.api / ("content", *names, name), query={"recursive": "true"})
            except NotFound:
                raise Outdated(f'"{name}" is gone meanwhile, and nothing was deleted: choose again') from None
            except VfsError as refusal:
                refusal.detail = f'"{name}": {refusal.detail}; nothing was deleted'
                raise
    told = chosen[0] if len(chosen) == 1 else f"{len(chosen)} entries"
    return Redirect(str(page_of(at, names)), done="dropped", told={"name": told})


def _refusal_of(refused: Mapping[str, VfsError], stored: Sequence[str]) -> VfsError:
    """The refusal of the first file, which tells of every file what became of it."""
    first = next(iter(refused.values()))
    if not stored and len(refused) == 1:
        return first
    why = "; ".join(f'"{name}": {one.detail}' for name, one in list(refused.items())[:MOST_TOLD])
    there = f"stored were {_name_some(stored)}" if stored else "nothing was stored"
    more = f"; and {len(refused) - MOST_TOLD} more" if len(refused) > MOST_TOLD else ""
    first.detail = (
        f"not stored were {len(refused)} of {len(refused) + len(stored)} files: {why}{more}; {there}"
    )
    return first


def _name_some(names: Sequence[str]) -> str:
    """A few names, and how many more there are."""
    more = f" and {len(names) - MOST_TOLD} more" if len(names) > MOST_TOLD else ""
    return ", ".join(f'"{name}"' for name in names[:MOST_TOLD]) + more


def _back(at: ItemPath, names: Sequence[str], done: str) -> Redirect:
    return Redirect(str(page_of(at, names)), done=done)


DEEDS: Mapping[str, Deed] = {
    "upload": upload,
    "folder": make_folder,
    "text": make_text,
    "move": move,
    "replace": move,
    "delete": delete,
}
