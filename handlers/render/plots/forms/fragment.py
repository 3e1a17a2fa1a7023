"""A plot as a separate fragment of HTML: its picture, its table, or its own script."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape

from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.data.numbers import GAP
from handlers.render.plots.drawn.left_out import count_words
from handlers.render.plots.forms.drawing import Look, describe, draw
from handlers.render.plots.forms.embedded_fonts import face_rules
from handlers.render.plots.look.options import read_options
from handlers.render.plots.look.palette import Palette
from handlers.render.plots.look.style import Style, style_of
from handlers.render.plots.look.type_metrics import STACK, prefix_ids
from handlers.render.plots.plot_type import CUSTOM, type_of
from handlers.render.plots.tables.cell_words import Bar, SideLine, TableCell
from handlers.render.plots.tables.instructions import DrawnSpan, Span
from handlers.render.plots.tables.kept_rows import first_rows, is_gap, is_sum, search_words, shown_words
from handlers.render.plots.tables.styled_table import StyledTable
from handlers.words.language import language, say
from handlers.words.plot import Plot, marked_html

TABLE_ROWS, TABLE_COLUMNS, MOST_CELLS = 500, 60, 6_000
LONGEST_SHOWN, LONGEST_TOLD = 2_000, 10_000
STEP = 4
"""Pixels of one step of padding."""
SIDES = {"t": "top", "r": "right", "b": "bottom", "l": "left"}
FAMILIES = {"serif": "Georgia, 'Times New Roman', serif", "mono": "ui-monospace, Menlo, Consolas, monospace"}
OVERFLOWS = {
    "ellipsis": "max-width:min(26em,38vw);white-space:nowrap;overflow:hidden;text-overflow:ellipsis",
    "truncate": "max-width:min(26em,38vw);white-space:nowrap;overflow:hidden",
    "wrap": "min-width:9em;max-width:34em;overflow-wrap:anywhere",
    "overflow": "white-space:nowrap",
    "name": "min-width:8em;max-width:34em;overflow-wrap:break-word",
}
BRACKET = 0.3
"""Width of a bracket in the default font, in font heights."""
SHORT = 14
"""Most characters of a text that is kept on one line."""


def table_fragment(plot: Plot, table: StyledTable, look: Look, description: str) -> str:
    """Return the figure: a header, the table, which scrolls if it is wider than the page, and a caption."""
    palette = table.palette
    columns = table.first_columns(TABLE_COLUMNS)
    rows = first_rows(table, min(TABLE_ROWS, MOST_CELLS // max(1, len(columns))))
    heads = min(table.head_rows, len(rows))
    merges = table.merges.within(rows, columns)
    lines = [_row(table, rows, place, columns, merges) for place in range(len(rows))]
    note = shown_words(table, len(rows), len(columns))
    search = search_words(len(rows) - heads, language().tag)
    width = f"width:{table.units}px;" if table.units else "min-width:min(100%,24em);"
    ground = "" if look.transparent else f"background:{palette.paper};"
    return (
        f'<figure style="margin:0;padding:1em;{ground}color:{palette.ink};font:14px/1.3 {escape(STACK)};'
        f'max-width:{look.width}px;box-sizing:border-box">{_words(plot, look, palette)}'
        f'<div style="overflow-x:auto" tabindex="0"><table aria-label="{escape(description)}"{search} '
        f'style="border-collapse:collapse;{width}max-width:100%;font-variant-numeric:tabular-nums">'
        f"<thead>{''.join(lines[:heads])}</thead><tbody>{''.join(lines[heads:])}</tbody></table></div>"
        f"{_caption(plot, look, palette, note)}</figure>\n"
    )


def _words(plot: Plot, look: Look, palette: Palette) -> str:
    """Return title and subtitle."""
    if not look.header:
        return ""
    title, subtitle = marked_html(plot.config.get("title", "")), plot.words("subtitle")[:600]
    parts = [f'<div style="font-size:1.5em;font-weight:700">{title}</div>'] if title else []
    if subtitle:
        parts.append(f'<div style="color:{palette.quiet}">{escape(subtitle)}</div>')
    return f'<figcaption style="margin-bottom:.6em">{"".join(parts)}</figcaption>' if parts else ""


def _caption(plot: Plot, look: Look, palette: Palette, note: str) -> str:
    """Return the sentence on what is left out, and the caption."""
    caption = marked_html(plot.config.get("caption", "")) if look.caption else ""
    style = f"margin:.7em 0 0;font-size:.9em;color:{palette.quiet}"
    return "".join(f'<p style="{style}">{words}</p>' for words in (escape(note), caption) if words)


def _row(
    table: StyledTable,
    rows: Sequence[int],
    at: int,
    columns: Sequence[int],
    merges: Mapping[tuple[int, int], DrawnSpan],
) -> str:
    """Return one of the shown rows, by its index among them."""
    cells = []
    for place, column in enumerate(columns):
        top, left, span = merges.get((at, place), (at, place, Span(rows[at], column)))
        if (top, left) == (at, place):
            cells.append(_cell(table, table.cell(span.row, span.column), span, rows[at], column))
    total = " data-total" if is_sum(table, rows[at]) else ""
    return f"<tr{total}{_rule(table, rows, at)}>{''.join(cells)}</tr>"


def _rule(table: StyledTable, rows: Sequence[int], at: int) -> str:
    """Return the style of the default line below a row, dotted at omitted rows; lines of cells replace it."""
    if rows[at] < table.head_rows - 1:
        return ""
    color = table.palette.edge if rows[at] == table.head_rows - 1 else table.palette.grid
    look = f"2px dotted {table.palette.edge}" if is_gap(rows, at + 1) else f"1px solid {color}"
    return f' style="border-bottom:{look}"'


def _cell(table: StyledTable, cell: TableCell, span: Span, row: int, column: int) -> str:
    tag, scope = "td", ""
    if cell.head and cell.text:
        tag, scope = "th", f' scope="col{"group" if span.columns > 1 else ""}"'
    elif column < table.row_heads and not cell.head:
        tag, scope = "th", f' scope="row{"group" if span.rows > 1 else ""}"'
    spans = f' colspan="{span.columns}"' * (span.columns > 1) + f' rowspan="{span.rows}"' * (span.rows > 1)
    text = escape(cell.text[:LONGEST_SHOWN]) + "…" * (len(cell.text) > LONGEST_SHOWN)
    full = _full_text(table, cell, span)
    full = f' title="{escape(full)}"' if full else ""
    place = "" if cell.head else table.frame.columns[column].place(span.row - 1)
    full += f' data-value="{place}"' if place else ""
    content = _bar(table.palette, cell, cell.bar, table.text(span.row, span.column)) if cell.bar else text
    return f'<{tag}{scope}{spans}{full} style="{_style(table, cell, span, column)}">{content}</{tag}>'


def _full_text(table: StyledTable, cell: TableCell, span: Span) -> str:
    """Return the tooltip: a text that may be cut, or a number that is shown rounded."""
    sent = table.source(span.row, span.column)
    writer = table.usual(span.row, span.column)
    if cell.text and writer is not None and writer.rounds(sent):
        return sent
    narrow = cell.look.overflow in ("ellipsis", "truncate") and len(cell.text) > 40 and cell.number is None
    is_cut = narrow or "fixed" in table.width_bounds(span.column) or len(cell.text) > LONGEST_SHOWN
    return cell.text[:LONGEST_TOLD] if is_cut else ""


def _style(table: StyledTable, cell: TableCell, span: Span, column: int) -> str:
    """Return the look of a cell as CSS declarations."""
    palette = table.palette
    space = {side: 5 if side in "tb" else 8 for side in SIDES}
    for side, size in cell.look.space.items():
        space[side] += STEP * size
    right = f"calc({space['r']}px + {BRACKET}em)" if cell.hangs else f"{space['r']}px"
    parts = [
        f"text-align:{cell.look.horizontal}",
        f"vertical-align:{cell.look.vertical}",
        f"padding:{space['t']}px {right} {space['b']}px {space['l']}px",
        f"font-weight:{600 if 'b' in cell.look.emphasis else 400}",
        f"color:{cell.ink or (palette.quiet if cell.head else palette.ink)}",
    ]
    if cell.ground:
        parts.append(f"background:{cell.ground}")
    if "i" in cell.look.emphasis:
        parts.append("font-style:italic")
    marks = [word for sign, word in (("u", "underline"), ("s", "line-through")) if sign in cell.look.emphasis]
    if marks:
        parts.append(f"text-decoration:{' '.join(marks)}")
    if cell.look.scale != 1.0:
        parts.append(f"font-size:{cell.look.scale:.3g}em")
    if cell.look.family in FAMILIES:
        parts.append(f"font-family:{FAMILIES[cell.look.family]}")
    short = cell.number is not None or (cell.look.overflow == "wrap" and len(cell.text) <= SHORT)
    named = column < table.row_heads and cell.look.overflow == "wrap"
    parts.append("white-space:nowrap" if short else OVERFLOWS["name" if named else cell.look.overflow])
    return ";".join([*parts, *_borders(table, cell, span), *_widths(table, cell, span, column)])


def _borders(table: StyledTable, cell: TableCell, span: Span) -> list[str]:
    """Return the lines at a cell: those that are set, and one below a head over several columns."""
    shared = cell.head and span.columns > 1 and span.row + span.rows < table.head_rows
    lines = {"b": SideLine(1)} if shared else {}
    lines.update(cell.look.lines)
    return [
        f"border-{SIDES[side]}:"
        + (f"{line.size}px solid {line.color or table.palette.edge}" if line.size else "hidden")
        for side, line in lines.items()
    ]


def _widths(table: StyledTable, cell: TableCell, span: Span, column: int) -> list[str]:
    """Return the CSS limits of a column's width."""
    bounds = table.width_bounds(column) if span.columns == 1 else {}
    if "fixed" in bounds:
        width = f"{bounds['fixed']}px"
        clip = ["overflow:hidden"] if cell.number is None else []  # a cut number would be a wrong number
        return [f"width:{width};min-width:{width};max-width:{width};box-sizing:border-box", *clip]
    names = {"most": "max-width", "least": "min-width"}
    return [f"{names[bound]}:{units}px" for bound, units in bounds.items()]


