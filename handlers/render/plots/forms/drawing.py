"""Drawing of a plot: its data and settings as an SVG picture, with notes on what was left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from handlers.render.plots.charts.chart import Chart
from handlers.render.plots.charts.plot_types import TABLE, TYPES, PlotType, type_of
from handlers.render.plots.charts.sheet import Sheet, Words, lines_block
from handlers.render.plots.charts.table_plot import draw_table
from handlers.render.plots.data.chart_frame import chart_frame
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.table_text import TooManyCells
from handlers.render.plots.data.type_columns import plot_frame, unit_of_series
from handlers.render.plots.look.options import ChartOptions, read_options
from handlers.render.plots.look.style import Style, style_of
from handlers.render.plots.plot import Plot
from handlers.render.plots.tables.styled_table import StyledTable
from handlers.render.plots.vocabulary import CUSTOM, ON_A_LOG_SCALE, TABLES

USUAL_WIDTH = 900
LONGEST_TEXT = 600
MOST_SERIES, MOST_COLUMNS = 60, 200
"""Series that a chart draws, and columns of a heat map."""
LEAST_PLOT = 60
"""Height below which words around a plot make room for it."""


@dataclass(frozen=True, slots=True)
class Look:
    """The options of a picture; `height` None lets it be as high as it needs, `trim` less high."""

    mode: str = "light"
    width: int = USUAL_WIDTH
    height: int | None = None
    header: bool = True
    caption: bool = True
    transparent: bool = False
    trim: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawn plot: the SVG document, the text that describes it, and notes for its log."""

    svg: str
    description: str
    notes: tuple[str, ...] = ()


def draw(plot: Plot, look: Look) -> Picture:
    """The picture of a plot. Whatever the data are, something is drawn, which says what is missing."""
    options = read_options(plot.config, look.mode)
    palette = options.colors.palette(look.mode)
    style = style_of(look.width, look.mode, options.colors.series, palette)
    try:
        frame = plot_frame(plot)
    except TooManyCells as refusal:
        sheet = _sheet(style, plot, look, options, Frame(()))
        return _picture(sheet, _panel(style, str(refusal)), (str(refusal),))
    kind = type_of(plot.type)
    left_out: tuple[str, ...] = ()
    if kind is not TABLE:
        frame, left_out = chart_frame(frame, most_series(plot))
    options = fitting(options, plot, frame)
    sheet = _sheet(style, plot, look, options, frame)
    told = frame.notes if kind is not TABLE else ()  # a table shows its cells as they were sent
    notes = [*data_notes(frame), *told, *type_notes(plot), *options.notes, *left_out]
    missing = lacking(kind, plot, frame)
    if missing:
        return _picture(sheet, _panel(style, missing), (*notes, missing))
    if kind is TABLE:
        table = StyledTable(frame, plot.config, style.mode, style.palette)
        kind = replace(kind, draw=lambda style, frame, box, options: draw_table(style, table, box))
        notes += table.notes
    sheet, chart = _in_its_room(sheet, kind, frame, look)
    return _picture(sheet, chart, notes)


def most_series(plot: Plot) -> int:
    """The number of series that a chart of the plot's type draws."""
    return MOST_COLUMNS if plot.type == "heatmap" else MOST_SERIES


def data_notes(frame: Frame) -> list[str]:
    """Sentences about the lines of the data that were not read whole."""
    notes = [f"line {rejection.line}: {rejection.reason}" for rejection in frame.rejected[:20]]
    if len(frame.rejected) > 20:
        notes.append(f"{len(frame.rejected) - 20:,} more lines were not read whole")
    return notes


def type_notes(plot: Plot) -> list[str]:
    """A sentence about a type that is not drawn as itself."""
    if plot.type in TYPES or plot.type in TABLES:
        return []
    if plot.type == CUSTOM:
        return ["a custom plot runs in its HTML form only: this is the table of its data"]
    return [f'"{plot.type[:40]}" is drawn as a table: the types that draw are {", ".join(sorted(TYPES))}']


def fitting(options: ChartOptions, plot: Plot, frame: Frame) -> ChartOptions:
    """The options with the unit of the data, on a logarithmic scale only where type and values allow it."""
    options = replace(options, unit=unit_of_series(frame, plot.type) or options.unit)
    if not options.values.log:
        return options
    if plot.type not in ON_A_LOG_SCALE:
        return options.without_log(f"config/axis/scale: a {plot.type} begins at zero, which log has not")
    if any(value is not None and value <= 0 for column in frame.series for value in column.numbers):
        return options.without_log("config/axis/scale: log needs values above 0")
    return options


