"""Our own inline marks besides Markdown's: `[[…]]`, variables and page references."""

from __future__ import annotations

import re
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

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
    reader.inline.ruler.before("link", "variable", _variable)
    reader.inline.ruler.before("link", "page_mention", _page)
    reader.inline.ruler.before("link", "label_mention", _label)


def add_mathematics(reader: MarkdownIt) -> None:
    """Add formulas between dollar signs to a parser; sums of money are no formulas."""
    reader.inline.ruler.before("escape", "mathematics", _mathematics)


def _mathematics(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "$":
        return False
    found = MATHEMATICS.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        kind = "math_inline" if found["display"] is None else "math_inline_double"
        state.push(kind, "", 0).content = found["inline"] or found["display"] or ""
    state.pos = found.end()
    return True


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


def _variable(state: StateInline, silent: bool) -> bool:
    found = VARIABLE.match(state.src, state.pos, state.posMax) if state.src[state.pos] == "{" else None
    if found is None:
        return False
    if not silent:
        state.push("variable", "", 0).content = found[1]
    state.pos = found.end()
    return True


def _page(state: StateInline, silent: bool) -> bool:
    found = PAGE.match(state.src, state.pos, state.posMax) if state.src[state.pos] == "{" else None
    if found is None:
        return False
    if not silent:
        token = state.push("page_mention", "", 0)
        token.content = (found["labelled"] or found["linked"] or found["bare"]).strip()
        token.meta.update(level=len(found[1]), linked=found["bare"] is None, label=found["label"] or "")
    state.pos = found.end()
    return True


def _label(state: StateInline, silent: bool) -> bool:
    found = LABEL.match(state.src, state.pos, state.posMax) if state.src[state.pos] == "{" else None
    if found is None:
        return False
    if not silent:
        token = state.push("label_mention", "", 0)
        token.content, token.meta["source"] = found[1].strip(), found[0]
    state.pos = found.end()
    return True


@lru_cache(maxsize=8)
def _partners(text: str) -> dict[int, int]:
    """Return the position of the closing brackets for each opening ones."""
    partners, opened = {}, []
    for bracket in BRACKETS.finditer(text):
        if bracket[0] == "[[":
            opened.append(bracket.start())
        elif opened:
            partners[opened.pop()] = bracket.start()
    return partners
