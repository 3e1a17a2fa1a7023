"""Renders that failed: what is kept in their place for a while, and the refusal that it stands for."""

from __future__ import annotations

import orjson

from handlers.rendering.port import KeptRendering, RenderFailed, Rendering, fault_fields
from handlers.rendering.render_kinds import PICTURES, RENDER_KINDS
from vfs.errors import TooLarge, Unavailable

FAILED_SECONDS = 600.0
"""A render that failed is tried again after so long."""
FAILURE = "application/problem+json"
"""Media type of what is kept in place of a render that failed without a picture."""


def has_picture(kind: str, form: str) -> bool:
    """Whether a picture stands in for a form that failed.

    For a page to print none does: it would be taken for what it should have been.
    """
    return RENDER_KINDS[kind].pictured and form in PICTURES and form != "pdf"


def failed_rendering(failure: RenderFailed, notes: tuple[str, ...]) -> Rendering:
    """The rendering that is kept in place of one without such a picture."""
    return Rendering(orjson.dumps(fault_fields(failure)), FAILURE, notes)


def refusal_of(kind: str, form: str, kept: KeptRendering) -> Unavailable | TooLarge:
    """The refusal of a form in whose place a failure is kept."""
    with kept.open() as file:
        told = orjson.loads(file.read())
    said = f"this {kind} cannot be rendered as {form}: {told['failed']}"
    if told["fault"] == "large":
        return TooLarge(said)
    return Unavailable(
        f"{said}; let it show less and ask again; if it stays as it is, it is tried again in "
        f"{FAILED_SECONDS / 60:g} minutes",
        retry_after=int(FAILED_SECONDS),
    )
