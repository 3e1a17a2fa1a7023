"""Notices in the words of this moment, and only those that their user may be told now."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from handlers.services.access import item_access
from handlers.services.notices.subjects import (
    GROUP_KINDS,
    INVITE,
    api_path,
    group_ref,
    page_path,
    thing_name,
)
from handlers.services.run_notices import WAITING
from handlers.services.world import World
from vfs.access import Access, Caller, Role
from vfs.ports.items import Found
from vfs.ports.notices import EXCERPT, Notice

OF_RUNS = ("failed", "success", "rejected", "unwritten", "paused")
"""Kinds of notices that tell of runs, which whoever reads the job is told."""

MENTIONED = "mentioned"
OF_COMMENTS = ("commented", "answered", MENTIONED)
"""Kinds of notices that quote comments, which are for those who read or run the resource."""

SHARED = "shared"
SPOKEN = {"r": "read", "w": "write", "d": "delete", "x": "use"}
SINGULAR = {
    Role.FOUNDERS: "a founder",
    Role.ADMINS: "an admin",
    Role.SUPERUSERS: "a superuser",
    Role.MEMBERS: "a member",
}
WORD = re.compile(r"\{([a-z]+)\}")


@dataclass(frozen=True, slots=True)
class ToldNotice:
    """A notice as it is told: the path and the page of what it is about, and its text.

    `level_path` is the file of the level by which it came; "" where there is none.
    """

    notice: Notice
    path: str
    page: str
    text: str
    level_path: str = ""


def told_notices(world: World, notices: Sequence[Notice], caller: Caller) -> list[ToldNotice]:
    """The notices of a user that the user may be told now; one statement for everything that they are about.

    A notice about something that is gone, or that the caller may not see, is left out.
    """
    about = world.items.all_at({one.item for one in notices if one.item is not None}, caller.name)
    told = (_tell(world, notice, about, caller) for notice in notices)
    return [one for one in told if one is not None]


def spell_letters(letters: str) -> str:
    """The letters of a share, and what they say."""
    return f"{letters} ({', '.join(SPOKEN[letter] for letter in letters)})"


def is_for(notice: Notice, access: Access) -> bool:
    """Whether a notice of a resource says, and asks for, no more than what may be done with this access."""
    if notice.kind == WAITING:
        return Access.EXECUTE in access
    if notice.kind in OF_RUNS:
        return Access.READ in access
    if notice.kind in OF_COMMENTS:
        return bool(access & (Access.READ | Access.EXECUTE))
    return Access.INFO in access


def _tell(world: World, notice: Notice, about: Mapping[int, Found], caller: Caller) -> ToldNotice | None:
    if notice.item is None:
        return ToldNotice(notice, notice.path, "", notice.text)
    found = about.get(notice.item)
    if found is None or not _is_told(world, notice, found, caller):
        return None
    item, words = found.item, _words(world, notice, found, caller)
    text = WORD.sub(lambda match: words.get(match[1], match[0]), notice.text)
    if notice.kind == INVITE:
        return ToldNotice(notice, f"/v1/admin/invites/{group_ref(item)}", f"/u/{caller.name}", text)
    level = api_path(world, item, "notifications") if item.kind in world.service.kinds else ""
    return ToldNotice(
        notice, api_path(world, item, notice.path), page_path(world, item, notice.path), text, level
    )


def _is_told(world: World, notice: Notice, found: Found, caller: Caller) -> bool:
    """Whether the user may be told of the item: of a group while in it, or invited where that is told."""
    if found.item.kind in GROUP_KINDS:
        return notice.role is not None and notice.pending == (notice.kind == INVITE)
    if found.item.kind not in world.service.kinds:
        return True
    if notice.kind == SHARED and not _letters(found, caller):
        return False
    return is_for(notice, item_access(world, found, caller))


def _words(world: World, notice: Notice, found: Found, caller: Caller) -> Mapping[str, str]:
    """The texts that stand for the words in braces."""
    said = notice.comment or ""
    return {
        "thing": thing_name(found.item),
        "page": page_path(world, found.item) or api_path(world, found.item),
        "group": group_ref(found.item),
        "comment": said if len(said) <= EXCERPT else f"{said[:EXCERPT]}…",
        "role": SINGULAR[notice.role] if notice.role is not None else "",
        "letters": spell_letters(_letters(found, caller)),
    }


def _letters(found: Found, caller: Caller) -> str:
    """The letters of the share with the caller alone."""
    return next((reach.letters for reach in found.reaches if reach.target == f"@{caller.name}"), "")
