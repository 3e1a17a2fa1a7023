"""Parts of a presentation: a slide without anything, and the notes of one.

The library would count all parts for each of them, and copy what is thrown away again.
"""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import escape

from pptx.opc.constants import CONTENT_TYPE, RELATIONSHIP_TYPE
from pptx.opc.packuri import PackURI
from pptx.oxml import parse_xml
from pptx.parts.slide import NotesSlidePart

from handlers.render.documents.slides.shape_xml import NAMES
from handlers.render.documents.slides.text_xml import clean_text

LONGEST_NOTE = 8_000
GROUP = '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>'
PICTURE = (
    '<p:sp><p:nvSpPr><p:cNvPr id="2" name="Slide Image"/><p:cNvSpPr><a:spLocks noGrp="1" noRot="1" '
    'noChangeAspect="1"/></p:cNvSpPr><p:nvPr><p:ph type="sldImg"/></p:nvPr></p:nvSpPr><p:spPr/></p:sp>'
)
HOLDER = (
    '<p:sp><p:nvSpPr><p:cNvPr id="3" name="Notes"/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr>'
    '<p:nvPr><p:ph type="body" sz="quarter" idx="1"/></p:nvPr></p:nvSpPr><p:spPr/>'
)


def add_empty_slide(deck: Any, layout: Any) -> Any:
    """A slide of a layout, without its places for text."""
    name, slide = deck.part.add_slide(layout)
    deck.slides._sldIdLst.add_sldId(name)
    return slide


def add_notes(deck: Any, slide: Any, number: int, words: str, language: str) -> None:
    """Notes for the speaker: a paragraph for each line."""
    lines = clean_text(words)[:LONGEST_NOTE].split("\n")
    look = f'<a:rPr lang="{language}"/>'
    text = "".join(f"<a:p><a:r>{look}<a:t>{escape(line)}</a:t></a:r></a:p>" for line in lines)
    markup = (
        f"<p:notes {NAMES}><p:cSld><p:spTree>{GROUP}{PICTURE}{HOLDER}<p:txBody><a:bodyPr/><a:lstStyle/>{text}"
        "</p:txBody></p:sp></p:spTree></p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:notes>"
    )
    part = NotesSlidePart(
        PackURI(f"/ppt/notesSlides/notesSlide{number + 1}.xml"),
        CONTENT_TYPE.PML_NOTES_SLIDE,
        deck.part.package,
        parse_xml(markup),
    )
    part.relate_to(deck.part.notes_master_part, RELATIONSHIP_TYPE.NOTES_MASTER)
    part.relate_to(slide.part, RELATIONSHIP_TYPE.SLIDE)
    slide.part.relate_to(part, RELATIONSHIP_TYPE.NOTES_SLIDE)
