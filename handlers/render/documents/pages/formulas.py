"""Formulas as drawings: TeX to SVG in the text colour."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree

if TYPE_CHECKING:
    from ziamath.zmath import Math

LONGEST = 800
DEAREST = 30_000
"""Most characters, doubled for each level of nesting, because the library's time doubles, too."""
SIZE = 100.0
SHARES = {"inline": 1.05, "display": 1.08}
NESTING = re.compile(r"\\left|\\right|\\begin|\\end|\\.|[{}]")
OPENING = ("{", "\\left", "\\begin")
CLOSING = ("}", "\\right", "\\end")
NEVER = re.compile(r"\\(?:input|include|href|url|html|def|newcommand|usepackage|write|read|loop)\b")
UNKNOWN = re.compile(r">\s*\\[A-Za-z]")
"""An unknown command, which the library draws as the letters of its name."""


class DrawnFormula(NamedTuple):
    """A formula: SVG without a colour; its width, height and depth below the baseline, in em."""

    svg: str
    width: float
    height: float
    depth: float


@lru_cache(maxsize=2_048)
def draw_formula(source: str, *, display: bool) -> DrawnFormula | None:
    """Return the drawing of a formula; None for an invalid one."""
    is_dear = len(source) > LONGEST or len(source) << _depth(source) > DEAREST
    if is_dear or not source.strip() or NEVER.search(source):
        return None
    try:
        made = _laid_out(source, display=display)
        if made is None:
            return None
        svg, depth = made.svgxml(), -made.getyofst()
        box = [float(number) for number in str(svg.get("viewBox")).split()]
    except Exception:
        # The library raises any exception of its parser; no formula may fail a document.
        return None
    if len(box) != 4 or not all(math.isfinite(number) for number in box) or min(box[2:]) <= 0:
        return None
    scale = SHARES["display" if display else "inline"] / SIZE
    _forget_color(svg)
    svg.attrib.pop("width", None), svg.attrib.pop("height", None)
    text = ElementTree.tostring(svg, encoding="unicode")
    return DrawnFormula(text, box[2] * scale, box[3] * scale, depth * scale)


def _laid_out(source: str, *, display: bool) -> Math | None:
    """Return the laid-out formula; None for an unknown command. Raises the exceptions of the parser."""
    # The library takes longer to load than to draw; processes that only parse documents never draw.
    from ziamath.config import config
    from ziamath.tex import tex2mml
    from ziamath.zmath import Latex, Math

    config.svg2, config.precision = False, 2
    written = tex2mml(source, inline=not display)
    if UNKNOWN.search(written):
        return None
    if "mfrac" not in written or "\\tag" in source:
        return Latex(source, size=SIZE, inline=not display)
    tree = ElementTree.fromstring(written)
    for part in tree.findall(".//{*}mfrac/*"):
        part.set("displaystyle", "false")  # as in TeX: limits are at the side, not on the bar
    return Math(tree, SIZE)


def _depth(source: str) -> int:
    """Return the depth of nested groups."""
    steps = ((mark in OPENING) - (mark in CLOSING) for mark in NESTING.findall(source))
    return max(accumulate(steps, initial=0))


def _forget_color(svg: ElementTree.Element) -> None:
    """Remove the colour, so that the page with the drawing sets it."""
    for element in svg.iter():
        for name in ("fill", "stroke"):
            if element.get(name) in ("black", "#000", "#000000"):
                del element.attrib[name]
