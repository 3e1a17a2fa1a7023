"""A plot as a fragment of HTML that stands by itself: the picture, and its data as a table to unfold."""

from __future__ import annotations

from html import escape

from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.data.numbers import GAP
from handlers.render.plots.drawn.left_out import count_words
from handlers.render.plots.forms.custom_frame import custom_frame
from handlers.render.plots.forms.drawing import Look, describe, draw
from handlers.render.plots.forms.embedded_fonts import face_rules
from handlers.render.plots.forms.table_fragment import table_fragment
from handlers.render.plots.look.options import read_options
from handlers.render.plots.look.svg_ids import prefix_ids
from handlers.render.plots.plot_type import type_of
from handlers.render.plots.tables.styled_table import StyledTable
from handlers.render.plots.tables.usual_numbers import UsualNumbers, usual_numbers
from handlers.render.plots.vocabulary import CUSTOM
from handlers.words.language import language, say
from handlers.words.plot import Plot

LONGEST_TITLE = 300
MOST_ROWS, MOST_COLUMNS = 200, 40
LONGEST_CELL = 400


def fragment(plot: Plot, frame: Frame, look: Look, name: str) -> str:
    """The figure; `name` sets its ids apart from those of other figures on a page."""
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
    """The first rows and columns of the data as a table of HTML."""
    columns = frame.columns[:MOST_COLUMNS]
    named = frame.axis is not None
    writers = [None if named and not at else usual_numbers(frame, at) for at in range(len(columns))]
    heads = "".join(
        f'<th scope="col"{_side(column.type)}>{escape(column.name[:LONGEST_CELL])}</th>' for column in columns
    )
    rows = []
    for row in range(min(frame.height, MOST_ROWS)):
        cells = (
            f"<td{_side(column.type)}>{escape(_cell_text(column, row, writer)[:LONGEST_CELL]) or GAP}</td>"
            for column, writer in zip(columns, writers, strict=True)
        )
        rows.append(f"<tr>{''.join(cells)}</tr>")
    beyond = (frame.height - MOST_ROWS, len(frame.columns) - MOST_COLUMNS)
    told = [
        f"{count_words(beyond[0], 'more row')} in the data." if beyond[0] > 0 else "",
        f"{count_words(beyond[1], 'more column')} in the data." if beyond[1] > 0 else "",
    ]
    more = "".join(f"<p>{escape(say(words))}</p>" for words in told if words)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>{more}"


def _cell_text(column: Column, row: int, writer: UsualNumbers | None) -> str:
    """A cell as tables show it."""
    sent = column.texts[row]
    return sent if writer is None or column.numbers[row] is None else writer(sent)


def _side(kind: ColumnType) -> str:
    return ' style="text-align:right"' if kind is ColumnType.NUMBER else ' style="text-align:left"'


def standing_page(fragment: str, title: str) -> str:
    """The fragment as a whole page; put into another, it is the fragment, as all around it is optional."""
    return (
        f'<!doctype html>\n<html lang="{language().tag}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title[:LONGEST_TITLE])}</title>"
        f'<style id="faces">{face_rules(fragment)}</style></head><body>\n{fragment}</body></html>\n'
    )
