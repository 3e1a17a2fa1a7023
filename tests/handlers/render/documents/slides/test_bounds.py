"""Presentations of hostile documents: bounded, whole, and with notes on the choices."""

import io
from dataclasses import replace

import pypdfium2
import pytest
from PIL import Image
from pptx import Presentation
from pptx.enum.shapes import MSO_SHAPE_TYPE
from pptx.oxml.ns import qn

from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.document_html import DocumentLook
from handlers.render.documents.pdf.paper import document_pdf
from handlers.render.documents.slides.deck import SlideDeck, document_pptx, printed_pptx
from handlers.render.documents.slides.page_pieces import PagePieces
from handlers.render.documents.slides.slide_shapes import PictureShape, SlideBox
from handlers.render.plots.forms.slide import LAYOUTS
from handlers.words.document_parts import AssetPart, DocumentParts
from handlers.words.plot import Plot
from tests.handlers.render.documents.samples import parts_of

SLIDES = DocumentLook("pres")


def made_of(text: str, parts: DocumentParts | None = None, css: str = "") -> SlideDeck:
    return document_pptx(read_document(text), parts or DocumentParts(), replace(SLIDES, custom_css=css))


def photograph(form: str, mode: str = "RGB", **saved: object) -> AssetPart:
    noise = Image.effect_noise((1_000, 800), 90)
    made = io.BytesIO()
    Image.merge(mode, [noise] * len(mode)).save(made, form, **saved)
    return AssetPart(made.getvalue(), f"image/{form.lower()}")


def test_slides_beyond_the_most_are_left_out() -> None:
    document = read_document("# One\n\n{{ page /}}\n# Two\n")
    printed = document_pdf(document, DocumentParts(), SLIDES)
    boxes, anchors = printed.boxes * 150, printed.anchors * 150
    long = replace(printed, boxes=boxes, anchors=anchors, pages=len(boxes))
    made = printed_pptx(document, DocumentParts(), SLIDES, long)
    assert made.slides == len(Presentation(io.BytesIO(made.body)).slides) == 250
    assert made.notes[-1] == "a presentation has at most 250 slides: 50 pages are left out"


@pytest.mark.parametrize(("form", "mode"), [("JPEG", "RGB"), ("PNG", "RGBA")])
def test_pictures_have_as_many_pixels_as_are_seen(form: str, mode: str) -> None:
    asset = photograph(form, mode, **({"quality": 100} if form == "JPEG" else {}))
    made = made_of("# P\n{{ img ref: a.png, width: 300px }}\n", DocumentParts(assets={"a.png": asset}))
    assert len(asset.body) > 600_000 and len(made.body) < 700_000
    (slide,) = Presentation(io.BytesIO(made.body)).slides
    (picture,) = [shape for shape in slide.shapes if shape.shape_type == 13]
    assert picture.image.size[0] <= 620 and picture._element.nvPicPr.cNvPr.get("descr")


def test_photographs_that_were_turned_are_taken_from_the_page() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    asset = photograph("JPEG", quality=20, exif=exif)
    printed = document_pdf(read_document("# A"), DocumentParts(), SLIDES)
    with pypdfium2.PdfDocument(printed.body) as opened:
        pieces = PagePieces(opened)
        assert pieces.picture(0, PictureShape(SlideBox(0, 0, 50, 50), "", asset)) != asset.body
        assert pieces.picture(0, PictureShape(SlideBox(0, 0, 50, 50), "", AssetPart(b"GIF", "image/png")))
        assert pieces.picture(0, PictureShape(SlideBox(9_000, 0, 50, 50), "")) is None
        pieces.spent = 10**9
        assert pieces.page(0)[:2] == b"\xff\xd8"


def test_pages_full_of_formulas_or_faded_by_rules_are_pictures() -> None:
    text = "# A\n" + "Here $\\frac{a}{b}$ is.\n\n" * 5 + "\n{{ page /}}\n# B\nplain\n"
    notes = [note for note in made_of(text).notes if note.startswith("slide")]
    assert notes == [
        "slide 1: a picture of the page, as its text has formulas, pictures or transparent words",
        "slide 2: shapes that can be edited",
    ]
    made = made_of("# A\nplain\n", css=".sheet { opacity: 0.5 }")
    (slide,) = Presentation(io.BytesIO(made.body)).slides
    assert "a picture of the page" in made.notes[-1] and slide.shapes.title.text_frame.text == "A"
    assert slide.shapes.title.top < 0 and "plain" in slide.notes_slide.notes_text_frame.text


