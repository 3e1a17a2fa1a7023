"""EventPattern: the addresses and kinds of events of a subscription."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vfs.errors import Invalid

ANY = "*"
LONGEST = 256
MOST_NAMES = 16
ROOT_NAMES = 2
KINDS = "e"
NAME = re.compile(r"[A-Za-z0-9@+~_.=-]{1,128}")
TYPE = re.compile(r"[a-z]+(?:_[a-z]+)*")
CORNERS = ("u", "o", ANY)
ME = ":me"
PERSONAL = ("mention", "comment_reply")
"""The types of events that concern one user, and that only this user is sent: what ME asks for."""
HOW = "write /u/<user>/<letter>/<name>, * for any name, and /e/<kind> behind it for one kind of event"


@dataclass(frozen=True, slots=True)
class EventPattern:
    """A pattern: `names` of an address (`*` is any name), and a `kind` of events (`*`: every one).

    With `only_me`, only events that concern the subscriber.
    """

    names: tuple[str, ...]
    kind: str = ANY
    only_me: bool = False

    @property
    def root(self) -> tuple[str, ...]:
        """The first names, by which patterns are indexed; empty if one of them is `*`."""
        root = self.names[:ROOT_NAMES]
        return root if len(root) == ROOT_NAMES and ANY not in root else ()

    def fits(self, address: Sequence[str], event_type: str) -> bool:
        """Return whether the pattern matches an event of this type, at the address or below it.

        A kind is the type itself or one of its words: `update` also matches `data_update`.
        """
        if len(address) < len(self.names):
            return False
        if any(ours not in (ANY, name) for ours, name in zip(self.names, address, strict=False)):
            return False
        return self.fits_type(event_type) and not (self.only_me and event_type not in PERSONAL)

    def fits_type(self, event_type: str) -> bool:
        """Return whether the kind matches a type of events."""
        return self.kind in (ANY, event_type) or self.kind in event_type.split("_")


def parse(text: object) -> EventPattern:
    """Return the pattern that was sent. Raise Invalid.

    An `@` before a user's name is ignored, and so is a `*` at the end, because a pattern always matches
    everything below its address.
    """
    if not isinstance(text, str) or not text or len(text) > LONGEST:
        raise Invalid(f"a subscription is a pattern of 1 to {LONGEST} signs: {HOW}")
    names = text.strip("/").split("/")
    if len(names) > MOST_NAMES:
        raise Invalid(f"a pattern has at most {MOST_NAMES} names: {HOW}")
    kind, only_me = ANY, False
    if len(names) > ROOT_NAMES and names[-2] == KINDS:
        kind, names = names[-1], names[:-2]
        only_me, kind = kind.endswith(ME), kind.removesuffix(ME)
    if kind != ANY and not TYPE.fullmatch(kind):
        raise Invalid(f'"{kind[:40]}" is no kind of event: {HOW}')
    if names[0] not in CORNERS:
        raise Invalid(f"a pattern begins with /u/ or /o/: {HOW}")
    for name in names:
        if name != ANY and not NAME.fullmatch(name):
            raise Invalid(f'"{name[:40]}" is no name of an address: {HOW}')
    names[1:2] = [name.lstrip("@+") or ANY for name in names[1:2]]
    while names and names[-1] == ANY:
        names.pop()
    pattern = EventPattern(tuple(names), kind, only_me)
    if only_me and not any(pattern.fits_type(one) for one in PERSONAL):
        raise Invalid(f'no event of the kind "{kind[:40]}" concerns one user only: leave off "{ME}"')
    return pattern
