"""Sheet: title, subtitle, key, plot, caption and source of a picture, set one below the other as SVG."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from xml.sax.saxutils import escape

import vl_convert

from handlers.render.plots.charts.chart import Chart, KeyEntry
from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import STACK, wrap

VEGA_LITE = "6.4"
LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")
OUTER = re.compile(r"<svg[^>]*>(.*)</svg>\s*$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Words:
    """The texts around a plot; `description` is for those who do not see it."""

    title: str = ""
    subtitle: str = ""
    caption: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a sheet: SVG elements, drawn from their own top, and their height."""

    svg: str
    height: float


def set_sheet(
    style: Style,
    chart: Chart,
    words: Words,
    *,
    header: bool = True,
    caption: bool = True,
    transparent: bool = False,
) -> str:
    """The picture as an SVG document of the style's width and the height that its parts take."""
    blocks: list[tuple[float, Block]] = []
    if header:
        blocks += _header(style, words)
    if chart.key:
        blocks.append((8, _key(style, chart)))
    blocks.append((10 if blocks else 0, Block(_plot(chart), chart.height)))
    if caption:
        blocks += _footer(style, chart, words)
    y = float(style.padding)
    parts: list[str] = []
    for gap, block in blocks:
        y += gap if parts else 0
        parts.append(f'<g transform="translate({style.padding},{_n(y)})">{block.svg}</g>')
        y += block.height
    height = math.ceil(y + style.padding)
    ground = "" if transparent else f'<rect width="100%" height="100%" fill="{style.palette.paper}"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" role="img" '
        f'width="{style.width}" height="{height}" viewBox="0 0 {style.width} {height}" font-family="{STACK}">'
        f"<title>{escape(words.description)}</title>{ground}{''.join(parts)}</svg>"
    )


def text_line(
    x: float, y: float, text: str, size: float, color: str, *, weight: int = 400, anchor: str = "start"
) -> str:
    """One line of text, standing on its baseline."""
    bold = f' font-weight="{weight}"' if weight != 400 else ""
    placed = f' text-anchor="{anchor}"' if anchor != "start" else ""
    look = f'font-size="{_n(size)}" fill="{color}"{bold}{placed}'
    return f'<text x="{_n(x)}" y="{_n(y)}" {look}>{escape(text)}</text>'


def lines_block(
    style: Style, text: str, size: int, color: str, *, weight: int = 400, most: int = 3, leading: float = 1.28
) -> Block:
    """A paragraph over the whole width."""
    lines = wrap(text, size, style.inner, weight, most)
    step = size * leading
    svg = "".join(
        text_line(0, size * 0.9 + at * step, line, size, color, weight=weight)
        for at, line in enumerate(lines)
    )
    return Block(svg, size * 1.1 + (len(lines) - 1) * step)


def _header(style: Style, words: Words) -> list[tuple[float, Block]]:
    palette = style.palette
    blocks = []
    if words.title:
        blocks.append(
            (0.0, lines_block(style, words.title, style.title, palette.ink, weight=700, leading=1.18))
        )
    if words.subtitle:
        blocks.append((5.0, lines_block(style, words.subtitle, style.subtitle, palette.quiet)))
    return blocks


def _footer(style: Style, chart: Chart, words: Words) -> list[tuple[float, Block]]:
    sentences = " ".join(sentence for sentence in (words.caption, *chart.notes) if sentence)
    if not sentences:
        return []
    return [(12.0, lines_block(style, sentences, style.source, style.palette.quiet, most=4))]


def _plot(chart: Chart) -> str:
    """The plot's elements; coordinates to a hundredth of a pixel, as nobody sees more."""
    if chart.spec is None:
        return chart.svg
    svg = vl_convert.vegalite_to_svg(chart.spec, vl_version=VEGA_LITE, allowed_base_urls=[])
    inner = OUTER.search(svg)
    body = inner[1] if inner else ""
    return LONG_NUMBER.sub(lambda number: _n(float(number[0])), body)


def _key(style: Style, chart: Chart) -> Block:
    """The key's entries in as many lines as they need, behind its title."""
    gap, sign = style.label * 1.1, style.label * 1.4
    x, y = 0.0, 0.0
    tallest = max([style.line, *(2 * entry.radius + 4 for entry in chart.key)])
    parts = []
    if chart.key_title:
        parts.append(
            text_line(0, tallest / 2 + style.label * 0.34, chart.key_title, style.label, style.palette.quiet)
        )
        x = style.text(chart.key_title) + gap
    for entry in chart.key:
        mark = max(sign, 2 * entry.radius + 6)
        label = wrap(entry.text, style.label, max(40.0, style.inner - mark), most=1)[0]
        width = mark + style.text(label)
        if x and x + width > style.inner:
            x, y = 0.0, y + tallest + 3
        middle = y + tallest / 2
        parts.append(_sign(style, entry, x, middle))
        parts.append(text_line(x + mark, middle + style.label * 0.34, label, style.label, style.palette.ink))
        x += width + gap
    return Block("".join(parts), y + tallest)


def _sign(style: Style, entry: KeyEntry, x: float, y: float) -> str:
    """The sign of an entry, at the left end of its room."""
    size = style.label * 0.8
    left, middle, top = _n(x), _n(y), _n(y - size / 2)
    stroke, fill = f'stroke="{entry.color}"', f'fill="{entry.color}"'
    square = f'<rect x="{left}" y="{top}" width="{_n(size)}" height="{_n(size)}"'
    match entry.sign:
        case "line":
            width = _n(style.stroke + 0.5)
            return f'<path d="M{left} {middle}h{_n(style.label * 1.1)}" {stroke} stroke-width="{width}"/>'
        case "dot":
            return f'<circle cx="{_n(x + size / 2)}" cy="{middle}" r="{_n(size * 0.42)}" {fill}/>'
        case "bar":
            path = f"M{_n(x + size / 2)} {_n(y - size * 0.6)}v{_n(size * 1.2)}"
            return f'<path d="{path}" {stroke} stroke-width="2.5"/>'
        case "ring":
            center = f'cx="{_n(x + entry.radius + 1)}" cy="{middle}"'
            return f'<circle {center} r="{_n(entry.radius)}" fill="none" {stroke}/>'
        case "hatch":
            diagonal = f"M{left} {_n(y + size / 2)}l{_n(size)} {_n(-size)}"
            return f'{square} fill="none" {stroke}/><path d="{diagonal}" {stroke}/>'
    return f'{square} rx="1.5" {fill}/>'


def _n(number: float) -> str:
    """A coordinate, to a hundredth, without needless zeros."""
    return f"{number:.2f}".rstrip("0").rstrip(".") or "0"
