"""Sheet: title, subtitle, key, plot, caption and source of a picture, one below the other as SVG."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from xml.sax.saxutils import escape

from handlers.render.plots.charts.chart import Chart, KeyEntry
from handlers.render.plots.look.options import ChartOptions, KeyPosition
from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import (
    END,
    ISOLATE,
    STACK,
    cut,
    is_to_the_left,
    marked_lines,
    px,
    span_svg,
    with_directions,
    wrap,
)
from handlers.words.language import language, say
from handlers.words.plot import MarkedSpan, read_words

RAMP = 7.5
"""Width of a ramp in a key, in heights of its letters."""


@dataclass(frozen=True, slots=True)
class Words:
    """The texts around a plot; `description` is for screen readers."""

    title: str = ""
    subtitle: str = ""
    caption: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a sheet: SVG elements, drawn from their top, and their height; `body` is False for titles."""

    svg: str
    height: float
    body: bool = False


@dataclass(frozen=True, slots=True)
class Sheet:
    """The words and options of a picture that contains a chart; `height` None: as high as its parts.

    `notes` is whether the text below the plot says what was left out, `ground` whether there is a background,
    `trim` whether it ends below its parts. Titles have up to some lines and at least `head` pixels; with
    `centred`, the rest is in the middle of the space below them. With `tight`, margins are smaller.
    """

    style: Style
    words: Words
    options: ChartOptions
    height: int | None = None
    notes: bool = True
    ground: bool = True
    trim: bool = False
    title_lines: int = 3
    subtitle_lines: int = 3
    head: float = 0.0
    centred: bool = False
    tight: bool = False

    @property
    def foot(self) -> float:
        """The pixels below all parts. Those above are fixed, so that titles side by side are aligned."""
        return self.style.padding - (4.0 if self.tight else 0.0)

    def svg(self, chart: Chart) -> str:
        """Return the picture as an SVG document; parts that are too high are scaled down."""
        style, tall = self.style, self.height_of(chart)
        y: float = style.padding
        parts: list[str] = []
        spare = max(0.0, (self.height or 0) - tall) / 2 if self.centred else 0.0
        for gap, block in self._blocks(chart):
            if block.body:
                y, spare = y + spare, 0.0
            y += gap
            parts.append(f'<g transform="translate({style.padding},{px(y)})">{block.svg}</g>')
            y += block.height
        body, height = with_directions("".join(parts)), self.height or tall
        height = min(height, tall) if self.trim else height
        if tall > height:
            scale = height / tall
            left = style.width * (1 - scale) / 2
            body = f'<g transform="translate({px(left)},0) scale({scale:.4f})">{body}</g>'
        tag = f'lang="{language().tag}" ' if language().tag != "en" else ""
        ground = f'<rect width="100%" height="100%" fill="{style.palette.paper}"/>' if self.ground else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
            f'{tag}role="img" '
            f'width="{style.width}" height="{height}" viewBox="0 0 {style.width} {height}" '
            f'font-family="{STACK}"><title>{escape(self.words.description)}</title>{ground}{body}</svg>'
        )

    def height_of(self, chart: Chart) -> int:
        """Return the height of a chart and the words around it."""
        return math.ceil(sum(gap + block.height for gap, block in self._blocks(chart, drawn=False))
                         + self.style.padding + self.foot)  # fmt: skip

    def _blocks(self, chart: Chart, *, drawn: bool = True) -> Iterator[tuple[float, Block]]:
        """Yield the parts from top to bottom, each with the gap before it."""
        style, options = self.style, self.options
        blocks = _header(style, self.words, self.title_lines, self.subtitle_lines)
        before = 4.0 if self.tight else 10.0
        below_head = before + max(0.0, self.head - _height(blocks)) * bool(blocks)
        has_key = bool(chart.key) and options.key.in_key
        key = [(8.0, _key(style, chart, column=options.key_column))] if has_key else []
        below = options.key is KeyPosition.BOTTOM
        body = [] if below else list(key)
        body.append((before, Block(chart.drawn if drawn else "", chart.height)))
        body += key if below else []
        notes = chart.notes if self.notes else ()
        sentences = _sentences(self.words.caption, notes)
        if sentences:
            body.append((12.0, lines_block(style, sentences, style.source, style.palette.quiet, most=4)))
        first = (body[0][0] - before + below_head) if blocks else 0.0
        yield from blocks
        for index, (gap, block) in enumerate(body):
            yield (gap if index else first), replace(block, body=True)


