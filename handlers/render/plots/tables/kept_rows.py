"""Rows of a table that are shown when not all fit, rows that are sums, and sentences about both."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from handlers.render.plots.tables.styled_table import StyledTable
from handlers.words.language import say, translate

MOST_HEADS = 5
"""Head rows that are always shown; if more are merged with the names, the others are normal rows."""
LEAST_SEARCHED = 9
"""Least number of rows of a table that readers of a page can search."""
WORD = re.compile(r"[^\W\d_]+")
SUM_WORDS = """
total totals subtotal subtotals sum sums overall altogether gesamt gesamtsumme insgesamt summe zwischensumme
totaux somme suma totale totali totaal totalt summa razem toplam всего итого σύνολο 合計 合计 总计 総計 합계
"""
SUMS = frozenset(SUM_WORDS.split())
"""First or last words in the name of a sum."""


def is_sum(table: StyledTable, row: int) -> bool:
    """Return whether a row is a sum, by its look (bold, with a line above or below) or by its name."""
    look = table.look(row, 0)
    marked = "b" in look.emphasis or bool({"t", "b"} & look.lines.keys())
    return not look.head and (marked or names_sum(table.source(row, 0)))


def names_sum(name: str) -> bool:
    """Return whether a name is that of a sum."""
    words = [word.lower() for word in WORD.findall(name[:200])]
    return bool(words) and not SUMS.isdisjoint((words[0], words[-1]))


def search_words(rows: int, tag: str) -> str:
    """Return the HTML attributes that make a long table searchable on pages; "" for a short one."""
    if rows < LEAST_SEARCHED:
        return ""
    label, counted = (escape(translate(words, tag)) for words in ("Search the table", "{} of {} rows"))
    return f' data-search="{label}" data-rows="{counted}"'


def sums_of(table: StyledTable, rows: Iterable[int]) -> list[bool]:
    """Return for each row whether it is a sum."""
    return [is_sum(table, row) for row in rows]


def first_rows(table: StyledTable, most: int) -> tuple[int, ...]:
    """Return the head rows and `most` more: the first ones, or also the last ones if the last is a sum."""
    heads, rows = min(table.head_rows, MOST_HEADS), table.rows
    if rows - heads <= most:
        return tuple(range(rows))
    if most < 2 or not is_sum(table, rows - 1):
        return tuple(range(heads + most))
    last = most // 2
    return (*range(heads + most - last), *range(rows - last, rows))


def rows_that_stay(
    heights: Sequence[float], heads: int, marked: Sequence[bool], box: float | None
) -> tuple[int, ...]:
    """Return the rows that fit, by number: the last ones are dropped, or middle ones if the last is marked.

    `marked` rows are sums. The head rows and one more row always stay.
    """
    kept = list(range(len(heights)))
    if box is None:
        return tuple(kept)
    total = sum(heights)
    sums = bool(marked) and marked[-1]
    while total > box and len(kept) > heads + 1:
        inner = kept[heads + 1 : -1] if sums else kept[heads + 1 :]
        plain = [row for row in inner if not marked[row]] if sums else inner
        going = plain or inner or kept[heads:-1]
        row = going[len(going) // 2] if sums else going[-1]
        kept.remove(row)
        total -= heights[row]
    return tuple(kept)


def shown_words(table: StyledTable, rows: int, columns: int) -> str:
    """Return a sentence on how much is shown (`rows` includes head rows); "" if that is all."""
    heads = min(table.head_rows, MOST_HEADS)
    below, in_all = rows - heads, table.rows - heads
    short = [say(f"{below:,} of {in_all:,} {'row' if in_all == 1 else 'rows'}")] if below < in_all else []
    if columns < table.columns:
        short.append(say(f"{columns:,} of {table.columns:,} {'column' if table.columns == 1 else 'columns'}"))
    return say("%s shown.") % say(" and ").join(short) if short else ""


def is_gap(rows: Sequence[int], place: int) -> bool:
    """Return whether rows are left out before a shown row."""
    return 0 < place < len(rows) and rows[place] != rows[place - 1] + 1
