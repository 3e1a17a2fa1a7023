"""The sheet of slides in a browser: that of the PDF, with lengths that grow and shrink with the slide."""

from __future__ import annotations

import re

LENGTH = re.compile(r"(?<![\w.#-])(-?(?:\d++(?:\.\d++)?|\.\d++))pt\b")
PAGES = re.compile(r"^@page[^{}@]*\{(?:[^{}]|\{[^{}]*\})*+\}\n?", re.MULTILINE)


def screen_sheet(printed: str, more: str) -> str:
    """The rules of printed slides without those of paper, and `more` of them, all in units of a slide.

    A point is a 960th of a slide's width; `--pt` says what that is.
    """
    return LENGTH.sub(r"calc(\1 * var(--pt))", PAGES.sub("", printed) + more)
