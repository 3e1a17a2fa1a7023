"""Placement of a grid's cells: exact shares of the drawn units; floating stacks follow what they show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chains.language.layout import BoxKind, LayoutBox, walk

ROW_UNITS = 2.0
"""Height of a drawn row in widths of a drawn column, as terminals show them."""


@dataclass(frozen=True, slots=True)
class PlacedCell:
    """A cell in the picture, in its units of length: its label (empty: shows nothing), position and box."""

    label: str
    position: str
    x: float
    y: float
    width: float
    height: float
    floating: bool


@dataclass(frozen=True, slots=True)
class Placement:
    """All cells of a grid in the order of reading, and the size of the whole."""

    width: float
    height: float
    cells: tuple[PlacedCell, ...]


def place(
    box: LayoutBox,
    width: float,
    heights: Mapping[str, float] | None = None,
    row_units: float = ROW_UNITS,
) -> Placement:
    """The cells of a grid of that width; `heights` are what the plots of some labels need in their cells."""
    scale = width / box.width
    height = box.height * scale * row_units
    needs = _needs(box, heights or {}, scale * row_units)
    cells: list[PlacedCell] = []
    waiting = [(box, 0.0, 0.0, width, height, False)]
    while waiting:
        one, x, y, wide, high, floating = waiting.pop()
        if not one.children:
            said = one.instruction
            label, position = (said.label, said.position) if said else ("", "middle")
            cells.append(PlacedCell(label, position, x, y, wide, high, floating))
        elif one.kind is BoxKind.ROW:
            shares = [wide * child.width / one.width for child in one.children]
            starts = _starts(x, shares)
            waiting += [
                (child, start, y, share, high, floating)
                for child, start, share in reversed(list(zip(one.children, starts, shares, strict=True)))
            ]
        else:
            shares = [high * child.height / one.height for child in one.children]
            if one.floating:
                shares = redistribute(shares, [needs.get(id(child)) for child in one.children])
            starts = _starts(y, shares)
            waiting += [
                (child, x, start, wide, share, floating or one.floating)
                for child, start, share in reversed(list(zip(one.children, starts, shares, strict=True)))
            ]
    return Placement(width, height, tuple(cells))


def redistribute(heights: Sequence[float], needs: Sequence[float | None]) -> list[float]:
    """Heights of a floating stack, packed from its top: what some leave unused goes to those that need more.

    A need of None is the height that was drawn.
    """
    wanted = [height if need is None else need for height, need in zip(heights, needs, strict=True)]
    spare = sum(max(0.0, height - want) for height, want in zip(heights, wanted, strict=True))
    missing = sum(max(0.0, want - height) for height, want in zip(heights, wanted, strict=True))
    given = min(1.0, spare / missing) if missing else 0.0
    return [
        want if want <= height else height + (want - height) * given
        for height, want in zip(heights, wanted, strict=True)
    ]


def _needs(box: LayoutBox, heights: Mapping[str, float], unit: float) -> dict[int, float | None]:
    """The height that each box needs, by its identity; None for one that keeps what was drawn."""
    needs: dict[int, float | None] = {}
    for one in reversed(list(walk(box))):
        if not one.children:
            needs[id(one)] = heights.get(one.instruction.label) if one.instruction else None
            continue
        inner = [needs[id(child)] for child in one.children]
        if all(need is None for need in inner):
            needs[id(one)] = None
        elif one.kind is BoxKind.ROW:
            needs[id(one)] = max(need for need in inner if need is not None)
        else:
            drawn = [child.height * unit for child in one.children]
            needs[id(one)] = sum(
                high if need is None else need for high, need in zip(drawn, inner, strict=True)
            )
    return needs


def _starts(first: float, sizes: Sequence[float]) -> list[float]:
    starts = [first]
    for size in sizes[:-1]:
        starts.append(starts[-1] + size)
    return starts
