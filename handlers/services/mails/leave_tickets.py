"""Tickets to unsubscribe from mails of a kind without signing in."""

from __future__ import annotations

import base64
import binascii

from handlers.identity.seal_port import SealPort
from handlers.services.world import World
from vfs.errors import NotFound

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
