"""Treemaps: tiles as large as the parts of a whole."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice

from handlers.render.plots.charts.chart import Chart, KeyEntry, key_of
from handlers.render.plots.charts.marks.canvas import Canvas
from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.data.numbers import alone
from handlers.render.plots.data.series import RowOrder, sort_by
from handlers.render.plots.drawn.column_roles import (
    WORDS,
    ColumnRole,
    asking,
    find_roles,
    lacks_positive,
    log_unused,
)
from handlers.render.plots.drawn.drawn_data import positive_parts
from handlers.render.plots.drawn.left_out import LeftOut, quote_names
from handlers.render.plots.forms.terminal.screen import Screen, more_rows, rows_shown, write_rows
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.palette import mix
from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import wrap
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import LONGEST
from handlers.words.language import language, say

GROUPS = ("group", "parent", "category", "sector", "kind", "part of", "region", "continent")
NAMED = (
    ColumnRole("value", ("value", "amount", "size", "total")),
    ColumnRole("group", GROUPS, WORDS, by_place=False),
)
MOST_TILES = 200
EDGE = 1.0
AIR = 6.0
PALEST = 0.45
"""Share of the background colour in the smallest tile of a group."""


@dataclass(frozen=True, slots=True)
class Tile:
    """A part: its name, its amount above 0, and its group."""

    name: str
    value: float
    group: str = ""


def tile_roles(frame: Frame) -> Mapping[str, Column]:
    """Return the columns by role; of two columns with words, the one with fewer different words is groups."""
    found = dict(find_roles(frame.columns, NAMED))
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
    """Return the rows above 0 with their names, amounts and groups; others are noted."""
    found = tile_roles(frame)
    if not found:
        return frame
    log_unused(frame, list(found.values()), out)
    words = {role: replace(one, type=ColumnType.TEXT) for role, one in found.items() if role != "value"}
    columns = [{**found, **words}[role] for role in ("name", "value", "group") if role in found]
    made = positive_parts(frame.of_columns(*columns), out, lack="an area")
    if made.height > MOST_TILES:
        out.show(f"{made.height - MOST_TILES:,} smaller parts are in the data.")
    return sort_by(made, RowOrder.DOWN, made.series[0].numbers).first(MOST_TILES)


def tiles_of(frame: Frame) -> list[Tile]:
    """Return the tiles of a frame from `treemap_frame`, the largest first."""
    groups = frame.columns[2].texts if len(frame.columns) > 2 else ("",) * frame.height
    rows = zip(frame.columns[0].texts, frame.columns[1].numbers, groups, strict=True)
    return [Tile(name, value, group) for name, value, group in rows if value is not None]


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle, in pixels."""

    left: float
    top: float
    width: float
    height: float

    def inside(self, edge: float, head: float = 0.0) -> Area:
        """Return the rectangle without its edges and its head."""
        width, height = max(0.0, self.width - 2 * edge), max(0.0, self.height - 2 * edge - head)
        return Area(self.left + edge, self.top + edge + head, width, height)


def squarify(amounts: Sequence[float], area: Area) -> list[Area]:
    """Return a rectangle for each of the positive, descending amounts; together they fill the area."""
    scale = area.width * area.height / sum(amounts)
    sizes = [amount * scale for amount in amounts]
    found, start = list[Area](), 0
    while start < len(sizes):
        side = min(area.width, area.height)
        end, held = start + 1, sizes[start]
        worst = _worst(sizes[start], sizes[start], held, side)
        while end < len(sizes):
            larger = held + sizes[end]
            wider = _worst(sizes[start], sizes[end], larger, side)
            if wider > worst:
                break
            end, held, worst = end + 1, larger, wider
        placed, area = _lay(sizes[start:end], held, area)
        found += placed
        start = end
    return found


def _worst(most: float, least: float, held: float, side: float) -> float:
    """Return the worst aspect ratio in a row of rectangles."""
    across, along = side * side, held * held
    if not along or not across * least:  # squares of small numbers are 0
        return float("inf")
    return max(across * most / along, along / (across * least))


def _lay(sizes: Sequence[float], held: float, area: Area) -> tuple[list[Area], Area]:
    """Return a row of rectangles along the shorter side, and the rest of the area."""
    side = min(area.width, area.height)
    depth = held / side if side else 0.0
    lengths = [size / depth if depth else 0.0 for size in sizes]
    spans = zip(accumulate(lengths[:-1], initial=0.0), lengths, strict=True)
    if area.width >= area.height:
        placed = [Area(area.left, area.top + at, depth, length) for at, length in spans]
        return placed, Area(area.left + depth, area.top, max(0.0, area.width - depth), area.height)
    placed = [Area(area.left + at, area.top, length, depth) for at, length in spans]
    return placed, Area(area.left, area.top + depth, area.width, max(0.0, area.height - depth))


