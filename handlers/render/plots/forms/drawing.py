"""Drawing of a plot: its data and settings as an SVG picture, with notes on what was left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from handlers.render.plots.charts.chart import Chart
from handlers.render.plots.charts.plot_types import TABLE, TYPES, PlotType, type_of
from handlers.render.plots.charts.sheet import Sheet, Words, lines_block
from handlers.render.plots.charts.table_plot import draw_table
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.table_text import TooManyCells
from handlers.render.plots.data.type_columns import plot_frame, unit_of_series
from handlers.render.plots.drawn.axis_wishes import fit_wishes
from handlers.render.plots.drawn.description import chart_words
from handlers.render.plots.drawn.drawn_data import drawn_data
from handlers.render.plots.look.options import ChartOptions, read_options, unit_of
from handlers.render.plots.look.style import Style, style_of
from handlers.render.plots.plot import Plot
from handlers.render.plots.tables.styled_table import StyledTable
from handlers.render.plots.vocabulary import CUSTOM, TABLES

USUAL_WIDTH = 900
LONGEST_TEXT = 600
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
    sent, drawn = frame, drawn_data(plot.type, frame)
    frame = drawn.frame
    options = fitting(options, plot, frame)
    sheet = _sheet(style, plot, look, options, sent)
    told = sent.notes if kind is not TABLE else ()  # a table shows its cells as they were sent
    notes = [*data_notes(frame), *told, *type_notes(plot), *options.notes, *drawn.told]
    missing = lacking(kind, plot, frame)
    if missing:
        return _picture(sheet, _panel(style, missing), (*notes, *drawn.shown, missing))
    if kind is TABLE:
        table = StyledTable(frame, plot.config, style.mode, style.palette)
        kind = replace(kind, draw=lambda style, frame, box, options: draw_table(style, table, box))
        notes += table.notes
    sheet, chart = _in_its_room(sheet, _telling(kind, drawn.shown), frame, look)
    return _picture(sheet, chart, notes)


def left_out(plot: Plot, frame: Frame) -> tuple[str, ...]:
    """Tell what a plot leaves out of its data and of the wishes for its axes, in every form."""
    drawn = drawn_data(plot.type, frame)
    wished = read_options(plot.config, "light")
    return (*drawn.notes, *fit_wishes(wished, plot.type, drawn.frame).notes[len(wished.notes) :])


def fitting(options: ChartOptions, plot: Plot, frame: Frame) -> ChartOptions:
    """The options with the unit of the data, and with those wishes that the type and the data allow."""
    options = replace(options, unit=_unit(plot, frame, options.unit))
    return fit_wishes(options, plot.type, frame)


def _telling(kind: PlotType, shown: Sequence[str]) -> PlotType:
    """The type with sentences below its chart about what the data hold and it does not show."""

    def draw(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
        chart = kind.draw(style, frame, box, options)
        return replace(chart, notes=(*shown, *chart.notes))

    return replace(kind, draw=draw) if shown else kind


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
    drawn = drawn_data(plot.type, frame).frame
    words = chart_words(plot.type, frame, drawn, _unit(plot, drawn, unit_of(plot.config)))
    return f"{title + ': ' if title else ''}{words}"[:LONGEST_TEXT]


def _unit(plot: Plot, frame: Frame, usual: str) -> str:
    """The unit that all drawn series have, or that the subtitle names."""
    return unit_of_series(frame, plot.type) or usual


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
    return Picture(sheet.svg(chart), sheet.words.description, (*notes, *chart.notes, *chart.told))


def _panel(style: Style, sentence: str) -> Chart:
    """A quiet box in place of a plot, with the reason."""
    height = style.height(0.3)
    block = lines_block(style, sentence, style.subtitle, style.palette.quiet)
    box = f'<rect width="{style.inner}" height="{height}" rx="4" fill="{style.palette.panel}"/>'
    text = f'<g transform="translate({style.padding},{(height - block.height) / 2:g})">{block.svg}</g>'
    return Chart(height, svg=box + text)
