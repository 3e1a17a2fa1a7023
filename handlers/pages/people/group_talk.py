"""Comments in a group, or in an organisation, by those who are in it."""

from __future__ import annotations

from handlers.pages.groups import GroupPath
from handlers.pages.items.talk import Talk, TalkPlace, talk_at
from handlers.pages.request import PageRequest


def talk_of_group(request: PageRequest, at: GroupPath) -> Talk | None:
    """The comments that the caller reads there; None for whoever reads none."""
    standing = request.world.people.groups.find(at.ref, request.caller.name)
    if standing is None:
        return None
    noun = "group" if at.group else "organisation"
    return talk_at(request, TalkPlace(at.api, at.page, standing.group.item, noun))
