"""Renderer: the port for rendering pictures and documents, with its orders and results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any, BinaryIO, Protocol

from vfs.cause import CAUSE


@dataclass(frozen=True)
class RenderOrder:
    """All inputs of a render; equal orders give equal bytes.

    `texts` are by their path in the item, `parts` are SVG documents rendered before. `account`, `seconds` and
    `cause` do not affect the result: accounts take turns, `seconds` may shorten the time limit of the
    renderer, and the log names the `cause`.
    """

    kind: str
    form: str
    texts: Mapping[str, str]
    options: Mapping[str, str | int | bool] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)
    account: str = field(default="", compare=False)
    seconds: float | None = field(default=None, compare=False)
    cause: str = field(default_factory=CAUSE.get, compare=False)

    @property
    def message(self) -> str:
        """The order as JSON for a service, with its account, its time and its cause."""
        lead = json.dumps({"account": self.account, "seconds": self.seconds, "cause": self.cause})
        return f"{lead[:-1]}, {self.json[1:]}"

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the order, in hex; cache keys must add the drawing version."""
        return sha256(self.json.encode()).hexdigest()

    @cached_property
    def json(self) -> str:
        """The order as JSON for its digest and for drawing."""
        return json.dumps(self.fields, sort_keys=True)

    @property
    def fields(self) -> dict[str, object]:
        """The order as keyword arguments for another one."""
        return {
            "kind": self.kind,
            "form": self.form,
            "texts": dict(self.texts),
            "options": dict(self.options),
            "parts": dict(self.parts),
        }


@dataclass(frozen=True, slots=True)
class Rendering:
    """A render: its bytes, media type, and sentences for the log about omitted parts."""

    body: bytes
    media: str
    notes: tuple[str, ...] = ()

    @property
    def head(self) -> dict[str, object]:
        """All but the bytes, as fields of a message."""
        return {"media": self.media, "notes": list(self.notes)}


class RenderFailed(Exception):
    """Raised when an order took too much time or memory, or crashed the renderer."""


class RenderLate(RenderFailed):
    """Raised when an order exceeded its time."""


class RenderTooLarge(RenderFailed):
    """Raised when the result would be too large."""


FAULTS: Mapping[str, type[RenderFailed]] = {
    "broken": RenderFailed,
    "late": RenderLate,
    "large": RenderTooLarge,
}
"""Kinds of failures by their words in messages."""


def fault_fields(failure: RenderFailed) -> dict[str, str]:
    """Return a failure as fields of a message."""
    word = next(word for word, kind in FAULTS.items() if type(failure) is kind)
    return {"failed": str(failure), "fault": word}


def rendering_of(head: Mapping[str, Any], body: bytes) -> Rendering:
    """Return the render in a response. Raises RenderFailed if it has a failure."""
    if "failed" in head:
        raise FAULTS.get(str(head.get("fault")), RenderFailed)(str(head["failed"]))
    return Rendering(body, str(head["media"]), tuple(str(note) for note in head["notes"]))


class RendererBusy(Exception):
    """Raised when the queue of orders is full, or when no renderer runs."""


class Renderer(Protocol):
    """Makes renders. All methods may be called from any thread."""

    def render(self, order: RenderOrder) -> Rendering:
        """Render an order within the renderer's limits.

        Raises RenderFailed with the reason, and RendererBusy.
        """


class KeptRendering(Protocol):
    """A cached render: its size in bytes, media type, and sentences for the log.

    A `passing` one temporarily replaces another.
    """

    @property
    def size(self) -> int: ...
    @property
    def media(self) -> str: ...
    @property
    def notes(self) -> tuple[str, ...]: ...
    @property
    def passing(self) -> bool: ...

    def open(self) -> BinaryIO:
        """Return the bytes, seekable. Raises Unavailable if they were swept meanwhile."""


class KeptRenderings(Protocol):
    """Caches renders by keys; the content of a key never changes."""

    def get(self, digest: str, /) -> KeptRendering | None:
        """Return the render of a key; None if it is not cached."""

    def put(
        self,
        digest: str,
        body: bytes,
        media: str,
        notes: tuple[str, ...],
        seconds: float | None = None,
        owner: str = "",
    ) -> KeptRendering:
        """Cache a render of an owner's item, for at most `seconds`."""
