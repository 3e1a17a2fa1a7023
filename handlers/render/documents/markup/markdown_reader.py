"""Markdown of documents: the enabled rules, parsed in linear time.

The effort is counted in steps, so that its limit is the same on every machine.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import mdTrim
from markdown_it.parser_block import ParserBlock
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.subscript import sub_plugin
from mdit_py_plugins.superscript import superscript_plugin

from handlers.render.documents.markup.inline_rules import add_html, add_inline_rules, add_mathematics
from handlers.render.documents.markup.section_rules import (
    ParagraphWords,
    SectionMarks,
    begin_at,
    parse_mark,
    parse_stray,
)
from handlers.render.documents.markup.spans import DATA, is_harmless

MOST_STEPS = 400_000
DEEPEST_BLOCK = 24
DEEPEST = 2 * DEEPEST_BLOCK
"""Depth at which the library leaves blocks out without a note; `DEEPEST_BLOCK` is checked before."""
BLOCK, LINE = 8, 2
"""Steps for the first line of a block, and for each further line that may begin another."""
SIGNS = re.compile(r"[\n\\`~*_\[\]!<&^${]")
"""Characters at which a rule for inline marks may begin."""
COSTLY = {"[": 6, "!": 4, "<": 2}


@dataclass(slots=True)
class Effort:
    """The remaining steps; block rules may use half of them. `tokens` is the number of counted tokens."""

    left: int
    kept: int = 0
    tokens: int = 0

    def __post_init__(self) -> None:
        self.kept = self.left // 2

    def spend(self, steps: int, tokens: int) -> None:
        """Count steps, and one for each token made since the last time."""
        self.left -= steps + max(0, tokens - self.tokens)
        self.tokens = tokens


def count_blocks(reader: MarkdownIt) -> None:
    """Count the steps of block rules, and read marks, before any other rule.

    If no steps are left, the rest of the text becomes one token `cut`. Lines that are nested too deep become
    one token `too_deep`.
    """

    def count(state: StateBlock, line: int, end: int, silent: bool) -> bool:
        effort: Effort = state.env["effort"]
        effort.spend(LINE if silent else BLOCK, len(state.tokens))
        spent = effort.left <= effort.kept
        if silent:
            return spent or parse_mark(state, line, end, True)
        if spent:
            return _leave_out(state, "cut", line, end)
        if state.level >= DEEPEST_BLOCK:
            return _leave_out(state, "too_deep", line, _end_of_indented(state, line, end))
        return parse_mark(state, line, end, False)

    blocks = ["paragraph", "reference", "blockquote", "list", "footnote_def"]
    reader.block = _Blocks(reader.block)
    reader.block.ruler.before("table", "mark", count, {"alt": blocks})
    reader.block.ruler.disable("lheading")
    reader.block.ruler.at("paragraph", read_paragraph)


class _Blocks(ParserBlock):
    """A block parser with the rules of another; a rule may end within a line, whose rest is a new block."""

    def __init__(self, parser: ParserBlock) -> None:
        super().__init__()
        self.ruler = parser.ruler

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:  # noqa: N803
        """Parse the blocks of a container; `state.tight` says if no empty lines separate them."""
        rules, line, is_loose = self.ruler.getRules(""), startLine, False
        while True:
            state.line = line = state.skipEmptyLines(line)
            if line >= endLine or state.sCount[line] < state.blkIndent:
                return
            any(rule(state, line, endLine, False) for rule in rules)
            state.tight, began, line = not is_loose, line, state.line
            is_loose = is_loose or (began < line <= endLine and state.isEmpty(line - 1))
            if line < endLine and state.isEmpty(line):
                is_loose, line = True, line + 1
                state.line = line


def count_lines(reader: MarkdownIt) -> None:
    """Count the steps of inline marks; if no steps are left, marks are plain text."""
    reader.inline = _CountedLines(reader.inline)


class _CountedLines(ParserInline):
    """An inline parser with the rules of another, which also counts each search for a closing mark."""

    def __init__(self, parser: ParserInline) -> None:
        super().__init__()
        self.ruler, self.ruler2, self.terminator_re = parser.ruler, parser.ruler2, SIGNS
        self.ruler.before("text", "count", _count)

    def skipToken(self, state: StateInline) -> None:  # noqa: N802
        """Skip one mark, or the words up to the next."""
        state.env["effort"].left -= 1
        super().skipToken(state)


def _count(state: StateInline, silent: bool) -> bool:
    effort: Effort = state.env["effort"]
    effort.spend(1 + COSTLY.get(state.src[state.pos], 0), len(state.tokens))
    if effort.left > 0:
        return False
    if not silent:
        state.append_pending(state.src[state.pos : state.posMax])
    state.pos = state.posMax
    return True


def _end_of_indented(state: StateBlock, line: int, end: int) -> int:
    """Return the first line that is indented less than the container."""
    while line < end and (state.isEmpty(line) or state.sCount[line] >= state.blkIndent):
        line += 1
    return line


def _leave_out(state: StateBlock, kind: str, line: int, end: int) -> bool:
    state.push(kind, "", 0).map = [line, end]
    state.line = end
    return True


def read_paragraph(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse a paragraph up to a mark in it, or a heading underlined by `=` or `-`."""
    outer, state.parentType = state.parentType, "paragraph"
    after, level, mark = _end_of_paragraph(state, start)
    state.parentType = outer
    kind, tag = ("heading", f"h{level}") if level else ("paragraph", "p")
    state.push(f"{kind}_open", tag, 1).map = [start, after + 1]
    inline = state.push("inline", "", 0)
    inline.content = mdTrim(_words(state, start, after, mark))
    inline.map, inline.children = [start, after + 1], []
    state.push(f"{kind}_close", tag, -1)
    if mark >= 0:
        begin_at(state, after, mark)
    state.line = after + 1 if level else after
    return True


