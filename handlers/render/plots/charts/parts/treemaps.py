"""Treemaps: a tile for each part, as large as its share, within the tile of its group."""

from __future__ import annotations

import math
from collections.abc import Sequence

from handlers.render.plots.charts.chart import Chart, KeyEntry, key_of
from handlers.render.plots.charts.marks.canvas import Canvas
from handlers.render.plots.charts.parts.squares import Area, squarify
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.drawn.left_out import quote_names
from handlers.render.plots.drawn.tiles import Tile, tiles_of
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.palette import mix
from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import wrap

EDGE = 1.0
AIR = 6.0
PALEST = 0.45
"""The share by which the smallest tile of a group is mixed with the ground."""


def draw_treemap(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """The tiles of each group together, the largest group and the largest tile first, in one hue a group."""
    tiles, height = tiles_of(frame), box or float(style.height(0.56))
    groups = _groups(tiles)
    total = math.fsum(tile.value for tile in tiles)
    tones = style.tones(list(groups))
    canvas, nameless = Canvas(), list[str]()
    whole = squarify([math.fsum(tile.value for tile in parts) for parts in groups.values()],
                     Area(0.0, 0.0, float(style.inner), height))  # fmt: skip
    for parts, area, tone in zip(groups.values(), whole, tones, strict=True):
        inner = area.inside(EDGE if len(groups) > 1 else 0.0)
        places = squarify([tile.value for tile in parts], inner)
        for index, (tile, place) in enumerate(zip(parts, places, strict=True)):
            color = mix(tone, style.palette.paper, PALEST * index / max(1, len(parts)))
            group = f" ({tile.group})" if tile.group else ""
            tip = f"{tile.name}{group}: {options.write(tile.value)}, {tile.value / total:.1%}"
            spot = place.inside(EDGE / 2)
            canvas.rect(spot.left, spot.top, spot.width, spot.height, color, tip=tip)
            if not _write(canvas, style, tile, spot, color, options.write(tile.value)):
                nameless.append(tile.name)
    key = _key(style, groups, options)
    told = (f"These names find no room in their tiles: {quote_names(nameless)}.",) if nameless else ()
    return Chart(height, svg=canvas.svg(), key=key, told=told)


def _groups(tiles: Sequence[Tile]) -> dict[str, list[Tile]]:
    """The tiles of each group, the largest group first."""
    groups: dict[str, list[Tile]] = {}
    for tile in tiles:
        groups.setdefault(tile.group, []).append(tile)
    return dict(sorted(groups.items(), key=lambda pair: -math.fsum(tile.value for tile in pair[1])))


def _key(style: Style, groups: dict[str, list[Tile]], options: ChartOptions) -> tuple[KeyEntry, ...]:
    """The groups with their sums."""
    sums = (options.write(math.fsum(tile.value for tile in parts)) for parts in groups.values())
    names = [f"{name or 'no group'} {amount}" for name, amount in zip(groups, sums, strict=True)]
    tones = style.tones(list(groups))
    entries = key_of(style, names)
    return tuple(
        KeyEntry(entry.sign, tones[at] if at < len(tones) else entry.color, entry.text)
        for at, entry in enumerate(entries)
    )


def _write(canvas: Canvas, style: Style, tile: Tile, place: Area, color: str, amount: str) -> bool:
    """The name of a tile and below it its amount, where they find room; whether the name does."""
    room, high = place.width - 2 * AIR, place.height - AIR
    if room < style.label or high < style.line:
        return False
    lines = wrap(tile.name, style.label, room, 600, most=3)
    whole = " ".join(lines) == " ".join(tile.name.split())
    if not whole or len(lines) * style.line > high:
        return False
    ink, x, y = style.palette.on(color), place.left + AIR, place.top + AIR * 0.7 + style.line / 2
    for line in lines:
        canvas.text(x, y, line, style.label, ink, weight=600)
        y += style.line
    if (len(lines) + 1) * style.line <= high and style.text(amount) <= room:
        canvas.text(x, y, amount, style.label, ink)
    return True
