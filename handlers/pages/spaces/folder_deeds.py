"""What the forms of a folder's page do: upload, make, rename or move, and delete."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from handlers.pages.acting.fields import at_field
from handlers.pages.forms import Bytes, Json, SentForm, pieces_of
from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from handlers.pages.result import Redirect
from handlers.pages.spaces.space_facts import expect_version, page_of
from vfs.access import Verb
from vfs.errors import Invalid, VfsError
from vfs.path import Path

CHOSEN = "f:"
"""The beginning of the name of the box of an entry."""
Deed = Callable[[ItemPath, Sequence[str], PageRequest, SentForm], Redirect]


def upload(at: ItemPath, names: Sequence[str], request: PageRequest, form: SentForm) -> Redirect:
    """Add the files that were chosen, those of folders below them; what has their names is replaced."""
    folder = at.api / ("content", *names)
    with form.unpack(request.world.service.settings.input_parts) as files:
        if not files:
            raise Invalid("choose a file first")
        for name, file in files.items():
            request.call(Verb.WRITE, folder / name.split("/"), Bytes(pieces_of(file)))
    return _back(at, names, "uploaded")


def make_folder(at: ItemPath, names: Sequence[str], request: PageRequest, form: SentForm) -> Redirect:
    """Make a folder, and go there."""
    with at_field("name"):
        made = _names(form["name"])
        request.send(Verb.CREATE, at.api / ("content", *names, *made), folder=True)
    return _back(at, (*names, *made), "foldermade")


def make_text(at: ItemPath, names: Sequence[str], request: PageRequest, form: SentForm) -> Redirect:
    """Make an empty file, and go there to write it."""
    with at_field("name"):
        made = _names(form["name"])
        path = at.api / ("content", *names, *made)
        request.send(Verb.WRITE, path, Bytes([b""]), expect=expect_version(""))
    return _back(at, (*names, *made), "filemade")


def move(at: ItemPath, names: Sequence[str], request: PageRequest, form: SentForm) -> Redirect:
    """Give one entry another path, from the top of the space."""
    chosen = _chosen_names(form)
    if len(chosen) != 1:
        raise Invalid("choose one file or folder to rename: several are moved one by one")
    with at_field("to"):
        to = _names(form["to"])
        if Path(to) == Path((*names, chosen[0])):
            raise Invalid("that is its path already: write another one")
        request.call(Verb.RENAME, at.api / ("content", *names, chosen[0]), Json({"to": "/".join(to)}))
    return Redirect(str(page_of(at, names)), done="moved", told={"name": chosen[0], "to": "/".join(to)})


def delete(at: ItemPath, names: Sequence[str], request: PageRequest, form: SentForm) -> Redirect:
    """Delete the chosen entries, folders with all that they hold."""
    chosen = _chosen_names(form)
    if not chosen:
        raise Invalid("choose what to delete first")
    for gone, name in enumerate(chosen):
        try:
            request.send(Verb.REMOVE, at.api / ("content", *names, name), query={"recursive": "true"})
        except VfsError as refusal:
            refusal.detail = f"{refusal.detail} ({gone} of {len(chosen)} were deleted)"
            raise
    told = chosen[0] if len(chosen) == 1 else f"{len(chosen)} entries"
    return Redirect(str(page_of(at, names)), done="deleted", told={"name": told})


def _chosen_names(form: SentForm) -> list[str]:
    """The names of the entries whose boxes are ticked."""
    return [name.removeprefix(CHOSEN) for name in form.fields if name.startswith(CHOSEN)]


def _names(sent: str) -> list[str]:
    """The names of a path that was typed. Raises Invalid."""
    names = [name.strip() for name in sent.split("/") if name.strip()]
    if not names:
        raise Invalid("write a name first, such as notes.txt")
    if "." in names or ".." in names:
        raise Invalid('"." and ".." are no names: write the path out in full')
    return names


def _back(at: ItemPath, names: Sequence[str], done: str) -> Redirect:
    return Redirect(str(page_of(at, names)), done=done)


DEEDS: Mapping[str, Deed] = {
    "upload": upload,
    "folder": make_folder,
    "text": make_text,
    "move": move,
    "delete": delete,
}