def draw_treemap(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """Draw the tiles by group, the largest group and the largest tile first, in one hue for each group."""
    tiles, height = tiles_of(frame), box or float(style.height(0.56))
    groups = _groups(tiles)
    total = math.fsum(tile.value for tile in tiles)
    tones = style.tones(list(groups))
    canvas, nameless = Canvas(style), list[str]()
    whole = squarify([math.fsum(tile.value for tile in parts) for parts in groups.values()],
                     Area(0.0, 0.0, float(style.inner), height))  # fmt: skip
    for parts, area, tone in zip(groups.values(), whole, tones, strict=True):
        inner = area.inside(EDGE if len(groups) > 1 else 0.0)
        places = squarify([tile.value for tile in parts], inner)
        for index, (tile, place) in enumerate(zip(parts, places, strict=True)):
            color = mix(tone, style.palette.paper, PALEST * index / max(1, len(parts)))
            group = f" ({tile.group})" if tile.group else ""
            share = language().percent(tile.value / total, 1)
            tip = f"{tile.name}{group}: {options.exact(tile.value)}, {share}"
            spot = place.inside(EDGE / 2)
            canvas.rect(spot.left, spot.top, spot.width, spot.height, color, tip=tip)
            if not _write(canvas, tile, spot, color, options.write(tile.value)):
                nameless.append(tile.name)
    key = _key(style, groups, options)
    logged = (f"These names do not fit in their tiles: {quote_names(nameless)}.",) if nameless else ()
    return Chart(height, svg=canvas.svg(), key=key, logged=logged)


def _groups(tiles: Sequence[Tile]) -> dict[str, list[Tile]]:
    """Return the tiles of each group, the largest group first."""
    groups: dict[str, list[Tile]] = {}
    for tile in tiles:
        groups.setdefault(tile.group, []).append(tile)
    return dict(sorted(groups.items(), key=lambda pair: -math.fsum(tile.value for tile in pair[1])))


def _key(style: Style, groups: dict[str, list[Tile]], options: ChartOptions) -> tuple[KeyEntry, ...]:
    """Return the key of the groups with their sums."""
    sums = (options.write(math.fsum(tile.value for tile in parts)) for parts in groups.values())
    names = [f"{name or say('no group')} {amount}" for name, amount in zip(groups, sums, strict=True)]
    tones = style.tones(list(groups))
    entries = enumerate(key_of(style, names))
    return tuple(replace(one, color=tones[at]) if at < len(tones) else one for at, one in entries)


def _write(canvas: Canvas, tile: Tile, place: Area, color: str, amount: str) -> bool:
    """Draw the name of a tile, and its amount below, if they fit. Return whether the name fits."""
    style = canvas.style
    room, high = place.width - 2 * AIR, place.height - AIR
    if room < style.label or high < style.line:
        return False
    lines = wrap(tile.name, style.label, room, 600, most=3)
    whole = " ".join(lines) == " ".join(tile.name.split())
    if not whole or len(lines) * style.line > high:
        return False
    ink, x, y = style.palette.on(color), place.left + AIR, place.top + AIR * 0.7 + style.line / 2
    for line in lines:
        canvas.text(x, y, line, ink, weight=600)
        y += style.line
    if (len(lines) + 1) * style.line <= high and style.text(amount) <= room:
        canvas.text(x, y, amount, ink)
    return True


def write_tiles(screen: Screen, frame: Frame, options: ChartOptions) -> list[str]:
    """Return the parts of a treemap as bars, the largest first, below the names of their groups."""
    tiles = tiles_of(frame)
    total, groups = math.fsum(tile.value for tile in tiles), _groups(tiles)
    heads = len(groups) if len(groups) > 1 else 0
    kept = {id(tile) for tile in tiles[: rows_shown(screen, len(tiles), heads)]}
    written, lines = options.writer([tile.value for tile in tiles]), list[str]()
    ordered = [[tile for tile in parts if id(tile) in kept] for parts in groups.values()]
    shown = [(at, tile) for at, parts in enumerate(ordered) for tile in parts]
    amounts = [tile.value for _, tile in shown]
    texts = [language().percent(one / total) for one in amounts], [written(one) for one in amounts]

    def draw(row: int, wide: int) -> str:
        index, tile = shown[row]
        return screen.bar(tile.value / tiles[0].value * wide, index)

    drawn = iter(write_rows(screen, [tile.name for _, tile in shown], texts, draw))
    for group, parts in zip(groups.items(), ordered, strict=True):
        if heads:
            share = language().percent(math.fsum(tile.value for tile in group[1]) / total)
            lines.append(f"{screen.name(group[0] or say('no group'), screen.columns - 6)} {share}")
        lines += islice(drawn, len(parts))
    return [*lines, *more_rows(len(tiles) - len(kept))]


def _describe_tiles(frame: Frame, unit: str) -> list[str]:
    """Return the sum, and the largest part with its share."""
    tiles = tiles_of(frame)
    total, top = sum(tile.value for tile in tiles), tiles[0]
    group = f" ({top.group[:LONGEST]})" if top.group else ""
    return [
        say("sum %s") % alone(total, unit),
        say("largest %s with %s") % (top.name[:LONGEST] + group, language().percent(top.value / total)),
    ]


TYPES = (
    PlotType(
        word="treemap",
        noun="treemap",
        title="Treemap",
        order=9.2,
        example="kind,use,ha\nBuilt,Homes,24\nBuilt,Trade,8\nGreen,Woods,13\nGreen,Parks,5\n",
        draw=draw_treemap,
        terminal=write_tiles,
        describes=_describe_tiles,
        reads=frozenset(("legend",)),
        steps=(treemap_frame,),
        asks=asking(tile_roles, "names and values, such as group,name,value"),
        lacks=lacks_positive,
    ),
)
