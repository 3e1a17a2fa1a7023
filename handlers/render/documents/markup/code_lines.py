"""Lines of code that is only moved in: sections and HTML in them are words of a program."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from handlers.render.documents.markup.block_parser import BlockParser, read_paragraph, read_table
from handlers.render.documents.markup.effort import DEEPEST_BLOCK, MOST_STEPS, Effort

CANDIDATE = re.compile(
    r"^[ >*+0-9.)-]{0,200}?(?: {4}|\t)[^\n]*?(?:\{\{|<[!/A-Za-z]|`|~~~|\$\$)", re.MULTILINE
)
LONGEST = 10_000
"""Letters in which a mark must be closed."""
ENDS = (("{{/*", "*/}}"), ("{{", "}}"), ("<!--", "-->"))
MARKS = ("{{", "<")


def code_lines(text: str) -> frozenset[int]:
    """The numbers, from 0, of the lines of code that has no fence, if any holds what would be a mark."""
    if not CANDIDATE.search(text):
        return frozenset()
    env: Any = {"effort": Effort(MOST_STEPS)}
    tokens: list[Token] = []
    _reader().block.parse(text, _reader(), env, tokens)
    return frozenset(
        line for token in tokens if token.type == "code_block" and token.map for line in range(*token.map)
    )


@cache
def _reader() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False, "maxNesting": DEEPEST_BLOCK})
    reader.enable("table")
    asked: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list", "table"]}
    reader.block.ruler.before("table", "marks", _marks, asked)
    reader.block.ruler.disable("lheading")
    reader.block.ruler.at("paragraph", read_paragraph)
    reader.block.ruler.at("table", read_table, {"alt": ["paragraph", "reference"]})
    reader.block = BlockParser(reader.block)
    return reader


def _marks(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """A section or comment of its own, through all its lines and those that are moved in below it.

    It is asked of every line, so it counts the steps.
    """
    state.env["effort"].spend(state.env["effort"].toll)
    start = state.bMarks[line] + state.tShift[line]
    closing = next((ends for mark, ends in ENDS if state.src.startswith(mark, start)), "")
    if not closing or state.is_code_block(line):
        return False
    stop = state.src.find(closing, start, state.bMarks[line] + LONGEST)
    if stop < 0:
        return False
    if not silent:
        after = line
        while after < end and state.eMarks[after] < stop:
            after += 1
        after += 1
        while after < end and state.is_code_block(after) and _first(state, after).startswith(MARKS):
            after += 1
        state.line = min(after, end)
    return True


def _first(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
