"""Charts in plain forms of documents and mails: drawn in signs, with the words that their boxes show."""

from __future__ import annotations

from handlers.render.documents.markup.blocks import VisBox
from handlers.render.plots.forms.terminal.chart import MOST, has_rows, terminal_chart
from handlers.words.plot import Plot

USUAL = 16
"""Lines of a chart that has no rows; others have a line for each, within bounds."""


def chart_lines(block: VisBox, plot: Plot, width: int, *, colored: bool) -> str:
    """The chart of a box in signs; a heading or words of the box stand in place of the plot's own."""
    shown = plot.showing(titles=block.title and not block.heading, caption=block.caption and not block.words)
    rows = MOST[1] if has_rows(plot.type) else USUAL
    return terminal_chart(shown, width, rows, colored=colored)
