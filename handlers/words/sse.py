"""Server-sent events, as browsers read them (HTML Living Standard, section 9.2)."""

from __future__ import annotations

import random
from typing import Any

import orjson

HEARTBEAT_SECONDS = 15.0
"""The longest time without a word on a stream, as section 9.2.7 of the standard advises it."""

FIRST = b"retry: 2000\n\n"
"""How a stream begins: after a lost connection a browser asks again in two seconds."""

HEARTBEAT = b": nothing new\n\n"
"""A comment, which shows that both ends are still there."""


def first_heartbeat(heartbeat: float = HEARTBEAT_SECONDS) -> float:
    """The seconds to the first of a stream's beats: streams that began together do not beat together."""
    return random.uniform(0, heartbeat)


def event(data: Any, id: str, name: str | None = None) -> bytes:
    """One event: its JSON on a single line, its id, its name (None: `message`)."""
    head = f"event: {name}\n" if name else ""
    return f"{head}id: {id}\ndata: ".encode() + orjson.dumps(data) + b"\n\n"
