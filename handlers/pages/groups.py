"""References of groups and organisations as shares write them, with their folders and pages."""

from __future__ import annotations

from dataclasses import dataclass

from handlers.rules.addresses import API
from vfs.path import Path

INVITES = API / ("admin", "invites")


@dataclass(frozen=True, slots=True)
class GroupPath:
    """A group of a user or, with `org`, of an organisation, as in the address of its page.

    An organisation itself has no `group`.
    """

    owner: str
    group: str = ""
    org: bool = False

    @property
    def ref(self) -> str:
        """The reference in shares and invitations."""
        return f"{'+' if self.org else '@'}{self.owner}" + (f"~{self.group}" if self.group else "")

    @property
    def api(self) -> Path:
        """Its folder in the tree."""
        if self.org:
            return API / ("orgs", self.owner) / (("groups", self.group) if self.group else ())
        return API / ("users", self.owner, "groups", self.group)

    @property
    def admin(self) -> Path:
        """The folder of its administration."""
        if self.org:
            return API / ("admin", "orgs", self.owner) / (("groups", self.group) if self.group else ())
        return API / ("admin", "groups", self.ref)

    @property
    def page(self) -> Path:
        """Its page."""
        if self.org:
            return Path(("o", self.owner)) / (("g", self.group) if self.group else ())
        return Path(("u", self.owner, "grp", self.group))


def group_of(ref: str) -> GroupPath:
    """Return the group of a reference."""
    owner, _, group = ref[1:].partition("~")
    return GroupPath(owner, group, org=ref.startswith("+"))
