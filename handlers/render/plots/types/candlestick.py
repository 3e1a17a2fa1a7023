"""Candlestick charts: opening, high, low and closing prices."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from handlers.render.plots.charts.chart import Chart, KeyEntry
from handlers.render.plots.charts.line_box import LineBox, LineKind, measure_box, places_of
from handlers.render.plots.charts.lines import line_scales
from handlers.render.plots.charts.marks.canvas import Canvas, draw_along, draw_grid, draw_zero
from handlers.render.plots.data.dates_written import row_names
from handlers.render.plots.data.frame import Column, Frame
from handlers.render.plots.data.numbers import alone
from handlers.render.plots.drawn.column_roles import ColumnRole, asking, find_roles, log_unused
from handlers.render.plots.drawn.drawn_data import order_rows
from handlers.render.plots.drawn.left_out import LeftOut, count_words, tip_of
from handlers.render.plots.forms.terminal.screen import (
    RowMark,
    Screen,
    more_rows,
    places_axis,
    rows_shown,
    write_marks,
)
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.style import Style
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import LONGEST, range_words
from handlers.words.language import from_to, say

ROLES = tuple(ColumnRole(word, (word,)) for word in ("open", "high", "low", "close"))
LEAST_STEP, BODY, WIDEST = 3.0, 0.66, 24.0
"""Least pixels between candles, the share of them for a body, and the most pixels of a body."""


@dataclass(frozen=True, slots=True)
class Candle:
    """The prices of one row or several, with the numbers of the first and the last row."""

    first: int
    last: int
    open: float
    high: float
    low: float
    close: float

    @property
    def falls(self) -> bool:
        """Whether the closing price is below the opening price."""
        return self.close < self.open


def candle_frame(frame: Frame, out: LeftOut) -> Frame:
    """Return the axis, and the columns open, high, low and close; incomplete rows are noted."""
    found = price_roles(frame)
    if not found:
        return frame
    columns = tuple(found.values())
    log_unused(frame, [frame.columns[0], *columns], out)
    whole = [row for row in range(frame.height) if all(one.numbers[row] is not None for one in columns)]
    if len(whole) < frame.height:
        out.show(f"{count_words(frame.height - len(whole), 'row')} left out: no price.")
    wrong = [row for row in whole if not _is_held(*(one.numbers[row] or 0.0 for one in columns))]
    if wrong:
        out.show(f"In {len(wrong):,} of the rows, low and high do not hold the other prices.")
    return frame.of_columns(frame.columns[0], *columns).of_rows(whole)


def _is_held(opens: float, high: float, low: float, close: float) -> bool:
    return low <= min(opens, close) and high >= max(opens, close)


def candles(frame: Frame, most: int) -> list[Candle]:
    """Return at most a number of candles; each combines the same number of rows."""
    opens, highs, lows, closes = ([value or 0.0 for value in one.numbers] for one in frame.columns[1:])
    each, made = math.ceil(frame.height / max(1, most)), list[Candle]()
    for first in range(0, frame.height, each):
        end = min(first + each, frame.height)
        high, low = max(highs[first:end]), min(lows[first:end])
        made.append(Candle(first, end - 1, opens[first], high, low, closes[end - 1]))
    return made


def draw_candles(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """Draw a candle for each row, filled if prices fall; very many rows are combined."""
    frame = frame.sorted_along()
    area, places = measure_box(style, frame, box, LineKind.LINE, options), places_of(frame)
    shown = candles(frame, int(area.width / LEAST_STEP))
    wide = _body_width(area, [area.x(places[one.first]) for one in shown])
    area.left, area.width = area.left + wide / 2, area.width - wide
    canvas = Canvas(style)
    draw_grid(canvas, area)
    draw_along(canvas, area, area.labels, signs=area.signs)
    draw_zero(canvas, area)
    names, tones = row_names(frame), _tones(style)
    for one in shown:
        x = (area.x(places[one.first]) + area.x(places[one.last])) / 2
        upper, lower = sorted((area.y(one.open), area.y(one.close)))
        tone, fill = tones[one.falls], tones[1] if one.falls else style.palette.paper
        for start, end in ((area.y(one.high), upper), (lower, area.y(one.low))):
            canvas.line((x, start), (x, end), tone, 1.25)
        prices = (f"{role.word} {options.exact(getattr(one, role.word))}" for role in ROLES)
        tip = tip_of(_name(names, one), "", ", ".join(prices))
        canvas.rect(x - wide / 2, upper, wide, max(1.0, lower - upper), fill, tip=tip, stroke=tone)
    key = (
        KeyEntry("square", tones[0], say("rises (empty)")),
        KeyEntry("square", tones[1], say("falls (filled)")),
    )
    notes = (f"{frame.height:,} rows drawn as {len(shown):,} candles.",) if len(shown) < frame.height else ()
    scales = line_scales(frame, area, options)
    return Chart(area.whole, svg=canvas.svg(), key=key, notes=notes, scales=scales, marks=area.height)


def _tones(style: Style) -> tuple[str, str]:
    return style.named.above or style.category(0), style.named.below or style.category(1)


def _body_width(area: LineBox, places: Sequence[float]) -> float:
    """Return the width of the bodies, from the smallest distance of two candles."""
    least = min((after - before for before, after in itertools.pairwise(places)), default=area.width)
    return max(1.0, min(WIDEST, least * BODY))


def _name(names: Sequence[str], one: Candle) -> str:
    return names[one.first] if one.first == one.last else from_to(names[one.first], names[one.last])


def write_candles(screen: Screen, frame: Frame, options: ChartOptions) -> list[str]:
    """Return a line for each row: its close, and its prices as a line with a body, filled if prices fall."""
    frame = frame.sorted_along()
    every = candles(frame, frame.height)
    shown = every[-rows_shown(screen, frame.height, 1) :]
    values = [value for one in shown for value in (one.high, one.low, one.open, one.close)]
    written, axis = options.writer([one.close for one in shown]), places_axis(values, options, zero=False)

    marks = [_marks(screen, one) for one in shown]
    changes = ["▼" if one.falls else "▲" if one.close > one.open else "=" for one in shown]
    names = [row_names(frame)[one.first] for one in shown]
    lines = write_marks(screen, axis, names, ([written(one.close) for one in shown], changes), marks)
    return [*more_rows(len(every) - len(shown)), *lines, f"░ {say('rises')}  █ {say('falls')}"]


def _marks(screen: Screen, one: Candle) -> tuple[RowMark, RowMark]:
    tone, body = screen.tone(int(one.falls)), "█" if one.falls else "░"
    return RowMark(one.low, one.high, "─", tone), RowMark(one.open, one.close, body, tone)


def _describe_prices(frame: Frame, unit: str) -> list[str]:
    """Return the range of all prices, and the last close."""
    frame = frame.sorted_along()
    (whole,), last = candles(frame, 1), frame.categories[-1][:LONGEST]
    return [
        say("prices %s") % range_words([whole.low, whole.high], unit),
        say("from %s to %s") % (alone(whole.open, unit), alone(whole.close, unit)) + say(" at %s") % last,
    ]


def price_roles(frame: Frame) -> Mapping[str, Column]:
    """Return the columns of prices; empty if one is missing."""
    return find_roles(frame.columns[1:], ROLES, *(role.word for role in ROLES))


TYPES = (
    PlotType(
        word="candlestick",
        noun="candlestick chart",
        title="Candlestick",
        order=8.8,
        example=(
            "day,open,high,low,close\n2026-01-05,20,24,18,23\n2026-01-06,23,25,21,22\n"
            "2026-01-07,22,23,16,17\n2026-01-08,17,21,17,20\n"
        ),
        draw=draw_candles,
        terminal=write_candles,
        describes=_describe_prices,
        counts=lambda frame: 1,
        reads=frozenset(("axis", "axis/ticks", "legend", "notes")),
        steps=(candle_frame, order_rows),
        asks=asking(price_roles, "days and four columns of prices, such as day,open,high,low,close"),
        log=True,
        signed=True,
        along=True,
    ),
)
