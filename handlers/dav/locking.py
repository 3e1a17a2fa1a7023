"""LOCK and UNLOCK: locks of drive clients on files and folders of spaces."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from http import HTTPStatus
from secrets import token_urlsafe
from typing import Any

from chains.spaces.locks import Locked, SpaceLock, is_inside
from handlers.dav.changes import hold, require_folder, require_space
from handlers.dav.guard import Touched, admit_change, locks_in
from handlers.dav.properties import lock_list, xml_answer
from handlers.dav.request import INFINITE, DriveRequest
from handlers.dav.xml_bodies import lock_order, read_xml
from handlers.http.bodies.body import RequestBody
from handlers.http.response import Answer
from vfs.access import Verb
from vfs.errors import Conflict, Denied, Invalid, Outdated, QuotaReached
from vfs.ports.clock import stamp
from vfs.route import RoutedContext

LONGEST = 3600
"""Most seconds until a lock ends, unless it is renewed."""
MOST_LOCKS = 200
"""Most locks of an account."""
MOST_SHARED = 10
"""Most shared locks of a file or folder."""
_SECONDS = re.compile(r"Second-([0-9]{1,10})", re.IGNORECASE)


def lock(request: DriveRequest) -> Answer:
    """Lock a file or folder, or renew a lock. A missing file is created, empty."""
    root = read_xml(RequestBody(request.head.environ))
    place = require_space(request.place)
    if root is None:
        return _renew(request)
    exclusive, about = lock_order(root)
    deep = request.depth(INFINITE, "0", INFINITE) == INFINITE
    with request.world.atomic():
        there = request.look(place.path)
        is_new = there.absent
        context = hold(request, request.find(Verb.CREATE if is_new else Verb.REMOVE, place.path))
        space = context.here.id
        if is_new:
            require_folder(request, place)
        admit_change(request, *([Touched(space, place.rest, binds=True)] if is_new else ()))
        _admit_lock(request, space, exclusive=exclusive, deep=deep)
        if is_new:
            request.serve(Verb.CREATE, place.path)
        # Short, because litmus cuts an If header with a token and two ETags after 199 bytes.
        token = f"curlew:{token_urlsafe(18)}"
        made = SpaceLock(token, place.rest, deep, exclusive, request.me, about, _end(request))
        request.world.code.locks.add(space, made, stamp(request.world.service.deadlines.now()))
    answer = _shown(request, made, HTTPStatus.CREATED if is_new else HTTPStatus.OK)
    answer.add("Lock-Token", f"<{made.token}>")
    return answer


def _admit_lock(request: DriveRequest, space: int, *, exclusive: bool, deep: bool) -> None:
    """Raise Locked if another lock excludes this one, QuotaReached for too many locks."""
    path, others = request.place.rest, locks_in(request, space)
    for other in others:
        meets = other.covers(path) or (deep and is_inside(other.path, path))
        if meets and (other.exclusive or exclusive):
            raise Locked(f"{other.path or 'the space'} is locked by {other.account} already")
    now = stamp(request.world.service.deadlines.now())
    if request.world.code.locks.held(request.me, now) >= MOST_LOCKS:
        raise QuotaReached(f"your programs hold {MOST_LOCKS} locks: close some files first")
    if sum(other.covers(path) for other in others) >= MOST_SHARED:
        raise QuotaReached(f"{path or 'the space'} has {MOST_SHARED} locks: close it somewhere first")


def _end(request: DriveRequest) -> str:
    """Return the time at which a lock ends, by the Timeout header."""
    asked = _SECONDS.search(request.header("Timeout"))
    seconds = min(int(asked[1]), LONGEST) if asked else LONGEST
    return stamp(request.world.service.deadlines.now() + timedelta(seconds=seconds))


def _renew(request: DriveRequest) -> Answer:
    """Renew the caller's lock whose token is in the `If` header. Raises Outdated without such a lock."""
    place = request.place
    with request.world.atomic():
        context = hold(request, request.find(Verb.REMOVE, place.path))
        admit_change(request)
        mine = [one for one in _covering(request, context) if one.token in request.tokens]
        if len(mine) != 1 or mine[0].account != request.me:
            raise Outdated("a LOCK without a body renews a lock: send its token as  If: (<token>)")
        renewed = replace(mine[0], expires_on=_end(request))
        request.world.code.locks.renew(renewed.token, renewed.expires_on)
    return _shown(request, renewed, HTTPStatus.OK)


def unlock(request: DriveRequest) -> Answer:
    """End a lock of the caller; the owner of a space can also end locks of others."""
    place = require_space(request.place)
    token = request.header("Lock-Token")
    if not (token.startswith("<") and token.endswith(">")):
        raise Invalid("send the token as  Lock-Token: <token>")
    with request.world.atomic():
        context = hold(request, request.find(Verb.REMOVE, place.path))
        found = [one for one in _covering(request, context) if one.token == token[1:-1]]
        if not found:
            raise Conflict("this lock is not there, or has ended")
        if found[0].account != request.me and not context.owned:
            raise Denied(f"the lock is one of {found[0].account}'s")
        request.world.code.locks.drop(context.here.id, found[0].token)
    return Answer(HTTPStatus.NO_CONTENT)


def _covering(request: DriveRequest, context: RoutedContext[Any]) -> list[SpaceLock]:
    return [one for one in locks_in(request, context.here.id) if one.covers(request.place.rest)]


def _shown(request: DriveRequest, made: SpaceLock, status: HTTPStatus) -> Answer:
    content = f"<D:lockdiscovery>{lock_list(request, [made])}</D:lockdiscovery>"
    return xml_answer(status, f'<D:prop xmlns:D="DAV:">{content}</D:prop>')
