"""Drawing of a plot: its data and settings as SVG or pixels, with notes on what was left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

import resvg_py

from handlers.render.plots.charts.cells.table_plot import draw_table
from handlers.render.plots.charts.chart import Chart
from handlers.render.plots.charts.sheet import Sheet, Words, lines_block
from handlers.render.plots.composed.notes import draw_annotated
from handlers.render.plots.composed.overlays import draw_combined, draw_named, draw_panels, draw_trends
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.table_text import TooManyCells
from handlers.render.plots.data.type_columns import plot_frame
from handlers.render.plots.look.colors import USUAL_COLORS, ColorChoice
from handlers.render.plots.look.options import ChartOptions, KeyPosition, read_options
from handlers.render.plots.look.style import LEAST_LETTER, Style, style_of, typical_width
from handlers.render.plots.look.type_metrics import FAMILY, FOLDER, STACK, has_letters
from handlers.render.plots.shown.axis_settings import trend_words
from handlers.render.plots.shown.description import chart_words, line_words
from handlers.render.plots.shown.shown_chart import shown_chart, type_notes
from handlers.render.plots.tables.styled_table import StyledTable
from handlers.words.language import say
from handlers.words.plot import LONGEST_READ, Plot

EAST_ASIAN = re.compile(
    r"<text((?=[\s>])[^<>]*)>((?:(?!</?text[\s>]).)*?[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef])",
    re.DOTALL,
)
FAMILY_OF = re.compile(r' font-family="[^"]*"')
FACES = f'font-family="Noto Sans CJK SC, {STACK}"'


def png(svg: str, scale: int = 1) -> bytes:
    """Return the picture as PNG, with `scale` pixels for each pixel of the drawing."""
    return resvg_py.svg_to_bytes(
        svg_string=in_faces(svg),
        zoom=float(scale),
        font_files=_own_fonts(),
        font_family=FAMILY,
        sans_serif_family=FAMILY,
        skip_system_fonts=has_letters(svg),
    )


def in_faces(svg: str) -> str:
    """Return the drawing with a font for East Asian texts that matches the default font.

    Otherwise the drawing library would use the first font that it finds, which may have serifs.
    """
    return EAST_ASIAN.sub(lambda text: f"<text{FAMILY_OF.sub('', text[1])} {FACES}>{text[2]}", svg)


@cache
def _own_fonts() -> list[str]:
    """Return the files of the bundled fonts."""
    return sorted(map(str, FOLDER.glob("*.ttf")))


SHARE, LEAST_AREA = 0.4, 80.0
"""Height that marks need: this share of a picture's height, or these pixels, but at most half of it."""
LEAST_ROOM = 20.0
"""Least height in pixels at which a plot is drawn."""
LOWEST_MARKS = 20.0
"""Height of marks in pixels below which the title is also dropped."""

Draw = Callable[[Sheet, float | None], Chart]
RoomStep = tuple[Sheet, str]
"""The sheet after some parts were dropped, and the name of the last of them, or ""."""


def chart_in_room(sheet: Sheet, frame: Frame, draw: Draw, height: int, *, alone: bool) -> tuple[Sheet, Chart]:
    """Return the sheet with the parts that fit, and its chart, which fills the rest of the picture.

    `draw` makes the chart of a sheet for a height; `alone` allows smaller font sizes. The chart's sentences
    for the log say what is left out.
    """
    chart, gone = Chart(0.0), list[str]()
    steps = [*_steps(sheet, frame), *(_smaller(sheet, frame) if alone else ())]
    lacking, at = 0.0, 0.0
    for number, (tried, part) in enumerate(steps):
        gone += [part] if part and tried != steps[number - 1][0] else []
        last = number == len(steps) - 1
        if number and not last and _words(tried, chart) > at - lacking:
            continue
        sheet = tried
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
    said = (f"Left out for lack of space: {_words_of(gone)}.",) if gone else ()
    return sheet, replace(chart, logged=(*chart.logged, *said))


