"""Lines of plain forms: words, tables and charts within the columns of a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from handlers.render.documents.markup.blocks import VisBox
from handlers.render.plots.forms.terminal.chart import MOST, has_rows, terminal_chart
from handlers.render.plots.forms.terminal.screen import is_address, place_line, signs, wrap
from handlers.words.plot import Plot


def hang(mark: str, lines: list[str]) -> list[str]:
    """Return lines after a mark."""
    space = " " * signs(mark)
    return [f"{space if index else mark}{line}".rstrip() for index, line in enumerate(lines or [""])]


USUAL = 16
"""Lines of a chart without rows; others have a line for each row, within bounds."""


def chart_lines(block: VisBox, plot: Plot, width: int, *, colored: bool) -> str:
    """Return the chart of a box as text; a heading or caption of the box replaces the plot's own."""
    shown = plot.showing(titles=block.title and not block.heading, caption=block.caption and not block.words)
    rows = MOST[1] if has_rows(plot.type) else USUAL
    return terminal_chart(shown, width, rows, colored=colored)


NARROWEST = 8
BETWEEN = 2

Paint = Callable[[str], str]


def table_lines(
    rows: Sequence[Sequence[str]],
    sides: Sequence[str],
    width: int,
    bold: Paint,
    quiet: Paint,
    *,
    whole: bool = False,
) -> list[str]:
    """Return rows (the first is the head) in columns within a width; `whole` cuts no address."""
    widths = _widths([[signs(line) for line in column] for column in _columns(rows)], width)
    if widths is None or (whole and _cuts_addresses(rows, widths)):
        return list(_records(rows, width, bold, whole=whole))
    lines = [quiet((" " * BETWEEN).join("─" * wide for wide in widths))]
    head, *body = (_row(row, widths, sides) for row in rows)
    tall = any(len(row) > 1 for row in body)
    lines = [*map(bold, head), *lines]
    for index, row in enumerate(body):
        lines += ["", *row] if tall and index else row
    return lines


def _columns(rows: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    for index in range(len(rows[0])):
        yield [row[index] if index < len(row) else "" for row in rows]


def _widths(columns: Sequence[Sequence[int]], width: int) -> list[int] | None:
    """Return a width for each column, wide ones share the rest; None for too many columns."""
    wanted = [max(1, *column) for column in columns]
    room = width - BETWEEN * (len(wanted) - 1)
    if sum(wanted) <= room:
        return wanted
    if sum(min(wide, NARROWEST) for wide in wanted) > room:
        return None
    widths = [min(wide, NARROWEST) for wide in wanted]
    while (left := room - sum(widths)) > 0:
        short = [index for index, wide in enumerate(wanted) if widths[index] < wide]
        share = max(1, left // len(short))
        for index in short[: max(1, left)]:
            widths[index] += min(share, wanted[index] - widths[index], room - sum(widths))
    return widths


def _row(row: Sequence[str], widths: Sequence[int], sides: Sequence[str]) -> list[str]:
    parts = [wrap(row[index] if index < len(row) else "", wide) for index, wide in enumerate(widths)]
    return [
        (" " * BETWEEN)
        .join(
            place_line(part[line] if line < len(part) else "", wide, side or "left")
            for part, wide, side in zip(parts, widths, sides, strict=True)
        )
        .rstrip()
        for line in range(max(1, *map(len, parts)))
    ]


def _cuts_addresses(rows: Sequence[Sequence[str]], widths: Sequence[int]) -> bool:
    """Return whether a column is narrower than an address in it."""
    return any(
        signs(word) > wide and is_address(word)
        for row in rows
        for text, wide in zip(row, widths, strict=False)
        for word in text.split()
    )


def _records(rows: Sequence[Sequence[str]], width: int, bold: Paint, *, whole: bool) -> Iterator[str]:
    """Yield each row as lines of names and values."""
    head, *body = rows
    for index, row in enumerate(body):
        if index:
            yield ""
        for name, value in zip(head, row, strict=False):
            label = f"{name}: " if signs(name) < width // 2 else ""
            yield from hang(bold(label) if label else "", wrap(value, width - signs(label), whole=whole))
