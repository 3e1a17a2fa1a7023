"""Rows and lines of a table in a picture: heights, rows that stay, hairlines, lines that are told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from handlers.render.plots.look.palette import Palette
from handlers.render.plots.look.style import Style
from handlers.render.plots.tables.merged_cells import Span
from handlers.render.plots.tables.table_cell import SideLine

AIRS = (0.75, 0.6, 0.45, 0.32)
"""Air of a row above and below its lines, in heights of its label, from the usual to the least."""
AIR = 6
Look = tuple[float, str]
"""Thickness in pixels and colour of a line."""
Edges = dict[tuple[int, int], Look]
"""Lines by their boundary, counted from the first edge, and by the row or column along it."""


class TableRules:
    """The lines of a table of so many drawn rows and columns."""

    def __init__(self, palette: Palette, rows: int, columns: int, head_rows: int) -> None:
        self._edge = palette.edge
        self._lying: Edges = {}
        self._standing: Edges = {}
        self._underlines: list[tuple[int, int, int]] = []
        self._told: dict[tuple[str, int, int], int] = {}
        for column in range(columns):
            for row in range(head_rows, rows + 1):
                self._lying[row, column] = (1.2, palette.edge) if row == head_rows else (1.0, palette.grid)

    def underline(self, span: Span, row: int, column: int) -> None:
        """A line below a head that several columns share, with air between it and the next one's."""
        self._underlines.append((row + span.rows, column, column + span.columns))

    def open(self, span: Span, row: int, column: int) -> None:
        """Take the lines inside of merged cells away."""
        for at in range(column, column + span.columns):
            for boundary in range(row + 1, row + span.rows):
                self._lying.pop((boundary, at), None)

    def tell(self, lines: Mapping[str, SideLine], span: Span, row: int, column: int) -> None:
        """Draw the lines that a cell is told to have; of two at one place the thicker one stays."""
        across = range(column, column + span.columns)
        down = range(row, row + span.rows)
        for side, line in lines.items():
            if side in "tb":
                boundary = row if side == "t" else row + span.rows
                self._set(self._lying, "lying", [(boundary, at) for at in across], line)
            else:
                boundary = column if side == "l" else column + span.columns
                self._set(self._standing, "standing", [(boundary, at) for at in down], line)

    def svg(self, x: Sequence[float], y: Sequence[float]) -> str:
        """The lines as paths, given the places of all boundaries."""
        lying = ((look, f"M{x[a]:g} {y[at]:g}H{x[b]:g}") for look, at, a, b in _runs(self._lying))
        standing = ((look, f"M{x[at]:g} {y[a]:g}V{y[b]:g}") for look, at, a, b in _runs(self._standing))
        paths: dict[Look, list[str]] = {}
        shared = (
            ((1.0, self._edge), f"M{x[a] + AIR:g} {y[at]:g}H{x[b] - AIR * (b < len(x) - 1):g}")
            for at, a, b in self._underlines
            if all((at, place) not in self._lying for place in range(a, b))
        )
        for look, path in (*lying, *standing, *shared):
            paths.setdefault(look, []).append(path)
        return "".join(
            f'<path d="{"".join(parts)}" stroke="{color}" stroke-width="{size:g}" fill="none"/>'
            for (size, color), parts in paths.items()
        )

    def _set(self, edges: Edges, way: str, places: Iterable[tuple[int, int]], line: SideLine) -> None:
        for place in places:
            if line.size < self._told.get((way, *place), 0):
                continue
            self._told[way, *place] = line.size
            if line.size:
                edges[place] = (float(line.size), line.color or self._edge)
            else:
                edges.pop(place, None)


def _runs(edges: Edges) -> Iterable[tuple[Look, int, int, int]]:
    """Neighbouring pieces of one look as one line: look, boundary, first and last place."""
    pieces = sorted((boundary, place, look) for (boundary, place), look in edges.items())
    numbered = enumerate(pieces)
    for _, group in groupby(numbered, key=lambda item: (item[1][0], item[1][1] - item[0], item[1][2])):
        run = [piece for _, piece in group]
        yield run[0][2], run[0][0], run[0][1], run[-1][1] + 1


def suitable_air(heights: Sequence[float], lines: float, box: float | None) -> tuple[float, float]:
    """The air that rows lose for a table to fit in a box, each, and the height that the table then has.

    `lines` is the height of a label.
    """
    lost, total = 0.0, sum(heights)
    for air in AIRS:
        lost = (AIRS[0] - air) * lines
        total = sum(heights) - lost * len(heights)
        if box is None or total <= box:
            break
    return lost, total


def gap_lines(
    style: Style,
    kept: tuple[Sequence[int], Sequence[int]],
    left_out: tuple[bool, bool],
    x: Sequence[float],
    y: Sequence[float],
) -> str:
    """A dotted line wherever rows or columns, which are `kept` by their numbers, are left out between two.

    `left_out` tells whether there are more after the last row, and after the last column.
    """
    rows, columns = kept
    down = [at for at in range(1, len(rows)) if rows[at] != rows[at - 1] + 1]
    across = [at for at in range(1, len(columns)) if columns[at] != columns[at - 1] + 1]
    down += [len(rows)] * left_out[0]
    across += [len(columns)] * left_out[1]
    paths = [f"M0 {y[at]:g}H{x[-1]:g}" for at in down] + [f"M{x[at]:g} 0V{y[-1]:g}" for at in across]
    paper, dots = style.palette.paper, f'stroke="{style.palette.edge}" stroke-dasharray="2 3"'
    return "".join(
        f'<path d="{path}" stroke="{paper}" stroke-width="1.6"/><path d="{path}" {dots} stroke-width="1.2"/>'
        for path in paths
    )
