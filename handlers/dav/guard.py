"""Conditions of a change in addition to access: its `If` header, and the tokens of locks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from chains.spaces import paths
from chains.spaces.locks import Locked, SpaceLock, is_inside
from handlers.dav.request import Condition, DriveRequest
from handlers.trees.code.spaces import PATH, etag
from vfs.errors import Outdated, VfsError
from vfs.ports.clock import stamp


class Touched(NamedTuple):
    """A path that a change affects: with `deep` all below it, with `binds` also its entry in the folder."""

    space: int
    path: str
    deep: bool = False
    binds: bool = False


def locks_in(request: DriveRequest, space: int) -> Sequence[SpaceLock]:
    """Return the locks in a space."""
    return request.world.code.locks.of(space, stamp(request.world.service.deadlines.now()))


def admit_change(request: DriveRequest, *touched: Touched) -> None:
    """Raise Outdated if the `If` header is not met, and Locked if a lock is hit whose token was not sent.

    Call it in the transaction of the change, which has locked the space.
    """
    lists = request.conditions
    if lists and not any(all(_holds(request, one) != one.negated for one in each) for each in lists):
        raise Outdated("what the If header says of locks and ETags is not so: nothing was changed")
    sent = request.tokens
    for one in touched:
        hit = [lock for lock in locks_in(request, one.space) if _is_hit(lock, one)]
        held = [lock for lock in hit if lock.token in sent and lock.account == request.me]
        needed = [lock for lock in hit if lock.exclusive or not any(not mine.exclusive for mine in held)]
        if others := [lock for lock in needed if lock not in held]:
            raise Locked(
                f"{others[0].path or 'the space'} is locked by {others[0].account}: wait until it is closed "
                "there, or until the lock ends"
            )


def _is_hit(lock: SpaceLock, touched: Touched) -> bool:
    return (
        lock.covers(touched.path)
        or (touched.deep and is_inside(lock.path, touched.path))
        or (touched.binds and lock.path == paths.parent(touched.path) and touched.path != "")
    )


def _holds(request: DriveRequest, condition: Condition) -> bool:
    try:
        place = request.place if condition.address is None else request.place_at(condition.address)
    except VfsError:
        return False
    context = request.look(place.path) if place.depth else None
    if context is None or context.item is None:
        return False
    if condition.token is not None:
        locks = locks_in(request, context.item.id)
        return any(lock.token == condition.token and lock.covers(place.rest) for lock in locks)
    entry = None if context.absent else context.get(PATH)
    return entry is not None and entry.blob is not None and etag(entry.blob.digest) == condition.tag
