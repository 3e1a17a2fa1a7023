"""Notices as an inbox shows them: what waits for an answer first, nothing of what its owner may not see."""

from __future__ import annotations

from handlers.services.notices.telling import ToldNotice, told_notices
from handlers.services.run_notices import WAITING
from handlers.services.world import World
from vfs.place import Place


def shown_notices(place: Place[World]) -> list[ToldNotice]:
    """The caller's notices, newest first, those of holds that wait before all others.

    Each is told as it is at this moment, and left out while the caller may not see what it is about.
    """
    told = told_notices(place.world, place.world.social.notices.of(place.me), place.caller)
    return sorted(told, key=lambda one: one.notice.kind != WAITING)


def shown_notice(place: Place[World], id: int) -> ToldNotice | None:
    """The caller's notice of that number, while it may be told of it."""
    found = place.world.social.notices.find(place.me, id)
    told = told_notices(place.world, [found] if found is not None else [], place.caller)
    return told[0] if told else None
