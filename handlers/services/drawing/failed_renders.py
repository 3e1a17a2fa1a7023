"""Failed renders: what is kept in their place for a while, and the error that it means."""

from __future__ import annotations

import orjson

from handlers.rendering.port import KeptRendering, RenderFailed, Rendering, fault_fields
from handlers.rendering.render_kinds import PICTURES, RENDER_KINDS
from vfs.errors import TooLarge, Unavailable

FAILED_SECONDS = 600.0
"""Seconds after which a failed render is tried again."""
FAILURE = "application/problem+json"
"""Media type of the replacement of a failed render that has no error picture."""


def has_picture(kind: str, form: str) -> bool:
    """Return whether an error picture can replace a failed form.

    Never for a page to print: it would be mistaken for the page.
    """
    return RENDER_KINDS[kind].pictured and form in PICTURES and form != "pdf"


def failed_rendering(failure: RenderFailed, notes: tuple[str, ...]) -> Rendering:
    """Return the replacement of a failed render that has no error picture."""
    return Rendering(orjson.dumps(fault_fields(failure)), FAILURE, notes)


def refusal_of(kind: str, form: str, kept: KeptRendering) -> Unavailable | TooLarge:
    """Return the error for a form whose kept replacement is a failure."""
    with kept.open() as file:
        facts = orjson.loads(file.read())
    said = f"this {kind} cannot be rendered as {form}: {facts['failed']}"
    if facts["fault"] == "large":
        return TooLarge(said)
    return Unavailable(
        f"{said}; reduce what it shows and ask again; unchanged, it is drawn again in "
        f"{FAILED_SECONDS / 60:g} minutes",
        retry_after=int(FAILED_SECONDS),
    )
