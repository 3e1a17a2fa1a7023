"""Checks of users' drawings: only those whose elements can be drawn in limited time are accepted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

LONGEST = 2 * 1024 * 1024
MOST_ELEMENTS, DEEPEST = 20_000, 60
MOST_DRAWN = 50_000
REFERENCE = re.compile(r"#([^\s\"')]+)")
STYLE_REFERENCE = re.compile(r"url\((?:(?!url\()[^)])*?#([^\s\"')]+)", re.IGNORECASE)
GRADIENTS = ("linearGradient", "radialGradient")
NO_DRAWING = "it is not a valid SVG drawing"
TOO_LARGE = "it has too many elements, or they are nested too deep"
TOO_MANY_COPIES = f"it draws more than {MOST_DRAWN:,} shapes, or copies that contain themselves"


def fault_of_drawing(body: bytes) -> str:
    """Return why a drawing cannot be shown, "" if it can."""
    if len(body) > LONGEST:
        return f"drawings have at most {LONGEST // 1024 // 1024} MiB"
    if b"<!DOCTYPE" in body[:4_000].upper() or b"<!ENTITY" in body.upper():
        return "drawings may not declare entities"
    try:
        root = ElementTree.fromstring(body)
    except (ElementTree.ParseError, ValueError, LookupError):
        return NO_DRAWING
    # In a two-byte encoding, the checks above would not find anything.
    if not root.tag.endswith("svg") or b"\0" in body:
        return NO_DRAWING
    if any(depth > DEEPEST or number > MOST_ELEMENTS for number, depth in enumerate(_depths(root))):
        return TOO_LARGE
    return _fault_of_styles(root) or ("" if _Weights(root).is_bounded() else TOO_MANY_COPIES)


def _depths(root: Element) -> Iterator[int]:
    stack = [(0, root)]
    while stack:
        depth, element = stack.pop()
        yield depth
        if depth <= DEEPEST:
            stack += [(depth + 1, child) for child in element]


def _fault_of_styles(root: Element) -> str:
    """Return why the styles of a drawing are refused, "" if they are accepted."""
    named = {element.get("id", ""): _name(element) for element in root.iter()}
    for element in root.iter():
        style = "".join(element.itertext()) if _name(element) == "style" else element.get("style", "")
        spread = element.get("spreadMethod", "pad").strip().lower()
        if spread != "pad" or "spreadmethod" in style.lower():
            return "its gradients repeat"
        if "\\" in style:
            return "its styles have escapes"
        targets = STYLE_REFERENCE.findall(style) if _name(element) == "style" else ()
        if any(named.get(unquote(target), "") not in ("", *GRADIENTS) for target in targets):
            return "its style sheet refers to patterns, markers or masks"
    return ""


def _name(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


@dataclass(slots=True)
class _Weights:
    """The number of shapes that each element draws, including all copies."""

    root: Element
    named: dict[str, Element] = field(default_factory=dict)
    known: dict[Element, int] = field(default_factory=dict)
    open: set[Element] = field(default_factory=set)

    def is_bounded(self) -> bool:
        """Return whether the number of drawn shapes is within bounds."""
        self.named = {name: element for element in self.root.iter() if (name := element.get("id"))}
        return self._weight(self.root, 0) <= MOST_DRAWN

    def _weight(self, element: Element, depth: int) -> int:
        if element in self.known:
            return self.known[element]
        if element in self.open or depth > 2 * DEEPEST:
            return MOST_DRAWN + 1
        self.open.add(element)
        weight = 1 + sum(self._weight(child, depth + 1) for child in element)
        for name, value in element.items():
            if weight <= MOST_DRAWN and (name.endswith("href") or "url(" in value.lower()):
                times = self._corners(element) if name.startswith("marker") or "marker" in value else 1
                weight += times * sum(self._weight(target, depth + 1) for target in self._targets(value))
        self.open.discard(element)
        self.known[element] = min(weight, MOST_DRAWN + 1)
        return self.known[element]

    def _corners(self, element: Element) -> int:
        """Return an upper limit for the markers on the lines of an element and its children."""
        return sum(len(one.get("d", "")) + len(one.get("points", "")) for one in element.iter()) // 2 + 2

    def _targets(self, value: str) -> list[Element]:
        names = dict.fromkeys(unquote(name) for name in REFERENCE.findall(value))
        return [self.named[name] for name in names if name in self.named]
