"""Plots for terminals: block characters in so many columns and rows, with colours or without."""

from __future__ import annotations

import re

import plotext

from handlers.render.plots.charts.distributions import count_bins
from handlers.render.plots.charts.plot_types import TYPES, type_of
from handlers.render.plots.charts.points import spots_of
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import alone, format_of
from handlers.render.plots.data.series import sum_repeated
from handlers.render.plots.data.table_text import TooManyCells, read_frame
from handlers.render.plots.forms.drawing import Plot, lacking
from handlers.render.plots.forms.terminal_table import terminal_table
from handlers.render.plots.look.options import read_options
from handlers.render.plots.look.palette import LIGHT, channels
from handlers.render.plots.tables.styled_table import StyledTable

LEAST = (20, 6)
MOST = (400, 200)
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")
BLOCKS = " ▁▂▃▄▅▆▇█"
TERMINAL = ((11, 90, 110), (208, 96, 15), (176, 111, 156), (97, 104, 255), (47, 151, 105), (126, 54, 65))


def terminal_chart(plot: Plot, columns: int = 80, rows: int = 20, *, colored: bool = True) -> str:
    """A plot as lines of text, no wider and, tables apart, no longer than asked; without `colored`, plain."""
    columns = min(MOST[0], max(LEAST[0], columns))
    rows = min(MOST[1], max(LEAST[1], rows))
    try:
        frame = read_frame(plot.data)
    except TooManyCells as refusal:
        return _clean(str(refusal)) + "\n"
    title = _clean(plot.config.get("title", ""))[:columns]
    missing = lacking(type_of(plot.type), plot, frame)
    if missing:
        body = missing
    elif plot.type not in TYPES:
        body = terminal_table(StyledTable(frame, plot.config), columns, rows, colored=colored)
    else:
        body = _body(plot, frame, columns, rows - bool(title) - 1)
    text = "\n".join(part for part in (title, body.rstrip("\n")) if part) + "\n"
    return text if colored else ESCAPE.sub("", text)


def _body(plot: Plot, frame: Frame, columns: int, rows: int) -> str:
    """The chart of a type that terminals can show, else its table."""
    kind = plot.type.removeprefix("ih").removeprefix("i") if plot.type.endswith("bar") else plot.type
    base = kind.removeprefix("h") if kind.endswith("bar") else kind
    if base in ("bar", "gbar", "sbar", "abar"):
        return _bars(plot, sum_repeated(frame) if base == "abar" else frame, columns)
    if base in ("line", "step", "area", "sarea"):
        return _lines(plot, frame, columns, rows)
    if base in ("scatter", "bubble"):
        return _points(plot, frame, columns, rows)
    if base == "hist":
        return _histogram(frame, columns, rows)
    if base in ("value", "spark"):
        return _spark(frame, columns)
    return terminal_table(StyledTable(frame, {}), columns, rows, colored=False)


def _bars(plot: Plot, frame: Frame, columns: int) -> str:
    """Lying bars of eighth blocks, a group of rows for every name."""
    names = [_clean(name)[:24] for name in frame.categories[:100]]
    label = max(map(len, names))
    values = [value for column in frame.series for value in column.numbers if value is not None]
    written = format_of(values)
    amount = max(len(written(value)) for value in values)
    room = max(4, columns - label - amount - 3)
    top = max(map(abs, values)) or 1.0
    colors = _tones(plot, len(frame.series))
    lines = []
    for row, name in enumerate(names):
        for index, column in enumerate(frame.series[:8]):
            value = column.numbers[row]
            head = (name if index == 0 else "").rjust(label)
            bar = _blocks(abs(value or 0) / top * room)
            sign = "-" if (value or 0) < 0 else " "
            shown = written(value) if value is not None else "n/a"
            lines.append(f"{head} {sign}{_paint(bar, colors[index])} {shown}")
    if len(frame.series) > 1:
        lines.append(" " * label + "  " + _legend(frame, colors, columns - label - 2))
    if frame.height > len(names):
        lines.append(f"{frame.height - len(names):,} more rows are in the data.")
    return "\n".join(lines)