def _bar(palette: Palette, cell: TableCell, bar: Bar, text: str) -> str:
    """Return a bar as a small drawing, with its number for screen readers and, if labelled, beside it."""
    low, high = sorted((bar.start * 100, bar.end * 100))
    color = cell.ink or palette.category(1 if bar.negative else 0)
    spots = " ".join(f"{x * 100:.2f},{9 - y * 8:.2f}" for x, y in bar.points)
    look = f'fill="none" stroke="{color}" stroke-width="1.5" vector-effect="non-scaling-stroke"'
    line = f'<polyline points="{spots}" {look}/>' if spots else ""
    rect = line or f'<rect x="{low:.2f}" y="1" width="{high - low:.2f}" height="8" fill="{color}"/>'
    zero = f'<path d="M50 0V10" stroke="{palette.zero}" stroke-width=".6"/>'
    middle = zero if bar.middle is not None else ""
    number = escape(text)
    drawing = (
        f'<svg role="img" aria-label="{number}" viewBox="0 0 100 10" preserveAspectRatio="none" '
        f'width="6em" height="12" style="width:6em;height:12px;vertical-align:middle">{rect}{middle}</svg>'
    )
    label = f'<span style="display:inline-block;min-width:4.5em;text-align:right">{escape(bar.label)}</span>'
    return drawing + (label if bar.label else "")


POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; font-src data:"
)
SCRIPT_ROWS, SCRIPT_COLUMNS = 5_000, 100
LONGEST_TEXT = 4_096
END = re.compile(r"</(script|style)", re.IGNORECASE)
REPORT = "window.onerror=message=>{node.textContent='custom.js: '+message};"


def custom_frame(plot: Plot, frame: Frame, look: Look) -> str:
    """Return the figure of a custom plot: its texts around a sandboxed frame with its script."""
    colors = read_options(plot.config, look.mode).colors
    style = style_of(look.width, look.mode, replace(colors, series=()))
    palette = style.palette
    height = look.height or style.height(0.56)
    ground = "transparent" if look.transparent else palette.paper
    words = {name: marked_html(plot.config.get(name, "")) for name in ("title", "caption")}
    words["subtitle"] = escape(plot.words("subtitle"))
    head = _line("strong", words["title"]) + _line("span", words["subtitle"]) if look.header else ""
    foot = _line("figcaption", words["caption"]) if look.caption else ""
    title = escape(describe(plot, frame))
    document = escape(_document(plot, frame, look, style, ground))
    return (
        f'<figure style="margin:0;background:{ground};color:{palette.ink};font:14px/1.4 {escape(STACK)}">'
        f'{head}<iframe sandbox="allow-scripts" referrerpolicy="no-referrer" title="{title}" '
        f'style="border:0;width:100%;height:{height}px" srcdoc="{document}"></iframe>{foot}</figure>\n'
    )


