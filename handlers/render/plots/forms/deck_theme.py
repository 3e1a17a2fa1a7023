"""Empty presentations: layouts that fit the size of the page, and a theme with its colours and fonts."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pptx import Presentation
from pptx.opc.constants import RELATIONSHIP_TYPE
from pptx.oxml import parse_xml
from pptx.oxml.ns import nsdecls, qn
from pptx.util import Emu, Pt

from handlers.render.plots.forms.embedded_fonts import complex_family, face_attributes
from handlers.render.plots.look.palette import LIGHT

QUOTATION = "Quotation"
LEFT, ACROSS = 64, 832
"""Left edge and width in points of the content of document slides, which are 960 wide."""
WIDE = 960
LINE = f"<a:defRPr {nsdecls('a')}"
WITHOUT_MARK = f"<a:buNone {nsdecls('a')}/>"


def darken_section(layout: Any, ground: str, ink: str) -> None:
    """Give the layout of slides between chapters its own background, and text readable on it."""
    fill = f'<a:solidFill><a:srgbClr val="{ground}"/></a:solidFill>'
    markup = f"<p:bg {nsdecls('p', 'a')}><p:bgPr>{fill}<a:effectLst/></p:bgPr></p:bg>"
    layout._element.cSld.insert(0, parse_xml(markup))
    for look in layout._element.iter(qn("a:defRPr")):
        for old in look.findall(qn("a:solidFill")):
            look.remove(old)
        look.insert(0, parse_xml(f'<a:solidFill {nsdecls("a")}><a:srgbClr val="{ink}"/></a:solidFill>'))
    places = {place.placeholder_format.idx: place for place in layout.placeholders}
    _place(layout, places[0], 170, 150, "b")
    _place(layout, places[1], 330, 120, "t")
    _first_line(places[0]).find(qn("a:defRPr")).set("sz", "5400")


def make_quotation(layout: Any, serif: str) -> None:
    """Turn a layout of two texts into that of a quotation, with the source below."""
    layout._element.cSld.set("name", QUOTATION)
    layout._element.attrib.pop("type", None)
    layout._element.set("userDrawn", "1")
    places = {place.placeholder_format.idx: place for place in layout.placeholders}
    _place(layout, places[0], 16, 30, "t")
    _place(layout, places[1], 120, 220, "b")
    _place(layout, places[2], 350, 60, "t")
    face = f'<a:latin typeface="{serif}"/>'
    quiet = '<a:solidFill><a:schemeClr val="tx2"/></a:solidFill>'
    for place, size, inner in ((places[0], 1400, ""), (places[1], 3800, face), (places[2], 1800, quiet)):
        line = _first_line(place)
        line.attrib.update({"marL": "0", "indent": "0"})
        for old in list(line):
            line.remove(old)
        line.append(parse_xml(WITHOUT_MARK))
        line.append(parse_xml(f'{LINE} sz="{size}" b="0">{inner}</a:defRPr>'))


def _place(layout: Any, place: Any, top: int, height: int, anchor: str) -> None:
    """Place a text at the left edge, in points of a document slide."""
    deck = layout.part.package.presentation_part.presentation
    point = deck.slide_width / Pt(WIDE)
    sizes = (Pt(size) for size in (LEFT, top, ACROSS, height))
    place.left, place.top, place.width, place.height = (round(size * point) for size in sizes)
    place._element.txBody.bodyPr.set("anchor", anchor)


def _first_line(place: Any) -> Any:
    """Return the look of the first level of a text."""
    return next(place._element.iter(qn("a:lvl1pPr")))


TITLE, SECTION, CONTENT = "Title Slide", "Section Header", "Title and Content"
TWO_TEXTS = "Content with Caption"
LAYOUTS = (TITLE, SECTION, CONTENT, QUOTATION, "Title Only", "Blank")
MOST_THEMES = 16
NOT_IN_NAMES = re.compile(r"[^\w .,'()+-]")
APPLICATION = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    '<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties">'
    "<Application>Curlew</Application></Properties>"
)


@dataclass(frozen=True, slots=True)
class DeckTheme:
    """Size in units, colours of paper and ink, and the families of headings, text and quotations.

    `stage` is the background of slides between chapters, and `on_stage` the text colour on it.
    """

    width: int
    height: int
    paper: str
    ink: str
    head: str
    text: str
    language: str = "en"
    stage: str = LIGHT.categories[0][1:].upper()
    on_stage: str = "FFFFFF"
    quoted: str = "Source Serif 4"

    def ground(self, layout: str) -> str:
        """Return the background of slides of a layout."""
        return self.stage if layout == SECTION else self.paper

    def colors(self) -> dict[str, str]:
        """Return the colours of the theme by their names in its markup."""
        accents = [tone[1:].upper() for tone in LIGHT.categories[:6]]
        return {
            "dk1": self.ink, "lt1": self.paper, "dk2": LIGHT.quiet[1:].upper(),
            "lt2": LIGHT.panel[1:].upper(),
            **{f"accent{number}": tone for number, tone in enumerate(accents, 1)},
            "hlink": accents[0], "folHlink": accents[5],
        }  # fmt: skip


@lru_cache(maxsize=MOST_THEMES)
def blank_deck(theme: DeckTheme) -> bytes:
    """Return a presentation without slides."""
    deck = Presentation()
    across, down = theme.width / deck.slide_width, theme.height / deck.slide_height
    deck.slide_width, deck.slide_height = Emu(theme.width), Emu(theme.height)
    deck.part._element.find(qn("p:sldSz")).attrib.pop("type", None)
    for layout in list(deck.slide_layouts):
        if layout.name not in (*LAYOUTS, TWO_TEXTS):
            deck.slide_layouts.remove(layout)
    master = deck.slide_master
    for page in (master, *deck.slide_layouts):
        for shape in page.placeholders:
            _stretch(shape, across, down)
    for head in master._element.iter(qn("p:titleStyle")):
        for line in head.iter(qn("a:lvl1pPr")):
            line.set("algn", "l")
    for name in (TITLE, SECTION):
        _set_leftward(deck.slide_layouts.get_by_name(name))
    darken_section(deck.slide_layouts.get_by_name(SECTION), theme.stage, theme.on_stage)
    make_quotation(deck.slide_layouts.get_by_name(TWO_TEXTS), theme.quoted)
    _set_theme(master.part.part_related_by(RELATIONSHIP_TYPE.THEME), theme)
    for element in deck.part._element.iter(qn("a:defRPr")):
        if element.get("lang"):
            element.set("lang", theme.language)
    _leave_out(deck)
    made = io.BytesIO()
    deck.save(made)
    return made.getvalue()


def _stretch(shape: Any, across: float, down: float) -> None:
    frame = shape._element.spPr.find(qn("a:xfrm"))
    if frame is None:
        return
    for name, factors in (("a:off", ("x", "y")), ("a:ext", ("cx", "cy"))):
        part = frame.find(qn(name))
        for key, factor in zip(factors, (across, down), strict=True):
            part.set(key, str(round(int(part.get(key)) * factor)))


def _set_leftward(layout: Any) -> None:
    """Align the lines of a layout at the left, without capitals."""
    for line in layout._element.iter():
        line.attrib.pop("algn", None)
        if line.tag == qn("a:defRPr"):
            line.attrib.pop("cap", None)


def _set_theme(part: Any, theme: DeckTheme) -> None:
    text = part.blob.decode()
    for name, color in theme.colors().items():
        text = re.sub(
            rf"<a:{name}>(?:(?!<a:{name}>).)*?</a:{name}>",
            f'<a:{name}><a:srgbClr val="{color}"/></a:{name}>',
            text,
            count=1,
        )
    for name, family in (("majorFont", theme.head), ("minorFont", theme.text)):
        face = NOT_IN_NAMES.sub("", family) or "Arial"
        latin = f'<a:latin typeface="{face}"{face_attributes(face)}/>'
        others = f'<a:ea typeface=""/><a:cs typeface="{complex_family(face)}"/>'
        old = rf'<a:{name}><a:latin [^>]*/><a:ea typeface=""/><a:cs typeface=""/>'
        text = re.sub(old, f"<a:{name}>{latin}{others}", text, count=1)
    text = re.sub(r'(<a:theme [^<>]*?name=")[^"]*', r"\1Curlew", text, count=1)
    text = re.sub(r'(<a:(?:clrScheme|fontScheme) name=")[^"]*', r"\1Curlew", text)
    part._blob = text.encode()


def _leave_out(deck: Any) -> None:
    """Remove parts of the library's default presentation: printer settings, thumbnail, program name."""
    package = deck.part.package
    for rels, ending in ((deck.part.rels, "printerSettings"), (package._rels, "thumbnail")):
        for key in [key for key, rel in rels.items() if rel.reltype.endswith(ending)]:
            rels.pop(key)
    package.part_related_by(RELATIONSHIP_TYPE.EXTENDED_PROPERTIES)._blob = APPLICATION.encode()
