"""The table of `figures.md`, in which figures take the place of earlier ones of their rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tests.bench.figures import Figure

COLUMNS = ("row", "what", "ours", "ratio", "bound", "measured on")


def renew_table(table: str, machine: str, day: str, figures: Iterable[Figure], order: Sequence[str]) -> str:
    """The table with `figures` of a `day`, its rows in their `order`.

    Other rows stay with the day they are of, as long as the bench has them and the machine is the same.
    """
    taken = [_cells(figure, day) for figure in figures]
    measured = {cells[0] for cells in taken}
    before = _rows(table) if table.startswith(f"{machine}.\n") else []
    kept = [cells for cells in before if cells[0] in order and cells[0] not in measured]
    rows = sorted([*kept, *taken], key=lambda cells: order.index(cells[0]))
    lines = [f"{machine}.", "", _line(COLUMNS), f"|{'---|' * len(COLUMNS)}", *map(_line, rows)]
    return "".join(f"{line}\n" for line in lines)


def _cells(figure: Figure, day: str) -> tuple[str, ...]:
    """The cells of a figure; that of the floor follows from ours and the ratio."""
    row, what, ours, _, ratio, bound, verdict = figure.cells()
    return row, what, ours, ratio, f"{bound} {verdict}".strip(), day


def _rows(table: str) -> list[tuple[str, ...]]:
    """The cells below the head."""
    lines = [line for line in table.splitlines() if line.startswith("|")]
    return [tuple(cell.strip() for cell in line.split("|")[1:-1]) for line in lines[2:]]


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