def _document(plot: Plot, frame: Frame, look: Look, style: Style, ground: str) -> str:
    """Return the page in the frame; its script has `node`, `data`, `columns`, `render` and a size.

    The size is `width` and `height`.
    """
    css, script = (END.sub(r"<\\/\1", plot.config.get(f"custom/custom.{end}", "")) for end in ("css", "js"))
    names = [column.name for column in frame.columns[:SCRIPT_COLUMNS]]
    render = {"theme": plot.config.get("colors/theme", "").strip() or "curlew", "dark": look.mode == "dark",
              "colors": [style.category(index) for index in range(8)]}  # fmt: skip
    facts = (
        f"const node=document.getElementById('node'),columns={_json(names)},data={_json(_rows(frame))},"
        f"render={_json(render)},width=window.innerWidth,height=window.innerHeight;{REPORT}"
    )
    look_css = (
        f"html,body,#node{{margin:0;height:100%;overflow:hidden;background:{ground}}}"
        f"body{{color:{style.palette.ink};font:14px {STACK}}}"
    )
    return (
        f'<!doctype html><html lang="{language().tag}"><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f"<style>{look_css}</style><style>{css}</style><body><div id='node'></div>"
        f"<script>{facts}</script><script>{script}</script></body></html>"
    )


def _rows(frame: Frame) -> list[dict[str, object]]:
    """Return the first rows by column name: numbers, texts, and null for gaps."""
    columns = frame.columns[:SCRIPT_COLUMNS]
    return [
        {column.name: _value(column, row) for column in columns}
        for row in range(min(frame.height, SCRIPT_ROWS))
    ]


def _value(column: Column, row: int) -> object:
    if column.type is ColumnType.NUMBER:
        return column.numbers[row]
    return column.texts[row][:LONGEST_TEXT] or None


def _json(value: object) -> str:
    """Return a value as JSON that a script element may contain."""
    return json.dumps(value).replace("<", "\\u003c")


def _line(tag: str, text: str) -> str:
    return f'<{tag} style="display:block">{text}</{tag}>' if text else ""


LONGEST_TITLE = 300
MOST_ROWS, MOST_COLUMNS = 200, 40
LONGEST_CELL = 400


def fragment(plot: Plot, frame: Frame, look: Look, name: str) -> str:
    """Return the figure; `name` makes its ids different from those of other figures on a page."""
    if plot.type == CUSTOM and plot.config.get("custom/custom.js", "").strip():
        return custom_frame(plot, frame, look)
    if type_of(plot.type).table and plot.type != CUSTOM and frame.height:
        palette = read_options(plot.config, look.mode).colors.palette(look.mode)
        table = StyledTable(frame, plot.config, look.mode, palette)
        return table_fragment(plot, table, look, describe(plot, frame))
    picture = draw(plot, look)
    style = "max-width:100%;height:auto"
    shown = prefix_ids(picture.svg, name).replace("<svg ", f'<svg style="{style}" ', 1)
    data = f"<details><summary>{say('Data')}</summary>{data_table(frame)}</details>"
    return f'<figure style="margin:0">{shown}{data}</figure>\n'


def data_table(frame: Frame) -> str:
    """Return the first rows and columns of the data as a table of HTML."""
    columns, table = frame.columns[:MOST_COLUMNS], StyledTable(frame, {})
    heads = "".join(
        f'<th scope="col"{_side(column.type)}>{escape(column.name[:LONGEST_CELL])}</th>' for column in columns
    )
    rows = []
    for row in range(1, min(frame.height, MOST_ROWS) + 1):
        cells = (
            f"<td{_side(column.type)}>{escape(table.text(row, at)[:LONGEST_CELL]) or GAP}</td>"
            for at, column in enumerate(columns)
        )
        rows.append(f"<tr>{''.join(cells)}</tr>")
    rows_left, columns_left = frame.height - MOST_ROWS, len(frame.columns) - MOST_COLUMNS
    notes = [f"{count_words(rows_left, 'more row')} in the data."] if rows_left > 0 else []
    notes += [f"{count_words(columns_left, 'more column')} in the data."] if columns_left > 0 else []
    more = "".join(f"<p>{escape(say(words))}</p>" for words in notes)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>{more}"


def _side(kind: ColumnType) -> str:
    return ' style="text-align:right"' if kind is ColumnType.NUMBER else ' style="text-align:left"'


def standing_page(fragment: str, title: str) -> str:
    """Return the fragment as a complete HTML page, which may also be embedded."""
    return (
        f'<!doctype html>\n<html lang="{language().tag}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title[:LONGEST_TITLE])}</title>"
        f'<style id="faces">{face_rules(fragment)}</style></head><body>\n{fragment}</body></html>\n'
    )
