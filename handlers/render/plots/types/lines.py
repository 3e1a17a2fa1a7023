"""Lines, steps and areas over days, numbers or names."""

from __future__ import annotations

from handlers.render.plots.charts.line_box import LineKind
from handlers.render.plots.charts.lines import draw_lines
from handlers.render.plots.drawn.drawn_data import USUAL, fill_gaps, order_rows, sum_places
from handlers.render.plots.forms.terminal import lines as terminal
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import describe_last
from handlers.render.plots.shown.native_chart import native_lines

EXAMPLE = "month,north,south\n2026-01,12,8\n2026-02,15,11\n2026-04,9,14\n2026-07,18,10\n"
READS = frozenset(("axis", "axis/ticks", "legend", "notes", "split", "value/labels"))


def _lines(kind: LineKind, word: str, noun: str, title: str, order: float) -> PlotType:
    """Return one type of lines or areas."""
    stacked, area = kind is LineKind.STACKED, kind.from_zero
    return PlotType(
        word=word,
        noun=noun,
        title=title,
        order=order,
        rows=False,
        example=EXAMPLE,
        draw=lambda style, frame, box, options: draw_lines(style, frame, box, kind, options),
        terminal=lambda screen, frame, options: terminal.draw_lines(screen, frame, options, kind),
        describes=describe_last,
        native=None if kind is LineKind.STEP else native_lines,
        reads=READS | {"axis/stack" if stacked else "trend"},
        steps=(*USUAL, order_rows, *((sum_places, fill_gaps) if stacked else ())),
        log=not area,
        from_zero=area,
        stacked=stacked,
        line=True,
        dashes=not stacked,
        along=True,
    )


TYPES = (
    _lines(LineKind.LINE, "line", "line chart", "Lines", 2.1),
    _lines(LineKind.STEP, "step", "step chart", "Steps", 2.2),
    _lines(LineKind.AREA, "area", "area chart", "Areas", 2.3),
    _lines(LineKind.STACKED, "sarea", "stacked area chart", "Stacked areas", 2.4),
)