def _words(state: StateBlock, start: int, after: int, mark: int) -> str:
    if mark < 0:
        return state.getLines(start, after, state.blkIndent, False)
    end, state.eMarks[after] = state.eMarks[after], mark
    words = state.getLines(start, after + 1, state.blkIndent, False)
    state.eMarks[after] = end
    return words


def _end_of_paragraph(state: StateBlock, start: int) -> tuple[int, int, int]:
    """Return the line after the paragraph, the level of heading or 0, and the position of a mark or -1.

    For a heading that line is its underline; if there is a mark, the line contains it.
    """
    rules, words = state.md.block.ruler.getRules("paragraph"), ParagraphWords(state)
    heading, end = not state.is_code_block(start), state.lineMax
    mark = words.mark_in(start)
    if mark >= 0:
        return start, 0, mark
    for line in range(start + 1, end):
        if state.isEmpty(line):
            return line, 0, -1
        indent = state.sCount[line] - state.blkIndent
        if heading and 0 <= indent <= 3 and (level := _underlines(state, line)):
            return line, level, -1
        if state.sCount[line] >= 0 and indent <= 3 and any(rule(state, line, end, True) for rule in rules):
            return line, 0, -1
        if (mark := words.mark_in(line)) >= 0:
            return line, 0, mark
    return end, 0, -1


def _underlines(state: StateBlock, line: int) -> int:
    text = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].rstrip(" \t")
    return 1 if not text.strip("=") else 2 if not text.strip("-") else 0


PAYLOAD = re.compile(r"(?:(?<!\s)\s++)?\{(?!/|pageref|ref:)([^{}]*)\}\s*$")
LONGEST_PAYLOAD = 300
LONGEST_LINE, LINE_STEPS = 3_000, 500
PICTURE = re.compile(
    r"((?:[(<\"'=]|\]:[ \t]*)data:[a-z]+/[\w.+-]{1,80})(?:;[\w.=+-]{1,60}){0,4},[^\s)>\"'|]*", re.IGNORECASE
)
"""An address that contains a picture; in very long lines only its type is kept."""


