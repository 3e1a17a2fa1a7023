"""Boxes of the texts of a picture, measured from its SVG, and which of them touch or leave it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

from handlers.render.plots.look.type_metrics import text_width

SVG = "{http://www.w3.org/2000/svg}"
CALL = re.compile(r"(translate|scale|rotate|skewX|matrix)\(([^)]*)\)")
ABOVE, BELOW = 0.66, 0.14
"""Shares of the height of a usual letter above and below its baseline."""
SLACK = 0.6
"""Pixels by which two boxes may overlap before it is visible."""

Matrix = tuple[float, float, float, float, float, float]
Corner = tuple[float, float]
PLAIN: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class TextBox:
    """A text of a picture, the four corners of its box in pixels, and the height of its letters there."""

    text: str
    corners: tuple[Corner, ...]
    size: float

    @property
    def edges(self) -> tuple[float, float, float, float]:
        """The least and the largest places across and down."""
        across, down = [x for x, _ in self.corners], [y for _, y in self.corners]
        return min(across), min(down), max(across), max(down)


def text_boxes(svg: str) -> list[TextBox]:
    """Return the boxes of all texts of a drawn SVG document and of the documents nested in it."""
    return list(_boxes(ElementTree.fromstring(svg), PLAIN, {}, nested=False))


def text_faults(svg: str) -> list[str]:
    """Sentences about texts that touch each other, and about those that leave the picture."""
    root = ElementTree.fromstring(svg)
    width, height = float(root.get("width", "0")), float(root.get("height", "0"))
    boxes = list(dict.fromkeys(text_boxes(svg)))  # a halo is at the place of its text
    found = []
    for box in boxes:
        left, top, right, bottom = box.edges
        if left < -SLACK or top < -SLACK or right > width + SLACK or bottom > height + SLACK:
            found.append(f'"{box.text}" leaves the picture: {left:.0f} {top:.0f} {right:.0f} {bottom:.0f}')
    ordered = sorted(boxes, key=lambda box: box.edges[0])
    for at, one in enumerate(ordered):
        for other in ordered[at + 1 :]:
            if other.edges[0] >= one.edges[2] - SLACK:
                break
            if _touch(one, other):
                found.append(f'"{one.text}" and "{other.text}" touch')
    return found


def _boxes(
    element: ElementTree.Element, matrix: Matrix, look: dict[str, str], *, nested: bool
) -> Iterator[TextBox]:
    look = {**look, **{key: value for key, value in element.attrib.items() if key in _INHERITED}}
    if element.get("opacity") == "0" or element.get("display") == "none":
        return
    if element.tag == f"{SVG}svg" and nested:
        matrix = _within(matrix, element)
    matrix = _times(matrix, _matrix(element.get("transform", "")))
    if element.tag == f"{SVG}text":
        yield from _lines(element, matrix, look)
        return
    for child in element:
        yield from _boxes(child, matrix, look, nested=True)


_INHERITED = ("font-size", "font-weight", "text-anchor")


def _lines(element: ElementTree.Element, matrix: Matrix, look: dict[str, str]) -> Iterator[TextBox]:
    x, y = float(element.get("x", "0")), float(element.get("y", "0"))
    if (element.text or "").strip() and element.find(f"{SVG}tspan") is None:
        yield _box(element.text or "", x, y, matrix, look)
    spans = list(element.iter(f"{SVG}tspan"))
    if spans and not any(span.get("x") for span in spans):  # runs of one line need one box
        text = "".join(element.itertext())
        yield _box(text, x, y, matrix, look)
        return
    for span in spans:
        own = {**look, **{key: value for key, value in span.attrib.items() if key in _INHERITED}}
        y = float(span.get("y", y)) + float(span.get("dy", "0"))
        yield _box(span.text or "", float(span.get("x", x)), y, matrix, own)


def _box(text: str, x: float, y: float, matrix: Matrix, look: dict[str, str]) -> TextBox:
    size = float(look.get("font-size", "16").removesuffix("px"))
    weight = {"bold": 700, "600": 600, "700": 700}.get(look.get("font-weight", ""), 400)
    wide = text_width(text.strip(), size, weight)
    left = x - {"middle": wide / 2, "end": wide}.get(look.get("text-anchor", ""), 0.0)
    top, bottom = y - size * ABOVE, y + size * BELOW
    corners = ((left, top), (left + wide, top), (left + wide, bottom), (left, bottom))
    return TextBox(
        text.strip(), tuple(_at(matrix, corner) for corner in corners), size * math.hypot(*matrix[2:4])
    )


def _touch(one: TextBox, other: TextBox) -> bool:
    """Return whether two boxes overlap, by the axes along their sides."""
    for box in (one, other):
        a, b, _, d = box.corners
        for start, end in ((a, b), (a, d)):
            across = end[0] - start[0], end[1] - start[1]
            length = math.hypot(*across) or 1.0
            ranges = [
                [(x * across[0] + y * across[1]) / length for x, y in each.corners] for each in (one, other)
            ]
            if max(ranges[0]) <= min(ranges[1]) + SLACK or max(ranges[1]) <= min(ranges[0]) + SLACK:
                return False
    return True


def _within(matrix: Matrix, element: ElementTree.Element) -> Matrix:
    """Return the matrix of the content of a nested document, which keeps its proportions."""
    x, y = float(element.get("x", "0")), float(element.get("y", "0"))
    left, top, wide, high = (float(side) for side in element.get("viewBox", "0 0 1 1").split())
    scale = min(float(element.get("width", wide)) / wide, float(element.get("height", high)) / high)
    return _times(matrix, (scale, 0.0, 0.0, scale, x - left * scale, y - top * scale))


def _matrix(text: str) -> Matrix:
    matrix = PLAIN
    for name, words in CALL.findall(text):
        numbers = [float(word) for word in re.split(r"[\s,]+", words.strip())]
        matrix = _times(matrix, _call(name, numbers))
    return matrix


def _call(name: str, numbers: list[float]) -> Matrix:
    first = numbers[0]
    if name == "translate":
        return 1.0, 0.0, 0.0, 1.0, first, numbers[1] if len(numbers) > 1 else 0.0
    if name == "scale":
        return first, 0.0, 0.0, numbers[-1], 0.0, 0.0
    angle = math.radians(first)
    if name == "rotate":
        return math.cos(angle), math.sin(angle), -math.sin(angle), math.cos(angle), 0.0, 0.0
    if name == "skewX":
        return 1.0, 0.0, math.tan(angle), 1.0, 0.0, 0.0
    a, b, c, d, e, f = numbers
    return a, b, c, d, e, f


def _times(one: Matrix, other: Matrix) -> Matrix:
    a, b, c, d, e, f = one
    g, h, i, j, k, m = other
    return (
        a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j,
        a * k + c * m + e, b * k + d * m + f,
    )  # fmt: skip


def _at(matrix: Matrix, corner: Corner) -> Corner:
    a, b, c, d, e, f = matrix
    return a * corner[0] + c * corner[1] + e, b * corner[0] + d * corner[1] + f
