"""Notices as an inbox shows them: what waits for an answer first, nothing of what its owner may not see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from handlers.rules.addresses import API
from handlers.services.access import item_access
from handlers.services.run_notices import WAITING
from handlers.services.world import World
from vfs.access import NOTHING, Access
from vfs.path import Path
from vfs.place import Place
from vfs.ports.people import Notice

OF_RUNS = ("failed", "success", "rejected", "paused")
"""Kinds of notices that tell of runs, which whoever reads the job is told."""


OF_COMMENTS = ("commented", "answered")
"""Kinds of notices that quote comments, which are for those who read or run the resource."""


class Subject(NamedTuple):
    """The resource that a notice is about: its kind, its owner, its name."""

    kind: str
    owner: str
    name: str


def shown_notices(place: Place[World]) -> list[Notice]:
    """The caller's notices, newest first, those of holds that wait before all others.

    One about a resource is left out while the caller may not see it, or not do what the notice asks for: that
    is asked now, by a statement for each kind.
    """
    notices = open_notices(place, place.world.social.notices.of(place.me))
    return sorted(notices, key=lambda notice: notice.kind != WAITING)


def open_notices(place: Place[World], notices: Sequence[Notice]) -> list[Notice]:
    """Those of the notices that the caller may be told of at this moment."""
    subjects = {notice.id: subject for notice in notices if (subject := _subject(place.world, notice))}
    access = _present_access(place, subjects.values())
    return [
        notice
        for notice in notices
        if notice.id not in subjects or is_for(notice, access.get(subjects[notice.id], NOTHING))
    ]


def is_for(notice: Notice, access: Access) -> bool:
    """Whether a notice says, and asks for, no more than what may be done with this access."""
    if notice.kind == WAITING:
        return Access.EXECUTE in access
    if notice.kind in OF_RUNS:
        return Access.READ in access
    if notice.kind in OF_COMMENTS:
        return bool(access & (Access.READ | Access.EXECUTE))
    return Access.INFO in access


def _subject(world: World, notice: Notice) -> Subject | None:
    match Path.parse(notice.path):
        case (root, "users", owner, family, folder, name, *_) if root == API[0]:
            for kind in world.service.kinds.values():
                if (kind.family, kind.folder) == (family, folder):
                    return Subject(kind.name, owner, name)
    return None


def _present_access(place: Place[World], subjects: Iterable[Subject]) -> Mapping[Subject, Access]:
    """The caller's access to those of the resources that are there."""
    named: dict[str, set[tuple[str, str]]] = {}
    for subject in subjects:
        named.setdefault(subject.kind, set()).add((subject.owner, subject.name))
    return {
        Subject(kind, found.item.owner, found.item.name): item_access(place.world, found, place.caller)
        for kind, names in named.items()
        for found in place.world.items.all_named(kind, names, (), place.me)
    }
