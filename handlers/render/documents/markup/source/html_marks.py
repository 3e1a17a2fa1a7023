"""HTML of a text outside of inline marks: scripts, folds, and pictures by `data:`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from handlers.render.documents.markup.section_grammar import Tag

EMPTY = re.compile("<!--->|<!-->")
"""An empty comment."""
FOLD = re.compile(r"<(/?)(details|summary)(\s[^<>]{0,300})?>", re.IGNORECASE)
PROGRAM = re.compile(r"<(script|style)(?:\s[^<>]{0,2000})?>", re.IGNORECASE)
PROGRAM_END = re.compile(r"</(script|style)\s*>", re.IGNORECASE)
DATA = re.compile(r"(data:[a-z]+/[\w.+-]{1,80})(?:;[\w.=+-]{1,60}){0,4},[^\s)>\"'|]*", re.IGNORECASE)
BEFORE_DATA = re.compile(r"[(<\"'=]|\]:[ \t]*")
STEPS = r"<(?=!--|/?(?:details|summary)[\s>]|(?:script|style)[\s>])|data:(?=[a-z]+/)"
"""Where one of these may begin."""


@dataclass(frozen=True)
class HtmlMarks:
    """The HTML of a text, found in linear time."""

    text: str

    @cached_property
    def _last_program_ends(self) -> dict[str, int]:
        return {found[1].lower(): found.start() for found in PROGRAM_END.finditer(self.text)}

    def program(self, start: int) -> tuple[str, int]:
        """Return the name and the end of a closed script or style sheet that begins there, or "" and 0."""
        opening = PROGRAM.match(self.text, start)
        name = opening[1].lower() if opening else ""
        if opening is None or self._last_program_ends.get(name, -1) < opening.end():
            return "", 0
        ends = PROGRAM_END.finditer(self.text, opening.end())
        return name, next(end.end() for end in ends if end[1].lower() == name)

    def fold(self, start: int) -> tuple[Tag, int] | None:
        """Return the mark of `details` or `summary` that begins there, and its end."""
        found = FOLD.match(self.text, start)
        if found is None:
            return None
        word = "open" if re.search(r"\bopen\b", found[3] or "", re.IGNORECASE) else ""
        return Tag(f"<{found[2].lower()}>", word, (), bool(found[1])), found.end()

    def data(self, start: int) -> tuple[int, int] | None:
        """Return the ends of the type and of the whole `data:` picture at an address."""
        found = DATA.match(self.text, start)
        before = self.text[max(0, start - 8) : start]
        if found is None or not re.search(f"(?:{BEFORE_DATA.pattern})$", before):
            return None
        return found.end(1), found.end()