def read_tokens(marks: SectionMarks, *, mathematics: bool, steps: int) -> list[Token]:
    """Return the tokens of a text.

    In addition to those of Markdown there are `mark` for sections, `cut` and `too_deep` for omitted lines,
    `plain` before the first block whose marks are plain text, and `unused_note` for each unused footnote.
    """
    env: Any = {"effort": Effort(steps), "marks": marks}
    tokens = _reader(mathematics).parse(marks.text, env)
    calls = env.get("footnotes", {}).get("refs", {})
    unused = (label.removeprefix(":") for label, number in calls.items() if number < 0)
    return [*tokens, *(Token("unused_note", "", 0, content=label) for label in unused)]


def read_line_tokens(text: str) -> list[Token]:
    """Return the tokens of a single line, in few steps."""
    env: Any = {"effort": Effort(LINE_STEPS)}
    reader = _reader(True)
    (line,) = reader.parseInline(" ".join(text.split()), env)
    return line.children or []


@cache
def _reader(mathematics: bool) -> MarkdownIt:
    reader = DocumentMarkdown("commonmark", {"html": False, "maxNesting": DEEPEST})
    reader.enable(["table", "strikethrough"])
    reader.use(deflist_plugin).use(footnote_plugin, inline=False, move_to_end=True)
    reader.use(sub_plugin).use(superscript_plugin)
    if mathematics:
        reader.use(dollarmath_plugin, allow_space=False, allow_digits=False)
        reader.inline.ruler.disable("math_inline")
        add_mathematics(reader)
    add_inline_rules(reader)
    add_html(reader)
    count_blocks(reader)
    reader.inline.ruler.before("escape", "stray_mark", parse_stray)
    reader.core.ruler.at("inline", _inline)
    count_lines(reader)
    return reader


class DocumentMarkdown(MarkdownIt):
    """Markdown whose links lead to the web, to mail, or to this server."""

    def validateLink(self, url: str) -> bool:  # noqa: N802
        """Return whether a link is allowed."""
        return is_harmless(url) or url.lower().startswith(DATA)


def _inline(state: StateCore) -> None:
    """Parse the lines of text, very long ones in pieces, to limit the time for each."""
    effort: Effort = state.env["effort"]
    opening: Token | None = None
    outermost, plain = 0, -1
    for at, token in enumerate(state.tokens):
        if token.level == 0 and token.nesting >= 0:
            outermost = at
        if token.type == "inline":
            if opening is not None and opening.type == "heading_open":
                _take_payload(opening, token)
            state.env["is_row"] = opening is not None and opening.type != "paragraph_open"
            token.children = parse_line(state, token.content)
            plain = outermost if plain < 0 and effort.left <= 0 else plain
        opening = token
    if plain >= 0:
        state.tokens.insert(plain, Token("plain", "", 0, map=state.tokens[plain].map))


def parse_line(state: StateCore, text: str) -> list[Token]:
    """Return the tokens of a line of text; a very long one is parsed in pieces."""
    tokens: list[Token] = []
    env: Any = state.env
    for piece in _pieces(PICTURE.sub(r"\1", text) if len(text) > LONGEST_LINE else text):
        tokens += state.md.inline.parse(piece, state.md, env, [])
    return tokens


def _take_payload(opening: Token, inline: Token) -> None:
    """Split the options in braces off the end of a heading."""
    payload = PAYLOAD.search(inline.content[-LONGEST_PAYLOAD:])
    if payload is not None:
        inline.content = inline.content[: len(inline.content) - len(payload[0])]
        opening.meta["payload"] = payload[1]


def _pieces(text: str) -> list[str]:
    """Return the text in pieces of at most 3,000 characters, cut between lines or words if possible."""
    pieces = []
    while len(text) > LONGEST_LINE:
        cut = max(text.rfind("\n", 1, LONGEST_LINE), text.rfind(" ", LONGEST_LINE // 2, LONGEST_LINE))
        cut = cut if cut > 0 else LONGEST_LINE
        pieces.append(text[:cut])
        text = text[cut:]
    return [*pieces, text]
