"""Documents for terminals: within their columns, with colours or without, and never steering the terminal."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.part_models import DocumentParts
from handlers.render.documents.plain.terminal_text import cells, document_text
from tests.handlers.render.documents.samples import parts_of, report


def plain(text: str, columns: int = 60, *, colored: bool = False) -> str:
    return document_text(read_document(text), DocumentParts(), "doc", columns, colored=colored)


def test_a_report_in_a_terminal() -> None:
    text = document_text(report(), parts_of(report(), "doc"), "doc", 72, colored=False)
    for piece in (
        "FREIGHT 2026\nWhat it cost · Alice Berg\n",
        "Summary\n=======",
        "rose +11.3%.[1]",
        "┃ Mind\n┃ Careful with \\frac",
        "Bergen",
        "[/u/bob/p/secret is not shown: it is not shared with you]",
        "[image: Our logo] The logo",
        "Goods    Tons\n──────  ─────\nCod     1 204\nTimber     88",
        '    print("hello")  # a note',
        "right link <https://example.org>",
        "Ann Berg\nLeads the desk.",
        "[1] In kroner.",
    ):
        assert piece in text, piece
    assert "\x1b" not in text


def test_colours_are_asked_for() -> None:
    text = document_text(report(), parts_of(report(), "doc"), "doc", 72, colored=True)
    assert "\x1b[1m" in text and "▲ +11.3%" in text


def test_lists_quotations_and_marks() -> None:
    text = plain(
        "1. a\n2. b\n   - c\n   - [x] d\n\n> q\n\nH~2~O x^2^\n\n"
        "T\n: D\n\n---\n\n{{ html }}<b>x</b> &lt;{{ /html }}"
    )
    for piece in ("1. a\n2. b\n   • c\n   ☑ d", "│ q", "H₂O x²", "T\n  D", "─" * 60, "x <"):
        assert piece in text, piece


def test_references_and_styles_in_words() -> None:
    more = (
        "[[clr,fg,red: r]] ![p](a.png) {/u/a/d/b/v/c} {pageref##[l](H)} *i* [a@b.c](mailto:a@b.c) $x$ a\\\nb"
    )
    assert plain(more) == "r [image: p] #N/A l i a@b.c x a\nb\n"
    assert "\x1b[3mi\x1b[0m" in plain(more, colored=True)
    assert plain("{{ author username: ann }}\n\n{{ vis ref: p/a }}") == (
        "[author ann is not shown]\n\n[/p/a is not shown: there is none that this document's owner may see]\n"
    )


def test_words_that_steer_a_terminal_are_left_out() -> None:
    text = plain(
        "a\x1b[31mb\x9b\u202ec `\x1b]0;x\x07`\n\n```\n\x1b[2J\n```\n\n"
        "{{ callout title: \x1b[1mx }}\n{{ /callout }}"
    )
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)


@given(st.text(max_size=200), st.integers(-5, 300))
@settings(max_examples=60, deadline=None)
def test_lines_keep_within_their_columns(text: str, columns: int) -> None:
    wide = min(200, max(30, columns))
    safe = re.sub(r"[`|>\-#\t{$\[<:~+*0-9=]|^ +", " ", text)
    assert all(cells(line) <= wide for line in plain(safe, columns).splitlines())
