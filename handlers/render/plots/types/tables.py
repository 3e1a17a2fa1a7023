"""The table: the type of plots whose word is not that of a chart type."""

from __future__ import annotations

from handlers.render.plots.charts.cells.table_plot import draw_table
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.tables.styled_table import StyledTable

TYPES = (
    PlotType(
        word="table",
        noun="table",
        title="Table",
        order=12,
        draw=lambda style, frame, box, options: draw_table(style, StyledTable(frame, {}, style.mode), box),
        table=True,
    ),
)
