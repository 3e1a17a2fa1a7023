"""Style sheets of users, without rules that load files or cover other content, and colours of charts.

A chart is drawn in the default palette and cached for all documents; for a page whose theme has other tokens
the colours in the drawing are replaced. A plot's own colours do not change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import tinycss2
from tinycss2.ast import AtRule, Declaration, Node, QualifiedRule

from handlers.render.documents.markup.parameters import full_digits
from handlers.render.plots.look.palette import MODES, Palette, mix

LONGEST = 256 * 1024
MOST_RULES = 2_000
DEEPEST = 6
GROUPS = {"media", "supports", "layer", "page", "top-left", "top-right", "top-center", "bottom-left",
          "bottom-right", "bottom-center", "footnote"}  # fmt: skip
FETCHING = {"url", "src", "image", "image-set", "-webkit-image-set", "element", "cross-fade", "expression"}
FLOWING = {"static", "relative", "inherit", "initial", "unset", "running"}
"""Values of `position` that keep a box in its place."""
TURNING = {"rotate", "skew", "skewx", "skewy"}
MOVING = {
    "translate", "scale", "zoom", "z-index", "top", "right", "bottom", "left", "inset",
    "inset-block", "inset-inline", "inset-block-start", "inset-block-end", "inset-inline-start",
    "inset-inline-end", "offset", "offset-path", "perspective", "animation", "animation-name",
    "view-transition-name", "anchor-name", "position-anchor", "position-area", "backdrop-filter",
}  # fmt: skip
FORBIDDEN = {"behavior", "-moz-binding", "src"}


class CheckedCss:
    """A parsed style sheet: `css` has the accepted rules, `notes` name the others."""

    def __init__(self, text: str, name: str = "custom.css") -> None:
        self.name = name
        self.notes: list[str] = []
        self.rules = 0
        if len(text) > LONGEST:
            self.notes.append(f"{name} is left out: it has more than {LONGEST // 1024} KiB")
            text = ""
        nodes = tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True)
        self.css = "\n".join(self._rules(nodes, 0))

    def _rules(self, nodes: Sequence[Node], depth: int) -> Iterator[str]:
        for node in nodes:
            self.rules += 1
            if self.rules > MOST_RULES:
                self._note(node, f"a style sheet has at most {MOST_RULES:,} rules: the rest is left out")
                return
            if isinstance(node, QualifiedRule):
                yield f"{tinycss2.serialize(node.prelude).strip()}{{{self._body(node.content, depth)}}}"
            elif isinstance(node, AtRule):
                yield from self._group(node, depth)
            elif isinstance(node, Declaration):
                yield from self._declaration(node)
            elif node.type == "error":
                self._note(node, node.message)

    def _group(self, node: AtRule, depth: int) -> Iterator[str]:
        name = node.lower_at_keyword
        if name not in GROUPS or (node.content is None and name != "layer"):
            self._note(node, f"@{name} is left out")
        else:
            head = f"@{name} {tinycss2.serialize(node.prelude).strip()}"
            yield f"{head};" if node.content is None else f"{head}{{{self._body(node.content, depth)}}}"

    def _body(self, content: Sequence[Node], depth: int) -> str:
        if depth >= DEEPEST:
            return ""
        nodes = tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True)
        return "".join(self._rules(nodes, depth + 1))

    def _declaration(self, node: Declaration) -> Iterator[str]:
        name = node.lower_name
        if name in FORBIDDEN or _fetches(node.value, 0):
            self._note(node, f"{name} is left out: nothing is fetched for a document")
        elif name in MOVING or (name in KEEPING and not KEEPING[name](node.value)):
            value = tinycss2.serialize(node.value).strip()[:40]
            self._note(node, f"{name}: {value} is left out: nothing may cover the page")
        else:
            important = " !important" if node.important else ""
            yield f"{node.name}:{tinycss2.serialize(node.value).strip()}{important};"

    def _note(self, node: Node, reason: str) -> None:
        if len(self.notes) < 50:
            self.notes.append(f"{self.name} line {node.source_line}, column {node.source_column}: {reason}")


def _flows(nodes: Sequence[Node]) -> bool:
    """Return whether a position keeps a box in the flow of the page; False if that is unknown."""
    names = list(_names(nodes))
    return len(names) == 1 and names[0] in FLOWING


def _turns(nodes: Sequence[Node]) -> bool:
    """Return whether a transformation only rotates or skews a box."""
    return all(name in (*TURNING, "none") for name in _names(nodes))


def _names(nodes: Sequence[Node]) -> Iterator[str]:
    """Yield the words and the names of functions of a value; "" for anything else."""
    for node in nodes:
        if node.type not in ("whitespace", "comment"):
            yield node.lower_value if node.type == "ident" else getattr(node, "lower_name", "")


def _fetches(nodes: Sequence[Node], depth: int) -> bool:
    """Return whether a value contains an address, or is nested too deep to be checked."""
    for node in nodes:
        if node.type in ("url", "bad-url", "error"):
            return True
        if node.type == "function" and node.lower_name in FETCHING:
            return True
        inner = getattr(node, "arguments", None) or getattr(node, "content", ())
        if inner and (depth >= DEEPEST or _fetches(inner, depth + 1)):
            return True
    return False


KEEPING = {"position": _flows, "transform": _turns}
"""Properties that may only have values that keep a box in its place."""


Swaps = Mapping[str, str]
PLACE = re.compile(r"(?<=[\"':])#[0-9a-f]{6}\b")
TOKEN = re.compile(r"--novem-(paper|screen|panel|ink|quiet|rule|edge|good|bad|accent|series-[1-8])")
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
            yield full_digits(f"#{node.value.lower()}")
        elif node.type not in ("whitespace", "literal"):
            yield ""
