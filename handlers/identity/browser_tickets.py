"""Tickets that a browser returns within minutes: challenges, correct passwords, started sign-ins."""

from __future__ import annotations

import json
import secrets
from typing import Any, NamedTuple

from handlers.identity.credentials import SealPort
from vfs.errors import Unavailable
from vfs.ports.clock import Clock
from vfs.ports.people import Limit, Rates

SECONDS = 300
"""Default lifetime of a ticket in seconds."""


class BrowserTicket(NamedTuple):
    """A valid ticket: its number, and its content."""

    number: str
    content: Any


class BrowserTickets:
    """Creates and reads tickets, each for one purpose and browser. Used ones are stored until they expire.

    The number is encrypted with the content, since several texts may decode to the same ticket.
    """

    def __init__(self, seal: SealPort, rates: Rates, clock: Clock) -> None:
        self._seal = seal
        self._rates = rates
        self._clock = clock

    def make(self, purpose: str, browser: str, content: object = None, seconds: int = SECONDS) -> str:
        """Return a new ticket in ASCII."""
        facts = [secrets.token_hex(16), self._clock.now().timestamp() + seconds, content]
        return self._seal.close(json.dumps(facts), _context(purpose, browser))

    def read(self, ticket: str, purpose: str, browser: str) -> BrowserTicket | None:
        """Return a ticket, even a used one; None if it has expired or is for another purpose or browser."""
        try:
            number, ends, content = json.loads(self._seal.open(ticket, _context(purpose, browser)))
        except Unavailable:
            return None
        return BrowserTicket(number, content) if ends > self._clock.now().timestamp() else None

    def spend(self, ticket: BrowserTicket, seconds: int = SECONDS) -> bool:
        """Use up a ticket, for all processes. Return False if it was used before."""
        return not self._rates.take([Limit(f"ticket {ticket.number}", 1, seconds + 1)])


def _context(purpose: str, browser: str) -> str:
    return f"ticket to {purpose} in {browser}"