def _chart_that_fits(sheet: Sheet, draw: Draw, height: int) -> Chart:
    """Return the chart for the height below the texts; it is drawn again if its key needs some of that."""
    room = max(LEAST_ROOM, height - _words(sheet, Chart(0.0)))
    chart = draw(sheet, room)
    for _ in range(2):
        over = sheet.height_of(chart) - height
        # A chart of rows cannot use a remaining height of less than one row.
        if abs(over) <= 1 or room - over <= LEAST_ROOM or (over < 0 and chart.wants is not None):
            break
        room -= over
        chart = draw(sheet, room)
    return chart


def _words(sheet: Sheet, chart: Chart) -> float:
    """Return the height of all texts around a chart."""
    return sheet.height_of(replace(chart, height=0.0))


def _lacking(sheet: Sheet, chart: Chart, height: int) -> float:
    """Return the number of pixels by which a chart is too low, or a picture is too high."""
    over = sheet.height_of(chart) - height - 1.0
    if over < -LEAST_ROOM:
        return over  # a chart that leaves space needs no more
    if chart.wants is not None:
        return max(over, chart.wants - chart.height)
    return max(over, max(SHARE * height, min(LEAST_AREA, height / 2)) - chart.area)


def _steps(sheet: Sheet, frame: Frame) -> Iterator[RoomStep]:
    """Yield the sheet, then the sheet after each further part was dropped."""
    yield sheet, ""
    sheet = replace(sheet, words=replace(sheet.words, caption=""))
    yield sheet, "caption"
    sheet = replace(sheet, title_lines=2, subtitle_lines=1, head=0)
    yield sheet, ""
    if sheet.options.key is not KeyPosition.NONE:
        sheet = replace(sheet, options=replace(sheet.options, key=KeyPosition.FEW))
        yield sheet, ""
    sheet = replace(sheet, words=replace(sheet.words, subtitle=""))
    yield sheet, "subtitle"
    sheet = replace(sheet, title_lines=1)
    yield sheet, ""
    if frame.positions:
        along = replace(sheet.options.along, labels=False, ticks=False)
        sheet = replace(sheet, options=replace(sheet.options, along=along))
        yield sheet, "labels along the axis"
    # Notes are kept, because the picture does not show what is missing.
    yield replace(sheet, tight=True), ""


def _smaller(sheet: Sheet, frame: Frame) -> Iterator[RoomStep]:
    """Yield the sheet with as few texts as possible and font sizes that decrease by one pixel."""
    *_, (last, _) = _steps(sheet, frame)
    style = sheet.style
    while style.label > LEAST_LETTER:
        style = replace(style, label=style.label - 1, title=style.title - 1)
        yield replace(last, style=style), ""


