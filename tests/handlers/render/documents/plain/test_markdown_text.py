"""Documents as plain Markdown: their text is read as the same document."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from handlers.render.documents.markup.blocks import Document, DocumentSheet, Paragraph
from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.markup.spans import PlainText, words_of
from handlers.render.documents.pages.parts import part_requests
from handlers.render.documents.plain.markdown_text import document_markdown
from handlers.words.document_parts import DocumentParts, VisPart
from tests.handlers.render.documents.samples import SALES, parts_of, report

TEXT = """# A \\*head\\*

*a* **b** ~~s~~ `c` ``d`e`` [l](<https://example.org>) $x$

- one

  more
- [x] two
  1. three

> quote

| a | b |
| --- | ---: |
| 1 | \\|2 |

```py
code
```

---

$$
x
$$
"""


def test_written_markdown_reads_as_the_same_blocks() -> None:
    document = read_document(TEXT)
    again = read_document(document_markdown(document, DocumentParts()))
    assert [type(block) for block in again.blocks()] == [type(block) for block in document.blocks()]
    assert document_markdown(again, DocumentParts()) == document_markdown(document, DocumentParts())


def test_sections_become_words() -> None:
    text = document_markdown(report(), parts_of(report(), "doc"))
    for piece in (
        "# Freight 2026\n\nWhat it cost · Alice Berg\n",
        "Revenue rose +11.3%.[^1]",
        "> **Mind**\n>\n> Careful with $\\frac{a}{b}$.",
        "\\[chart: Chart of /u/ann/p/sales\\]\n\n```text\nRevenue\n",
        "Bergen ",
        "\\[/u/bob/p/secret is not shown: it is not shared with you\\]",
        "[\\[image: Our logo\\]](<https://example.org>) The logo",
        "**Ann Berg** Leads the desk.",
        "[^1]: In *kroner*.",
    ):
        assert piece in text, piece
    more = "H~2~O _u_ x^2^ {/u/a/d/b/v/c} [[clr,fg,red: r]]\\\ny\n\nT\n: D\n\n{{ html }}<b>x</b>{{ /html }}\n"
    more += "\n{{ bad }}"
    text = document_markdown(read_document(more), DocumentParts())
    for piece in (
        "H<sub>2</sub>O <u>u</u> x<sup>2</sup> \\#N/A r<br>y",
        "**T**\n\n> D",
        "<b>x</b>",
        "not shown: ",
    ):
        assert piece in text, piece


@pytest.mark.parametrize(
    "text",
    ["- a", "+ a", "1. a", "12) a", "---", "===", ": a", "# a", "> a", "{{ vis ref: /u/a/p/b }}", "$x$",
     "a^b^", "&lt;", "| a |", "[a](b)", "\\*", "[^1]", "<b>", "`a`", "~a~", "_a_"],
)  # fmt: skip
def test_words_that_look_like_marks_stay_words(text: str) -> None:
    document = Document(sheets=(DocumentSheet(1, blocks=(Paragraph(1, (PlainText(text),)),)),))
    (block,) = read_document(document_markdown(document, DocumentParts())).blocks()
    assert isinstance(block, Paragraph) and words_of(block.spans) == text


def test_code_and_addresses_end_where_they_should() -> None:
    text = "`` a`b `` and ``` `` ```\n\n| a |\n|-|\n| `x|y` |\n| `x\\|y` |\n"
    written = document_markdown(read_document(text), DocumentParts())
    assert "`` a`b ``" in written and "``` `` ```" in written and "`x\\|y`" in written
    safe = document_markdown(read_document("a\x1b[2J \u202eb `\x07`\n\n```\n\x1b[2J\n```\n"), DocumentParts())
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", safe)


def test_a_chart_without_its_data_is_its_words() -> None:
    document = read_document("{{ vis ref: /u/a/p/b, include title: false }}")
    request, _ = part_requests(document, "doc").visuals
    parts = DocumentParts({request.key: VisPart({}, "A *rise*")})
    assert document_markdown(document, parts) == "\\[chart: A \\*rise\\*\\]\n"
    grid = DocumentParts({request.key: VisPart({}, "A rise", signs="┌A┐\n└─┘\n")})
    assert "```text\n┌A┐\n└─┘\n```" in document_markdown(document, grid)
    drawn = DocumentParts({request.key: VisPart({}, "A rise", SALES)})
    assert "Revenue" not in document_markdown(document, drawn) and "Bergen" in document_markdown(
        document, drawn
    )


MARKS = st.sampled_from(["-", "*", "+", "1.", "2)", "7."])
LISTS = st.recursive(
    st.tuples(MARKS, st.lists(st.sampled_from(["a", "b\n\nc", "```\nx\n\ny\n```"]), min_size=1, max_size=3)),
    lambda inner: st.tuples(MARKS, st.lists(st.lists(inner, min_size=1, max_size=3), min_size=1, max_size=2)),
    max_leaves=6,
)


def written(lists: object) -> list[str]:
    """Lines of lists, one below the other."""
    lines: list[str] = []
    for mark, entries in lists:  # type: ignore[attr-defined]
        for entry in entries:
            inner = entry.split("\n") if isinstance(entry, str) else ["e", *written(entry)]
            pad = " " * (len(mark) + 1)
            lines += [f"{mark} {inner[0]}", *(f"{pad}{line}".rstrip() for line in inner[1:]), ""]
    return lines


def shape(text: str) -> list[str]:
    """The lists of a text, their entries and programs, as another reader of Markdown finds them."""
    found = MarkdownIt().parse(text)
    types = [one.type.replace("code_block", "fence") for one in found]
    kept = ("fence", "bullet_list", "ordered_list", "list_item")
    return [
        f"{type} {one.attrs.get('start', '')}{one.content}"
        for type, one in zip(types, found, strict=True)
        if type.startswith(kept)
    ]


@given(st.lists(LISTS, min_size=1, max_size=4))
def test_lists_beside_each_other_stay_apart(lists: object) -> None:
    text = "\n".join(written(lists))
    made = document_markdown(read_document(text), DocumentParts())
    assert shape(made) == shape(text)
    assert document_markdown(read_document(made), DocumentParts()) == made


def test_links_within_a_document_lead_where_readers_of_markdown_have_headings() -> None:
    text = "# One -- two\n\n## Same\n\n## Same\n\n[a](#one-two) [b](#same--2) [c](#same-1) [d](#nope)"
    made = document_markdown(read_document(f"---\ntitle: Same\n---\n{text}"), DocumentParts())
    assert made.endswith("[a](<#one----two>) [b](<#same-2>) [c](<#same-2>) d\n")