def draw_reason(reason: str, look: Look) -> Picture:
    """The picture that stands for one that could not be drawn, and says why."""
    style = style_of(look.width, look.mode)
    sheet = Sheet(style, Words(description=reason), ChartOptions(), look.height, ground=not look.transparent)
    return Picture(sheet.svg(_panel(style, reason)), reason)


def lacking(kind: PlotType, plot: Plot, frame: Frame) -> str:
    """The sentence that tells why a plot cannot be drawn; empty when it can."""
    if not frame.height:
        return "No values yet."
    if kind.lacks is not None and kind.noun == "table":
        return ""
    if frame.blank:
        return "No column holds numbers." if not frame.series else "No values yet."
    lacks = kind.lacks(frame) if kind.lacks is not None else ""
    return f"A {plot.type} needs {lacks}." if lacks else ""


def describe(plot: Plot, frame: Frame) -> str:
    """The text for those who do not see the picture: title and summary, or what is drawn of how much."""
    title = plot.config.get("title", "").strip() or plot.name.strip()
    if plot.summary.strip():
        return (
            f"{title}: {plot.summary.strip()}"[:LONGEST_TEXT]
            if title
            else plot.summary.strip()[:LONGEST_TEXT]
        )
    series, rows = len(frame.series), frame.height
    noun = type_of(plot.type).noun
    ordered = noun.endswith(("bar chart", "line chart", "step chart", "area chart", "calendar", "figure"))
    span = (
        f", {frame.categories[0][:40]} to {frame.categories[-1][:40]}"
        if rows > 1 and series and ordered
        else ""
    )
    size = f"{series} series, {rows:,} {'row' if rows == 1 else 'rows'}"
    return f"{title + ': ' if title else ''}{noun}, {size}{span}"[:LONGEST_TEXT]


def _sheet(style: Style, plot: Plot, look: Look, options: ChartOptions, frame: Frame) -> Sheet:
    def text(key: str) -> str:
        return " ".join(plot.config.get(key, "").split())[:LONGEST_TEXT]

    words = Words(
        text("title") if look.header else "",
        text("subtitle") if look.header else "",
        text("caption") if look.caption else "",
        describe(plot, frame),
    )
    ground = not (look.transparent or options.colors.transparent)
    return Sheet(style, words, options, look.height, notes=look.caption, ground=ground, trim=look.trim)


def _in_its_room(sheet: Sheet, kind: PlotType, frame: Frame, look: Look) -> tuple[Sheet, Chart]:
    """The chart of a kind; in a picture of a fixed height as high as its words leave room for."""
    if look.height is None:
        return sheet, kind.draw(sheet.style, frame, None, sheet.options)
    sheet = _with_room(sheet, look.height)
    blank = Chart(0, svg="")
    room = max(24.0, look.height - sheet.height_of(blank))
    chart = kind.draw(sheet.style, frame, room, sheet.options)
    over = sheet.height_of(chart) - look.height
    if abs(over) > 1 and room - over > 24:
        chart = kind.draw(sheet.style, frame, room - over, sheet.options)
    return sheet, chart


def _with_room(sheet: Sheet, height: int) -> Sheet:
    """The sheet without its caption, its subtitle and at last its title, as far as the plot needs room."""
    least = min(LEAST_PLOT, height * 0.45)
    for left_out in ({}, {"caption": ""}, {"subtitle": ""}, {"title": ""}):
        sheet = replace(
            sheet, words=replace(sheet.words, **left_out), notes=sheet.notes and "caption" not in left_out
        )
        if height - sheet.height_of(Chart(0, svg="")) >= least:
            break
    return sheet


def _picture(sheet: Sheet, chart: Chart, notes: Sequence[str]) -> Picture:
    return Picture(sheet.svg(chart), sheet.words.description, (*notes, *chart.notes))


def _panel(style: Style, sentence: str) -> Chart:
    """A quiet box in place of a plot, with the reason."""
    height = style.height(0.3)
    block = lines_block(style, sentence, style.subtitle, style.palette.quiet)
    box = f'<rect width="{style.inner}" height="{height}" rx="4" fill="{style.palette.panel}"/>'
    text = f'<g transform="translate({style.padding},{(height - block.height) / 2:g})">{block.svg}</g>'
    return Chart(height, svg=box + text)
