"""Hints: the request behind a call, as an edge tells hooks of it; the kernel passes them on unread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from handlers.security.notes import RequestNotes
from handlers.services.world import World
from vfs.call import Call


@dataclass(frozen=True, slots=True)
class Hints:
    """The client of a call, and how it wants to be answered.

    `origin` is the public address of the service, `client` names the client program, `address` where it is,
    as a line in a log tells it; `source` is that address where it is certain to be the client's own (empty:
    somebody stands between), `local` tells that it is this very host and nobody stands between. `prefer`
    holds the preferences of RFC 7240. `events` tells that news are wanted as they come, from after the one
    that is named `since`. `notes` are for the security log.
    """

    prefer: Mapping[str, str] = field(default_factory=dict)
    client: str = ""
    address: str = ""
    source: str = ""
    local: bool = False
    origin: str = ""
    events: bool = False
    since: str = ""
    notes: RequestNotes = field(default_factory=RequestNotes)


def hints_of(call: Call[World]) -> Hints:
    """The hints of a call; empty ones where it comes from the same process."""
    return call.hints if isinstance(call.hints, Hints) else Hints()
