"""Printed documents: tags of all marks, links, numbers of pages, and tables over several pages."""

import io

import pikepdf
import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.document_html import DocumentLook
from handlers.render.documents.pdf.paper import PaperDocument, document_pdf
from handlers.words.document_parts import DocumentParts
from tests.handlers.render.documents.pdf.pdf_audit import elements, pdf_faults
from tests.handlers.render.documents.samples import deck, parts_of, report

WORDS = "The harbour took in more timber than in any year before, and the price of cod held. "
SHEETS = 5


def booklet(changed: str = "", front: str = "toc: true\n", more: str = "") -> str:
    """Sheets with footnotes, running heads, columns, a landscape page, tables, and numbers of other pages."""
    pages = []
    for at in range(SHEETS):
        word = changed if at == 2 else ""
        look = ("", "orient: landscape", "cols: 2", "", "type: fp")[at]
        pages.append(
            f"{{{{ page {look} /}}}}\n# Part {at} é\n\n"
            f"{WORDS * (44 if at == 3 else 3)}[[ftn: Note {at}]] "
            f"{word}\n\nSee {{pageref#Part {SHEETS - 1 - at} é}}.\n\n## Inner {at}\n\n"
            f"{{{{ para p: a{at + 1} }}}}\nset apart[[ftn: Another]]\n{{{{ /para }}}}\n\n"
            "| Goods | Tons |\n|---|--:|\n| Cod | 1 |\n| Pine | 2 |\n"
        )
    return f"---\ntitle: Booklet\n{front}---\n" + "\n\n".join(pages) + more


def printed(text: str, kind: str = "doc") -> PaperDocument:
    return document_pdf(read_document(text), DocumentParts(), DocumentLook(kind, origin="ann/booklet"))


def texts(body: bytes) -> list[str]:
    with pypdfium2.PdfDocument(body) as opened:
        return [page.get_textpage().get_text_range() for page in opened]


@pytest.fixture(scope="module")
def paper() -> PaperDocument:
    return printed(booklet())


@pytest.mark.parametrize(
    "text,kind",
    [(booklet(), "doc"), (booklet(front="lang: ar\n"), "doc"), ("# One page\n\n[a](#s-one-page)", "web")],
    ids=["booklet", "right-to-left", "one-page"],
)
def test_nothing_is_wrong_with_it(text: str, kind: str) -> None:
    assert pdf_faults(printed(text, kind=kind).body) == []


def test_nothing_is_wrong_with_charts_and_slides() -> None:
    paper = document_pdf(report(), parts_of(report(), "doc"), DocumentLook(origin="ann/report"))
    slides = document_pdf(deck(), parts_of(deck(), "pres"), DocumentLook("pres"), "dark")
    assert pdf_faults(paper.body) == pdf_faults(slides.body) == []


def test_tags_outline_and_links_lead_across_pages(paper: PaperDocument) -> None:
    with pikepdf.open(io.BytesIO(paper.body)) as opened:
        kinds = [str(element.S) for _, element in elements(opened)]
        assert kinds[0] == "/Document" and kinds.count("/H1") - 1 == SHEETS
        places = list(opened.Root.Names.Dests.Names)
        pages = [page.obj.objgen for page in opened.pages]
        assert {place[0].objgen for place in places[1::2]} <= set(pages)
        links = {str(one.Dest) for page in opened.pages for one in page.get("/Annots", ()) if "/Dest" in one}
        with opened.open_outline() as outline:
            tree = [
                (one.title, pages.index(one.destination[0].objgen), [inner.title for inner in one.children])
                for one in outline.root
            ]
    starts = [f"Part {at} é" for at in range(SHEETS)]
    assert [(title, inner) for title, _, inner in tree] == [
        (title, [f"Inner {at}"]) for at, title in enumerate(starts)
    ]
    assert [page for _, page, _ in tree] == list(paper.starts)
    assert len(links) == 2 * SHEETS and links <= {str(name) for name in places[::2]}


def test_numbers_of_pages_and_footnotes_continue(paper: PaperDocument) -> None:
    words = [" ".join(text.split()) for text in texts(paper.body)]
    last = paper.starts[-1]
    assert f"See {last + 1}." in words[0] and "See 1." in words[last]
    assert "9 Note 4" in words[last] and "10 Another" in words[last]
    assert "Part 1 é" in words[paper.starts[1]].removeprefix("Booklet")


def test_letters_that_no_typeface_has_are_read_all_the_same() -> None:
    paper = printed("# One \U000f0001\n\n{{ page /}}\n\n# Two \U000f0002 \U000f0001")
    assert pdf_faults(paper.body) == []
    first, second = texts(paper.body)
    assert "\U000f0001" in first and "\U000f0002 \U000f0001" in second


LISTS = """
# Whole

### Level left out

1. loose

   - inner[[ftn: A note.]]
     1. deep with [a link](https://example.org/)

   another paragraph
2. second

- [ ] open

## Back

### Below it

| Only | a head |
|---|---|

{{ html }}<table><thead><tr><th rowspan="2">Land</th><th colspan="2">Years</th></tr><tr><th>1</th><th>2</th>
</tr></thead><tbody><tr><th rowspan="2">DE</th><td>1</td><td>2</td></tr><tr><td colspan="2">3</td></tr>
</tbody></table>{{ /html }}

{{ page cols: 2 /}}

Words in columns.

- one
- two
"""


