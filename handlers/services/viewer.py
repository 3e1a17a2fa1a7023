"""Callers as services know them: the viewer of an item, and hints about the client of a request."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic

from handlers.identity.proofs import Sender
from handlers.security.log_lines import RequestNotes
from handlers.services.world import World
from vfs.access import Caller
from vfs.call import Call, Ongoing, Unsupervised
from vfs.ports.items import Item

PROGRAMS = {"novemcli": "cli", "novemlib": "library"}


def first_offered(offered: Sequence[str]) -> str:
    """Return the media type for a client without preferences: the first one offered."""
    return offered[0]


@dataclass(frozen=True, slots=True)
class Hints:
    """The client of a call, and its preferences for the response.

    `origin`: the public address of the service. `client`: the name of the client program. `address`: the
    address of the client, as a log shows it. `source`: the same, if it is certainly the client's own (""
    behind a proxy). `local`: the client is on this host, without a proxy. `prefer`: the preferences of RFC
    7240. `events`: the client wants news as a stream; `since`: only those after this one. `prefers`: returns
    the media type that the client prefers of those offered, by default the first. `notes`: for the security
    log.
    """

    prefer: Mapping[str, str] = field(default_factory=dict)
    client: str = ""
    address: str = ""
    source: str = ""
    local: bool = False
    origin: str = ""
    events: bool = False
    since: str = ""
    prefers: Callable[[Sequence[str]], str] = first_offered
    notes: RequestNotes = field(default_factory=RequestNotes)

    @property
    def program(self) -> str | None:
        """The client program: `cli` or `library` for the published ones, else its first word, if any."""
        word = re.match(r"[A-Za-z][A-Za-z0-9._-]{0,31}", self.client)
        return PROGRAMS.get(word[0].lower(), word[0].lower()) if word is not None else None


def hints_of(call: Call[World]) -> Hints:
    """Return the hints of a call; empty ones for a call within the process."""
    return call.hints if isinstance(call.hints, Hints) else Hints()


def sender_of(call: Call[World]) -> Sender:
    """Return the sender of a call as proofs of identity see it."""
    hints = hints_of(call)
    return Sender(hints.source, hints.origin, hints.notes)


PROMPT = 0.5
"""Seconds after which the caller's rights are checked again."""


@dataclass(frozen=True, slots=True)
class Viewer:
    """A caller who looks at an item of the world: all that is needed to draw, send or copy it.

    The trees make one from the context of a call (`handlers.trees.facets.contexts`). Other code that draws,
    such as the runner, the schedule or a backup, makes one from an item and a caller, without a call.
    `ongoing` supervises long work: it takes one of a limited number of slots, and checks that the caller
    still has the right. Without a request there is no supervision.
    """

    world: World
    item: Item
    caller: Caller
    ongoing: Ongoing = field(default_factory=Unsupervised)

    def check_since(self, moment: float) -> None:
        """Raise the refusal that the caller would get now, if its rights were checked long ago."""
        if monotonic() - moment > PROMPT:
            self.ongoing.check()

    @property
    def me(self) -> str:
        """The caller's name, empty for anonymous callers."""
        return self.caller.name or ""
