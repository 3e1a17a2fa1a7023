"""Text as it is set: dashes for two hyphens, and numbers that stay on one line with their units."""

from __future__ import annotations

import re

from handlers.render.plots.data.figures_written import AFTER, UNITS

DASH = re.compile(r"(?<!\S)--(?=\s)")
BESIDE_NUMBER = re.compile(rf"(?<![\w.])(?:{UNITS}) (?=[0-9])|(?<=[0-9]) (?=(?:{AFTER})(?!\w))")
"""A currency with the blank before its number, and the blank between a number and its unit."""


def set_text(text: str) -> str:
    """A text with an en dash for two hyphens that stand alone, and no break between a number and its unit."""
    if "--" in text:
        text = DASH.sub("\u2013", text)
    return BESIDE_NUMBER.sub(lambda found: f"{found[0][:-1]}\u00a0", text)