def outline(body: bytes) -> list[str]:
    """Return the elements of lists, tables and headings with their depths."""
    depth: dict[object, int] = {}
    lines = []
    with pikepdf.open(io.BytesIO(body)) as pdf:
        for parent, one in elements(pdf):
            kind = str(one.S)[1:]
            shown = kind in ("L", "LI", "Lbl", "LBody", "TH", "TD", "Note") or kind[1:].isdigit()
            depth[one.objgen] = depth.get(parent.objgen, 0) + shown
            looks = dict(one.get("/A", {})) if kind in ("TH", "TD") else {}
            spans = "".join(f" {looks[key]}" for key in ("/Scope", "/RowSpan", "/ColSpan") if key in looks)
            lines += [f"{'-' * depth[one.objgen]}{kind}{spans}"] if shown else []
    return lines


def test_lists_tables_and_headings_have_the_shape_that_readers_know() -> None:
    body = printed(LISTS).body
    lines = outline(body)
    assert pdf_faults(body) == []
    assert [one for one in lines if one[1] == "H"] == ["-H1", "-H2", "-H2", "-H3"]
    first = lines.index("-L")
    assert lines[first : first + 12] == [
        "-L", "--LI", "---Lbl", "---LBody", "----L", "-----LI", "------Lbl", "------LBody", "-------L",
        "--------LI", "---------Lbl", "---------LBody",
    ]  # fmt: skip
    cells = [one[1:] for one in lines if one.startswith(("-TH", "-TD"))]
    assert cells[2:] == [
        "TH /Column 2", "TH /Column 2", "TH /Column", "TH /Column", "TH /Row 2", "TD", "TD", "TD 2",
    ]  # fmt: skip


WORDS_OF_HTML = "ul ol li dl dt table thead tbody tr td th caption p a h2 h5"
SPANS = {"td": ("", " colspan=2", " rowspan=2"), "th": ("", " colspan=2", " rowspan=3")}
HTML = st.recursive(
    st.just("word "),
    lambda inner: st.builds(
        lambda tag, span, kids: f"<{tag}{SPANS.get(tag, ('',) * 3)[span]}>{''.join(kids)}</{tag}>",
        st.sampled_from(WORDS_OF_HTML.split()),
        st.integers(0, 2),
        st.lists(inner, max_size=3),
    ),
    max_leaves=12,
)


@settings(max_examples=25, deadline=None)
@given(st.lists(HTML, min_size=2, max_size=6))
def test_html_of_any_shape_is_tagged_as_readers_know_it(parts: list[str]) -> None:
    assert pdf_faults(printed(f"{{{{ html }}}}{''.join(parts)}{{{{ /html }}}}\n").body) == []


def test_heads_of_tables_have_a_scope_and_notes_are_notes(paper: PaperDocument) -> None:
    with pikepdf.open(io.BytesIO(paper.body)) as pdf:
        found = [one for _, one in elements(pdf)]
        heads = [one for one in found if one.get("/S") == "/TH"]
        assert {str(one.A.Scope) for one in heads} == {"/Column"}
        notes = [one for one in found if one.get("/S") == "/Note"]
        assert len(notes) == 2 * SHEETS
        assert len({str(one.ID) for one in notes}) == len(notes)
    assert pdf_faults(paper.body) == []


@pytest.mark.parametrize(("language", "word"), [("en", "continued"), ("de", "Fortsetzung"), ("he", "המשך")])
def test_a_continued_table_says_so(language: str, word: str) -> None:
    rows = "".join(f"| Cod {at} | {at} |\n" for at in range(60))
    table = f"| Goods | Tons |\n|---|--:|\n{rows}"
    shown = texts(printed(f"---\nlang: {language}\n---\n{table}\nAfter.\n\n{{{{ page /}}}}\n{table}").body)
    assert [word in text or word[::-1] in text for text in shown] == [False, True, False, True]


@pytest.mark.parametrize(("lines", "pages"), [(14, [0, 14]), (15, [6, 9])])
def test_a_short_program_stays_on_one_page(lines: int, pages: list[int]) -> None:
    code = "\n".join(f"step_{at} = 1" for at in range(lines))
    filler = "\n\n".join(["A line."] * 27)
    shown = texts(printed(f"{filler}\n\n```\n{code}\n```\n").body)
    assert [text.count("step_") for text in shown] == pages


def test_lists_of_tables_name_pages_of_other_sheets() -> None:
    rows = "".join(f"| Cod {at} | {at} |\n" for at in range(60))
    table = f"| Goods | Tons |\n|---|--:|\n{rows}"
    section = f"{{{{ table label: tons, caption: By weight }}}}\n{table}{{{{ /table }}}}"
    paper = printed(
        f"---\nfooter: Secret | p. {{page}}\n---\n{{{{ tables }}}}\n\n{{{{ page /}}}}\n# One\n{section}"
    )
    first, second, third = (" ".join(text.replace("\xa0", " ").split()) for text in texts(paper.body))
    assert "Table 1. By weight" in first and first.split(". .")[-1].strip(" .").startswith("2")
    assert "Table 1. By weight" in second and "continued" not in second
    assert "Table 1, continued" in third and "Secret" in third and "p. 3" in third
    assert not [*pdf_faults(paper.body)]
