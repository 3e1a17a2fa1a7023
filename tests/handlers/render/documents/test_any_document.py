"""Any text becomes a document in every form: nothing fails, and nothing that a user writes runs."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.document_html import DocumentLook, page_html
from handlers.render.documents.pages.media import PaperMedium, ScreenMedium
from handlers.render.documents.pages.parts import part_requests
from handlers.render.documents.pdf.paper import document_pdf
from handlers.render.documents.plain.markdown_text import document_markdown
from handlers.render.documents.plain.terminal_text import document_text
from handlers.render.documents.slides.deck import document_pptx
from handlers.render.mails.mail_html import mail_html, mail_text, read_mail
from handlers.render.mails.mail_medium import MailLook
from handlers.rendering.markdown import html
from handlers.words.document_parts import DocumentParts
from tests.handlers.render.documents.samples import picture

PIECES = (
    "{{ vis ref: /u/a/p/b }}\n",
    "{{ callout warning, title: <b>, p: a3 }}\n",
    "{{ /callout }}\n",
    "{{ page cols: 2 /}}\n",
    "{{ para sz: xl, fg: red-500, width: 50% }}\n",
    "{{ /para }}\n",
    "{{ colbreak /}}\n",
    "{{ page o: l, type: fp /}}\n",
    "{{ html }}<b onclick=x>y<script>z</script>{{ /html }}\n",
    '{{ img ref: logo.png, link: "javascript:x" }}\n',
    "{{ author username: ann }}\n",
    "\n\n",
    "# Head {clr,fg,red-500}\n",
    "### Deep\n",
    "> quote\n",
    "- item\n",
    "1. one\n",
    "```python\nif x: '</code>'\n```\n",
    "`a`",
    "**b**",
    "*i*",
    "_u_",
    "~s~",
    "^t^",
    "$x^2$ ",
    "$\\bad{$ ",
    "$$\na\n$$\n",
    "[[ftn: note]]",
    "[[clr,bg,#fff: words]]",
    "[l](https://example.org)",
    "[l](#head)",
    "[^1]\n\n[^1]: note\n\n",
    "|a|b|\n|-|-:|\n|c|1|\n\n",
    "{/u/a/d/b/v/c}",
    "{pageref#Head}",
    "{pageref#(Nowhere)}",
    "word ",
    "日本語 ",
    "שלום ",
    "<script>x</script>",
    "&amp;",
    "T\n: D\n\n",
    "---\n",
    "![p](logo.png)",
    "\\\n",
    "- [x] done\n",
    "<!-- hidden",
    " -->\n",
    "<br>",
    "<kbd>",
    "</kbd>",
    "<details>\n<summary>",
    "</summary>\n",
    "</details>",
    "<div a='>'>\n",
    "<a href='javascript:x'>",
    "<script>\n\nx</script>",
    "    {{ code }}\n",
    "\n\n    - deep\n\n      ```\n      code\n",
    "[^2]\n\n[^2]: note\n\n    - list\n\n    > quote\n\n",
    "[a [b]](https://example.org)",
    "![d](data:image/png;base64,AAAA)",
    "[d](data:text/html,x)",
    "\u202e",
    "\u2066",
    "w" * 300,
    "{{ preview }}p{{ /preview }}\n",
    "\x1b[31m",
    "\ud800",
    "\x00",
)
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=6)), max_size=30).map("".join)
PARTS = DocumentParts(assets={"logo.png": picture()})
ALLOWED = re.compile(r"(?:https?:|mailto:|tel:|data:image/|part:|#|/)")


class Reader(HTMLParser):
    """A parser that refuses code, requests and styles."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ("script", "iframe", "object", "embed", "link", "form", "input", "base")
        for name, value in attrs:
            assert not name.startswith("on") and name != "style"
            if name in ("href", "src", "srcset"):
                assert ALLOWED.match(value or ""), value


@given(TEXTS, st.sampled_from(["doc", "pres", "web"]))
@settings(max_examples=120, deadline=None)
def test_any_text_is_a_harmless_page(text: str, kind: str) -> None:
    document = read_document(text)
    part_requests(document, kind)
    for medium in (ScreenMedium(), PaperMedium("dark")):
        page = page_html(document, PARTS, medium, DocumentLook(kind, custom_css=text, origin=text[:50]))
        Reader().feed(page.body)
        assert page.whole.count("</style>") == 1
    assert document_markdown(document, PARTS)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", document_text(document, PARTS, kind, 60, colored=False))
    content, look = read_mail(text), MailLook(subject=text[:80])
    mail = mail_html(content, PARTS, look, inlined=True).html
    assert mail.endswith("</html>\n")
    assert not re.search(r"<(?:script|iframe|form|input)\b", mail)
    assert mail_text(content, PARTS, look, whole_code=True)
    assert html(text.encode("utf-8", "replace").decode()) is not None


@given(TEXTS)
@settings(max_examples=12, deadline=None)
def test_any_text_is_a_pdf(text: str) -> None:
    assert document_pdf(read_document(text), PARTS, DocumentLook(custom_css=text)).pages
    assert document_pdf(read_document(text), PARTS, DocumentLook("web")).pages


@given(TEXTS)
@settings(max_examples=6, deadline=None)
def test_any_text_is_a_presentation(text: str) -> None:
    assert document_pptx(read_document(text), PARTS, DocumentLook("pres")).slides


@pytest.mark.parametrize("text", ["", "{{ page /}}", "# \x00\x0b", "".join(PIECES)])
def test_edges_are_presentations(text: str) -> None:
    assert document_pptx(read_document(text), PARTS, DocumentLook("pres")).slides
