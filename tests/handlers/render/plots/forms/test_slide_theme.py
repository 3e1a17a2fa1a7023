"""The theme of a plot's slide is that of decks; font families name their substitutes."""

from __future__ import annotations

import io

from pptx import Presentation
from pptx.opc.constants import RELATIONSHIP_TYPE
from pptx.oxml import parse_xml
from pptx.oxml.ns import qn

from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.document_html import DocumentLook
from handlers.render.documents.slides.deck import document_pptx
from handlers.render.plots.data.table_text import read_frame
from handlers.render.plots.forms.slide import pptx
from handlers.words.document_parts import DocumentParts
from handlers.words.plot import Plot

DATA = "month,north\nJan,12\nFeb,15\n"


def plot_slide() -> bytes:
    return pptx(Plot(DATA, {"type": "bar", "subtitle": "sold"}, "sales"), read_frame(DATA))


def theme(body: bytes) -> bytes:
    blob: bytes = (
        Presentation(io.BytesIO(body)).slide_master.part.part_related_by(RELATIONSHIP_TYPE.THEME).blob
    )
    return blob


def test_a_plot_has_the_theme_of_decks() -> None:
    deck = document_pptx(read_document("# A\n\nb `c`\n"), DocumentParts(), DocumentLook("pres"))
    assert theme(plot_slide()) == theme(deck.body)


def test_font_families_have_their_panose_and_one_for_complex_scripts() -> None:
    fonts = parse_xml(theme(plot_slide())).find(f".//{qn('a:fontScheme')}")
    for kind in ("a:majorFont", "a:minorFont"):
        latin, _, other = list(fonts.find(qn(kind)))[:3]
        assert (latin.get("typeface"), latin.get("pitchFamily")) == ("Source Sans Pro", "34")
        assert latin.get("panose") == "020B0503030403020204" and other.get("typeface") == "Arial"


def test_words_of_a_plot_take_their_face_from_the_theme_and_charts_name_it() -> None:
    (slide,) = Presentation(io.BytesIO(plot_slide())).slides
    assert not list(slide._element.iter(qn("a:latin")))
    (chart,) = [shape.chart for shape in slide.shapes if shape.has_chart]
    assert {latin.get("pitchFamily") for latin in chart._chartSpace.iter(qn("a:latin"))} == {"34"}


def test_code_and_quotations_of_decks_stay_fixed_and_with_serifs() -> None:
    text = "# A\n\n`code`\n\n> said\n"
    made = document_pptx(read_document(text), DocumentParts(), DocumentLook("pres"))
    (slide,) = Presentation(io.BytesIO(made.body)).slides
    named = {latin.get("typeface"): latin for latin in slide._element.iter(qn("a:latin"))}
    assert named["Source Code Pro"].get("pitchFamily") == "49"
    assert named["Source Serif 4"].get("pitchFamily") == "18"
    assert named["Source Code Pro"].getnext().get("typeface") == "Courier New"
