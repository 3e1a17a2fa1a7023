"""Members: the files and folders that a drive shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from chains.spaces.space import SpaceEntry
from handlers.dav.request import HERE, SHARED, TOP, DriveRequest, Place
from handlers.http.shown_texts import text_bytes
from handlers.rules.addresses import API
from handlers.trees.code.spaces import KIND, PATH, etag
from vfs.access import Verb
from vfs.call import Data, Entry
from vfs.listing import row_of
from vfs.path import Path
from vfs.texts import texts

SHARED_SPACES = {"whose": "shared", "kind": KIND.name, "count": "100"}


@dataclass(frozen=True, slots=True)
class DriveFile:
    """A file or a folder. `space` is the number of its space, and `rel` its path there."""

    names: Path
    folder: bool
    created_on: str
    last_modified: str
    size: int | None = None
    media: str | None = None
    etag: str | None = None
    space: int | None = None
    rel: str = ""
    properties: str = ""

    @property
    def name(self) -> str:
        """The last name of its path."""
        return (HERE / self.names)[-1]


def member_at(request: DriveRequest, place: Place) -> DriveFile:
    """Return the file or folder at a place. Raises NotFound, Denied."""
    if not place.path:
        return _own_folder(request, place.names)
    context = request.find(Verb.READ, place.path)
    if not place.depth:
        row = row_of(context)
        above = Path(place.path[:-1])
        return _from_row(place.names, row, _sizes(request, above) if row.type == "file" else {})
    entry = context.get(PATH)
    if place.depth == 1 or entry is None:
        space = context.here
        entry = SpaceEntry("", None, space.created_on, space.last_modified)
    return _from_entry(place.names, context.here.id, entry)


def members_in(request: DriveRequest, place: Place) -> list[DriveFile]:
    """Return the members of the folder at a place, with a fixed number of queries."""
    if not place.path:
        return [_own_folder(request, Path(names)) for names in _own_names(request, place)]
    if not place.depth:
        reply = request.serve(Verb.READ, place.path)
        rows = reply.value.value if reply.folder and isinstance(reply.value, Data) else ()
        shown = [row for row in rows if isinstance(row, Entry) and Verb.READ in row.verbs]
        sizes = _sizes(request, place.path) if any(row.type == "file" for row in shown) else {}
        return [_from_row(place.names / row.name, row, sizes) for row in shown if row.type != "link"]
    space = request.find(Verb.READ, place.path).here.id
    found = request.world.code.spaces.inside(space, place.rest)
    return [_from_entry(place.names / entry.name, space, entry) for entry in found]


def _own_names(request: DriveRequest, place: Place) -> Iterator[Path]:
    if not place.names:
        return (Path((name,)) for name in TOP)
    owners: dict[str, None] = {}
    query, after = SHARED_SPACES, None
    while after != "":
        reply = request.serve(Verb.READ, API / "search", query=query)
        assert isinstance(reply.value, Data)
        owners |= dict.fromkeys(row["author"] for row in reply.value.value["found"])
        after = reply.value.value["after"]
        query = {**query, "after": after}
    return (Path((SHARED, owner)) for owner in sorted(owners))


def _own_folder(request: DriveRequest, names: Path) -> DriveFile:
    return DriveFile(names, folder=True, created_on=request.world.epoch, last_modified=request.world.epoch)


def _sizes(request: DriveRequest, folder: Path) -> Mapping[str, int]:
    """Return the sizes of an item's small files in a folder, by name, with one query."""
    context = request.look(folder)
    if context.item is None or context.absent or not context.route.folder:
        return {}
    return {name: len(text_bytes(text)) for name, text in texts(context).items()}


def _from_row(names: Path, row: Entry, sizes: Mapping[str, int]) -> DriveFile:
    facts = {"size": sizes.get(row.name), **(row.extra or {})}
    size = facts["size"]
    return DriveFile(
        names,
        row.type != "file",
        row.created_on,
        row.last_modified,
        size if isinstance(size, int) else None,
        facts.get("content_type"),
        facts.get("etag"),
    )


def _from_entry(names: Path, space: int, entry: SpaceEntry) -> DriveFile:
    blob = entry.blob
    return DriveFile(
        names,
        entry.folder,
        entry.created_on,
        entry.last_modified,
        blob.size if blob is not None else None,
        blob.media if blob is not None else None,
        etag(blob.digest) if blob is not None else None,
        space,
        entry.path,
        entry.properties,
    )
