"""Blocks found by the sign that their first line begins with, in a number of steps that is counted."""

from __future__ import annotations

from collections.abc import Callable

from markdown_it import MarkdownIt
from markdown_it.common.utils import mdTrim
from markdown_it.parser_block import ParserBlock
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock, table
from markdown_it.token import Token
from markdown_it.utils import EnvType

from handlers.render.documents.markup.effort import Effort, EffortSpent

INTERRUPTED: RuleOptionsType = {
    "alt": ["paragraph", "reference", "blockquote", "list", "table", "footnote_def"]
}
"""Blocks that end where a mark begins."""

Rule = Callable[[StateBlock, int, int, bool], bool]

DIGITS = "0123456789"
FIRST_SIGNS = {
    "mark": "{<", "math_block": "$", "fence": "`~", "blockquote": ">", "hr": "*-_", "list": "*-+" + DIGITS,
    "footnote_def": "[", "reference": "[", "heading": "#", "html_block": "<",
}  # fmt: skip
INTERRUPTING = frozenset("".join(FIRST_SIGNS.values()) + ":")
UNDERLINING, RULING = "-=", "|-:"
BLOCK, CELL = 8, 4
MOST_COLUMNS = 500


def count_blocks(reader: MarkdownIt, mark: Rule) -> None:
    """Let a reader count the steps that blocks take, and ask that rule before any other for a mark.

    The rule is asked of every line of a table, so it counts them.
    """

    def count_line(state: StateBlock, line: int, end: int, silent: bool) -> bool:
        state.env["effort"].spend(state.env["effort"].toll)
        return mark(state, line, end, silent)

    reader.block.ruler.before("table", "mark", count_line, INTERRUPTED)
    reader.block.ruler.disable("lheading")
    reader.block.ruler.at("paragraph", read_paragraph)
    reader.block.ruler.at("table", read_table, {"alt": ["paragraph", "reference"]})
    reader.block = BlockParser(reader.block)


class BlockParser(ParserBlock):
    """Parses blocks by the rules of another parser, each tried only at the signs that it begins with."""

    def __init__(self, parser: ParserBlock) -> None:
        super().__init__()
        self.ruler = parser.ruler
        self.starts: dict[str, tuple[Rule, ...]] = {}

    def parse(
        self,
        src: str,
        md: MarkdownIt,
        env: EnvType,
        outTokens: list[Token],  # noqa: N803
    ) -> list[Token]:
        """Make tokens of the text; a block that takes too many steps and all that follow become one `cut`."""
        state = StateBlock(src, md, env, outTokens)
        effort: Effort = env["effort"]
        try:
            self.tokenize(state, state.line, state.lineMax)
        except EffortSpent:
            effort.undo()
            del state.tokens[effort.tokens :]
            state.level = 0
            _leave_out(state, "cut", effort.line, state.lineMax)
        return state.tokens

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:  # noqa: N803
        """Make tokens of the lines of one block, or of the whole text."""
        effort: Effort = state.env["effort"]
        line, loose = startLine, False
        while line < endLine:
            state.line = line = state.skipEmptyLines(line)
            if line >= endLine or state.sCount[line] < state.blkIndent:
                break
            if state.level == 0:
                effort.begin(line, len(state.tokens))
            effort.spend(BLOCK)
            if state.level >= state.md.options.maxNesting:
                state.line = _end_of_indented(state, line, endLine)
                _leave_out(state, "too_deep", line, state.line)
                break
            for rule in self._rules(state, line):
                if rule(state, line, endLine, False):
                    break
            state.tight = not loose
            line = state.line
            loose = loose or (line - 1 < endLine and state.isEmpty(line - 1))
            if line < endLine and state.isEmpty(line):
                loose = True
                state.line = line = line + 1

    def _rules(self, state: StateBlock, line: int) -> tuple[Rule, ...]:
        """The rules for a block whose first line begins so."""
        sign = state.src[state.bMarks[line] + state.tShift[line]]
        if sign not in self.starts:
            named = zip(self.ruler.get_active_rules(), self.ruler.getRules(""), strict=True)
            self.starts[sign] = tuple(rule for name, rule in named if sign in FIRST_SIGNS.get(name, sign))
        return self.starts[sign]


def _end_of_indented(state: StateBlock, line: int, end: int) -> int:
    """The line from which on the text lies less deep."""
    while line < end and (state.isEmpty(line) or state.sCount[line] >= state.blkIndent):
        line += 1
    return line


def _leave_out(state: StateBlock, kind: str, line: int, end: int) -> None:
    token = state.push(kind, "", 0)
    token.map = [line, end]


def read_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A table, of which each row takes as many steps as the table has columns; endless rows are none."""
    if start + 1 >= end or first_sign(state, start + 1) not in RULING:
        return False
    if silent:
        return table(state, start, end, True)
    columns = state.src.count("|", state.bMarks[start], state.eMarks[start]) + 1
    if columns > MOST_COLUMNS:
        return False
    effort: Effort = state.env["effort"]
    outer, effort.toll = effort.toll, CELL * columns
    try:
        if not table(state, start, end, False):
            return False
        effort.spend(2 * effort.toll)
    finally:
        effort.toll = outer
    return True


def read_paragraph(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A paragraph, or the heading that it is when a line of `=` or `-` stands below it."""
    outer, state.parentType = state.parentType, "paragraph"
    after, level = end_of_paragraph(state, start)
    state.parentType = outer
    state.line = after + 1 if level else after
    kind, tag = ("heading", f"h{level}") if level else ("paragraph", "p")
    state.push(f"{kind}_open", tag, 1).map = [start, state.line]
    inline = state.push("inline", "", 0)
    inline.content = mdTrim(state.getLines(start, after, state.blkIndent, False))
    inline.map, inline.children = [start, after], []
    state.push(f"{kind}_close", tag, -1)
    return True


def end_of_paragraph(state: StateBlock, start: int) -> tuple[int, int]:
    """The line after the paragraph's last, and the level of heading that it underlines, or 0."""
    effort: Effort = state.env["effort"]
    rules = state.md.block.ruler.getRules("paragraph")
    heading = not state.is_code_block(start)
    marks = state.env.get("marks", ())
    for line in range(start + 1, state.lineMax):
        if state.isEmpty(line) or line in marks:
            return line, 0
        indent = state.sCount[line]
        if indent - state.blkIndent > 3:
            continue
        sign = first_sign(state, line)
        if heading and sign in UNDERLINING and indent >= state.blkIndent and _underlines(state, line, sign):
            return line, 1 if sign == "=" else 2
        if indent < 0:
            continue
        if sign in INTERRUPTING or (line + 1 < state.lineMax and first_sign(state, line + 1) in RULING):
            effort.spend(2)
            if any(rule(state, line, state.lineMax, True) for rule in rules):
                return line, 0
    return state.lineMax, 0


def _underlines(state: StateBlock, line: int, sign: str) -> bool:
    text = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
    return not text.rstrip(" \t").strip(sign)


def first_sign(state: StateBlock, line: int) -> str:
    """The sign that a line begins with, a line break if it is empty."""
    start = state.bMarks[line] + state.tShift[line]
    return state.src[start] if start < len(state.src) else "\n"
