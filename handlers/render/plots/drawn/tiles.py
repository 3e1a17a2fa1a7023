"""Tiles: the parts of a whole that a treemap draws, alone or in groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.drawn.column_roles import WORDS, ColumnRole, find_roles, tell_unused
from handlers.render.plots.drawn.left_out import LeftOut, quote_names

GROUPS = ("group", "parent", "category", "sector", "kind", "part of", "region", "continent")
NAMED = (
    ColumnRole("value", ("value", "amount", "size", "total")),
    ColumnRole("group", GROUPS, WORDS, by_place=False),
)
MOST_TILES = 200


@dataclass(frozen=True, slots=True)
class Tile:
    """A part: its name, its amount above 0, and the group that it belongs to."""

    name: str
    value: float
    group: str = ""


def tile_roles(frame: Frame) -> Mapping[str, Column]:
    """The columns of names, amounts and groups; of two of words, groups are the one with fewer different."""
    found = dict(find_roles(frame, NAMED))
    rest = [column for column in frame.columns if all(column is not one for one in found.values())]
    words = [column for column in rest if column.type is not ColumnType.NUMBER] or rest[:1]
    if "value" not in found or not words:
        return {}
    if "group" not in found and len(words) > 1:
        group = min(words[:2], key=lambda column: len(set(column.texts)))
        if len(set(group.texts)) < frame.height:
            found["group"] = group
            words = [column for column in words if column is not group]
    return {**found, "name": words[0]}


def treemap_frame(frame: Frame, out: LeftOut) -> Frame:
    """The rows above 0 with their names, amounts and groups; what has no area is told."""
    found = tile_roles(frame)
    if not found:
        return frame
    tell_unused(frame, list(found.values()), out)
    values, names = found["value"].numbers, found["name"].texts
    kept = [row for row, value in enumerate(values) if value is not None and value > 0]
    negative = sum(value is not None and value < 0 for value in values)
    if negative:
        out.show(f"{negative:,} negative {'value is' if negative == 1 else 'values are'} left out.")
    nothing = [names[row] for row, value in enumerate(values) if value is None or value == 0]
    if nothing:
        out.tell(f"Without an area, as 0 or a gap: {quote_names(nothing)}.")
    kept = sorted(kept, key=lambda row: -(values[row] or 0.0))
    if len(kept) > MOST_TILES:
        out.show(f"{len(kept) - MOST_TILES:,} smaller parts are in the data.")
    order = ("name", "value", "group")
    columns = tuple(_column(found[role], role) for role in order if role in found)
    return replace(frame, columns=columns, heads=()).of_rows(kept[:MOST_TILES])


def _column(column: Column, role: str) -> Column:
    """A column as its role needs it: names and groups are words."""
    if role == "value":
        return column
    return Column(column.name, ColumnType.TEXT, column.texts)


def tiles_of(frame: Frame) -> list[Tile]:
    """The tiles of a frame that `treemap_frame` made, the largest first."""
    groups = frame.columns[2].texts if len(frame.columns) > 2 else ("",) * frame.height
    rows = zip(frame.columns[0].texts, frame.columns[1].numbers, groups, strict=True)
    return [Tile(name, value, group) for name, value, group in rows if value is not None]
