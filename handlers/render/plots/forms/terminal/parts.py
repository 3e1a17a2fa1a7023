"""Parts and sums in a terminal: waterfalls, treemaps, funnels and pyramids as bars of characters."""

from __future__ import annotations

import math

from handlers.render.plots.charts.parts.waterfalls import step_text
from handlers.render.plots.data.date_words import row_names
from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.data.numbers import spread_of
from handlers.render.plots.drawn.map_places import map_places
from handlers.render.plots.drawn.running_sums import sum_steps
from handlers.render.plots.drawn.tiles import Tile, tiles_of
from handlers.render.plots.forms.terminal.bars import draw_bars
from handlers.render.plots.forms.terminal.screen import Screen, more_rows
from handlers.render.plots.forms.terminal.text import place_line, signs
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.palette import LIGHT


def draw_sums(screen: Screen, frame: Frame, options: ChartOptions) -> list[str]:
    """A line for each step of a waterfall: its bar from one sum to the next, and what it adds."""
    steps = sum_steps(frame)
    shown = steps if len(steps) <= screen.rows else steps[: max(1, screen.rows - 1)]
    written = options.writer([step.change for step in steps])
    texts = [step_text(step, written) for step in shown]
    names = [screen.name(step.name, screen.columns // 3) for step in shown]
    label, amount = max(map(signs, names)), max(map(signs, texts))
    room = max(8, screen.columns - label - amount - 2)
    low, high = spread_of([0.0, *(value for step in steps for value in (step.start, step.end))])
    each = (room - 1) / ((high - low) or 1.0)
    lines = []
    for step, name, text in zip(shown, names, texts, strict=True):
        ends = sorted(round((value - low) * each) for value in (step.start, step.end or step.start))
        if step.end is not None:
            ends = sorted(round((value - low) * each) for value in (step.start, step.end))
        sign = "█" if step.total or screen.colored else "▒" if step.change < 0 else "▓"
        color = LIGHT.edge if step.total else screen.tone(1 if step.change < 0 else 0)
        bar = screen.paint(sign * max(1, ends[1] - ends[0]), color) if step.end is not None else ""
        blank = " " * ends[0]
        lines.append(f"{place_line(name, label, 'right')} {place_line(text, amount, 'right')} {blank}{bar}")
    return [*lines, *more_rows(len(steps) - len(shown))]


def draw_tiles(screen: Screen, frame: Frame, options: ChartOptions) -> list[str]:
    """The parts of a treemap as bars, the largest first, below the names of their groups."""
    tiles = tiles_of(frame)
    total = math.fsum(tile.value for tile in tiles)
    groups: dict[str, list[Tile]] = {}
    for tile in tiles:
        groups.setdefault(tile.group, []).append(tile)
    ordered = sorted(groups.items(), key=lambda pair: -math.fsum(tile.value for tile in pair[1]))
    written = options.writer([tile.value for tile in tiles])
    room = max(1, screen.rows - (len(groups) if len(groups) > 1 else 0) - 1)
    kept = {id(tile) for tile in tiles[:room]} if len(tiles) > room else {id(tile) for tile in tiles}
    names = [screen.name(tile.name, screen.columns // 3) for tile in tiles if id(tile) in kept]
    label = max(map(signs, names))
    amount = max(signs(written(tile.value)) for tile in tiles)
    each = max(1, screen.columns - label - amount - 9) / tiles[0].value
    lines = list[str]()
    for index, (group, parts) in enumerate(ordered):
        if len(groups) > 1:
            share = f"{math.fsum(tile.value for tile in parts) / total:.0%}"
            lines.append(f"{screen.name(group or 'no group', screen.columns - 6)} {share}")
        for tile in parts:
            if id(tile) in kept:
                head = place_line(screen.name(tile.name, screen.columns // 3), label, "left")
                bar = screen.bar(tile.value * each, index)
                lines.append(
                    f" {head} {tile.value / total:>4.0%} {written(tile.value):>{amount}} {bar}".rstrip()
                )
    return [*lines, *more_rows(len(tiles) - len(kept))]


def draw_funnel(screen: Screen, frame: Frame, options: ChartOptions) -> list[str]:
    """Bars about the middle, each with its amount and its share of the first."""
    shown = frame.first(screen.rows if frame.height <= screen.rows else max(1, screen.rows - 1))
    values = shown.series[0].numbers
    written, first = options.writer(frame.series[0].numbers), values[0]
    names = [screen.name(name, screen.columns // 3) for name in row_names(shown)]
    label = max(map(signs, names))
    amount = max(signs(written(value)) for value in values)
    wide = max(4, screen.columns - label - amount - 8)
    most = max((value for value in frame.series[0].numbers if value is not None), default=0.0) or 1.0
    lines = []
    for name, value in zip(names, values, strict=True):
        length = round(max(0.0, value or 0.0) / most * wide)
        share = f"{value / first:.0%}" if value is not None and first else ""
        bar = " " * ((wide - length) // 2) + screen.paint("█" * length, screen.tone(0))
        head = f"{place_line(name, label, 'right')} {place_line(written(value), amount, 'right')}"
        lines.append(f"{head} {share:>4} {bar}".rstrip())
    return [*lines, *more_rows(frame.height - shown.height)]


def draw_pyramid(screen: Screen, frame: Frame, options: ChartOptions) -> list[str]:
    """Two bars back to back in each line, the last row on top, with their amounts."""
    room = max(1, screen.rows - 1)
    shown = frame.first(room if frame.height <= room else max(1, room - 1))
    left, right = shown.series[:2]
    names = [screen.name(name, screen.columns // 4) for name in row_names(shown)]
    sizes = [abs(value) for column in frame.series[:2] for value in column.numbers if value is not None]
    written = options.writer(sizes)
    label = max(map(signs, names))
    amount = max((signs(written(size)) for size in sizes), default=1)
    wide = max(2, (screen.columns - label - 2 * amount - 4) // 2)
    each = wide / (max(sizes, default=1.0) or 1.0)
    lines = list[str]()
    for row in reversed(range(shown.height)):
        sides = [column.numbers[row] for column in (left, right)]
        texts = [written(None if value is None else abs(value)) for value in sides]
        lengths = [round(abs(value or 0.0) * each) for value in sides]
        first = place_line(texts[0], wide + amount - lengths[0], "right")
        bars = [screen.paint(("█", "▓")[at] * length, screen.tone(at)) for at, length in enumerate(lengths)]
        lines.append(
            f"{first} {bars[0]} {place_line(names[row], label, 'center')} {bars[1]} {texts[1]}".rstrip()
        )
    half = wide + amount + 1
    heads = place_line(screen.name(left.name, half), half, "right"), screen.name(right.name, half)
    return [f"{heads[0]} {' ' * label} {heads[1]}".rstrip(), *lines, *more_rows(frame.height - shown.height)]


def draw_places(screen: Screen, frame: Frame, options: ChartOptions) -> list[str]:
    """The places of a map as bars, the greatest value first, as a terminal has no room for outlines."""
    places = sorted(map_places(frame), key=lambda place: -place.value)
    named = Frame(
        (
            Column("place", ColumnType.TEXT, tuple(place.name for place in places)),
            Column("value", ColumnType.NUMBER, ("",) * len(places), tuple(place.value for place in places)),
        )
    )
    return draw_bars(screen, named, options, stacked=False)
