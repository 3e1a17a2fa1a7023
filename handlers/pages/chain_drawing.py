"""A chain as a drawing: boxes in layers and the lines between them, as numbers for an SVG."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

WIDTH, NARROW, HEIGHT = 190, 158, 58
ALONG, ASIDE = 56, 22
CLOSE, MANY_LAYERS = 30, 4
UP_ALONG, UP_ASIDE = 40, 14
LANE = 14
EDGE = 12
MOST = 150
MOST_LINES = 600
LETTER, NOTE_LETTER = 8.7, 7.3


@dataclass(frozen=True, slots=True)
class StepBox:
    """A step to draw: name, note, and the words for its state and for the holds around it ("": none)."""

    name: str
    note: str = ""
    state: str = ""
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class PlacedBox:
    """The box of a step at its position; `x` and `y` are its upper left corner."""

    node: StepBox
    x: float
    y: float
    width: int

    @property
    def label(self) -> str:
        """The name, shortened to fit."""
        return shorten(self.node.name, int((self.width - 48) / LETTER))

    @property
    def note(self) -> str:
        """The note, shortened to fit."""
        return shorten(self.node.note, int((self.width - 24) / NOTE_LETTER))


@dataclass(frozen=True, slots=True)
class ChainDrawing:
    """The whole drawing, in pixels; `lines` are the `d` of paths. `upright` runs from top to bottom.

    `words` describe the drawing for readers who cannot see it.
    """

    boxes: tuple[PlacedBox, ...]
    lines: tuple[str, ...]
    width: float
    height: float
    upright: bool
    words: str


Layers = list[list[str]]
Point = tuple[float, float]


@dataclass(slots=True)
class _Layout:
    """Layers of names; a line that crosses a layer has a name without a node there."""

    layers: Layers
    links: list[tuple[str, str]] = field(default_factory=list)


def draw_chain(
    nodes: Sequence[StepBox], edges: Sequence[Sequence[str]]
) -> tuple[ChainDrawing, ChainDrawing] | None:
    """Return the chain drawn horizontally and vertically; None if it is empty or too large to be read.

    A line counts once for each layer that it crosses.
    """
    if not nodes or len(nodes) > MOST:
        return None
    known = {node.name: node for node in nodes}
    pairs = [(one, two) for one, two in edges if one in known and two in known]
    depth = _depths(known, pairs) if len(pairs) <= MOST_LINES else None
    if depth is None or sum(depth[two] - depth[one] for one, two in pairs) > MOST_LINES:
        return None
    layout = _layout(list(known), pairs, depth)
    said = ", ".join(f"{one} to {two}" for one, two in edges)
    words = f"The chain: {said}" if said else f"The chain has one step: {', '.join(known)}"
    return _place(layout, known, words, upright=False), _place(layout, known, words, upright=True)


def shorten(text: str, most: int) -> str:
    """Return a text of at most `most` characters, with an ellipsis in the middle of a longer one."""
    if len(text) <= most:
        return text
    head = (most - 1) // 2
    return f"{text[:head]}…{text[len(text) - (most - 1 - head) :]}"


def _depths(names: Iterable[str], pairs: list[tuple[str, str]]) -> dict[str, int]:
    """Return the layer of each name: the one after the last layer of its predecessors."""
    depth = dict.fromkeys(names, 0)
    for _ in range(len(depth)):
        moved = False
        for one, two in pairs:
            if depth[two] <= depth[one]:
                depth[two], moved = depth[one] + 1, True
        if not moved:
            break
    return depth


def _layout(names: list[str], pairs: list[tuple[str, str]], depth: Mapping[str, int]) -> _Layout:
    layout = _Layout([[] for _ in range(max(depth.values()) + 1)])
    for name in names:
        layout.layers[depth[name]].append(name)
    for one, two in pairs:
        last = one
        for layer in range(depth[one] + 1, depth[two]):
            lane = f"{one}>{two}>{layer}"
            layout.layers[layer].append(lane)
            layout.links.append((last, lane))
            last = lane
        layout.links.append((last, two))
    _sort(layout)
    return layout


def _sort(layout: _Layout) -> None:
    """Sort each layer by its predecessors' positions, so that few lines cross."""
    into: dict[str, list[str]] = {}
    for one, two in layout.links:
        into.setdefault(two, []).append(one)
    for before, layer in zip(layout.layers, layout.layers[1:], strict=False):
        at = {name: place for place, name in enumerate(before)}
        layer.sort(key=lambda name: sum(at[one] for one in into[name]) / len(into[name]))


def _place(layout: _Layout, known: Mapping[str, StepBox], words: str, *, upright: bool) -> ChainDrawing:
    length, breadth = (HEIGHT, NARROW) if upright else (WIDTH, HEIGHT)
    near = CLOSE if len(layout.layers) > MANY_LAYERS else ALONG
    along, aside = (UP_ALONG, UP_ASIDE) if upright else (near, ASIDE)
    extent = {name: breadth if name in known else LANE for layer in layout.layers for name in layer}
    spans = [sum(extent[name] for name in layer) + aside * (len(layer) - 1) for layer in layout.layers]
    widest = max(spans)
    at: dict[str, tuple[float, float]] = {}
    for number, layer in enumerate(layout.layers):
        offset = (widest - spans[number]) / 2 + EDGE
        for name in layer:
            at[name] = (EDGE + number * (length + along), offset + extent[name] / 2)
            offset += extent[name] + aside
    boxes = []
    for name, (far, middle) in at.items():
        if name in known:
            x, y = _turn((far, middle - breadth / 2), upright)
            boxes.append(PlacedBox(known[name], x, y, NARROW if upright else WIDTH))
    lines = tuple(
        _line(at[one], at[two], length, lane=one not in known, upright=upright) for one, two in layout.links
    )
    far = len(layout.layers) * (length + along) - along + 2 * EDGE
    width, height = _turn((far, widest + 2 * EDGE), upright)
    return ChainDrawing(tuple(boxes), lines, width, height, upright, words)


def _line(one: Point, two: Point, length: float, *, lane: bool, upright: bool) -> str:
    """Return a curve from the end of one box to the beginning of the next."""
    begin = (one[0] + length, one[1])
    half = (begin[0] + two[0]) / 2
    points = (one if lane else begin, begin, (half, begin[1]), (half, two[1]), two)
    (a, b), (c, d), (e, f), (g, h), (i, j) = [
        (round(x, 1), round(y, 1)) for x, y in (_turn(point, upright) for point in points)
    ]
    return f"M{a} {b}L{c} {d}C{e} {f} {g} {h} {i} {j}"


def _turn(point: Point, upright: bool) -> Point:
    return (point[1], point[0]) if upright else point
