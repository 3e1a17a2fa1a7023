"""A drawn SVG read back: marks with their colours and places, axes with their values, and words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

Element = ElementTree.Element
COMMAND = re.compile(r"([MLHVCAZhvlz])([^A-Za-z]*)")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
SIZES = {"tn": 1e12, "bn": 1e9, "m": 1e6, "k": 1e3}
MOVE = re.compile(r"translate\((-?[\d.]+),(-?[\d.]+)\)")


@dataclass(frozen=True)
class Shape:
    """A mark: its group (rect, line, area, symbol, arc, rule), colours, and points in the plot's frame."""

    group: str
    fill: str
    stroke: str
    points: tuple[tuple[float, float], ...]
    radius: float = 0.0

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right, bottom."""
        xs, ys = [x for x, _ in self.points], [y for _, y in self.points]
        return min(xs), min(ys), max(xs), max(ys)

    @property
    def middle(self) -> tuple[float, float]:
        """The middle of its box."""
        left, top, right, bottom = self.box
        return (left + right) / 2, (top + bottom) / 2


@dataclass(frozen=True)
class Axis:
    """An axis by its first and last tick."""

    values: tuple[float, float]
    places: tuple[float, float]

    def at(self, value: float, *, log: bool = False) -> float:
        """The pixel of a value."""
        (low, high), (start, end) = self.values, self.places
        if log:
            return start + math.log(value / low) / math.log(high / low) * (end - start)
        return start + (value - low) / (high - low) * (end - start)


class PictureReader:
    """An SVG of a plot."""

    def __init__(self, svg: str | Element) -> None:
        self.root = ElementTree.fromstring(svg) if isinstance(svg, str) else svg
        self.shapes = [shape for group in self._groups("role-mark") for shape in _shapes(group)]

    @property
    def words(self) -> list[str]:
        """All texts, lines of one text joined."""
        return [_text(one) for one in self.root.iter() if _tag(one) == "text"]

    @property
    def grid(self) -> list[Shape]:
        """The lines of all grids."""
        return [_shape(line, "rule") for group in self._groups("role-axis-grid") for line in group]

    def of(self, group: str, color: str = "") -> list[Shape]:
        """The marks of a group, and of a colour."""
        return [one for one in self.shapes if one.group == group and color in ("", one.fill, one.stroke)]

    def axis(self, *, upward: bool) -> Axis:
        """The axis of values that is upward or across: by its grid lines and their labels."""
        for group in self._groups("role-axis-grid"):
            lines = [_shape(line, "rule") for line in group]
            if upward == (lines[0].box[1] == lines[0].box[3]):
                places = [(line.box[1] if upward else line.box[0]) for line in lines]
                labels = self._labels(len(places), upward=upward)
                return Axis((labels[0], labels[-1]), (places[0], places[-1]))
        raise AssertionError("no axis is there")

    def _labels(self, count: int, *, upward: bool) -> list[float]:
        for group in self._groups("role-axis-label"):
            xs, ys = zip(*(_moved(one) for one in group), strict=True)
            if len(xs) == count and (len({*xs}) == 1) == upward and len({*xs, *ys}) > 1:
                return [read_label(_text(one)) for one in group]
        raise AssertionError("no labels are there")

    def names(self) -> list[tuple[str, float]]:
        """Names below the plot, the first line of each with its place."""
        group = next(self._groups("along"))
        top = min(_moved(one)[1] for one in group)
        return [(_text(one), _moved(one)[0]) for one in group if _moved(one)[1] == top]

    @property
    def panels(self) -> list[PictureReader]:
        """The pictures in one of several panels."""
        return [PictureReader(one) for one in self.root.iter() if one.get("class") == "panel"]

    def along(self) -> Axis:
        """The axis of numbers below the plot, by its labels."""
        (first, start), *_, (last, end) = self.names()
        return Axis((read_label(first), read_label(last)), (start, end))

    def _groups(self, word: str) -> Iterator[Element]:
        return (one for one in self.root.iter() if word in one.get("class", "").split() and len(one))


def read_label(text: str) -> float:
    """The number of a label, such as `1,250`, `−4`, `60%` or `1.2m`."""
    bare = text.replace(",", "").replace("\N{MINUS SIGN}", "-").rstrip("%")
    size = next((size for name, size in SIZES.items() if bare.endswith(name)), 1.0)
    return float(bare.rstrip("mbntk")) * size


def share_of(arc: Shape) -> float:
    """The share of a circle that an arc takes, by its first two points around the origin of the circle."""
    (start, end), turns = arc.points[:2], 2 * math.pi
    angle = (math.atan2(start[1], start[0]) - math.atan2(end[1], end[0])) % turns
    return angle / turns


def _tag(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def _text(element: Element) -> str:
    return " ".join(part.strip() for part in element.itertext() if part.strip())


def _moved(element: Element) -> tuple[float, float]:
    found = MOVE.search(element.get("transform", ""))
    return (float(found[1]), float(found[2])) if found else (0.0, 0.0)


def _shapes(group: Element) -> Iterator[Shape]:
    kind = group.get("class", "").split()[0].removeprefix("mark-")
    if kind != "text":
        yield from (_shape(one, kind) for one in group if _tag(one) in ("path", "line"))


def _shape(element: Element, kind: str) -> Shape:
    x, y = _moved(element)
    fill, stroke = element.get("fill", ""), element.get("stroke", "")
    if _tag(element) == "line":
        end = x + float(element.get("x2", 0)), y + float(element.get("y2", 0))
        return Shape(kind, fill, stroke, ((x, y), end))
    origin = (0.0, 0.0) if kind == "arc" else (x, y)
    points, radius = _points(element.get("d", ""))
    return Shape(
        kind, fill, stroke, tuple((px + origin[0], py + origin[1]) for px, py in points) or ((x, y),), radius
    )


def _points(path: str) -> tuple[list[tuple[float, float]], float]:
    """The points that a path goes through, and the first radius in it."""
    points: list[tuple[float, float]] = []
    x = y = radius = 0.0
    for letter, rest in COMMAND.findall(path):
        numbers = [float(number) for number in NUMBER.findall(rest)]
        if letter in "ML":
            for x, y in zip(numbers[::2], numbers[1::2], strict=True):
                points.append((x, y))
        elif letter == "C":
            x, y = numbers[-2:]
            points.append((x, y))
        elif letter == "A":
            radius = radius or numbers[0]
            x, y = numbers[-2:]
            points.append((x, y))
        elif letter in "hv":
            x, y = (x + numbers[0], y) if letter == "h" else (x, y + numbers[0])
            points.append((x, y))
        elif letter in "HV":
            x, y = (numbers[0], y) if letter == "H" else (x, numbers[0])
            points.append((x, y))
    return points, radius
