"""Content negotiation (RFC 9110 section 12) and preferences (RFC 7240) of a request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from vfs.call import Form

TEXT = "text/plain"
DATA = "application/json"
EVENTS = "text/event-stream"


class AcceptedFace(NamedTuple):
    """The representation to send; `named`: requested by name, not by a wildcard or by default."""

    form: Form
    named: bool


EITHER = AcceptedFace(Form.TEXT, named=False)


@lru_cache(maxsize=256)
def accept_face(accept: str | None) -> AcceptedFace:
    """Return the format that an Accept header prefers: text, unless JSON has more weight or comes first."""
    if accept is None or accept == "*/*":
        return EITHER
    ranges = dict(_ranges(accept))
    text, data = _quality(ranges, TEXT), _quality(ranges, DATA)
    if data > text or (data == text > 0 and DATA in ranges and _first(ranges) != TEXT):
        return AcceptedFace(Form.DATA, DATA in ranges)
    return AcceptedFace(Form.TEXT, text > 0 and TEXT in ranges)


@lru_cache(maxsize=256)
def accept_media(accept: str | None, offered: tuple[str, ...], otherwise: str) -> str:
    """Return the media type `offered` that an Accept header prefers by name; else `otherwise`."""
    ranges = dict(_ranges(accept or ""))
    named = [media for media in (*offered, otherwise) if ranges.get(media, 0) > 0]
    return max(named, key=ranges.__getitem__, default=otherwise)


def preferred_media(accept: str | None, offered: Sequence[str]) -> str:
    """Return the media type `offered` that an Accept header prefers by name; else the first."""
    return accept_media(accept, tuple(offered), offered[0])


def accepts_events(accept: str | None) -> bool:
    """Return whether an Accept header prefers events by name."""
    return accept is not None and accept_media(accept, (EVENTS, TEXT, DATA), "") == EVENTS


@lru_cache(maxsize=256)
def parse_prefer(prefer: str | None) -> Mapping[str, str]:
    """Parse a Prefer header: `respond-async, wait=10` to {"respond-async": "", "wait": "10"}."""
    found: dict[str, str] = {}
    for one in (prefer or "").split(","):
        name, _, value = one.partition(";")[0].partition("=")
        if name.strip():
            found.setdefault(name.strip().lower(), value.strip().strip('"'))
    return found


def _ranges(accept: str) -> list[tuple[str, float]]:
    ranges = []
    for one in accept.split(","):
        media, *parameters = one.split(";")
        quality = 1.0
        for parameter in parameters:
            name, _, value = parameter.partition("=")
            if name.strip().lower() == "q":
                quality = _number(value.strip())
        if media.strip():
            ranges.append((media.strip().lower(), quality))
    return ranges


def _number(value: str) -> float:
    try:
        quality = float(value)
    except ValueError:
        return 0.0
    return quality if 0 <= quality <= 1 else 0.0


def _quality(ranges: Mapping[str, float], media: str) -> float:
    """Return the weight of a media type by its most specific range; `problem+json` counts as JSON."""
    if media in ranges:
        return ranges[media]
    if media == DATA:
        alike = [quality for name, quality in ranges.items() if name.endswith("+json")]
        if alike:
            return max(alike)
    kind = media.partition("/")[0] + "/*"
    return ranges.get(kind, ranges.get("*/*", 0.0))


def _first(ranges: Mapping[str, float]) -> str:
    return next((name for name in ranges if name in (TEXT, DATA)), "")
