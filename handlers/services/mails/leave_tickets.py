"""Tickets by which somebody gets no more mails of a kind, without signing in."""

from __future__ import annotations

import base64
import binascii

from handlers.services.world import SealPort, World
from vfs.errors import NotFound

FOLDER = "unsubscribe"
NOTICES = "notices"


def leave_address(seal: SealPort, origin: str, owner: str, address: str) -> str:
    """The web address at which an address gets no more mails of an owner."""
    return f"{origin}/{FOLDER}/{_ticket(seal, 'leave', f'{owner} {address.lower()}')}"


def read_ticket(world: World, ticket: str) -> tuple[str, str]:
    """The owner and the address of a ticket that this installation made. Raises NotFound for any other."""
    owner, _, address = _read(world, "leave", ticket).partition(" ")
    return owner, address


def mute_address(seal: SealPort, origin: str, what: int | str, user: str) -> str:
    """The web address at which a user gets no more mails of what happens to an item, or of an event."""
    return f"{origin}/{FOLDER}/{NOTICES}/{_ticket(seal, 'mute', f'{what} {user}')}"


def read_mute_ticket(world: World, ticket: str) -> tuple[int | str, str]:
    """The item or the event, and the user, of such a ticket. Raises NotFound for any other."""
    what, _, user = _read(world, "mute", ticket).partition(" ")
    return int(what) if what.isdecimal() else what, user


def _ticket(seal: SealPort, purpose: str, said: str) -> str:
    words = base64.urlsafe_b64encode(said.encode()).decode().rstrip("=")
    return f"{words}.{seal.mark(f'{purpose} {said}')}"


def _read(world: World, purpose: str, ticket: str) -> str:
    """The words of a ticket. Raises NotFound for one that was not made here for that."""
    words, _, mark = ticket.rpartition(".")
    try:
        said = base64.urlsafe_b64decode(words + "=" * (-len(words) % 4)).decode()
    except (binascii.Error, ValueError):
        said = ""
    if not said or not world.service.seal.is_mark_of(mark, f"{purpose} {said}"):
        raise NotFound("this link is incomplete: open it exactly as it stands in the mail")
    return said
