"""Marks within lines, found by the sign that each begins with, in a number of steps that is counted."""

from __future__ import annotations

import re

from markdown_it.parser_inline import ParserInline, RuleFuncInlineType
from markdown_it.rules_inline import StateInline

from handlers.render.documents.markup.effort import Effort

FIRST_SIGNS = {
    "newline": "\n", "escape": "\\", "backticks": "`", "strikethrough": "~", "emphasis": "*_", "link": "[",
    "image": "!", "autolink": "<", "entity": "&", "sub": "~", "sup": "^", "footnote_ref": "[",
    "mathematics": "$", "span_section": "[", "variable": "{", "page_mention": "{", "label_mention": "{",
    "html_inline": "<",
}  # fmt: skip
COSTLY = {"[": 6, "!": 4, "<": 2}


class LineParser(ParserInline):
    """Parses lines by the rules of another parser, each tried only at the signs that it begins with."""

    def __init__(self, parser: ParserInline) -> None:
        super().__init__()
        self.ruler, self.ruler2 = parser.ruler, parser.ruler2
        names = parser.ruler.get_active_rules()
        rules = list(zip(names, parser.ruler.getRules(""), strict=True))
        signs = "".join(dict.fromkeys("".join(FIRST_SIGNS.get(name, "") for name in names)))
        self.starts: dict[str, tuple[RuleFuncInlineType, ...]] = {
            sign: tuple(rule for name, rule in rules if sign in FIRST_SIGNS.get(name, "")) for sign in signs
        }
        self.terminator_re = re.compile("[]" + re.escape(signs) + "]")

    def tokenize(self, state: StateInline) -> None:
        """Make tokens of the text up to `posMax`; what is left when no step is, is one of plain words."""
        effort: Effort = state.env["effort"]
        end, source = state.posMax, state.src
        while state.pos < end:
            start, before = state.pos, len(state.tokens)
            if effort.left <= 0:
                state.append_pending(source[start:end])
                state.pos = end
                break
            for rule in self.starts.get(source[start], ()):
                if rule(state, False):
                    break
            else:
                state.pos = self._words(state, start)
                state.append_pending(source[start : state.pos])
            effort.left -= 1 + COSTLY.get(source[start], 0) + len(state.tokens) - before
        if state.pending:
            state.pushPending()

    def skipToken(self, state: StateInline) -> None:  # noqa: N802
        """Pass one mark, or the words up to the next."""
        effort: Effort = state.env["effort"]
        effort.left -= 1
        start = state.pos
        if (known := state.cache.get(start)) is not None:
            state.pos = known
            return
        if effort.left <= 0 or state.level >= state.md.options["maxNesting"]:
            state.pos = state.posMax
        else:
            state.level += 1
            for rule in self.starts.get(state.src[start], ()):
                if rule(state, True):
                    break
            else:
                # A bracket is counted by whoever looks for its partner, so it is passed by itself.
                state.pos = start + 1 if state.src[start] == "[" else self._words(state, start)
            state.level -= 1
        state.cache[start] = state.pos

    def _words(self, state: StateInline, start: int) -> int:
        """The end of plain words: one sign at least."""
        found = self.terminator_re.search(state.src, start + 1, state.posMax)
        return found.start() if found else state.posMax
