"""Hostile texts: the time to read a mebibyte is bounded, and a note names the parts left out."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.render.documents.markup import blocks as b
from handlers.render.documents.markup import spans as s
from handlers.render.documents.markup.blocks import Document
from handlers.render.documents.markup.document_text import MOST_COLUMNS, MOST_LINES, read_document
from handlers.render.documents.markup.markdown_reader import DEEPEST_BLOCK
from handlers.render.documents.markup.section_rules import MOST_TAGS
from handlers.render.documents.markup.span_tree import MOST_ADDRESSES
from handlers.render.documents.pages.parts import part_requests
from tests.kit.clocks import processor_seconds

MIB = 1 << 20
PIECES = (
    "> ", ">- ", "- ", "- > ", "1. ", "- a\n", "- [x] a\n", "*a **b ", "*_", "**_*", "a**b*c ", "_a ",
    "*a* ", "[", "![", "![](", "[a](", "[a](b", "[a](((", '[a](b "', "[a](<b", "[a](b) ", "][", "[[",
    "[[ftn: ", "[[ftn: a]] ", "[[clr,fg,red: ", "`a``b", "`", "$a ", "$$a ", "$a$b", "{{ html }}",
    "{{ html }}<b>{{ /html }}\n", "{{ callout }}\n", "{{ callout }}a{{ /callout }}\n", "{{ page /}}\n",
    "{{ bad }}\n", "{{ ! }}\n", "{{", "{{/*", "}}", "{/u/", "{pageref#", "|", "|a|b|\n|-|-|\n",
    "a|b\n-|-\n", "[^1]", "[^1]: a\n", "[^a", "[a]: b\n", "&amp;", "&", "\\*", "\\", "~a", "~~a ", "^a ",
    "<", "<http://a", "a\\\n", "a\n", "a\n\n", "# a\n", "a\n---\n", "---\n", "a\n: b\n\n", "a\n: ", "```\n",
    "~~~a\n", "    a\n", "\n", "\t", "\u2028", "\ue000", "日", "$$\na\n$$\n",
)  # fmt: skip
DEAREST = ("a\n: b\n\n", "> " * 50 + "a\n" + "b\n" * 9_999)


def seconds(text: str) -> float:
    return processor_seconds(lambda: read_document(text))


def faults(document: Document) -> str:
    return " / ".join(block.reason for block in document.blocks() if isinstance(block, b.FaultBox))


@pytest.mark.no_cover
@pytest.mark.parametrize("piece", PIECES)
def test_time_grows_with_the_text_alone(piece: str) -> None:
    small = max(seconds((piece * 3_000)[:3_000]), 0.01)
    assert seconds((piece * 12_000)[:12_000]) < small * 16 + 0.5


@pytest.mark.no_cover
@pytest.mark.parametrize("piece", DEAREST)
def test_a_mebibyte_is_read_in_bounded_time_and_kept_in_bounded_space(piece: str) -> None:
    text = piece * (MIB // len(piece))
    documents: list[Document] = []
    assert processor_seconds(lambda: documents.append(read_document(text))) < 10
    (document,) = documents
    assert len(repr(document)) < 20 * MIB
    assert document.notes and faults(document)


@pytest.mark.no_cover
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=4), st.integers(1, 400))
@settings(max_examples=12, deadline=None)
def test_mixtures_are_read_in_bounded_time(pieces: list[str], times: int) -> None:
    text = "".join(piece * times for piece in pieces) * 4
    assert seconds(text[:24_000]) < 10


def test_words_stay_where_their_marks_are_too_many() -> None:
    document = read_document("# Head\n\nfirst\n\n" + "*a* " * 2_000 + "\n\n*last*\n", 4_000)
    (sheet,) = document.sheets
    assert "too many marks" in faults(document)
    assert sheet.blocks[2] == b.FaultBox(5, 1, document.notes[0].reason)
    assert sheet.blocks[-1] == b.Paragraph(7, (s.PlainText("*last*"),))


def test_the_rest_of_a_block_without_end_is_left_out_and_the_text_before_it_is_kept() -> None:
    document = read_document("# *Head*\n\n" + "|a|b|\n|-|-|\n" + "|a|b|\n" * 900 + "\nlast\n", 4_000)
    (sheet,) = document.sheets
    assert [type(block) for block in sheet.blocks] == [b.DocumentHeading, b.DataTable, b.FaultBox]
    assert sheet.blocks[0] == b.DocumentHeading(1, 1, (s.Styled("em", (s.PlainText("Head"),)),), "head")
    table = sheet.blocks[1]
    assert isinstance(table, b.DataTable) and document.notes[0].line == 5 + len(table.rows)
    assert "left out" in document.notes[0].reason


def test_lists_too_deep_are_left_out_at_their_place() -> None:
    deep = "\n".join("  " * depth + "- a" for depth in range(DEEPEST_BLOCK)) + "\n\nafter\n"
    document = read_document(deep)
    assert f"at most {DEEPEST_BLOCK} deep" in faults(document)
    assert document.sheets[0].blocks[-1] == b.Paragraph(DEEPEST_BLOCK + 2, (s.PlainText("after"),))


def test_too_many_lines_sections_and_columns_are_noted() -> None:
    assert "lines" in faults(read_document("\n" * (MOST_LINES + 1)))
    many = read_document("{{ vis ref: /u/a/p/b }}\n" * (MOST_TAGS + 9))
    assert f"{MOST_TAGS:,} sections" in faults(many)
    assert sum(isinstance(block, b.VisBox) for block in many.blocks()) == MOST_TAGS
    assert "KiB together" in faults(read_document(("{{ vis ref: " + "a " * 3_900 + "}}\n") * 50))
    wide = "|" + "a|" * (MOST_COLUMNS + 1) + "\n|" + "-|" * (MOST_COLUMNS + 1)
    assert f"{MOST_COLUMNS} columns" in faults(read_document(wide))


def test_an_address_that_is_defined_once_does_not_grow_without_end() -> None:
    document = read_document("[a]: https://example.org/" + "b" * 1_900 + "\n\n" + "[a] " * 20_000)
    assert len(repr(document)) < 4 * MOST_ADDRESSES
    (block,) = read_document(f"[a](/{'b' * 2_000})").blocks()
    assert block == b.Paragraph(1, (s.PlainText("a"),))


def test_parameters_without_number_are_not_all_noted() -> None:
    text = ("{{ vis ref: p/a, " + ", ".join(f"k{at}: v" for at in range(500)) + " }}\n") * 40
    assert seconds(text) < 3
    assert len(read_document(text).notes) == 500


@pytest.mark.no_cover
def test_time_for_the_charts_of_a_slide_grows_with_their_number_alone() -> None:
    document = read_document(
        "# A\n\n" + "".join(f"{{{{ vis ref: /u/a/p/b{at} /}}}}\n\n" for at in range(8_000))
    )
    assert len(part_requests(document, "pres").visuals) > 8_000
    assert processor_seconds(lambda: part_requests(document, "pres")) < 5
