"""Documents for terminals: within their columns, with or without colours, and without control codes."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.parts import part_requests
from handlers.render.documents.plain.terminal_text import document_text
from handlers.render.plots.forms.terminal.screen import signs as cells
from handlers.words.document_parts import DocumentParts, VisPart
from handlers.words.plot import Plot
from tests.handlers.render.documents.samples import SALES, parts_of, report


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


def test_colours_are_written_on_request() -> None:
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
        "[author ann is not shown]\n\n"
        "[/p/a is not shown: it does not exist, or not all authors of\nthis text may see it]\n"
    )


def test_words_that_steer_a_terminal_are_left_out() -> None:
    text = plain(
        "a\x1b[31mb\x9b\u202ec `\x1b]0;x\x07`\n\n```\n\x1b[2J\n```\n\n"
        "{{ callout title: \x1b[1mx }}\n{{ /callout }}"
    )
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)


WIDE = """# A heading with a great many words that cannot stand on one line of a terminal
| City | 日本語の見出し | Remark |
|---|:-:|--:|
| Oslo | 東京都 | a remark with more words than there is room for in a terminal of so few columns |
| [link](https://example.org/a/long/address/that/has/no/space) | é́ | 22 |

| a | b | c | d | e | f | g | h | i | j |
|-|-|-|-|-|-|-|-|-|-|
| aaaaaaaa | bbbbbbbb | cccccccc | dddddddd | eeeeeeee | ffffffff | gggggggg | hhhhhhhh | iiiiiiii | 日本 |

{{ callout warning, title: A title of many words that goes on and on beyond the edge of the terminal }}
- a
   - b
      - c
         - d
            - e
               - f with words
{{ /callout }}

> > > > > > > > > > deep **bold words that go on over several lines of the terminal**

```
a_line_of_code("that is longer than the terminal", and_goes_on, and_on)
```

$$
\\int_0^1 a + b + c + d + e + f + g + h + i + j + k + l + m
$$
"""


def test_tables_keep_their_columns_while_there_is_room() -> None:
    assert plain("|a|日本|\n|-|:-:|\n|x|y|\n|é́|zz|\n", 40) == "a  日本\n─  ────\nx   y\né́   zz\n"
    assert plain("|City|Remark|\n|-|-|\n|Oslo|" + "word " * 9 + "|\n|Rome|b|\n", 30) == (
        "City  Remark\n────  ────────────────────────\n"
        "Oslo  word word word word word\n      word word word word\n\nRome  b\n"
    )
    many = "|".join("abcdefgh")
    text = plain(f"|{many}|\n|{'-|' * 8}\n|{'|'.join(['long words'] * 8)}|\n|1|2|\n", 40)
    assert text.startswith("a: long words\nb: long words\n") and "\n\na: 1\nb: 2\n" in text


def test_colours_end_with_their_line() -> None:
    lines = plain(WIDE, 30, colored=True).splitlines()
    assert all(line.count("\x1b[0m") >= ("\x1b[1m" in line) for line in lines)
    assert all(cells(line) <= 30 for line in lines)


def test_a_chart_may_have_no_title_and_words_in_its_place() -> None:
    document = read_document("{{ vis ref: /u/a/p/b, include title: false }}")
    request, _ = part_requests(document, "doc").visuals
    for part, said, unsaid in ((VisPart({}, "A rise"), "[chart: A rise]", "Bergen"),
                               (VisPart({}, "A rise", signs="┌A┐\n└─┘\n"), "┌A┐\n└─┘\n", "chart"),
                               (VisPart({}, "A rise", signs="─" * 70 + "\n"), "[chart: A rise]", "─"),
                               (VisPart({}, "A rise", SALES), "Bergen", "Revenue")):  # fmt: skip
        text = document_text(document, DocumentParts({request.key: part}), "doc", 60, colored=False)
        assert said in text and unsaid not in text


def chart_text(options: str, data: str, word: str = "bar") -> str:
    """The text of a document that shows a plot with all its words."""
    document = read_document(f"{{{{ vis ref: /u/a/p/b{options} }}}}")
    request, _ = part_requests(document, "doc").visuals
    words = {"type": word, "title": "Timber", "subtitle": "In tons", "caption": "Source: the mill"}
    part = VisPart({}, "Timber", Plot(data, words))
    return document_text(document, DocumentParts({request.key: part}), "doc", 60, colored=False)


def test_the_words_of_a_chart_are_around_it_unless_the_text_has_other_words() -> None:
    data = "year,tons\n2025,12400\n2026,9800\n"
    assert chart_text("", data).split("\n")[:2] == ["Timber", "In tons"]
    assert "12.4k" in chart_text("", data) and chart_text("", data).endswith("Source: the mill\n")
    bare = chart_text(", include title: false, include caption: false", data)
    assert not any(word in bare for word in ("Timber", "In tons", "Source"))
    own = chart_text(', override title: "Oak and ash", caption: "As we counted"', data)
    assert own.startswith("Oak and ash\n") and own.endswith("As we counted\n")
    assert not any(word in own for word in ("Timber", "In tons", "Source"))


@pytest.mark.parametrize("word", ["bar", "table"])
def test_a_chart_has_a_line_for_each_row_within_bounds(word: str) -> None:
    rows = "".join(f"row {at},{at}\n" for at in range(150))
    assert chart_text("", f"name,n\n{rows}", word).count("row ") == 150
    rows = "".join(f"row {at},{at}\n" for at in range(900))
    assert 150 < chart_text("", f"name,n\n{rows}", word).count("row ") <= 200


@given(st.one_of(st.text(max_size=200), st.just(WIDE)), st.integers(-5, 300))
@settings(max_examples=80, deadline=None)
def test_lines_keep_within_their_columns(text: str, columns: int) -> None:
    wide = min(200, max(30, columns))
    assert all(cells(line) <= wide for line in plain(text, columns).splitlines())
