"""Plain text for terminals: tables with aligned columns, and lines of key and value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from handlers.words.terminal_signs import safe_text


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return columns with two spaces between them; numbers are right-aligned, the heads come first."""
    cells = [[_cell(value) for value in row] for row in rows]
    right = [bool(cells) and all(_numeric(row[i]) for row in cells) for i in range(len(heads))]
    widths = [max(len(head), *(len(row[i]) for row in cells), 0) for i, head in enumerate(heads)]
    lines = [_line(row, widths, right) for row in [list(heads), *cells]]
    return "".join(lines)


def pairs(values: Mapping[str, Any]) -> str:
    """Return one `key: value` line for each entry."""
    return "".join(f"{key}: {_cell(value)}".rstrip() + "\n" for key, value in values.items())


def one_line(text: str) -> str:
    """Return a text with spaces instead of line ends, so that it stays on one line."""
    return " ".join(text.splitlines())


def _line(row: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    shown = (
        cell.rjust(width) if to else cell.ljust(width)
        for cell, width, to in zip(row, widths, right, strict=True)
    )
    return "  ".join(shown).rstrip() + "\n"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, list | tuple):
        return ", ".join(_cell(one) for one in value)
    if isinstance(value, Mapping):
        return str(value.get("name", dict(value)))
    return one_line(safe_text(str(value)))


def _numeric(cell: str) -> bool:
    return not cell or cell.replace(".", "", 1).isdigit()
