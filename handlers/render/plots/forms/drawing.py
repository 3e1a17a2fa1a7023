"""Drawing of a plot: its data and settings as an SVG picture, with notes on what was left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from handlers.render.plots.charts.cells.table_plot import draw_table
from handlers.render.plots.charts.chart import Chart
from handlers.render.plots.charts.sheet import Sheet, Words, lines_block
from handlers.render.plots.composed.axis_names import draw_named
from handlers.render.plots.composed.combo import draw_combined
from handlers.render.plots.composed.notes import draw_annotated
from handlers.render.plots.composed.small_multiples import draw_panels
from handlers.render.plots.composed.trends import draw_trends
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.table_text import TooManyCells
from handlers.render.plots.data.type_columns import plot_frame
from handlers.render.plots.forms.plot_room import chart_in_room
from handlers.render.plots.look.named_colors import NO_NAMES, NamedColors
from handlers.render.plots.look.options import ChartOptions, read_options
from handlers.render.plots.look.palette import Palette
from handlers.render.plots.look.style import LEAST_LETTER, Style, style_of, typical_width
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import chart_words, line_words
from handlers.render.plots.shown.split_chart import shown_chart
from handlers.render.plots.shown.trend_wishes import trend_words
from handlers.render.plots.tables.styled_table import StyledTable
from handlers.words.language import say
from handlers.words.marked_words import LONGEST_READ
from handlers.words.plot import Plot

USUAL_WIDTH = 900
LONGEST_TEXT, LONGEST_NAME = 600, 40


@dataclass(frozen=True, slots=True)
class Look:
    """The options of a picture; `height` None lets it be as high as it needs, `trim` less high.

    Without `titled` its header is the subtitle alone, as its title stands elsewhere.

    `type_width` chooses the sizes of its type instead of its own width and height, `least` is its smallest
    letter, `head` the pixels that its titles take at least, so that plots of a row begin on one line, and
    `centred` sets what stands below its titles in the middle of what it leaves free. 0 is none of these.
    """

    mode: str = "light"
    width: int = USUAL_WIDTH
    height: int | None = None
    header: bool = True
    titled: bool = True
    caption: bool = True
    transparent: bool = False
    trim: bool = False
    type_width: int = 0
    least: int = LEAST_LETTER
    head: int = 0
    centred: bool = False

    def style(
        self, colors: Sequence[str] = (), palette: Palette | None = None, named: NamedColors = NO_NAMES
    ) -> Style:
        """The sizes and colours of the picture."""
        wide = self.type_width or typical_width(self.width, self.height)
        return style_of(self.width, self.mode, colors, palette, named, type_width=wide, least=self.least)


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
    style = look.style(options.colors.series, palette, options.colors.named)
    try:
        frame = plot_frame(plot)
    except TooManyCells as refusal:
        sheet = _sheet(style, plot, look, options, Frame(()))
        return _picture(sheet, _panel(style, str(refusal)), (str(refusal),))
    shown = shown_chart(plot, frame, look.mode)
    kind, notes = shown.kind, [*shown.notes, *shown.told]
    sheet = _sheet(style, plot, look, shown.options, frame)
    if shown.missing:
        return _picture(sheet, _panel(style, say(shown.missing)), (*notes, *shown.below, shown.missing))
    if kind.table:
        table = StyledTable(shown.frame, plot.config, style.mode, style.palette)
        kind = replace(kind, draw=lambda style, frame, box, options: draw_table(style, table, box))
        notes += table.notes
    drawing = draw_annotated(draw_named(draw_trends(draw_combined(kind.draw)), kind))
    kind = replace(kind, draw=draw_panels(drawing, shown) if shown.panels else drawing)
    sheet, chart = _in_its_room(sheet, _telling(kind, shown.below), shown.frame, look)
    return _picture(sheet, chart, notes)


def left_out(plot: Plot, frame: Frame) -> tuple[str, ...]:
    """Tell what a plot leaves out of its data and of the wishes for its axes, in every form."""
    shown, wished = shown_chart(plot, frame), read_options(plot.config, "light")
    return (*shown.below, *shown.told, *shown.options.notes[len(wished.notes) :])


def _telling(kind: PlotType, shown: Sequence[str]) -> PlotType:
    """The type with sentences below its chart about what the data hold and it does not show."""

    def draw(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
        chart: Chart = kind.draw(style, frame, box, options)
        return replace(chart, notes=(*shown, *chart.notes))

    return replace(kind, draw=draw) if shown else kind


def draw_reason(reason: str, look: Look) -> Picture:
    """The picture that stands for one that could not be drawn, and says why."""
    style = look.style()
    sheet = Sheet(style, Words(description=reason), ChartOptions(), look.height, ground=not look.transparent)
    return Picture(sheet.svg(_panel(style, reason)), reason)


def describe(plot: Plot, frame: Frame) -> str:
    """The text for those who do not see the picture: title and summary, or what is drawn of how much."""
    title = plot.words("title") or plot.name.strip()
    if plot.summary.strip():
        return (
            f"{title}: {plot.summary.strip()}"[:LONGEST_TEXT]
            if title
            else plot.summary.strip()[:LONGEST_TEXT]
        )
    shown = shown_chart(plot, frame)
    if shown.missing and shown.kind.asks is not None:
        return f"{title + ': ' if title else ''}{say(shown.missing)}"[:LONGEST_TEXT]
    words = chart_words(shown.kind, frame, shown.frame, shown.options.unit)
    words += "".join(f"; {say('line')} {line_words(column)}" for column in shown.options.lines)
    scale = shown.options.colors.scale.said if "colors/scale" in shown.kind.reads else ""
    words += f"; {say('colours by %s') % scale}" if scale else ""
    names = ", ".join(panel.name[:LONGEST_NAME] for panel in shown.panels)
    words += f"; {say(f'in {len(shown.panels)} panels')}: {names}" if names else ""
    words += "".join(f"; {one}" for one in trend_words(shown.options))
    noted = "; ".join(note.sentence for note in shown.options.annotations)
    words += f"; {say('notes')}: {noted}" if noted else ""
    return f"{title + ': ' if title else ''}{words}"[:LONGEST_TEXT]


def _sheet(style: Style, plot: Plot, look: Look, options: ChartOptions, frame: Frame) -> Sheet:
    def text(key: str) -> str:
        return " ".join(plot.config.get(key, "").split())[:LONGEST_READ]

    words = Words(
        text("title") if look.header and look.titled else "",
        text("subtitle")[:LONGEST_TEXT] if look.header else "",
        text("caption") if look.caption else "",
        describe(plot, frame),
    )
    ground = not (look.transparent or options.colors.transparent)
    return Sheet(
        style, words, options, look.height,
        notes=look.caption, ground=ground, trim=look.trim, head=look.head, centred=look.centred,
    )  # fmt: skip


def _in_its_room(sheet: Sheet, kind: PlotType, frame: Frame, look: Look) -> tuple[Sheet, Chart]:
    """The chart of a kind; in a picture of a fixed height as high as its words leave room for."""

    def draw_sheet(sheet: Sheet, box: float | None) -> Chart:
        chart: Chart = kind.draw(sheet.style, frame, box, sheet.options)
        return chart

    if look.height is None:
        return sheet, draw_sheet(sheet, None)
    return chart_in_room(sheet, frame, draw_sheet, look.height, alone=not look.type_width)


def _picture(sheet: Sheet, chart: Chart, notes: Sequence[str]) -> Picture:
    return Picture(sheet.svg(chart), sheet.words.description, (*notes, *chart.notes, *chart.told))


def _panel(style: Style, sentence: str) -> Chart:
    """A quiet box in place of a plot, with the reason."""
    height = style.height(0.3)
    block = lines_block(style, sentence, style.subtitle, style.palette.quiet)
    box = f'<rect width="{style.inner}" height="{height}" rx="4" fill="{style.palette.panel}"/>'
    text = f'<g transform="translate({style.padding},{(height - block.height) / 2:g})">{block.svg}</g>'
    return Chart(height, svg=box + text)
