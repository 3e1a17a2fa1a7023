"""Members: the files and folders that a drive shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from chains.spaces.space import SpaceEntry
from handlers.dav.places import HERE, SHARED, TOP, Place
from handlers.dav.request import DriveRequest
from handlers.trees.code.spaces import KIND, PATH, etag
from vfs.access import NOTHING, Verb, access_of
from vfs.call import Data, Entry
from vfs.listing import row_of
from vfs.path import Path
from vfs.ports.items import Found


@dataclass(frozen=True, slots=True)
class Member:
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
        """Its last name."""
        return (HERE / self.names)[-1]


def member_at(request: DriveRequest, place: Place) -> Member:
    """Return what is at a place. Raises NotFound, Denied."""
    if place.path is None:
        return _own_folder(request, place.names)
    context = request.find(Verb.READ, place.path)
    if not place.depth:
        return _from_row(place.names, row_of(context))
    entry = context.get(PATH)
    if place.depth == 1 or entry is None:
        space = context.here
        entry = SpaceEntry("", None, space.created_on, space.last_modified)
    return _from_entry(place.names, context.here.id, entry)


def members_in(request: DriveRequest, place: Place) -> list[Member]:
    """Return what is in the folder at a place, with a fixed number of queries."""
    if place.path is None:
        return [_own_folder(request, Path(names)) for names in _own_names(request, place)]
    if not place.depth:
        reply = request.serve(Verb.READ, place.path)
        rows = reply.value.value if reply.folder and isinstance(reply.value, Data) else ()
        shown = (row for row in rows if isinstance(row, Entry) and Verb.READ in row.verbs)
        return [_from_row(place.names / row.name, row) for row in shown if row.type != "link"]
    space = request.find(Verb.READ, place.path).here.id
    found = request.world.code.spaces.inside(space, place.rest)
    return [_from_entry(place.names / entry.name, space, entry) for entry in found]


def _own_names(request: DriveRequest, place: Place) -> Iterator[Path]:
    if not place.names:
        return (Path((name,)) for name in TOP)
    spaces = request.world.items.visible(KIND.name, None, request.me)
    owners = dict.fromkeys(one.item.owner for one in spaces if _is_shared(request, one))
    return (Path((SHARED, owner)) for owner in owners)


def _is_shared(request: DriveRequest, found: Found) -> bool:
    """Return whether a space is another's, and shared with more than the public."""
    grants = [one for one in found.effective_grants if one.target != "public"]
    access = access_of(found.item.owner, KIND.name, grants, request.caller, KIND.confers)
    return found.item.owner != request.me and access != NOTHING


def _own_folder(request: DriveRequest, names: Path) -> Member:
    return Member(names, folder=True, created_on=request.world.epoch, last_modified=request.world.epoch)


def _from_row(names: Path, row: Entry) -> Member:
    facts = row.extra or {}
    size = facts.get("size")
    return Member(
        names,
        row.type != "file",
        row.created_on,
        row.last_modified,
        size if isinstance(size, int) else None,
        facts.get("content_type"),
        facts.get("etag"),
    )


def _from_entry(names: Path, space: int, entry: SpaceEntry) -> Member:
    blob = entry.blob
    facts = (blob.size, blob.media, etag(blob.digest)) if blob is not None else (None, None, None)
    dates = entry.created_on, entry.last_modified
    return Member(names, entry.folder, *dates, *facts, space, entry.path, entry.properties)
