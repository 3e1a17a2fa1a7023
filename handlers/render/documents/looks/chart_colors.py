"""Colours of charts on a page: replaces the default ones by those of its theme, in rendered drawings.

A chart is drawn in the default palette and cached for all documents; for a page whose theme has other tokens
the colours in the drawing are replaced. A plot's own colours do not change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import tinycss2
from tinycss2.ast import Declaration, Node, QualifiedRule

from handlers.render.plots.look.palette import MODES, Palette, mix

Swaps = Mapping[str, str]
PLACE = re.compile(r"(?<=[\"':])#[0-9a-f]{6}\b")
TOKEN = re.compile(r"--novem-(paper|screen|panel|ink|quiet|rule|edge|good|bad|accent|series-[1-8])")
SHORT, LONG = re.compile(r"[0-9a-f]{3}"), re.compile(r"[0-9a-f]{6}")
SHARES = (0.1, 0.28, 0.47, 0.67, 0.86, 1.0)
"""Shares of the first colour in the tones of a ramp, except for the last, which is darker."""
BEYOND = {"light": "#000000", "dark": "#ffffff"}


def recolor(pictures: Mapping[str, str], swaps: Mapping[str, Swaps]) -> Mapping[str, str]:
    """Return the drawings of a chart, by mode, with replaced colours."""
    return {mode: _exchange(svg, swaps.get(mode, {})) for mode, svg in pictures.items()}


def chart_swaps(css: str, sheet: str) -> Mapping[str, Swaps]:
    """Return the default colours of charts by mode, each with its replacement on a page.

    `css` is the sheet after the default tokens, `sheet` the kind of the page: print has white paper.
    """
    tokens = dict(_tokens(css))
    return {mode: dict(_swaps(tokens, mode, sheet)) for mode in MODES}


def _exchange(svg: str, swaps: Swaps) -> str:
    return PLACE.sub(lambda found: swaps.get(found[0], found[0]), svg) if swaps else svg


def _swaps(tokens: Mapping[str, tuple[str, str]], mode: str, sheet: str) -> Iterator[tuple[str, str]]:
    usual = MODES[mode]
    colors = {name: pair[mode == "dark"] for name, pair in tokens.items()}
    paper = colors.get("paper" if sheet == "doc" else "screen", "")
    if paper or (sheet == "doc" and mode == "light"):
        yield usual.paper, paper or "#ffffff"
    for name, color in (("panel", usual.panel), ("quiet", usual.quiet), ("rule", usual.grid),
                        ("edge", usual.edge), ("good", usual.good), ("bad", usual.bad),
                        ("ink", usual.ink)):  # fmt: skip
        if name in colors:
            yield color, colors[name]
    first = colors.get("series-1") or colors.get("accent", "")
    if first:
        yield from zip(usual.ramp, _ramp(first, usual, mode), strict=True)
        yield usual.categories[0], first
    for number, color in enumerate(usual.categories[1:], 2):
        if new := colors.get(f"series-{number}"):
            yield color, new


def _ramp(color: str, usual: Palette, mode: str) -> Iterator[str]:
    for share in SHARES:
        yield mix(usual.paper if mode == "dark" else "#ffffff", color, share)
    yield mix(color, BEYOND[mode], 0.35)


def _tokens(css: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the colour tokens that rules for the root change, for light and dark."""
    for rule in tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True):
        if isinstance(rule, QualifiedRule) and tinycss2.serialize(rule.prelude).strip() in (":root", "html"):
            for node in tinycss2.parse_blocks_contents(rule.content):
                found = TOKEN.fullmatch(node.name) if isinstance(node, Declaration) else None
                if found and (pair := _pair(node)):
                    yield found[1], pair


def _pair(node: Declaration) -> tuple[str, str] | None:
    colors = list(_colors(node.value))
    return (colors[0], colors[-1]) if len(colors) in (1, 2) and all(colors) else None


def _colors(nodes: list[Node]) -> Iterator[str]:
    for node in nodes:
        if node.type == "function" and node.lower_name == "light-dark":
            yield from _colors(node.arguments)
        elif node.type == "hash":
            yield _hex(node.value.lower())
        elif node.type not in ("whitespace", "literal"):
            yield ""


def _hex(digits: str) -> str:
    if SHORT.fullmatch(digits):
        digits = "".join(digit * 2 for digit in digits)
    return f"#{digits}" if LONG.fullmatch(digits) else ""
