"""Lines of indented code: sections and HTML in them are part of the code."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin

from handlers.render.documents.markup.effort import (
    DEEPEST,
    MOST_STEPS,
    Effort,
    count_blocks,
    end_of_paragraph,
    first_sign,
)

CANDIDATE = re.compile(
    r"^[ >*+0-9.)-]{0,200}?(?: {4}|\t)[^\n]*?(?:\{\{|<[!/A-Za-z]|`|~~~|\$\$)", re.MULTILINE
)
LONGEST = 10_000
"""Characters within which marks must be closed."""
ENDS = {"{{/*": "*/}}", "{{": "}}", "<!--": "-->"}


def code_lines(text: str) -> frozenset[int]:
    """Return the numbers, from 0, of the lines of indented code, if any contains a possible mark."""
    if not CANDIDATE.search(text):
        return frozenset()
    env: Any = {"effort": Effort(MOST_STEPS)}
    tokens: list[Token] = []
    reader = _reader()
    reader.block.parse(text, reader, env, tokens)
    return frozenset(
        line for token in tokens if token.type == "code_block" and token.map for line in range(*token.map)
    )


@cache
def _reader() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False, "maxNesting": DEEPEST}).enable("table")
    reader.use(deflist_plugin).use(footnote_plugin, inline=False)
    count_blocks(reader, _marks)
    return reader


def _marks(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """Return sections and comments at the start of a line, with all their lines and trailing words."""
    start = at = state.bMarks[line] + state.tShift[line]
    while closing := next((end for mark, end in ENDS.items() if state.src.startswith(mark, at)), ""):
        stop = state.src.find(closing, at, start + LONGEST)
        if stop < 0:
            break
        at = stop + len(closing)
        while state.src[at : at + 1] in (" ", "\t"):
            at += 1
    if at == start or state.is_code_block(line):
        return False
    if not silent:
        after = next((one for one in range(line, end) if state.eMarks[one] >= at), end - 1)
        after = end_of_paragraph(state, after)[0] if at < state.eMarks[after] else after + 1
        while after < end and state.is_code_block(after) and first_sign(state, after) in "{<":
            after += 1
        state.line = min(after, end)
    return True
