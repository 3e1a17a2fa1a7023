"""PassingRenders: renders of what is not stored, kept in memory for one call."""

from __future__ import annotations

from dataclasses import dataclass, field
from io import BytesIO
from typing import BinaryIO

from handlers.rendering.port import KeptRendering, KeptRenderings


@dataclass(frozen=True, slots=True)
class PassingRender:
    """A render in memory (handlers.rendering.port.KeptRendering)."""

    body: bytes
    media: str
    notes: tuple[str, ...]
    passing: bool

    @property
    def size(self) -> int:
        """Its size in bytes."""
        return len(self.body)

    def open(self) -> BinaryIO:
        """Its bytes, seekable."""
        return BytesIO(self.body)


@dataclass(frozen=True, slots=True)
class PassingRenders:
    """Renders of a call, in front of those that are `kept`: equal content is not drawn again."""

    kept: KeptRenderings
    made: dict[str, PassingRender] = field(default_factory=dict)

    def get(self, digest: str, /) -> KeptRendering | None:
        """As KeptRenderings.get."""
        return self.made.get(digest) or self.kept.get(digest)

    def put(
        self,
        digest: str,
        body: bytes,
        media: str,
        notes: tuple[str, ...],
        seconds: float | None = None,
        owner: str = "",
    ) -> KeptRendering:
        """Keep a render for the call alone."""
        self.made[digest] = PassingRender(body, media, notes, passing=seconds is not None)
        return self.made[digest]
