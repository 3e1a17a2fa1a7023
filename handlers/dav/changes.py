"""PUT, MKCOL, DELETE, COPY, MOVE and PROPPATCH: changes of spaces by a drive."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from io import BytesIO
from typing import Any

from handlers.dav.guard import Touched, admit_change
from handlers.dav.members import member_at
from handlers.dav.properties import empty, kept_properties, multistatus, response
from handlers.dav.request import HERE, INFINITE, DriveRequest, Place
from handlers.dav.xml_bodies import DAV, property_changes, read_xml
from handlers.http.bodies.body import RequestBody
from handlers.http.conditions import expectation
from handlers.http.response import JSON, Answer, tags
from handlers.services.run_people import note_writers
from handlers.services.space_changes import noting_changes
from handlers.trees.code.spaces import ANY_BYTES, PATH
from vfs.access import Verb
from vfs.body import TextBody
from vfs.call import Outcome, Reply
from vfs.errors import Conflict, Denied, NoSpace, NotFound, Outdated, TooLarge, Unsupported, WrongMedia
from vfs.path import Path
from vfs.ports.blobs import Ref
from vfs.route import RoutedContext

ALL: Mapping[str, str] = {"recursive": "true"}
LARGEST_PROPERTIES = 4 << 10


def put(request: DriveRequest) -> Answer:
    """Write a whole file."""
    place = require_inside(request.place)
    space = request.find(Verb.CREATE, place.path).here.id
    require_folder(request, place)
    conditions = expectation(request.head.environ, tags)

    def expect(present: Reply | None, replaced: Reply | None) -> None:
        admit_change(request, Touched(space, place.rest, binds=present is None))
        if conditions is not None:
            conditions(present, replaced)

    body = RequestBody(request.head.environ)
    if body.media == ANY_BYTES:
        body.content_type = None  # clients send it for every file, so the name says more
    try:
        reply = request.serve(Verb.CREATE, place.path, body, expect=expect)
    except TooLarge as error:
        raise _full(request, error) from None
    assert isinstance(reply.written, Ref)
    return _done(created=reply.outcome is Outcome.CREATED, tag=reply.written.digest)


def make_folder(request: DriveRequest) -> Answer:
    """Create a folder, or a space."""
    place = require_space(request.place)
    if not RequestBody(request.head.environ).empty():
        raise WrongMedia("a MKCOL has no body here: it makes an empty folder")
    if not request.look(place.path).absent:
        raise Unsupported("there is something of that name already", allow=())
    if place.depth == 1:
        request.serve(Verb.CREATE, place.item)
        return _done(created=True)
    with request.world.atomic():
        context = hold(request, request.find(Verb.CREATE, place.path))
        require_folder(request, place)
        admit_change(request, Touched(context.here.id, place.rest, binds=True))
        request.serve(Verb.CREATE, place.path, folder=True)
    return _done(created=True)


def delete(request: DriveRequest) -> Answer:
    """Move a file, a folder with its content, or a space to the trash."""
    place = require_space(request.place)
    request.depth(INFINITE, INFINITE)
    path = place.item if place.depth == 1 else place.path
    with request.world.atomic():
        context = hold(request, request.find(Verb.REMOVE, path))
        admit_change(request, Touched(context.here.id, place.rest, deep=True, binds=True))
        request.serve(Verb.REMOVE, path, query=ALL, expect=expectation(request.head.environ, tags))
        request.world.code.locks.drop_below(context.here.id, place.rest)
    return _done()


def transfer(request: DriveRequest, *, moves: bool) -> Answer:
    """Copy or move a file, a folder with its content, or a space."""
    source = require_space(request.place)
    target = require_space(request.place_at(request.header("Destination")))
    deep = request.depth(INFINITE, INFINITE, *([] if moves else ["0"])) == INFINITE
    if moves and source.depth == target.depth == 1:
        return _rename_space(request, source, target)
    require_inside(source)
    require_inside(target)
    if source.path == target.path:
        raise Denied("the Destination is the file itself")
    if target.path[: len(source.path)] == source.path or source.path[: len(target.path)] == target.path:
        raise Conflict("a folder cannot go into itself, nor over one that it is in")
    try:
        with request.world.atomic():
            replaced = _transfer(request, source, target, moves=moves, deep=deep)
    except TooLarge as error:
        raise _full(request, error) from None
    return _done(created=not replaced)


def _transfer(request: DriveRequest, source: Place, target: Place, *, moves: bool, deep: bool) -> bool:
    """Copy or move within spaces; return whether something was replaced."""
    spaces = [one for one in (request.look(source.item), request.look(target.item)) if not one.absent]
    for one in sorted(spaces, key=lambda space: space.here.id):  # in a fixed order, against deadlocks
        hold(request, one)
    origin = request.find(Verb.REMOVE if moves else Verb.READ, source.path)
    there = request.look(target.path)
    if there.absent:
        there = request.find(Verb.CREATE, target.path)
        require_folder(request, target)
    elif request.header("Overwrite", "T").upper() == "F":
        raise Outdated("there is something at the Destination, and Overwrite is F: nothing was changed")
    left = [Touched(origin.here.id, source.rest, deep=True, binds=True)] if moves else []
    admit_change(request, *left, Touched(there.here.id, target.rest, deep=True, binds=there.absent))
    within = moves and origin.here.id == there.here.id
    if not there.absent and not (within and _are_files(origin, there)):
        request.serve(Verb.REMOVE, target.path, query=ALL)
    if within:
        raw = json.dumps({"to": target.rest, "replace": True}).encode()
        sent = {"CONTENT_TYPE": JSON, "CONTENT_LENGTH": str(len(raw)), "wsgi.input": BytesIO(raw)}
        request.serve(Verb.RENAME, source.path, RequestBody(sent))
    else:
        _copy(request, source, target, deep=deep)
        if moves:
            request.serve(Verb.REMOVE, source.path, query=ALL)
    if moves:
        request.world.code.locks.drop_below(origin.here.id, source.rest)
    return not there.absent


def _copy(request: DriveRequest, source: Place, target: Place, *, deep: bool) -> None:
    origin = request.find(Verb.READ, source.path).here
    space = request.find(Verb.CREATE, target.path).here
    note_writers(request.world, space, (request.caller.author or "").split())
    with noting_changes(request.world, space.id, request.head.id):
        request.world.code.spaces.copy_tree(origin.id, source.rest, space.id, target.rest, deep=deep)
    request.world.items.touch(space)


def _rename_space(request: DriveRequest, source: Place, target: Place) -> Answer:
    """Rename a whole space; another one is never replaced."""
    if source.item[:-1] != target.item[:-1]:
        raise Denied("a space stays with its owner: copy what is in it")
    if not request.look(target.item).absent:
        raise Outdated(f"there is a space {target.item[-1]} already, and spaces are not replaced")
    with request.world.atomic():
        context = hold(request, request.find(Verb.RENAME, source.item))
        admit_change(request, Touched(context.here.id, "", deep=True))
        request.serve(Verb.RENAME, source.item, TextBody(target.item[-1]))
    return _done(created=True)


def change_properties(request: DriveRequest) -> Answer:
    """Set and remove properties, all or none; live properties and large values are refused."""
    changes = property_changes(read_xml(RequestBody(request.head.environ)))
    names = dict.fromkeys(name for name, _ in changes)
    place = require_space(request.place)
    with request.world.atomic():
        context = hold(request, request.find(Verb.REMOVE, place.path))
        admit_change(request, Touched(context.here.id, place.rest))
        member = member_at(request, place)
        kept = kept_properties(member)
        for name, xml in changes:
            kept.pop(name, None)
            if xml is not None:
                kept[name] = xml
        stored = json.dumps(kept) if kept else ""
        wrong = {name: HTTPStatus.FORBIDDEN for name in names if not place.rest or name.startswith(DAV)}
        if len(stored) > LARGEST_PROPERTIES:
            wrong = dict.fromkeys(names, HTTPStatus.INSUFFICIENT_STORAGE)
        if not wrong:
            request.world.code.spaces.describe(context.here.id, place.rest, stored)
    groups: dict[HTTPStatus, list[str]] = {}
    usual = HTTPStatus.FAILED_DEPENDENCY if wrong else HTTPStatus.OK
    for name in names:
        groups.setdefault(wrong.get(name, usual), []).append(empty(name))
    return multistatus([response(member, groups)])


def require_space(place: Place) -> Place:
    """Return the place if it is a space or in one. Raises Denied, as everything else is read-only."""
    if not place.depth:
        raise Denied(f"{HERE / place.names} is only read here: a drive writes what is in spaces")
    return place


def require_inside(place: Place) -> Place:
    """Return the place if it is in a space. Raises Denied."""
    if require_space(place).depth == 1:
        raise Denied(f"{HERE / place.names} is a whole space: files go into it")
    return place


def require_folder(request: DriveRequest, place: Place) -> None:
    """Raise Conflict unless the folder of a place exists."""
    context = request.look(Path(place.path[:-1]))
    entry = context.get(PATH)
    if context.absent or (entry is not None and not entry.folder):
        raise Conflict(f"there is no folder {HERE / place.names[:-1]}: make it first")


def hold(request: DriveRequest, context: RoutedContext[Any]) -> RoutedContext[Any]:
    """Lock the space of a context until the transaction ends; return the context. Raises NotFound."""
    if not request.world.items.hold(context.here):
        raise NotFound("the space no longer exists: nothing was changed")
    return context


def _are_files(*contexts: RoutedContext[Any]) -> bool:
    return all((entry := one.get(PATH)) is not None and not entry.folder for one in contexts)


def _full(request: DriveRequest, error: TooLarge) -> TooLarge | NoSpace:
    """Return the refusal of a file: above a quota NoSpace, which programs understand."""
    if error.members.get("limit") == request.world.service.settings.space_file_limit:
        return error
    return NoSpace(error.detail)


def _done(*, created: bool = False, tag: str = "") -> Answer:
    answer = Answer(HTTPStatus.CREATED if created else HTTPStatus.NO_CONTENT)
    if tag:
        answer.add("ETag", f'"{tag}"')
    return answer
