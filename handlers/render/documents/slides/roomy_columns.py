"""Widths of columns that hold their longest words in whatever typeface a program shows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from handlers.render.documents.slides.slide_shapes import SlideCell
from handlers.render.plots.look.type_metrics import text_width

WIDER = 1.22
"""How much wider a typeface may run that stands in for that of the page."""
BOLD = 700


def roomy_widths(laid: Sequence[float], rows: Sequence[Sequence[SlideCell]]) -> tuple[float, ...]:
    """The widths of columns, of which narrow ones take from those that have more than their words need."""
    needs = [max((_need(row[index]) for row in rows), default=0.0) for index in range(len(laid))]
    missing = [max(0.0, need - width) for need, width in zip(needs, laid, strict=True)]
    spare = [max(0.0, width - max(1.0, need)) for need, width in zip(needs, laid, strict=True)]
    given = min(sum(missing), sum(spare))
    if given <= 0:
        return tuple(laid)
    return tuple(
        width + given * (lack / sum(missing) - more / sum(spare))
        for width, lack, more in zip(laid, missing, spare, strict=True)
    )


def _need(cell: SlideCell) -> float:
    """The width in which no word of a cell is broken."""
    left, _, right, _ = cell.padding
    return left + right + WIDER * max(_words(cell), default=0.0)


def _words(cell: SlideCell) -> Iterator[float]:
    for paragraph in cell.paragraphs:
        size = max((run.style.size for run in paragraph.runs), default=0.0)
        weight = BOLD if any(run.style.bold for run in paragraph.runs) else 400
        # What the page has on one line stays on one, unless that is many words.
        whole = paragraph.lines == 1 and len(paragraph.words) <= SHORT
        for word in [paragraph.words] if whole else paragraph.words.split():
            yield text_width(word[:LONGEST], size, weight)


SHORT, LONGEST = 18, 40
"""Letters of a line that is kept on one, and of a word that is."""
