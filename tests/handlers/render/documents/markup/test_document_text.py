"""Markup read: every construct becomes its block, and nothing fails."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.render.documents.markup import blocks as b
from handlers.render.documents.markup import spans as s
from handlers.render.documents.markup.document_text import read_document

PIECES = [
    "{{ vis ref: /u/a/p/b }}", "{{ callout warning }}", "{{ /callout }}", "{{ para sz: xl }}", "{{ /para }}",
    "{{ page cols: 2 /}}", "{{ colbreak /}}", "{{ html }}", "{{ /html }}", "{{", "}}", "{{/*", "*/}}", "\n",
    "\n\n", "# Head {clr,fg,red-500}", "> ", "- ", "1. ", "```\n", "`", "**", "*", "_", "~~", "~", "^", "$",
    "$$",
    "[[ftn: ", "[[clr,fg,red-500: ", "]]", "[", "](", ")", "[^1]", "[^1]: note", "|a|b|\n|-|-|\n|c|d|\n",
    "{/u/a/d/b/v/c}", "{pageref##(Head)}", "word ", "é日", "\\", "<b>", "&amp;", "---\ntitle: x\n---\n", ": ",
    "\t", "    ",
]  # fmt: skip


def only(text: str) -> b.DocumentBlock:
    (sheet,) = read_document(text).sheets
    (block,) = sheet.blocks
    return block


def line(text: str) -> s.Spans:
    block = only(text)
    assert isinstance(block, b.Paragraph)
    return block.spans


def notes(text: str) -> list[tuple[int, int, str]]:
    return [(note.line, note.column, note.reason) for note in read_document(text).notes]


@pytest.mark.parametrize(
    "text,style",
    [("*a*", "em"), ("**a**", "strong"), ("_a_", "u"), ("~~a~~", "s"), ("^a^", "sup"), ("~a~", "sub")],
)
def test_styles_of_words(text: str, style: str) -> None:
    assert line(text) == (s.Styled(style, (s.PlainText("a"),)),)


def test_references_notes_and_colours_in_a_line() -> None:
    assert line("{/u/ann/d/rep/v/total}") == (s.VariableMention("/u/ann/d/rep/v/total"),)
    assert line("{pageref##Costs}") == (s.PageMention(2, "Costs"),)
    assert line("{pageref#(Costs)}") == (s.PageMention(1, "Costs", True),)
    assert line("{pageref#[see](Costs)}") == (s.PageMention(1, "Costs", True, "see"),)
    assert line("[[ftn: a *b*]]") == (s.Footnote((s.PlainText("a "), s.Styled("em", (s.PlainText("b"),)))),)
    assert line("[[clr,bg,#fff: [[ftn: x]]]]") == (
        s.Tinted("#ffffff", True, (s.Footnote((s.PlainText("x"),)),)),
    )
    assert line("[[zzz: a]]") == (s.PlainText("[[zzz: a]]"),)
    assert line("a[^1]\n\n[^1]: b")[1] == s.Footnote((s.PlainText("b"),))


def test_mathematics_and_prices() -> None:
    assert line("$x^2$ for $5 or $6") == (s.Formula("x^2"), s.PlainText(" for $5 or $6"))
    assert line("5$ to 6$-7$") == (s.PlainText("5$ to 6$-7$"),)
    assert line("a $$b$$") == (s.PlainText("a "), s.Formula("b", True))
    assert line("$\\frac{{a}}{b}$ {{/* c */}}")[0] == s.Formula("\\frac{{a}}{b}")
    assert only("$$\n{{a}}\n$$") == b.FormulaBlock(1, "{{a}}")
    assert only("$$\na\n$$") == b.FormulaBlock(1, "a")
    assert line("---\nlatex: false\n---\n$x$") == (s.PlainText("$x$"),)


def test_only_harmless_links_lead_somewhere() -> None:
    for address in ("javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "//host/x"):
        assert all(not isinstance(span, s.Hyperlink) for span in line(f"[a]({address})"))
    assert isinstance(line("[a](https://example.org)")[0], s.Hyperlink)


def test_a_heading_has_its_options_and_a_unique_anchor() -> None:
    (sheet,) = read_document("## Costs {colspan:all; clr,fg,red-500}\n## Costs").sheets
    first, second = sheet.blocks
    assert first == b.DocumentHeading(1, 2, (s.PlainText("Costs"),), "costs", True, "red-500")
    assert isinstance(second, b.DocumentHeading) and second.anchor == "costs--2"


def test_sections_become_blocks() -> None:
    vis = only("{{ visualisation ref: p/sales, width: 300, align: c, include title: no }}")
    assert vis == b.VisBox(1, "/p/sales", "300px", "", "center", False)
    image = only("{{ img ref: /u/ann/p/sales/assets/logo.png, alt: Logo }}")
    assert isinstance(image, b.ImageBox) and image.ref == "/u/ann/p/sales/a/logo.png"
    callout = only("{{ callout type: error, title: No }}\ntext\n{{ /callout }}")
    assert callout == b.Callout(1, "error", "No", (b.Paragraph(2, (s.PlainText("text"),)),))
    passage = only(
        "{{ para sz: xl, st: b i, al: r, align: >v, p: a3, b: [l3 blue-500], fg: #fff }}a{{ /para }}"
    )
    assert isinstance(passage, b.Passage)
    assert (passage.size, passage.styles, passage.align, passage.place) == (
        "xl", ("strong", "italic"), "right", ("right", "bottom"),
    )  # fmt: skip
    assert passage.box.borders[0].color == "blue-500" and passage.box.color == "#ffffff"
    author = only("{{ author username: ann, override bio: Writes, mostly }}")
    assert author == b.AuthorBox(1, "ann", True, True, True, "Writes, mostly")
    assert only("{{ html }}<b>x</b>{{ /html }}") == b.HtmlIsland(1, "<b>x</b>")


def test_pages_begin_with_their_sections() -> None:
    document = read_document(
        "{{ page o: land, cols: 3, column-fill: auto, type: fp /}}\na\n{{ colbreak /}}\nb\n{{ page /}}"
    )
    first, second = document.sheets
    assert (first.landscape, first.columns, first.fill, first.type) == (True, 3, True, "fp")
    assert isinstance(first.blocks[1], b.ColumnBreak) and second.blocks == ()


def test_comments_vanish_and_code_stays_as_it_is() -> None:
    assert line("a{{/* b\nc */}}d") == (s.PlainText("ad"),)
    (sheet,) = read_document("a{{/* b\n\nc */}}d").sheets
    assert sheet.blocks == (b.Paragraph(1, (s.PlainText("a"),)), b.Paragraph(3, (s.PlainText("d"),)))
    code = only("```py x\n{{ vis ref: a }}\n{{/* b */}}\n```")
    assert code == b.CodeBlock(1, "py", "{{ vis ref: a }}\n{{/* b */}}")
    assert line("`{{ vis }}`") == (s.CodeSpan("{{ vis }}"),)


@pytest.mark.parametrize(
    "text,place,reason",
    [
        ("a\n\n{{ vsi ref: x }}", (3, 1), 'no section "vsi": did you mean "vis"'),
        ("{{ vis width: 3 }}", (1, 1), "ref is missing"),
        ("x {{ vis\nref: p/a\nwidht: 3\n}}", (3, 1), 'did you mean "width"'),
        ("{{ vis ref: p/a, align: up }}", (1, 18), '"up" is not one of'),
        ("{{ callout }}\na", (1, 1), "is not closed"),
        ("{{ /callout }}", (1, 1), "no callout open"),
        ("- a\n  {{ page /}}", (2, 3), "cannot begin within a list"),
        ('{{ vis\nref: "a }}', (2, 6), "quotation mark is not closed"),
        ("{{ html }}", (1, 1), "html section is not closed"),
        ("# a {{ vis ref: p/a }}", (1, 5), "a table or a heading"),
        ("---\ntitle: a\nb\n---\n", (3, 1), "front matter"),
        ("---\nTotal: 42 units\nNote: up\n---\nx", (2, 1), '"Total: 42 units", "Note: up" of the'),
        ("---\n# Report\ntitle: a\n---\nx", (2, 1), 'nothing shows "# Report" of the front matter'),
        (f"---\ntitle: {'a' * 3000}\n---\nx", (1, 1), '"title" has at most 2,000 characters'),
        ("# A\n\nx [b](#nope)", (3, 7), 'the link to "#nope" leads nowhere: no heading has that name'),
        ("a\n\n- [b](other.md)", (3, 7), 'the link to "other.md" leads nowhere: write https://'),
    ],
)  # fmt: skip
def test_mistakes_are_noted_with_line_and_column(text: str, place: tuple[int, int], reason: str) -> None:
    assert any((at, column) == place and reason in said for at, column, said in notes(text)), notes(text)


def test_a_bad_section_is_a_note_at_its_place_and_the_rest_is_kept() -> None:
    (sheet,) = read_document("a\n\n{{ callout }}\n{{ bad }}\nb\n").sheets
    assert [type(block) for block in sheet.blocks] == [b.Paragraph, b.FaultBox, b.FaultBox, b.Paragraph]


def test_too_many_cells_are_a_note() -> None:
    text = "|a|b|\n|-|-|\n" + "|c|d|\n" * 7_000
    assert isinstance(only(text), b.FaultBox)


def test_endless_blocks_are_left_out_with_a_note() -> None:
    (sheet,) = read_document("---\n\n" + "a\n\n" * 12_500).sheets
    assert isinstance(sheet.blocks[-1], b.FaultBox) and len(sheet.blocks) == 12_001


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=8)), max_size=40).map("".join))
@settings(max_examples=250, deadline=None)
def test_any_text_is_a_document(text: str) -> None:
    document = read_document(text)
    assert all(note.line >= 1 and note.column >= 1 for note in document.notes)
