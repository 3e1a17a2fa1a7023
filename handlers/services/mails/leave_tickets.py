"""Tickets by which a recipient gets no more of somebody's mails, without signing in."""

from __future__ import annotations

import base64
import binascii

from handlers.services.world import SealPort, World
from vfs.errors import NotFound

FOLDER = "unsubscribe"


def leave_address(seal: SealPort, origin: str, owner: str, address: str) -> str:
    """The web address at which an address gets no more mails of an owner."""
    said = f"{owner} {address.lower()}"
    words = base64.urlsafe_b64encode(said.encode()).decode().rstrip("=")
    return f"{origin}/{FOLDER}/{words}.{seal.mark(_signed_text(said))}"


def read_ticket(world: World, ticket: str) -> tuple[str, str]:
    """The owner and the address of a ticket that this installation made. Raises NotFound for any other."""
    words, _, mark = ticket.rpartition(".")
    try:
        said = base64.urlsafe_b64decode(words + "=" * (-len(words) % 4)).decode()
    except (binascii.Error, ValueError):
        said = ""
    if not said or not world.service.seal.is_mark_of(mark, _signed_text(said)):
        raise NotFound("this link is not whole: open it as the mail has it")
    owner, _, address = said.partition(" ")
    return owner, address


def _signed_text(said: str) -> str:
    return f"leave {said}"
