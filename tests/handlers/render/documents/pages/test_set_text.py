"""Text is set with dashes and with numbers beside their units; short cells and limits stay whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.document_html import DocumentLook, page_html
from handlers.render.documents.pages.formulas import draw_formula
from handlers.render.documents.pages.media import ScreenMedium
from handlers.render.documents.pages.span_html import set_text
from handlers.words.document_parts import DocumentParts


@pytest.mark.parametrize(
    "sent,shown",
    [
        ("-- Head of IT", "– Head of IT"),
        ("we -- and they", "we – and they"),
        ("run --help or a--b", "run --help or a--b"),
        ("€ 9.7 and CHF 5", "€\u00a09.7 and CHF\u00a05"),
        ("5 kg, 12 % and 3 km/h", "5\u00a0kg, 12\u00a0% and 3\u00a0km/h"),
        ("2 into 3", "2 into 3"),
    ],
)
def test_dashes_and_units(sent: str, shown: str) -> None:
    assert set_text(sent) == shown


@given(st.text(alphabet="ab 12-€%kg.\u00a0", max_size=60))
def test_nothing_else_changes(sent: str) -> None:
    shown = set_text(sent)
    assert set_text(shown) == shown
    assert shown.replace("\u00a0", " ").replace("–", "--") == sent.replace("\u00a0", " ")


def test_limits_within_fractions_are_at_the_side() -> None:
    fraction = draw_formula(r"\frac{\sum_i d_i}{\sum_i t_i}", display=True)
    plain = draw_formula(r"\frac{\sum d_i}{\sum t_i}", display=True)
    assert fraction is not None and plain is not None
    assert fraction.width > plain.width  # below the sums they would take no width


@pytest.mark.parametrize(
    "cell,whole", [("2026-02-15", True), ("A-2026-0012", True), ("some words that go on", False)]
)
def test_short_cells_are_not_torn(cell: str, whole: bool) -> None:
    rows = f"| a | b |\n|---|---|\n| {cell} | {'long words ' * 20}|\n| {'other words ' * 9}| c |\n"
    look = DocumentLook("web")
    body = page_html(read_document(rows), DocumentParts(), ScreenMedium(), look).body
    assert (f'<td class="whole">{cell}' in body) == whole
