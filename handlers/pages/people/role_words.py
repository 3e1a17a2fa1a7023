"""Roles in words: what each is called, and what it lets one do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from vfs.access import Role

SINGULAR: Mapping[str, str] = {
    Role.FOUNDERS.value: "founder",
    Role.ADMINS.value: "admin",
    Role.SUPERUSERS.value: "superuser",
    Role.MEMBERS.value: "member",
}


class RoleRight(NamedTuple):
    """A role with what it may do beside what those below it in the list may."""

    role: str
    of_group: str
    of_organisation: str


MAY = (
    RoleRight(
        "member",
        "sees who is in it, shares things with it, and uses what others share with it",
        "sees who is in it; has no part in its groups before it is invited to them",
    ),
    RoleRight(
        "superuser",
        "also invites, and manages superusers and members; may delete what is shared with d",
        "also invites, and manages superusers and members",
    ),
    RoleRight(
        "admin",
        "also changes the settings, and manages admins",
        "also changes the settings, makes groups, sees all groups and may enter them",
    ),
    RoleRight(
        "founder",
        "also removes the group; the last one cannot leave",
        "also manages founders, and removes the organisation; the last one cannot leave",
    ),
)
