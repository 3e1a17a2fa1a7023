"""Drawing of a plot: its data and settings as an SVG picture, with notes on what was left out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from handlers.render.plots.charts.chart import Chart
from handlers.render.plots.charts.plot_types import TABLES, TYPES, PlotType, type_of
from handlers.render.plots.charts.sheet import Words, lines_block, set_sheet
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.table_text import TooManyCells, read_frame
from handlers.render.plots.look.style import Style, style_of

USUAL_WIDTH = 900
LONGEST_TEXT = 600
COLOR = re.compile(r"#[0-9a-fA-F]{6}")
SHORT_COLOR = re.compile(r"#[0-9a-fA-F]{3}")
UNITS = ("%", "€", "$", "£", "¥", "°C", "°F")


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot to draw: the text of its data, and its settings by their path below `config`."""

    data: str
    config: Mapping[str, str]
    name: str = ""
    summary: str = ""

    @property
    def type(self) -> str:
        """The word of the type."""
        return self.config.get("type", "").strip() or "bar"


@dataclass(frozen=True, slots=True)
class Look:
    """The options of a picture; `height` None lets it be as high as it needs."""

    mode: str = "light"
    width: int = USUAL_WIDTH
    height: int | None = None
    header: bool = True
    caption: bool = True
    transparent: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawn plot: the SVG document, the text that describes it, and notes for its log."""

    svg: str
    description: str
    notes: tuple[str, ...] = ()


def draw(plot: Plot, look: Look) -> Picture:
    """The picture of a plot. Whatever the data are, something is drawn, which says what is missing."""
    style = style_of(look.width, look.mode, colors_of(plot.config))
    try:
        frame = read_frame(plot.data)
    except TooManyCells as refusal:
        return _sheet(style, plot, look, _panel(style, str(refusal)), (str(refusal),), Frame(()))
    notes = [f"line {rejection.line}: {rejection.reason}" for rejection in frame.rejected[:20]]
    if len(frame.rejected) > 20:
        notes.append(f"{len(frame.rejected) - 20:,} more lines were not read whole")
    kind = type_of(plot.type)
    if plot.type not in TYPES and plot.type not in TABLES:
        notes.append(
            f'"{plot.type[:40]}" is drawn as a table: the types that draw are {", ".join(sorted(TYPES))}'
        )
    missing = lacking(kind, plot, frame)
    if missing:
        notes.append(missing)
        return _sheet(style, plot, look, _panel(style, missing), notes, frame)
    box = _room(style, plot, look)
    return _sheet(style, plot, look, kind.draw(style, frame, box, unit_of(plot)), notes, frame)


def draw_reason(reason: str, look: Look) -> Picture:
    """The picture that stands for one that could not be drawn, and says why."""
    style = style_of(look.width, look.mode, ())
    sheet = set_sheet(
        style, _panel(style, reason), Words("", "", "", reason), header=False, caption=False,
        transparent=look.transparent,
    )  # fmt: skip
    return Picture(sheet, reason)


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


def colors_of(config: Mapping[str, str]) -> tuple[str, ...]:
    """The colours that `colors/colors` names, as `#rrggbb`; words that are none are passed over."""
    colors = []
    for word in re.split(r"[\s,;]+", config.get("colors/colors", "")[:4096]):
        if COLOR.fullmatch(word):
            colors.append(word.lower())
        elif SHORT_COLOR.fullmatch(word):
            colors.append("#" + "".join(sign * 2 for sign in word[1:].lower()))
    return tuple(colors[:24])


def unit_of(plot: Plot) -> str:
    """The unit of the values, where a head, subtitle or format ends with one."""
    named = plot.config.get("axis/format", "") + " " + plot.config.get("subtitle", "")
    last = named.strip().rpartition(" ")[2].rstrip(".,;:")
    return last if last in UNITS else ""


def _room(style: Style, plot: Plot, look: Look) -> float | None:
    """The height that is left for the plot in a picture of a fixed height."""
    if look.height is None:
        return None
    blank = Chart(0, svg="")
    frameless = set_sheet(style, blank, _words(plot, ""), header=look.header, caption=look.caption)
    found = re.search(r'height="(\d+)"', frameless)
    return max(60.0, look.height - float(found[1] if found else 0))


def _words(plot: Plot, description: str) -> Words:
    def text(key: str) -> str:
        return " ".join(plot.config.get(key, "").split())[:LONGEST_TEXT]

    return Words(text("title"), text("subtitle"), text("caption"), description)


def _sheet(style: Style, plot: Plot, look: Look, chart: Chart, notes: object, frame: Frame) -> Picture:
    description = describe(plot, frame)
    svg = set_sheet(
        style,
        chart,
        _words(plot, description),
        header=look.header,
        caption=look.caption,
        transparent=look.transparent,
    )
    told = tuple(notes) if isinstance(notes, list | tuple) else ()
    return Picture(svg, description, (*told, *chart.notes))


def _panel(style: Style, sentence: str) -> Chart:
    """A quiet box in place of a plot, with the reason."""
    height = style.height(0.3)
    block = lines_block(style, sentence, style.subtitle, style.palette.quiet)
    box = f'<rect width="{style.inner}" height="{height}" rx="4" fill="{style.palette.panel}"/>'
    text = f'<g transform="translate({style.padding},{(height - block.height) / 2:g})">{block.svg}</g>'
    return Chart(height, svg=box + text)
