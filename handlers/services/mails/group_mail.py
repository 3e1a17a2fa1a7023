"""Mail addresses of groups, `<group>@<org>.<mail_domain>`, while both options enable them."""

from __future__ import annotations

from handlers.services.world import World
from vfs.parts import boolean
from vfs.ports.groups import Group, GroupKind, reference
from vfs.ports.leaves import text_at


def address_of(world: World, group: Group) -> str | None:
    """Return the address of an organisation's group; None if mail is not enabled for it."""
    domain = world.service.settings.mail_domain
    if not domain or group.parent is None:
        return None
    org = world.people.groups.find(group.parent, None)
    if org is None or not is_set(world, org.group, "enable_subdomain"):
        return None
    is_open = is_set(world, group, "allow_inbound_mail")
    return f"{group.name}@{group.owner}.{domain}" if is_open else None


def group_at(world: World, address: str) -> Group | None:
    """Return the group with this address; None for a closed address as for a missing one."""
    name, _, host = address.lower().rpartition("@")
    org, _, domain = host.partition(".")
    if not name or not org or domain != world.service.settings.mail_domain.lower():
        return None
    found = world.people.groups.find(reference(GroupKind.ORG_GROUP, org, name), None)
    if found is None or (address_of(world, found.group) or "").lower() != address.lower():
        return None
    return found.group


def is_set(world: World, group: Group, option: str, default: str = "no") -> bool:
    """Return whether an option of a group's profile is set."""
    return boolean(text_at(world.leaves, group.item.id, f"options/{option}") or default)