def _sentences(caption: str, notes: Sequence[str]) -> list[MarkedSpan]:
    """Return the caption, followed by the sentences about what was left out."""
    spans, more = list(read_words(caption)), " ".join(map(say, notes))
    end = "" if not spans or not more else ". " if spans[-1].text[-1:].isalnum() else " "
    return [*spans, *([MarkedSpan(end + more)] if more else [])]


def text_line(
    x: float, y: float, text: str, size: float, color: str, *, weight: int = 400, anchor: str = "start"
) -> str:
    """Return one line of text on its baseline."""
    return f'<text x="{px(x)}" y="{px(y)}" {text_look(size, color, weight, anchor)}>{escape(text)}</text>'


def text_look(size: float, color: str, weight: int, anchor: str) -> str:
    """Return the attributes of a text; usual ones are left out."""
    bold = f' font-weight="{weight}"' if weight != 400 else ""
    placed = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'font-size="{px(size)}" fill="{color}"{bold}{placed}'


def lines_block(
    style: Style,
    words: str | Sequence[MarkedSpan],
    size: int,
    color: str,
    *,
    weight: int = 400,
    most: int = 3,
    leading: float = 1.28,
) -> Block:
    """Return a paragraph in the whole width."""
    spans = [MarkedSpan(words)] if isinstance(words, str) else words
    lines = marked_lines(spans, size, style.inner, weight, most)
    step = size * leading
    svg = "".join(
        _marked_line(size * 0.9 + at * step, line, size, color, weight) for at, line in enumerate(lines)
    )
    return Block(svg, size * 1.1 + (len(lines) - 1) * step)


def _marked_line(y: float, line: Sequence[MarkedSpan], size: float, color: str, weight: int) -> str:
    """Return a line of words in their styles; a line without styles is a plain text."""
    text, drawn = "".join(span.text for span in line), "".join(span_svg(span, size) for span in line)
    if list(line) == [MarkedSpan(text)] or not text:
        return text_line(0, y, text, size, color, weight=weight)
    drawn = f"{ISOLATE}{drawn}{END}" if is_to_the_left(text) else drawn
    look = f'y="{px(y)}" font-size="{px(size)}" fill="{color}" font-weight="{weight}"'
    return f'<text x="0" {look}>{drawn}</text>'


def head_height(style: Style, title: str, subtitle: str) -> int:
    """Return the pixels of a picture's titles, in as many lines as they need."""
    return math.ceil(_height(_header(style, Words(title, subtitle), 3, 3)))


def _height(blocks: list[tuple[float, Block]]) -> float:
    return sum(gap + block.height for gap, block in blocks)


def _header(style: Style, words: Words, title_lines: int, subtitle_lines: int) -> list[tuple[float, Block]]:
    palette = style.palette
    blocks = []
    if words.title:
        spans, look = read_words(words.title), (style.title, palette.ink)
        title = lines_block(style, spans, *look, weight=700, most=title_lines, leading=1.18)
        blocks.append((0.0, title))
    if words.subtitle:
        gap = 5.0 if blocks else 0.0
        below = lines_block(style, words.subtitle, style.subtitle, palette.quiet, most=subtitle_lines)
        blocks.append((gap, below))
    return blocks


