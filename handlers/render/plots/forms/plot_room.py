"""Room of a plot in a picture of a fixed height: the words around it go, in one order, until it has enough.

Sizes of type stay as they are, as they are those of the whole picture; only a single box that is too low for
all else has smaller type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from handlers.render.plots.charts.chart import Chart
from handlers.render.plots.charts.sheet import Sheet
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.look.options import KeyPosition
from handlers.render.plots.look.style import LEAST_LETTER

SHARE, LEAST_AREA = 0.4, 80.0
"""What marks want of a picture's height: this share of it, and so many pixels where they are at most half."""
LEAST_ROOM = 20.0
"""Pixels of height that a plot is asked to be drawn in at least."""
LOWEST_MARKS = 20.0
"""Pixels of height of marks below which the title goes, too."""

Draw = Callable[[Sheet, float | None], Chart]


@dataclass(frozen=True, slots=True)
class RoomStep:
    """The sheet after some of its parts went, and the name of the last of them."""

    sheet: Sheet
    gone: str = ""


def chart_in_room(sheet: Sheet, frame: Frame, draw: Draw, height: int, *, alone: bool) -> tuple[Sheet, Chart]:
    """The sheet with what it has room for, and its chart, as high as the rest of the picture.

    `draw` makes the chart of a sheet for a height; `alone` allows for smaller type. What is left out is said
    in the chart's sentences for the log.
    """
    chart, gone = Chart(0.0), list[str]()
    steps = [*_steps(sheet, frame), *(_smaller(sheet, frame) if alone else ())]
    lacking, at = 0.0, 0.0
    for number, step in enumerate(steps):
        gone += [step.gone] if step.gone and step.sheet != steps[number - 1].sheet else []
        last = number == len(steps) - 1
        if number and not last and _words(step.sheet, chart) > at - lacking:
            continue
        sheet = step.sheet
        chart = _chart_that_fits(sheet, draw, height)
        lacking, at = _lacking(sheet, chart, height), _words(sheet, chart)
        if lacking <= 0:
            break
    low = chart.wants is None and chart.area < LOWEST_MARKS
    if low or sheet.height_of(chart) > height + 1:
        bare = replace(sheet, words=replace(sheet.words, title="", subtitle=""), notes=False, head=0)
        sheet, gone = bare, [*gone, "title"] if sheet.words.title else gone
        chart = _chart_that_fits(sheet, draw, height)
    gone += ["key"] if chart.key and sheet.options.key is KeyPosition.FEW else []
    said = (f"For want of room without {_words_of(gone)}.",) if gone else ()
    return sheet, replace(chart, told=(*chart.told, *said))


def _chart_that_fits(sheet: Sheet, draw: Draw, height: int) -> Chart:
    """The chart for the height that the words leave; drawn again where its key takes some of that."""
    room = max(LEAST_ROOM, height - _words(sheet, Chart(0.0)))
    chart = draw(sheet, room)
    for _ in range(2):
        over = sheet.height_of(chart) - height
        # Rows are whole: what is lower than its room by less than one of them stays so.
        if abs(over) <= 1 or room - over <= LEAST_ROOM or (over < 0 and chart.wants is not None):
            break
        room -= over
        chart = draw(sheet, room)
    return chart


def _words(sheet: Sheet, chart: Chart) -> float:
    """The height of all that stands around a chart."""
    return sheet.height_of(replace(chart, height=0.0))


def _lacking(sheet: Sheet, chart: Chart, height: int) -> float:
    """Pixels of height that a chart has too little, or a picture too many."""
    over = sheet.height_of(chart) - height - 1.0
    if over < -LEAST_ROOM:
        return over  # what leaves room needs no more of it
    if chart.wants is not None:
        return max(over, chart.wants - chart.height)
    return max(over, max(SHARE * height, min(LEAST_AREA, height / 2)) - chart.area)


def _steps(sheet: Sheet, frame: Frame) -> Iterator[RoomStep]:
    """The sheet, and what it is after each further part went."""
    yield RoomStep(sheet)
    sheet = replace(sheet, words=replace(sheet.words, caption=""))
    yield RoomStep(sheet, "caption")
    sheet = replace(sheet, title_lines=2, subtitle_lines=1, head=0)
    yield RoomStep(sheet)
    if sheet.options.key is not KeyPosition.NONE:
        sheet = replace(sheet, options=replace(sheet.options, key=KeyPosition.FEW))
        yield RoomStep(sheet)
    sheet = replace(sheet, words=replace(sheet.words, subtitle=""))
    yield RoomStep(sheet, "subtitle")
    sheet = replace(sheet, title_lines=1)
    yield RoomStep(sheet)
    if frame.moments is not None or frame.numbers_along is not None:
        along = replace(sheet.options.along, labels=False, ticks=False)
        sheet = replace(sheet, options=replace(sheet.options, along=along))
        yield RoomStep(sheet, "labels along the axis")
    # Notes stay, as nobody sees what lacks.
    yield RoomStep(replace(sheet, tight=True))


def _smaller(sheet: Sheet, frame: Frame) -> Iterator[RoomStep]:
    """The sheet with as few words and smaller type, a pixel at a time."""
    *_, last = _steps(sheet, frame)
    style = sheet.style
    while style.label > LEAST_LETTER:
        style = replace(style, label=style.label - 1, title=style.title - 1)
        yield RoomStep(replace(last.sheet, style=style))


def _words_of(names: list[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