def _lines(plot: Plot, frame: Frame, columns: int, rows: int) -> str:
    frame = frame.sorted_by_date()
    plotext.clear_figure()
    plotext.theme("clear")
    plotext.plotsize(columns, max(LEAST[1], rows - 1))
    for column, color in zip(frame.series[:8], _tones(plot, len(frame.series)), strict=False):
        at = [row for row, value in enumerate(column.numbers) if value is not None]
        plotext.plot(at, [column.numbers[row] for row in at], color=color, marker="braille")
    names = [_clean(name)[:10] for name in frame.categories]
    every = max(1, -(-len(names) * (max(map(len, names)) + 3) // columns))
    ticks = list(range(0, len(names), every))
    plotext.xticks(ticks, [names[tick] for tick in ticks])
    drawn = str(plotext.build())
    return drawn + (
        "\n" + _legend(frame, _tones(plot, len(frame.series)), columns) if len(frame.series) > 1 else ""
    )


def _points(plot: Plot, frame: Frame, columns: int, rows: int) -> str:
    spots, heads = spots_of(frame, sized=plot.type == "bubble")
    plotext.clear_figure()
    plotext.theme("clear")
    plotext.plotsize(columns, max(LEAST[1], rows))
    spots = spots[:5000]
    plotext.scatter(
        [spot.x for spot in spots], [spot.y for spot in spots], color=_tones(plot, 1)[0], marker="dot"
    )
    plotext.xlabel(_clean(heads[0].name)[: columns // 2])
    plotext.ylabel(_clean(heads[1].name)[: columns // 2])
    return str(plotext.build())


def _histogram(frame: Frame, columns: int, rows: int) -> str:
    ordered = sorted(value for value in frame.series[0].numbers if value is not None)
    bins = count_bins(ordered, min(20, max(4, rows - 2)))
    top = max(bins.counts) or 1
    label = max(len(alone(edge)) for edge in bins.edges)
    room = max(4, columns - label - 10)
    lines = [
        f"{alone(edge).rjust(label)} {_paint(_blocks(count / top * room), TERMINAL[0])} {count:,}"
        for edge, count in zip(bins.edges, bins.counts, strict=False)
    ]
    return "\n".join(lines)


def _spark(frame: Frame, columns: int) -> str:
    values = [value for value in frame.sorted_by_date().series[0].numbers if value is not None]
    low, high = min(values), max(values)
    shown = values[-max(4, columns - 14) :]
    marks = "".join(BLOCKS[1 + int((value - low) / ((high - low) or 1) * 7)] for value in shown)
    return f"{_paint(marks, TERMINAL[0])} {alone(values[-1])}"


def _blocks(length: float) -> str:
    whole, part = int(length), int((length - int(length)) * 8)
    return "█" * whole + (" ▏▎▍▌▋▊▉"[part] if part else "")


def _legend(frame: Frame, colors: list[tuple[int, int, int]], width: int) -> str:
    parts, used = list[str](), 0
    for column, color in zip(frame.series[:8], colors, strict=False):
        name = _clean(column.name)[:20]
        used += len(name) + 4
        if parts and used > width:
            break
        parts.append(f"{_paint('██', color)} {name}")
    return "  ".join(parts)


def _paint(text: str, color: tuple[int, int, int]) -> str:
    return f"\x1b[38;2;{color[0]};{color[1]};{color[2]}m{text}\x1b[0m" if text else ""


def _tones(plot: Plot, count: int) -> list[tuple[int, int, int]]:
    own = [channels(color) for color in read_options(plot.config, "light").colors.series]
    tones = [*own, *TERMINAL[len(own) :]] or [channels(LIGHT.rest)]
    return [tones[index % len(tones)] for index in range(max(1, count))]


def _clean(text: str) -> str:
    """A text without control characters, which a terminal would obey, on one line."""
    return CONTROL.sub("", " ".join(text.split()))