def _key(style: Style, chart: Chart, *, column: bool) -> Block:
    """Return the key's entries in as many lines as needed, or one per line, after its title."""
    gap, sign = style.label * 1.1, style.label * 1.4
    x, y = 0.0, 0.0
    tallest = max([style.line, *(2 * entry.radius + 4 for entry in chart.key)])
    parts = []
    if chart.key_title:
        title = cut(chart.key_title, style.label, style.inner * 0.6)
        parts.append(text_line(0, tallest / 2 + style.label * 0.34, title, style.label, style.palette.quiet))
        x = style.text(title) + gap
    for entry in chart.key:
        mark = max(sign, 2 * entry.radius + 6, _ramp_width(style, entry))
        label = wrap(entry.text, style.label, max(40.0, style.inner - mark), most=1)[0]
        width = mark + style.text(label)
        if x and (column or x + width > style.inner):
            x, y = 0.0, y + tallest + 3
        middle = y + tallest / 2
        parts.append(_sign(style, entry, x, middle))
        parts.append(text_line(x + mark, middle + style.label * 0.34, label, style.label, style.palette.ink))
        x += width + gap
    return Block("".join(parts), y + tallest)


def _sign(style: Style, entry: KeyEntry, x: float, y: float) -> str:
    """Return the sign of an entry, at the left end of its space."""
    size = style.label * 0.8
    left, middle, top = px(x), px(y), px(y - size / 2)
    stroke, fill = f'stroke="{entry.color}"', f'fill="{entry.color}"'
    square = f'<rect x="{left}" y="{top}" width="{px(size)}" height="{px(size)}"'
    match entry.sign:
        case "line":
            width = px(style.stroke + 0.5)
            return f'<path d="M{left} {middle}h{px(style.label * 1.1)}" {stroke} stroke-width="{width}"/>'
        case "dash":
            width = px(style.stroke)
            path = f"M{left} {middle}h{px(style.label * 1.1)}"
            return f'<path d="{path}" {stroke} stroke-width="{width}" stroke-dasharray="4 3"/>'
        case "dot":
            return f'<circle cx="{px(x + size / 2)}" cy="{middle}" r="{px(size * 0.42)}" {fill}/>'
        case "bar":
            path = f"M{px(x + size / 2)} {px(y - size * 0.6)}v{px(size * 1.2)}"
            return f'<path d="{path}" {stroke} stroke-width="2.5"/>'
        case "ring":
            center = f'cx="{px(x + entry.radius + 1)}" cy="{middle}"'
            return f'<circle {center} r="{px(entry.radius)}" fill="none" {stroke}/>'
        case "ramp":
            return _ramp(style, entry, x, y)
        case "hatch":
            diagonal = f"M{left} {px(y + size / 2)}l{px(size)} {px(-size)}"
            return f'{square} fill="none" {stroke}/><path d="{diagonal}" {stroke}/>'
    return f'{square} rx="1.5" {fill}/>'


def _ramp_width(style: Style, entry: KeyEntry) -> float:
    """Return the pixels up to the text after a ramp; 0 for any other sign."""
    return _ramp_start(style, entry) + style.label * (RAMP + 0.45) if entry.stops else 0.0


def _ramp_start(style: Style, entry: KeyEntry) -> float:
    return style.text(entry.start) + style.label * 0.45 if entry.start else 0.0


def _ramp(style: Style, entry: KeyEntry, x: float, y: float) -> str:
    """Return a ramp and, before it, the value at which it begins; its steps overlap to hide seams."""
    size, left, wide = style.label * 0.8, x + _ramp_start(style, entry), style.label * RAMP
    each, top = wide / len(entry.stops), px(y - size / 2)
    start = text_line(x, y + style.label * 0.34, entry.start, style.label, style.palette.ink)
    look = f'y="{top}" height="{px(size)}"'
    steps = (
        f'<rect x="{px(left + at * each)}" width="{px(wide - at * each)}" {look} fill="{color}"/>'
        for at, color in enumerate(entry.stops)
    )
    return "".join([start * bool(entry.start), *steps])
