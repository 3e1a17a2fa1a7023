"""Markdown as GitHub reads it: descriptions by their tags, documents by their words."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.document_html import DocumentLook, page_html
from handlers.render.documents.pages.media import ScreenMedium
from handlers.rendering.markdown import html
from handlers.words.document_parts import DocumentParts
from tests.handlers.render.oracle import DIFFERENCES, differs, oracle_html, shape

PIECES = (
    "a", "b ", "\n", "\n\n", "    ", "  ", "\t", "*", "**", "_", "`", "``", "```\n", "~~~\n", "~~", "> ",
    "- ",
    "1. ", "2) ", "# ", "## ", "---\n", "===\n", "[", "]", "](u)", "](<v w> 't')", "![", "[a [b]](u)", "<br>",
    "<b>", "</b>", "<div>\n", "</div>\n", "<kbd>", "&amp;", "&#35;", "\\",
    "\\\n", "|",
    "\n\n|a|b|\n|-|:-:|\n|c|d|\n\n", "http://x.org", "<http://x.org>", "<a@b.org>", "word ", "(", ")", "!",
    "+ ",
    "*a*", "é", "  \n", "    code\n", "[[1]](u)", "![x [y]](u)", "[x [y]][r]\n\n[r]: /u\n\n", "{{ x }}", "$",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=10).map("".join)
WORDS = ("alpha", "*beta*", "**gamma**", "`delta`", "[eps [1]](https://e.org)", "zeta<br>eta", "<kbd>K</kbd>",
         "<!-- hidden -->", "~~theta~~", "<i>iota</i>", "&amp;", "\\*", "<em>kappa</em>")  # fmt: skip
LINE = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(lambda words: " ".join(["so", *words]))
BLOCKS = st.one_of(
    LINE,
    LINE.map("## {}".format),
    LINE.map("> {}".format),
    st.lists(LINE, min_size=1, max_size=3).map(lambda lines: "\n".join(f"- {line}" for line in lines)),
    st.lists(LINE, min_size=1, max_size=3).map(lambda lines: "\n".join(f"3. {line}" for line in lines)),
    LINE.map("- a\n\n      code {{{{ {} }}}}".format),
    LINE.map("    code {}".format),
    LINE.map("> q\n>\n>     {{{{ {} }}}}".format),
    LINE.map("```\n{}\n```".format),
    LINE.map("| x | y |\n|:-:|--:|\n| {} | 1 |".format),
    st.just("<!-- hidden\n\n    hidden -->"),
    st.just("---"),
)
DOCUMENTS = st.lists(BLOCKS, min_size=1, max_size=6).map("\n\n".join)


@given(TEXTS)
@settings(max_examples=400, deadline=None)
def test_descriptions_have_the_tags_of_the_other_reader(text: str) -> None:
    assume(not differs(text))
    assert shape(html(text)) == shape(oracle_html(text))


def words(html_text: str) -> list[str]:
    """Return the words of HTML in their order, without the tags between them."""
    return unescape(re.sub(r"<[^>]*>", " ", html_text)).replace("\u00a0", " ").split()


@given(DOCUMENTS)
@settings(max_examples=150, deadline=None)
def test_documents_have_the_words_of_the_other_reader(text: str) -> None:
    page = page_html(read_document(f"intro\n\n{text}"), DocumentParts(), ScreenMedium(), DocumentLook("web"))
    assert words(page.body) == words(oracle_html(f"intro\n\n{text}"))
    assert "hidden" not in re.sub(r"(?s)<(code|pre)>.*?</\1>", "", page.body)


@pytest.mark.parametrize(("sign", "why"), DIFFERENCES.items())
def test_differences_are_listed_with_their_reasons(sign: str, why: str) -> None:
    assert re.compile(sign)
    assert len(why) > 20
