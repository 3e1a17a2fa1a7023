"""Inline marks in addition to those of Markdown, and inline HTML: their tokens and spans."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from html import unescape
from itertools import groupby

from markdown_it import MarkdownIt
from markdown_it.common.html_blocks import block_names
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from handlers.render.documents.markup.spans import (
    CodeSpan,
    Hyperlink,
    InlineImage,
    LineBreak,
    PlainText,
    Span,
    Spans,
    Styled,
    is_harmless,
    words_of,
)

MATHEMATICS = re.compile(
    r"(?<![0-9\\])\$(?:\$(?P<display>[^$\n]{1,2000})\$\$|(?=[^\s$])(?P<inline>(?:[^$\\\n]|\\.){0,1000})(?<!\s)\$(?![0-9]))"
)
VARIABLE = re.compile(r"\{(/u/[^\s{}/]{1,64}/[pgmdrj]/[^\s{}/]{1,64}/v/[^\s{}/]{1,64})\}")
WORDS = r"(?:[^()\n]|\([^()\n]{0,100}\)){1,300}"
PAGE = re.compile(
    rf"\{{pageref(#{{1,6}})(?:\[(?P<label>[^\]\n]{{1,200}})\]\((?P<labelled>{WORDS})\)"
    rf"|\((?P<linked>{WORDS})\)|(?P<bare>(?![(\[])[^{{}}\n]{{1,300}}(?:\{{[^{{}}\n]{{0,100}}\}})?))\}}"
)
LABEL = re.compile(r"\{ref:([^{}\n]{1,80})\}")
SPAN = re.compile(r"\[\[\s*([a-z]+)((?:\s*,[^,:\[\]\n]{0,40}){0,8})\s*:")
BRACKETS = re.compile(r"\[\[|\]\]")
DEEPEST = 3


def add_inline_rules(reader: MarkdownIt) -> None:
    """Add the marks to a parser."""
    reader.inline.ruler.before("link", "span_section", _span)
    for name, (pattern, add) in RULES.items():
        reader.inline.ruler.before("link", name, _matching("{", pattern, add))


def add_mathematics(reader: MarkdownIt) -> None:
    """Add formulas between dollar signs to a parser; amounts of money are not formulas."""
    reader.inline.ruler.before("escape", "mathematics", _matching("$", MATHEMATICS, _add_formula))


def _matching(
    sign: str, pattern: re.Pattern[str], add: Callable[[StateInline, re.Match[str]], None]
) -> Callable[[StateInline, bool], bool]:
    """Return the rule for a mark that begins with `sign`; `add` adds its token."""

    def parse(state: StateInline, silent: bool) -> bool:
        found = pattern.match(state.src, state.pos, state.posMax) if state.src[state.pos] == sign else None
        if found is None:
            return False
        if not silent:
            add(state, found)
        state.pos = found.end()
        return True

    return parse


def _add_formula(state: StateInline, found: re.Match[str]) -> None:
    kind = "math_inline" if found["display"] is None else "math_inline_double"
    state.push(kind, "", 0).content = found["inline"] or found["display"] or ""


def _add_variable(state: StateInline, found: re.Match[str]) -> None:
    state.push("variable", "", 0).content = found[1]


def _add_page(state: StateInline, found: re.Match[str]) -> None:
    token = state.push("page_mention", "", 0)
    token.content = (found["labelled"] or found["linked"] or found["bare"]).strip()
    token.meta.update(level=len(found[1]), linked=found["bare"] is None, label=found["label"] or "")


def _add_label(state: StateInline, found: re.Match[str]) -> None:
    token = state.push("label_mention", "", 0)
    token.content, token.meta["source"] = found[1].strip(), found[0]


def _span(state: StateInline, silent: bool) -> bool:
    """Parse `[[type,option: text]]`; the text may contain other marks."""
    if not state.src.startswith("[[", state.pos):
        return False
    opening = SPAN.match(state.src, state.pos, state.posMax)
    end = _partners(state.src).get(state.pos, -1)
    depth = int(state.env.get("depth", 0))
    if opening is None or end < opening.end() or depth >= DEEPEST:
        return False
    if not silent:
        token = state.push("span_section", "", 0)
        token.info = opening[1]
        token.meta["options"] = [option.strip().lower() for option in opening[2].split(",")[1:]]
        token.content = state.src[state.pos : end + 2]
        token.children = parse_inner(state.md, state.src[opening.end() : end].strip(), state.env)
    state.pos = end + 2
    return True


def parse_inner(reader: MarkdownIt, text: str, env: object) -> list[Token]:
    """Return the tokens of a nested text; `env` counts the depth."""
    assert isinstance(env, dict)
    env["depth"] = int(env.get("depth", 0)) + 1
    tokens: list[Token] = []
    try:
        reader.inline.parse(text, reader, env, tokens)
    finally:
        env["depth"] -= 1
    return tokens


RULES = {
    "variable": (VARIABLE, _add_variable),
    "page_mention": (PAGE, _add_page),
    "label_mention": (LABEL, _add_label),
}
"""Marks in braces: their patterns, and the functions that add their tokens."""


@lru_cache(maxsize=8)
def _partners(text: str) -> dict[int, int]:
    """Return the positions of closing brackets by those of their opening brackets."""
    partners, opened = {}, []
    for bracket in BRACKETS.finditer(text):
        if bracket[0] == "[[":
            opened.append(bracket.start())
        elif opened:
            partners[opened.pop()] = bracket.start()
    return partners


VALUE = r"(?:\"[^\"]*\"|'[^']*'|[^\"'=<>`\s]+)"
ATTRIBUTE = rf"(?<!\s)\s++([A-Za-z_:][\w:.-]*)(?:\s*=\s*({VALUE}))?"
TAG = re.compile(rf"<(/?)([A-Za-z][A-Za-z0-9-]{{0,60}})((?:{ATTRIBUTE})*)\s*/?>")
ATTRIBUTES = re.compile(ATTRIBUTE)
OTHER = re.compile(r"<\?.*?\?>|<!\[CDATA\[.*?\]\]>|<![A-Za-z][^>]*>", re.DOTALL)
OPENING = ("<?", "<!")
PROGRAM = re.compile(r"<(script|style)(?:\s[^<>]{0,2000})?>", re.IGNORECASE)
PROGRAM_ENDS = {name: re.compile(rf"</{name}\s*>", re.IGNORECASE) for name in ("script", "style")}


def add_html(reader: MarkdownIt) -> None:
    """Add the tags to a parser."""
    reader.inline.ruler.at("html_inline", _html)
    reader.inline.ruler.enable("html_inline")


def attribute(source: str, name: str) -> str:
    """Return the value of an attribute of a tag, or ""."""
    found = (match for match in ATTRIBUTES.finditer(source) if match[1].lower() == name and match[2])
    value = next((match[2] for match in found), "")
    return unescape(value[1:-1] if value[:1] in ("'", '"') else value)


def _html(state: StateInline, silent: bool) -> bool:
    """Parse `<tag>`, `<!-- comment -->`, `<? … ?>` and `<! … >`."""
    start = state.pos
    if state.src.startswith("<!--", start):
        state.pos = _end_of_comment(state.src, start, state.posMax)
        return True
    if (end := program_end(state.src, start, state.posMax)) and not state.env.get("is_row"):
        state.pos = end
        return True
    tag = TAG.match(state.src, start, state.posMax)
    other = OTHER.match(state.src, start, state.posMax) if state.src.startswith(OPENING, start) else None
    found = tag or other
    if found is None:
        return False
    if not silent:
        token = state.push("html_tag", "", 0)
        token.content, token.info = found[0], tag[2].lower() if tag else ""
        token.meta = {"closing": bool(tag and tag[1]), "closed": found[0].endswith("/>")}
    state.pos = end or found.end()
    return True


def program_end(source: str, start: int, end: int) -> int:
    """Return the end of the script or style sheet that begins at `start`, 0 if it is not closed."""
    opening = PROGRAM.match(source, start, end)
    closing = PROGRAM_ENDS[opening[1].lower()].search(source, opening.end(), end) if opening else None
    return closing.end() if closing else 0


def _end_of_comment(source: str, start: int, end: int) -> int:
    if source.startswith(("<!-->", "<!--->"), start):
        return min(end, source.index(">", start) + 1)
    closing = source.find("-->", start + 4, end)
    return end if closing < 0 else closing + 3


Stack = list[tuple[Token | None, list[Span]]]
"""The open marks, each with its spans; the first is the line itself."""

STYLES = {"b": "strong", "strong": "strong", "i": "em", "em": "em", "cite": "em", "dfn": "em", "var": "em",
          "u": "u", "ins": "u", "s": "s", "strike": "s", "del": "s", "sub": "sub", "sup": "sup", "kbd": "kbd",
          "mark": "mark"}  # fmt: skip
CODE = ("code", "samp", "tt")
PAIRS = (*STYLES, *CODE, "a")
BLOCKS = frozenset((*block_names, "pre"))
"""Tags that separate words."""
DEEPEST_TAGS = 16
HINT = "put HTML between {{ html }} and {{ /html }}"


@dataclass(slots=True)
class HtmlSpans:
    """Processes tags; ignored ones are added to `faults`, each name once.

    `address` returns the address in an attribute of a token, or "".
    """

    faults: list[tuple[str, str]]
    address: Callable[[Token, str], str]
    noted: set[str] = field(default_factory=set)

    def take(self, stack: Stack, token: Token) -> None:
        """Open, close or show a tag."""
        name, closing = token.info, bool(token.meta["closing"])
        if make := SINGLE.get(name):
            stack[-1][1].extend(make(self, token))
        elif name not in PAIRS or token.meta["closed"] or (not closing and len(stack) > DEEPEST_TAGS):
            self._leave_out(
                token, f"<{name}> is not understood" if name else f"{token.content[:20]} is not text"
            )
            if name in BLOCKS:
                stack[-1][1].append(PlainText(" "))
        elif not closing:
            stack.append((token, []))
        else:
            self._close(stack, token)

    def close(self, stack: Stack) -> None:
        """Drop the tags that are still open when the mark around them ends."""
        while (opening := stack[-1][0]) is not None and opening.type == "html_tag":
            self._dissolve(stack)

    def _close(self, stack: Stack, token: Token) -> None:
        """Close a tag, and drop the tags in it that are still open."""
        opened = []
        for opening, _ in reversed(stack):
            if opening is None or opening.type != "html_tag":
                break
            opened.append(opening.info)
            if opening.info == token.info:
                break
        if token.info not in opened:
            self._leave_out(token, f"</{token.info}> has no <{token.info}> before it")
            return
        for _ in opened[:-1]:
            self._dissolve(stack)
        opening, inner = stack.pop()
        assert opening is not None
        stack[-1][1].extend(self._in_tag(opening, merge(inner)))

    def _in_tag(self, opening: Token, spans: Spans) -> Spans:
        if not spans:
            return ()
        if opening.info in CODE:
            return (CodeSpan(words_of(spans)),)
        if opening.info != "a":
            return (Styled(STYLES[opening.info], spans),)
        opening.attrs["href"] = attribute(opening.content, "href")
        target = self.address(opening, "href")
        if target and is_harmless(target):
            return (Hyperlink(target, spans),)
        self._leave_out(opening, "this <a> leads nowhere")
        return spans

    def _dissolve(self, stack: Stack) -> None:
        opening, inner = stack.pop()
        assert opening is not None
        self._leave_out(opening, f"<{opening.info}> is not closed")
        stack[-1][1].extend(inner)

    def _image(self, token: Token) -> Spans:
        token.attrs["src"] = attribute(token.content, "src")
        name, words = self.address(token, "src"), attribute(token.content, "alt")
        return (InlineImage(name, words or name),) if name else (PlainText(words),) if words else ()

    def _leave_out(self, token: Token, reason: str) -> None:
        if reason not in self.noted:
            self.noted.add(reason)
            self.faults.append((token.content, f"{reason} and left out: {HINT}"))


SINGLE: Mapping[str, Callable[[HtmlSpans, Token], Spans]] = {
    "br": lambda html, token: (LineBreak(),),
    "wbr": lambda html, token: (),
    "img": HtmlSpans._image,
}
"""Functions for void tags."""


def merge(spans: Sequence[Span]) -> Spans:
    """Return the spans, with adjacent plain words merged."""
    made: list[Span] = []
    for is_plain, group in groupby(spans, lambda span: isinstance(span, PlainText)):
        same = tuple(group)
        made += [PlainText(words_of(same))] if is_plain else same
    return tuple(made)
