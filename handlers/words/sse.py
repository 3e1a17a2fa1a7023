"""Server-sent events, as browsers read them (HTML Living Standard, section 9.2)."""

from __future__ import annotations

import random
from typing import Any

import orjson

HEARTBEAT_SECONDS = 15.0
"""Maximum silence of a stream, as recommended in section 9.2.7 of the standard."""

FIRST = b"retry: 2000\n\n"
"""The beginning of a stream: browsers reconnect two seconds after a lost connection."""

HEARTBEAT = b": nothing new\n\n"
"""A comment, which shows that both ends are still connected."""


def first_heartbeat(heartbeat: float = HEARTBEAT_SECONDS) -> float:
    """Return the seconds to a stream's first heartbeat, random to spread streams that began together."""
    return random.uniform(0, heartbeat)


def event(data: Any, id: str, name: str | None = None) -> bytes:
    """Return one event: JSON on a single line, an id and a name (None means `message`)."""
    head = f"event: {name}\n" if name else ""
    return f"{head}id: {id}\ndata: ".encode() + orjson.dumps(data) + b"\n\n"
