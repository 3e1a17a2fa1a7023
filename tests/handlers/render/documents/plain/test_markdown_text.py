"""Documents as plain Markdown: read again, they say the same."""

from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.part_models import DocumentParts
from handlers.render.documents.plain.markdown_text import document_markdown
from tests.handlers.render.documents.samples import parts_of, report

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


def test_what_is_written_reads_as_the_same_blocks() -> None:
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
        "\\[vis: /u/ann/p/sales\\]",
        "\\[image: Our logo\\] The logo",
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
