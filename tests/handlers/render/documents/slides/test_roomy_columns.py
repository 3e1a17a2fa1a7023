"""Columns of slides: narrow ones hold their words in other typefaces, and the table keeps its width."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from handlers.render.documents.slides.laid_table import roomy_widths
from handlers.render.documents.slides.slide_shapes import (
    RunStyle,
    SlideBox,
    SlideCell,
    SlideParagraph,
    SlideRun,
)


def cell(text: str) -> SlideCell:
    style = RunStyle("Source Sans Pro", 25, "000000")
    paragraph = SlideParagraph((SlideRun(text, style),), SlideBox(0, 0, 10, 10), 20, 1)
    return SlideCell((paragraph,), (0, 0, 0, 0), (), "", "t")


ROWS = st.lists(st.tuples(*[st.text(alphabet="10ab ", max_size=30)] * 3), min_size=1, max_size=4)
WIDTHS = st.tuples(*[st.floats(1, 600)] * 3)


@given(ROWS, WIDTHS)
def test_the_table_stays_as_wide(rows: list[tuple[str, ...]], laid: tuple[float, ...]) -> None:
    made = roomy_widths(laid, [[cell(text) for text in row] for row in rows])
    assert abs(sum(made) - sum(laid)) < 0.01
    assert all(width > 0 for width in made)


def test_a_column_as_narrow_as_its_figures_is_given_room() -> None:
    laid = (500.0, 26.0)
    wide, narrow = roomy_widths(laid, [[cell("Some words of a row"), cell("10")]])
    assert narrow > 1.15 * 26
    assert wide < 500
    assert roomy_widths((300.0, 300.0), [[cell("a"), cell("10")]]) == (300.0, 300.0)
