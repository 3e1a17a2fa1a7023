"""EventPattern: the addresses and the kinds of events that somebody subscribes to."""

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
HOW = "write /u/<user>/<letter>/<name>, * for any name, and /e/<kind> behind it for one kind of event"


@dataclass(frozen=True, slots=True)
class EventPattern:
    """A pattern: `names` of an address (`*` is any name), and a `kind` of events (`*`: every one)."""

    names: tuple[str, ...]
    kind: str = ANY

    @property
    def root(self) -> tuple[str, ...]:
        """The first names, by which patterns are found; empty where one of them is any."""
        root = self.names[:ROOT_NAMES]
        return root if len(root) == ROOT_NAMES and ANY not in root else ()

    def fits(self, address: Sequence[str], event_type: str) -> bool:
        """Whether an event of a type, at an address or below it, is meant.

        A kind is the type itself or one of its words: `update` means `data_update` too.
        """
        if len(address) < len(self.names):
            return False
        if any(ours not in (ANY, name) for ours, name in zip(self.names, address, strict=False)):
            return False
        return self.kind in (ANY, event_type) or self.kind in event_type.split("_")


def parse(text: object) -> EventPattern:
    """The pattern that was sent. Raises Invalid.

    An `@` before the name of a user says nothing, nor does a `*` at the end, as all that is below an address
    is meant anyway.
    """
    if not isinstance(text, str) or not text or len(text) > LONGEST:
        raise Invalid(f"a subscription is a pattern of 1 to {LONGEST} signs: {HOW}")
    names = text.strip("/").split("/")
    if len(names) > MOST_NAMES:
        raise Invalid(f"a pattern has at most {MOST_NAMES} names: {HOW}")
    kind = ANY
    if len(names) > ROOT_NAMES and names[-2] == KINDS:
        kind, names = names[-1], names[:-2]
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
    return EventPattern(tuple(names), kind)
