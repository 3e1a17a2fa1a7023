"""Mail addresses of groups, and tickets to unsubscribe an address without signing in."""

from __future__ import annotations

import base64
import binascii

from handlers.identity.credentials import SealPort
from handlers.services.world import World
from vfs.errors import NotFound
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


FOLDER = "unsubscribe"
NOTICES = "notices"


def leave_address(seal: SealPort, origin: str, owner: str, address: str) -> str:
    """Return the web address to unsubscribe a mail address from the mails of an owner."""
    return f"{origin}/{FOLDER}/{_ticket(seal, 'leave', f'{owner} {address.lower()}')}"


def read_ticket(world: World, ticket: str) -> tuple[str, str]:
    """Return the owner and the mail address of a valid ticket. Raises NotFound for any other."""
    owner, _, address = _read(world, "leave", ticket).partition(" ")
    return owner, address


def mute_address(seal: SealPort, origin: str, what: int | str, user: str) -> str:
    """Return the web address to unsubscribe a user from mails about an item or an event."""
    return f"{origin}/{FOLDER}/{NOTICES}/{_ticket(seal, 'mute', f'{what} {user}')}"


def read_mute_ticket(world: World, ticket: str) -> tuple[int | str, str]:
    """Return the item or event, and the user, of a valid ticket. Raises NotFound for any other."""
    what, _, user = _read(world, "mute", ticket).partition(" ")
    return int(what) if what.isdecimal() else what, user


def _ticket(seal: SealPort, purpose: str, said: str) -> str:
    words = base64.urlsafe_b64encode(said.encode()).decode().rstrip("=")
    return f"{words}.{seal.mark(f'{purpose} {said}')}"


def _read(world: World, purpose: str, ticket: str) -> str:
    """Return the content of a ticket. Raises NotFound unless this installation made it for the purpose."""
    words, _, mark = ticket.rpartition(".")
    try:
        said = base64.urlsafe_b64decode(words + "=" * (-len(words) % 4)).decode()
    except (binascii.Error, ValueError):
        said = ""
    if not said or not world.service.seal.is_mark_of(mark, f"{purpose} {said}"):
        raise NotFound("this link is incomplete: open it exactly as it is in the mail")
    return said
