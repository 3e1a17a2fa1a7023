"""Bullet charts: values as bars against their targets, over bands from poor to good."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from handlers.render.plots.charts.chart import Chart, KeyEntry
from handlers.render.plots.charts.marks.canvas import Canvas
from handlers.render.plots.charts.marks.row_box import RowBox, RowRoom, draw_rows, fit_rows, measure_rows
from handlers.render.plots.data.dates_written import row_names
from handlers.render.plots.data.frame import Column, Frame
from handlers.render.plots.data.numbers import alone
from handlers.render.plots.drawn.column_roles import ColumnRole, asking, find_roles, log_unused
from handlers.render.plots.drawn.left_out import LeftOut, tip_of
from handlers.render.plots.forms.terminal.screen import (
    RowMark,
    Screen,
    more_rows,
    places_axis,
    rows_shown,
    write_marks,
)
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.palette import mix
from handlers.render.plots.look.style import Style
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import LONGEST
from handlers.words.language import say

ROLES = (
    ColumnRole("value", ("value", "actual", "is")),
    ColumnRole("target", ("target", "goal", "plan", "budget")),
    ColumnRole("poor", ("poor", "low"), by_place=False),
    ColumnRole("fair", ("fair", "medium", "middle"), by_place=False),
    ColumnRole("good", ("good", "high"), by_place=False),
)
TONES = (0.3, 0.2, 0.1)
"""Opacity of the bands, the lowest first."""


@dataclass(frozen=True, slots=True)
class Bullet:
    """A row: its name, its value and its target, and the ends of its bands (None: a gap)."""

    name: str
    value: float | None
    target: float | None
    bands: tuple[float | None, ...]

    @property
    def words(self) -> str:
        """The share of the target that is reached."""
        known = self.value is not None and self.target
        return f"{(self.value or 0.0) / (self.target or 1.0):.0%}" if known else ""


def bullet_roles(frame: Frame) -> Mapping[str, Column]:
    """Return the columns of values, targets and bands; empty if values or targets are missing."""
    return find_roles(frame.columns[1:], ROLES, "value", "target")


def bullet_frame(frame: Frame, out: LeftOut) -> Frame:
    """Return the names, the values, the targets, and the ends of bands, lowest first."""
    found = bullet_roles(frame)
    if not found:
        return frame
    log_unused(frame, [frame.columns[0], *found.values()], out)
    return frame.of_columns(frame.columns[0], *found.values())


def bullets(frame: Frame) -> Iterator[Bullet]:
    """Yield the rows of a frame from `bullet_frame`."""
    value, target, *bands = frame.columns[1:]
    for row, name in enumerate(row_names(frame)):
        ends = tuple(column.numbers[row] for column in bands)
        yield Bullet(name, value.numbers[row], target.numbers[row], ends)


def draw_bullets(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """Draw a bar for each value over its bands, and a line across it at its target."""
    values = [number for column in frame.columns[1:] for number in column.numbers]
    rows, canvas, palette = list(bullets(frame)), Canvas(style), style.palette
    written = options.writer([one.value for one in rows])
    texts = [written(one.value) if one.value is not None else "n/a" for one in rows]
    after = style.widest(texts, 600) + 10
    area = measure_rows(style, frame, box, values, options, RowRoom(zero=True, after=after))
    for row, one in enumerate(rows):
        _draw_bands(canvas, area, one, row)
    draw_rows(canvas, area)
    tall = area.rows.bar
    for row, one in enumerate(rows):
        y, start = area.y(row), area.x(0.0)
        if one.value is not None:
            target = "" if one.target is None else f" / {options.exact(one.target)}"
            tip = tip_of(one.name, "", f"{options.exact(one.value)}{target}")
            wide = area.x(one.value) - start
            canvas.rect(start, y - tall * 0.21, wide, tall * 0.42, style.category(0), tip=tip)
        if one.target is not None:
            x = area.x(one.target)
            canvas.rect(x - 1.5, y - tall * 0.4, 3, tall * 0.8, palette.ink)
        canvas.text(style.inner, y, texts[row], weight=600, anchor="end")
    names = [column.name for column in frame.columns[1:]]
    key = (
        KeyEntry("square", style.category(0), names[0]),
        KeyEntry("line", palette.ink, names[1]),
        *(KeyEntry("square", _tone(style, at), name) for at, name in enumerate(names[2:])),
    )
    return Chart(area.height, svg=canvas.svg(), key=key)


def _draw_bands(canvas: Canvas, area: RowBox, one: Bullet, row: int) -> None:
    """Draw the bands of a row, the farthest first."""
    tall, start = area.rows.bar, area.x(0.0)
    ends = sorted(((end, at) for at, end in enumerate(one.bands) if end is not None), reverse=True)
    for end, at in ends:
        canvas.rect(start, area.y(row) - tall / 2, area.x(end) - start, tall, _tone(canvas.style, at))


def _tone(style: Style, at: int) -> str:
    return mix(style.palette.paper, style.palette.ink, TONES[at])


def write_bullets(screen: Screen, frame: Frame, options: ChartOptions) -> list[str]:
    """Return for each row a bar for its value, a line at its target, and the reached share."""
    shown = frame.first(rows_shown(screen, frame.height))
    rows = list(bullets(shown))
    values = [number for one in rows for number in (one.value, one.target)]
    written, axis = options.writer([one.value for one in rows]), places_axis(values, options, zero=True)

    marks = [_marks(screen, one) for one in rows]
    texts = [written(one.value) for one in rows], [f"{one.words:>4}" for one in rows]
    lines = write_marks(screen, axis, [one.name for one in rows], texts, marks)
    return [*lines, *more_rows(frame.height - shown.height)]


def _marks(screen: Screen, one: Bullet) -> Iterator[RowMark]:
    if one.value:
        yield RowMark(0.0, one.value, "█", screen.tone(0))
    if one.target is not None:
        yield RowMark(one.target, one.target, "┃")


def _describe_reached(frame: Frame, unit: str) -> list[str]:
    """Return sentences about the number of values that reach their targets, and about the first rows."""
    rows = list(bullets(frame))
    pairs = [(one.value, one.target) for one in rows if one.value is not None and one.target is not None]
    reached = sum(value >= target for value, target in pairs)
    named = [
        f"{one.name[:LONGEST]} {alone(one.value, unit)} / {alone(one.target, unit)}"
        for one in rows[:3]
        if one.value is not None and one.target is not None
    ]
    return [say(f"{reached} of {len(pairs)} reach their target"), *named]


TYPES = (
    PlotType(
        word="bullet",
        noun="bullet chart",
        title="Bullet chart",
        order=9.4,
        example=(
            "name,value,target,poor,fair,good\nSales,82,90,50,75,100\nProfit,27,22,15,20,30\n"
            "Orders,64,,40,60,80\n"
        ),
        draw=fit_rows(draw_bullets),
        terminal=write_bullets,
        describes=_describe_reached,
        counts=lambda frame: 1,
        reads=frozenset(("axis", "axis/ticks", "legend")),
        steps=(bullet_frame,),
        asks=asking(bullet_roles, "names, values and targets, such as name,value,target"),
        from_zero=True,
        across=True,
    ),
)