def _words_of(names: list[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


USUAL_WIDTH = 900
LONGEST_TEXT, LONGEST_NAME = 600, 40


@dataclass(frozen=True, slots=True)
class Look:
    """The options of a picture; `height` None is as high as needed, with `trim` a picture may be lower.

    Without `titled` its header is the subtitle only, because the title is elsewhere. `type_width` decides the
    font sizes instead of its own width and height, `least` is its smallest font size, and `head` is the least
    height of its titles in pixels, so that plots side by side are aligned. `centred` centres the rest in the
    free space below the titles. 0 means unset.
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

    def style(self, colors: ColorChoice = USUAL_COLORS) -> Style:
        """Return the sizes and colours of the picture."""
        wide = self.type_width or typical_width(self.width, self.height)
        return style_of(self.width, self.mode, colors, type_width=wide, least=self.least)


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawn plot: the SVG document, its text alternative, and notes for its log."""

    svg: str
    description: str
    notes: tuple[str, ...] = ()


def draw(plot: Plot, look: Look) -> Picture:
    """Return the picture of a plot. Accepts any data; a picture without a chart says what is missing."""
    options = read_options(plot.config, look.mode)
    style = look.style(options.colors)
    try:
        frame = plot_frame(plot)
    except TooManyCells as refusal:
        sheet = _sheet(style, plot, look, options, Frame(()))
        return _picture(sheet, _panel(style, str(refusal)), (str(refusal),))
    shown = shown_chart(plot, frame, look.mode)
    kind, notes = shown.kind, [*shown.notes, *shown.logged]
    sheet = _sheet(style, plot, look, shown.options, frame)
    if shown.missing:
        return _picture(sheet, _panel(style, say(shown.missing)), (*notes, *shown.below, shown.missing))
    if kind.table:
        table = StyledTable(shown.frame, plot.config, style.mode, style.palette)
        kind = replace(kind, draw=lambda style, frame, box, options: draw_table(style, table, box))
        notes += table.notes
    drawing = kind.draw
    for layer in (draw_combined, draw_trends, partial(draw_named, kind), draw_annotated):
        drawing = partial(layer, drawing)
    drawing = partial(draw_panels, shown, drawing) if shown.panels else drawing

    def draw_sheet(sheet: Sheet, box: float | None) -> Chart:
        chart = drawing(sheet.style, shown.frame, box, sheet.options)
        return replace(chart, notes=(*shown.below, *chart.notes))

    if look.height is None:
        return _picture(sheet, draw_sheet(sheet, None), notes)
    alone = not look.type_width
    return _picture(*chart_in_room(sheet, shown.frame, draw_sheet, look.height, alone=alone), notes)


def left_out(plot: Plot, frame: Frame) -> tuple[str, ...]:
    """Return sentences about data and settings that every form of a plot leaves out."""
    shown, wanted = shown_chart(plot, frame), read_options(plot.config, "light")
    return (*shown.below, *shown.logged, *type_notes(plot), *shown.options.notes[len(wanted.notes) :])


def draw_reason(reason: str, look: Look) -> Picture:
    """Return a picture with the reason why there is no drawing."""
    style = look.style()
    sheet = Sheet(style, Words(description=reason), ChartOptions(), look.height, ground=not look.transparent)
    return Picture(sheet.svg(_panel(style, reason)), reason)


def describe(plot: Plot, frame: Frame) -> str:
    """Return the text alternative: the title with the summary, or with a description of the chart."""
    title = plot.words("title") or plot.name.strip()
    lead = f"{title}: " if title else ""
    return f"{lead}{plot.summary.strip() or _chart_words(plot, frame)}"[:LONGEST_TEXT]


def _chart_words(plot: Plot, frame: Frame) -> str:
    """Return the description of a chart with its lines, colours, panels, trends and notes."""
    shown = shown_chart(plot, frame)
    if shown.missing and shown.kind.asks is not None:
        return say(shown.missing)
    words = chart_words(shown.kind, frame, shown.frame, shown.options.unit)
    words += "".join(f"; {say('line')} {line_words(column)}" for column in shown.options.lines)
    scale = shown.options.colors.scale.said if "colors/scale" in shown.kind.reads else ""
    words += f"; {say('colours by %s') % scale}" if scale else ""
    names = ", ".join(panel.name[:LONGEST_NAME] for panel in shown.panels)
    words += f"; {say(f'in {len(shown.panels)} panels')}: {names}" if names else ""
    words += "".join(f"; {one}" for one in trend_words(shown.options))
    noted = "; ".join(note.sentence for note in shown.options.annotations)
    return words + (f"; {say('notes')}: {noted}" if noted else "")


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


def _picture(sheet: Sheet, chart: Chart, notes: Sequence[str]) -> Picture:
    return Picture(sheet.svg(chart), sheet.words.description, (*notes, *chart.notes, *chart.logged))


def _panel(style: Style, sentence: str) -> Chart:
    """Return a grey box in place of a plot, with the reason."""
    height = style.height(0.3)
    block = lines_block(style, sentence, style.subtitle, style.palette.quiet)
    box = f'<rect width="{style.inner}" height="{height}" rx="4" fill="{style.palette.panel}"/>'
    text = f'<g transform="translate({style.padding},{(height - block.height) / 2:g})">{block.svg}</g>'
    return Chart(height, svg=box + text)
