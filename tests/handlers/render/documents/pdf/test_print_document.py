"""Documents printed sheet by sheet: like the whole, kept, joined, tagged to the last mark."""

import io
from collections.abc import Iterator

import pikepdf
import pypdfium2
import pytest

from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.document_html import DocumentLook
from handlers.render.documents.pages.part_models import DocumentParts
from handlers.render.documents.pdf.kept_sheets import KeptSheets
from handlers.render.documents.pdf.paper import PaperDocument, document_pdf
from handlers.render.documents.pdf.print_document import print_document
from handlers.render.documents.pdf.printed_sheet import PrintedSheet
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


def printed(text: str, kept: KeptSheets | None = None, **look: str) -> PaperDocument:
    kind = look.pop("kind", "doc")
    look_of = DocumentLook(kind, origin="ann/booklet", **look)
    return print_document(read_document(text), DocumentParts(), look_of, kept=kept or KeptSheets())


def pictures(body: bytes) -> Iterator[tuple[bytes, str]]:
    with pypdfium2.PdfDocument(body) as opened:
        for page in opened:
            yield page.render(scale=0.7).to_pil().tobytes(), page.get_textpage().get_text_range()


@pytest.fixture(scope="module")
def whole() -> PaperDocument:
    look = DocumentLook(origin="ann/booklet")
    return document_pdf(read_document(booklet()), DocumentParts(), look)


@pytest.fixture(scope="module")
def joined() -> PaperDocument:
    return printed(booklet())


def test_sheets_look_like_the_whole(whole: PaperDocument, joined: PaperDocument) -> None:
    assert joined.pages == whole.pages > SHEETS
    assert (joined.starts, joined.anchors) == (whole.starts, whole.anchors)
    assert list(pictures(joined.body)) == list(pictures(whole.body))
    assert len(joined.body) < 1.2 * len(whole.body)


def test_sheets_are_the_same_printed_alone_and_together(joined: PaperDocument) -> None:
    kept = KeptSheets()
    printed(booklet("changed"), kept)
    assert printed(booklet(), kept).body == joined.body


@pytest.mark.parametrize(
    "text,kind",
    [(booklet(), "doc"), (booklet(front="lang: ar\n"), "doc"), ("# One page\n\n[a](#s-one-page)", "web")],
    ids=["booklet", "right-to-left", "one-page"],
)
def test_nothing_is_wrong_with_it(text: str, kind: str) -> None:
    assert pdf_faults(printed(text, kind=kind).body) == []


def test_nothing_is_wrong_with_charts_and_slides() -> None:
    paper = print_document(report(), parts_of(report(), "doc"), DocumentLook(origin="ann/report"))
    slides = print_document(deck(), parts_of(deck(), "pres"), DocumentLook("pres"), "dark")
    assert pdf_faults(paper.body) == pdf_faults(slides.body) == []


def test_the_audit_finds_what_the_library_leaves_out(whole: PaperDocument) -> None:
    faults = " ".join(pdf_faults(whole.body))
    assert "is in no tree" in faults and "names of cells are not listed" in faults


def test_tags_outline_and_links_lead_across_sheets(joined: PaperDocument) -> None:
    with pikepdf.open(io.BytesIO(joined.body)) as opened:
        kinds = [str(element.S) for _, element in elements(opened)]
        assert kinds[0] == "/Document" and kinds.count("/Part") == kinds.count("/H1") - 1 == SHEETS
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
    assert [page for _, page, _ in tree] == list(joined.starts)
    assert len(links) == 2 * SHEETS and links <= {str(name) for name in places[::2]}


def test_numbers_of_pages_and_footnotes_go_on(joined: PaperDocument) -> None:
    words = [" ".join(text.split()) for _, text in pictures(joined.body)]
    last = joined.starts[-1]
    assert f"See {last + 1}." in words[0] and "See 1." in words[last]
    assert "9 Note 4" in words[last] and "10 Another" in words[last]
    assert "Part 1 é" in words[joined.starts[1]].removeprefix("Booklet")


class CountingSheets(KeptSheets):
    """Kept sheets that count those which were not."""

    def __init__(self, **sizes: int) -> None:
        super().__init__(**sizes)
        self.printed = 0

    def put(self, key: bytes, text: bytes, start: int, sheet: PrintedSheet) -> None:
        self.printed += bool(sheet.body) and key not in self.sheets
        super().put(key, text, start, sheet)


def test_one_page_changed_prints_one_sheet() -> None:
    kept = CountingSheets()
    first = printed(booklet(), kept)
    assert kept.printed == SHEETS
    printed(booklet("changed"), kept)
    assert kept.printed == SHEETS + 1
    again = printed(booklet(), kept)
    assert kept.printed == SHEETS + 1 and again.body == first.body
    moved = printed(booklet("word " * 600), kept)
    assert kept.printed > SHEETS + 2 and moved.pages > first.pages
    assert moved.body == printed(booklet("word " * 600)).body


def test_what_is_kept_is_bounded() -> None:
    kept = CountingSheets(most=60_000)
    for at in range(6):
        printed(f"# a {at}", kept)
    assert kept.printed == 6 and len(kept.sheets) < 6 and 0 < kept.size <= 60_000
    small = CountingSheets(largest=100)
    printed("# a", small)
    assert not small.sheets and not small.size


@pytest.mark.parametrize(
    "css,sheets",
    [
        (":root { --novem-accent: red } h1 { color: blue; margin-top: 3pt }", SHEETS),
        ("@page { margin: 20mm }", SHEETS),
        (".sheet { break-before: auto }", 1),
        ("body { counter-reset: part } h1::before { counter-increment: part; content: counter(part) }", 1),
        (".sheet + .sheet h1 { color: red }", 1),
        ("@page { @bottom-left { color: red } }", SHEETS),
        ("p { @media print { float: left } }", 1),
    ],
)
def test_sheets_that_rules_tie_together_are_printed_as_one(css: str, sheets: int) -> None:
    kept = CountingSheets()
    printed(booklet(), kept, custom_css=css)
    assert kept.printed == sheets


def test_letters_that_no_typeface_has_are_read_all_the_same() -> None:
    paper = printed("# One \U000f0001\n\n{{ page /}}\n\n# Two \U000f0002 \U000f0001")
    assert pdf_faults(paper.body) == []
    (_, first), (_, second) = pictures(paper.body)
    assert "\U000f0001" in first and "\U000f0002 \U000f0001" in second


def test_heads_of_tables_have_a_scope_and_notes_are_notes(joined: PaperDocument) -> None:
    with pikepdf.open(io.BytesIO(joined.body)) as pdf:
        found = [one for _, one in elements(pdf)]
        heads = [one for one in found if one.get("/S") == "/TH"]
        assert {str(one.A.Scope) for one in heads} == {"/Column"}
        notes = [one for one in found if one.get("/S") == "/Note"]
        assert len(notes) == 2 * SHEETS
        assert len({str(one.ID) for one in notes}) == len(notes)
    assert pdf_faults(joined.body) == []


def texts(body: bytes) -> list[str]:
    with pypdfium2.PdfDocument(body) as opened:
        return [page.get_textpage().get_text_range() for page in opened]


@pytest.mark.parametrize(("language", "word"), [("en", "continued"), ("de", "Fortsetzung"), ("he", "המשך")])
def test_a_table_that_goes_on_says_so(language: str, word: str) -> None:
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


def test_lists_of_tables_tell_pages_of_other_sheets() -> None:
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
