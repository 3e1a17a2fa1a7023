"""Shares of a whole: a pie or a ring with a list of names, amounts and percentages beside it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial

from handlers.render.plots.charts.chart import Chart
from handlers.render.plots.charts.marks.canvas import Canvas
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import PER_CENT, whole_shares
from handlers.render.plots.drawn.column_roles import lacks_positive
from handlers.render.plots.drawn.drawn_data import USUAL, positive_parts, single
from handlers.render.plots.drawn.left_out import quote_names, tip_of
from handlers.render.plots.forms.terminal.screen import Screen, write_rows
from handlers.render.plots.look.colors import ColorChoice
from handlers.render.plots.look.options import ChartOptions, KeyPosition, Writer
from handlers.render.plots.look.style import Style, style_of
from handlers.render.plots.look.type_metrics import text_width, wrap
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import LONGEST, range_words
from handlers.render.plots.shown.native_chart import NativeChart, NativeForm, NativeSeries
from handlers.render.plots.shown.shown_chart import ShownChart
from handlers.words.language import language, say

MOST = 6
HOLE = 0.62
"""Inner radius of a ring, as a share of its outer radius."""
NEAR_WHOLE = 0.02
BESIDE = 4.5
"""Width of a line of the list without its name, in font heights."""
TOTAL = "total"


@dataclass(frozen=True, slots=True)
class WholePart:
    """A part of the whole: its name, its value, its colour, and its share as text."""

    name: str
    value: float
    color: str
    share: str


@dataclass(frozen=True, slots=True)
class Places:
    """Positions of ring and list, in pixels."""

    radius: float
    center: tuple[float, float]
    list_left: float
    list_top: float
    list_width: float
    line: float
    height: float


def draw_shares(style: Style, frame: Frame, box: float | None, options: ChartOptions, *, ring: bool) -> Chart:
    """Draw the positive values of the first series, the largest first; many small ones are one part."""
    most = MOST if box is None else max(2, min(MOST, int(box / style.line) - 1))
    parts, notes = parts_of(style, frame, most)
    places = _places(style, len(parts), box, style.widest(part.name for part in parts))
    written = options.writer([part.value for part in parts])
    listed = parts
    if _are_shares(parts, options):  # amounts and shares are the same
        listed = [replace(part, share=written(part.value)) for part in parts]
    canvas = Canvas(style)
    _draw_arcs(canvas, parts, places, options.exact, ring=ring)
    _draw_list(canvas, listed, places, written, amounts=listed is parts)
    if ring:
        _draw_total(canvas, sum(part.value for part in parts), places, options)
    wants = style.line * 1.2 * min(MOST + 1, frame.height)
    return Chart(places.height, canvas.svg(), logged=notes, wants=max(wants, style.line * 4.0))


def _are_shares(parts: list[WholePart], options: ChartOptions) -> bool:
    """Return whether amounts are already shares of the whole in per cent."""
    total = sum(part.value for part in parts)
    whole = {PER_CENT: 1, "%": 100}.get(options.unit)
    return whole is not None and abs(total / whole - 1) < NEAR_WHOLE


def parts_of(style: Style, frame: Frame, most: int = MOST) -> tuple[list[WholePart], tuple[str, ...]]:
    """Return the parts, and a sentence about joined parts if there are too many for the list."""
    pairs = sorted(_positive(frame), key=lambda pair: -pair[0])
    rest = pairs[most:] if len(pairs) > most + 1 else []
    shown = pairs[: len(pairs) - len(rest)]
    tones = style.part_tones([name for _, name in shown])
    named = [(name, value, tone) for (value, name), tone in zip(shown, tones, strict=True)]
    notes: tuple[str, ...] = ()
    if rest:
        notes = (f"{len(rest)} others: {quote_names(name for _, name in rest)}.",)
        named.append((say(f"{len(rest)} others"), sum(value for value, _ in rest), style.palette.rest))
    shares = whole_shares([value for _, value, _ in named]) if named else []
    least = f"<{language().percent(0.01)}"
    texts = [language().percent(share / 100) if share else least for share in shares]
    return [WholePart(*one, text) for one, text in zip(named, texts, strict=True)], notes


def _positive(frame: Frame) -> list[tuple[float, str]]:
    """Return the values above 0 of the first series with their names."""
    known = zip(frame.series[0].numbers, frame.categories, strict=True)
    return [(value, name) for value, name in known if value is not None and value > 0]


def _places(style: Style, count: int, box: float | None, names: float) -> Places:
    line = round(style.label * 1.9)
    tall = line * count
    if box is not None and (style.width < 760 or box < tall):
        return _compact_places(style, count, box, names)
    if style.narrow:
        radius = min(style.inner * 0.34, 120)
        top = 2 * radius + 26
        return Places(radius, (style.inner / 2, radius + 4), 0, top, style.inner, line, top + tall)
    height = box or max(min(style.height(0.4), 460), tall)
    radius = min(height / 2 - 6, style.inner * 0.24)
    left = 2 * radius + 6 + style.label * 4
    width = min(style.inner - left, style.label * 30)
    return Places(radius, (radius + 6, height / 2), left, (height - tall) / 2, width, line, height)


def _compact_places(style: Style, count: int, box: float, names: float) -> Places:
    """Return a ring as high as a small box allows, and a list beside it; `names` is the width of names."""
    beside = (style.inner - style.label * (BESIDE + 1) - names) / 2
    radius = max(8.0, min(box / 2 - 2, style.inner * 0.27, max(style.inner * 0.17, beside)))
    line = max(style.label * 1.25, min(style.label * 1.9, box / count))
    tall = line * count
    left = 2 * radius + style.label
    return Places(
        radius, (radius + 2, box / 2), left, max(0.0, (box - tall) / 2), style.inner - left, line, box
    )


def _draw_arcs(
    canvas: Canvas, parts: list[WholePart], places: Places, written: Writer, *, ring: bool
) -> None:
    """Draw the parts around the middle, clockwise from the top."""
    total, start = sum(part.value for part in parts), 0.0
    radii = (places.radius * HOLE if ring else 0.0, places.radius)
    for part in parts:
        end = start + part.value / total * 2 * math.pi
        tip = tip_of(part.name, "", f"{written(part.value)}, {part.share}")
        edge = canvas.style.palette.paper if len(parts) > 1 else ""
        canvas.arc(places.center, radii, (start, end), part.color, tip=tip, stroke=edge, width=2)
        start = end


def _draw_list(
    canvas: Canvas, parts: list[WholePart], places: Places, written: Writer, *, amounts: bool
) -> None:
    """Draw the colour, name, amount and share of each part, with lines between the parts."""
    style = canvas.style
    palette, size = style.palette, style.label
    roomy = amounts and places.list_width >= size * 16
    room = places.list_width - size * (8 if roomy else BESIDE)
    left, right = places.list_left, places.list_left + places.list_width
    share_width = style.widest(["100%", *(part.share for part in parts)], 600)
    for index, part in enumerate(parts):
        y, square = places.list_top + (index + 0.5) * places.line, size * 0.8
        if index:
            above = places.list_top + index * places.line
            canvas.line((left, above), (right, above), palette.grid, 1)
        canvas.rect(left, y - square / 2, square, square, part.color)
        canvas.text(left + size * 1.4, y, wrap(part.name, size, max(1.0, room), most=1)[0], size=size)
        canvas.text(right, y, part.share, size=size, weight=600, anchor="end")
        if roomy:
            end = right - share_width - size
            canvas.text(end, y, written(part.value), palette.quiet, size=size, anchor="end")


def _draw_total(canvas: Canvas, total: float, places: Places, options: ChartOptions) -> None:
    """Draw the sum with its unit in the middle of the ring, as large as possible."""
    style = canvas.style
    text = options.write(total)
    text, _, unit = (text, "", "") if options.values.format else text.partition("\u00a0")
    size = round(min(style.label * 2.3, places.radius * 0.36))
    while size > style.label and text_width(text, size, 700) > places.radius * 1.05:
        size -= 1
    if size < style.label or text_width(text, size, 700) > places.radius * 1.15:
        return
    unit = unit if places.radius > size * 2.2 and style.text(unit) < places.radius else ""
    (x, y), palette = places.center, style.palette
    middle = y - (size * 0.22 if unit else 0)
    canvas.text(x, middle, text, size=size, weight=700, anchor="middle")
    if unit:
        canvas.text(x, y + size * 0.62, unit, palette.quiet, anchor="middle")


def write_parts(screen: Screen, frame: Frame, options: ChartOptions, *, ring: bool) -> list[str]:
    """Return the parts of a whole, the largest first, with amounts and shares; a ring also has their sum."""
    parts, _ = parts_of(style_of(900, "light", ColorChoice(named=options.colors.named)), frame)
    written = options.writer([part.value for part in parts])
    names, most = [part.name for part in parts], max(part.value for part in parts)
    texts = [part.share for part in parts], [written(part.value) for part in parts]

    def draw(row: int, wide: int) -> str:
        if row == len(parts):
            return ""
        return screen.bar(parts[row].value / most * wide, row, color=_part_color(parts[row], options))

    if ring and screen.rows > len(parts):
        total = options.write(sum(part.value for part in parts))
        names, texts = [*names, say(TOTAL)], ([*texts[0], "100%"], [*texts[1], total])
    return write_rows(screen, names, texts, draw)


def _part_color(part: WholePart, options: ChartOptions) -> str:
    """Return the colour of a part if one is configured for its name, else ""."""
    named = options.colors.named
    return part.color if named.others or named.has(part.name) else ""


def native_shares(shown: ShownChart, style: Style, *, ring: bool) -> NativeChart:
    """Return the native chart of the parts."""
    parts, _ = parts_of(style, shown.frame)
    values = tuple(part.value for part in parts)
    column = shown.frame.series[0]
    return NativeChart(
        NativeForm.SHARES,
        (NativeSeries(column.name, values, tuple(part.color for part in parts)),),
        names=tuple(part.name for part in parts),
        ring=ring,
        labels="0%",
        key=KeyPosition.AUTO,
        notes=shown.below,
    )


def _describe_shares(frame: Frame, unit: str) -> list[str]:
    """Return the largest part and its share."""
    parts = _positive(frame)
    if not parts:
        return []
    value, name = max(parts, key=lambda pair: pair[0])
    total = sum(part for part, _ in parts)
    values = say("values %s") % range_words([part for part, _ in parts], unit)
    return [values, say("largest share %s with %s") % (name[:LONGEST], language().percent(value / total))]


def _shares(word: str, noun: str, title: str, order: float) -> PlotType:
    """Return the type of a pie or a ring."""
    ring = word == "donut"
    return PlotType(
        word=word,
        noun=noun,
        title=title,
        order=order,
        example="place,votes\nOslo,12\nBergen,15\nTromsø,4\n",
        draw=partial(draw_shares, ring=ring),
        terminal=partial(write_parts, ring=ring),
        describes=_describe_shares,
        native=partial(native_shares, ring=ring),
        reads=frozenset(("value",)),
        steps=(*USUAL, single, positive_parts),
        lacks=lacks_positive,
        units="one",
        names=lambda frame: frame.categories,
    )


TYPES = (_shares("pie", "pie chart", "Pie", 5.1), _shares("donut", "ring chart", "Donut", 5.2))