def test_links_lead_to_slides_or_out_and_nowhere_else() -> None:
    links = "[two](#two) [out](https://e.org) [bad](javascript:x) [file](/etc/passwd)"
    text = f"# One\n{links}\n\n{{{{ page /}}}}\n# Two\nx\n"
    opened = Presentation(io.BytesIO(made_of(text).body))
    first, second = opened.slides
    targets = {
        rel.target_ref if rel.is_external else rel.target_part.partname
        for rel in first.part.rels.values()
        if rel.is_external or rel.target_part is second.part
    }
    assert targets == {"https://e.org", second.part.partname}


def test_the_deck_has_the_looks_and_facts_of_the_document() -> None:
    text = "---\ntitle: T\nauthor: Ann\nsubtitle: S\nlang: de\n---\n{{ page /}}\n# A\nWort\n"
    opened = Presentation(io.BytesIO(made_of(text, css="html { font-family: Lato; color: #102030 }").body))
    about = opened.core_properties
    assert (about.title, about.author, about.subject, about.language) == ("T", "Ann", "S", "de")
    assert (opened.slide_width.pt, opened.slide_height.pt) == (960, 540)
    theme = opened.slide_master.part.part_related_by(
        "http://schemas.openxmlformats.org/officeDocument/2006/relationships/theme"
    ).blob.decode()
    assert '<a:dk1><a:srgbClr val="102030"/>' in theme and '<a:minorFont><a:latin typeface="Lato"' in theme
    assert {layout.name for layout in opened.slide_layouts} == set(LAYOUTS)
    run = opened.slides[1].placeholders[1].text_frame.paragraphs[0].runs[0]
    assert run._r.rPr.get("lang") == "de" and run.font.name == "+mn-lt"


def test_tables_that_slides_cannot_hold_are_pictures_and_boxes_keep_their_looks() -> None:
    text = (
        "# A\n{{ html }}<table><tr><td colspan=2>wide</td></tr>"
        "<tr><td>a</td><td>b</td></tr></table>{{ /html }}\n"
        "{{ html }}<table><tr><td><p>one</p><p>two</p></td></tr></table>{{ /html }}\n"
        "{{ html }}<table><tr><td><ul><li>x</li></ul></td></tr></table>{{ /html }}\n"
    )
    (slide,) = Presentation(io.BytesIO(made_of(text).body)).slides
    pictures = [shape for shape in slide.shapes if shape.shape_type == 13]
    assert [p._element.nvPicPr.cNvPr.get("descr") for p in pictures] == ["wideab", "x"]
    (table,) = [shape.table for shape in slide.shapes if shape.has_table]
    assert table.cell(0, 0).text == "one\ntwo"


def test_a_picture_with_a_width_keeps_its_bytes_and_its_shape() -> None:
    asset = photograph("JPEG", quality=5)
    made = made_of("# P\n{{ img ref: a.png, width: 300px }}\n", DocumentParts(assets={"a.png": asset}))
    deck = Presentation(io.BytesIO(made.body))
    (picture,) = [shape for shape in deck.slides[0].shapes if shape.shape_type == MSO_SHAPE_TYPE.PICTURE]
    assert picture.image.blob == asset.body
    width, height = picture.image.size
    assert picture.width / picture.height == pytest.approx(width / height, rel=0.01)


def test_an_asset_is_set_as_it_is_while_it_is_light_and_thinned_when_heavy() -> None:
    printed = document_pdf(read_document("# A"), DocumentParts(), SLIDES)
    light, heavy = photograph("JPEG", quality=5), photograph("PNG", "RGBA")
    box = SlideBox(0, 0, 100, 100)
    with pypdfium2.PdfDocument(printed.body) as opened:
        pieces = PagePieces(opened)
        assert pieces.picture(0, PictureShape(box, "", light)) == light.body
        small = pieces.picture(0, PictureShape(box, "", heavy))
        assert small is not None and len(small) < 400_000
        large = pieces.picture(0, PictureShape(SlideBox(0, 0, 900, 900), "", heavy))
        assert large is not None and large[:2] == b"\xff\xd8"


PANELS = {"type": "line", "split/by": "region"}


def test_shapes_of_a_slide_have_unique_numbers_around_charts() -> None:
    rows = [f"{day},{region},{day}" for region in "abc" for day in (1, 2, 3)]
    plot = Plot("day,region,sold\n" + "\n".join(rows), PANELS, "sales")
    document = read_document("# A\nbefore\n\n{{ vis ref: /u/ann/p/sales }}\n\nafter\n\n> said\n")
    parts = parts_of(document, "doc")
    visuals = {key: replace(part, plot=plot) for key, part in parts.visuals.items()}
    made = document_pptx(document, replace(parts, visuals=visuals), DocumentLook())
    (slide,) = Presentation(io.BytesIO(made.body)).slides
    numbers = [name.get("id") for name in slide._element.iter(qn("p:cNvPr"))]
    assert len(list(slide._element.iter(qn("p:grpSp")))) >= 1
    assert len(numbers) > 8 and len(set(numbers)) == len(numbers)
