"""Renderer: the port through which pictures and documents are ordered, and what is ordered and made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import BinaryIO, Protocol


@dataclass(frozen=True)
class RenderOrder:
    """Everything that a render is made of; equal orders make equal bytes.

    `texts` are by their path in the item, `parts` SVG documents that were rendered before. Renders for an
    `account` take turns with those for others, and are over within `seconds` where the renderer would give
    them longer; both have no part in what is made.
    """

    kind: str
    form: str
    texts: Mapping[str, str]
    options: Mapping[str, str | int | bool] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)
    account: str = field(default="", compare=False)
    seconds: float | None = field(default=None, compare=False)

    @property
    def message(self) -> str:
        """The order as it is sent to a service, with the account that it is for and its time."""
        lead = json.dumps({"account": self.account, "seconds": self.seconds})
        return f"{lead[:-1]}, {self.json[1:]}"

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the order, in hex; cache keys must add the drawing version."""
        return sha256(self.json.encode()).hexdigest()

    @cached_property
    def json(self) -> str:
        """The order as it is digested, and drawn by."""
        return json.dumps(self.fields, sort_keys=True)

    @property
    def fields(self) -> dict[str, object]:
        """The order as keyword arguments of another like it."""
        return {
            "kind": self.kind,
            "form": self.form,
            "texts": dict(self.texts),
            "options": dict(self.options),
            "parts": dict(self.parts),
        }


@dataclass(frozen=True, slots=True)
class Rendering:
    """A render: its bytes, media type, and sentences for the log about what was left out."""

    body: bytes
    media: str
    notes: tuple[str, ...] = ()


class RenderFailed(Exception):
    """Raised when an order took too long or too much memory, or broke the renderer."""


class RenderLate(RenderFailed):
    """Raised when an order took longer than it may."""


class RenderTooLarge(RenderFailed):
    """Raised when what was ordered would be larger than a render may be."""


FAULTS: Mapping[str, type[RenderFailed]] = {
    "broken": RenderFailed,
    "late": RenderLate,
    "large": RenderTooLarge,
}
"""Kinds of failures by the words for them in messages."""


def fault_fields(failure: RenderFailed) -> dict[str, str]:
    """A failure as it is sent."""
    word = next(word for word, kind in FAULTS.items() if type(failure) is kind)
    return {"failed": str(failure), "fault": word}


def raise_fault(head: Mapping[str, object]) -> None:
    """Raise the failure that an answer tells of, if it does."""
    if "failed" in head:
        raise FAULTS.get(str(head.get("fault")), RenderFailed)(str(head["failed"]))


class RendererBusy(Exception):
    """Raised when as many orders wait as may wait, or when no renderer runs."""


class Renderer(Protocol):
    """Makes renders. All methods may be called from any thread."""

    def render(self, order: RenderOrder) -> Rendering:
        """Make what is ordered; it takes no longer than the renderer's limits.

        Raises RenderFailed with the reason, and RendererBusy.
        """
        ...


class KeptRendering(Protocol):
    """A rendering that is kept: its size in bytes, media type, and sentences for the log.

    A `passing` one stands in for another for a while.
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
        """The bytes, seekable. Raises Unavailable when they were swept meanwhile."""
        ...


class KeptRenderings(Protocol):
    """Keeps renderings by keys; each key stands for one content for ever."""

    def get(self, digest: str, /) -> KeptRendering | None:
        """The rendering of a key; None when it is not, or not any more, kept."""
        ...

    def put(
        self,
        digest: str,
        body: bytes,
        media: str,
        notes: tuple[str, ...],
        seconds: float | None = None,
        owner: str = "",
    ) -> KeptRendering:
        """Keep a rendering of what an owner has, for so many `seconds` at most."""
        ...
