"""Slides with the title, with quotations and between chapters have separate layouts."""

import io

from pptx import Presentation

from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.document_html import DocumentLook
from handlers.render.documents.slides.deck import document_pptx
from handlers.words.document_parts import DocumentParts

TEXT = (
    "---\ntitle: Board\n---\n{{ page /}}\n# One\n- a\n{{ page type: fp /}}\n# Part\nmore\n"
    "{{ page /}}\n> Anyone who has a harbour\n> has the world at the door.\n\nAnna\n"
)


def test_layouts_follow_the_purpose_of_a_slide() -> None:
    made = document_pptx(read_document(TEXT), DocumentParts(), DocumentLook("pres"))
    slides = list(Presentation(io.BytesIO(made.body)).slides)
    names = [slide.slide_layout.name for slide in slides]
    assert names == ["Title Slide", "Title and Content", "Section Header", "Quotation"]
    titles = [slide.shapes.title.text_frame.text for slide in slides]
    assert titles == ["Board", "One", "Part", "Anyone who has a harbour has the world at the door. Anna"]
    for slide in (slides[0], *slides[2:]):
        known = {place.placeholder_format.idx: place.placeholder_format.type
                 for place in slide.slide_layout.placeholders}  # fmt: skip
        held = [holder.placeholder_format for holder in slide.placeholders]
        assert held and all(known[one.idx] == one.type for one in held)
        assert b"cap=" not in slide.slide_layout.part.blob


def test_the_layout_between_chapters_has_the_ground_of_its_slides() -> None:
    css = ":root { --novem-stage: #400000; --novem-on-stage: #ffeedd }"
    look = DocumentLook("pres", custom_css=css)
    part = list(
        Presentation(io.BytesIO(document_pptx(read_document(TEXT), DocumentParts(), look).body)).slides
    )[2]
    assert b'<p:bg><p:bgPr><a:solidFill><a:srgbClr val="400000"/>' in part.slide_layout.part.blob.replace(
        b"\n", b""
    )
    assert b"FFEEDD" in part.slide_layout.part.blob
    assert part.follow_master_background
