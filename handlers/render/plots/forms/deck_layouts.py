"""Layouts of decks that look like the slides of documents: the dark one between chapters, and quotations."""

from __future__ import annotations

from typing import Any

from pptx.oxml import parse_xml
from pptx.oxml.ns import nsdecls, qn
from pptx.util import Pt

QUOTATION = "Quotation"
LEFT, ACROSS = 64, 832
"""Points of the left edge and of the width of slides of documents, which are 960 wide."""
WIDE = 960
LINE = f"<a:defRPr {nsdecls('a')}"
WITHOUT_MARK = f"<a:buNone {nsdecls('a')}/>"


def darken_section(layout: Any, ground: str, ink: str) -> None:
    """Give the layout of slides between chapters a ground of its own, and letters that are read on it."""
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
    """Turn a layout of two texts into that of a quotation, with the one who said it below."""
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
    """Set a text at the left edge, by points of a slide of documents."""
    deck = layout.part.package.presentation_part.presentation
    point = deck.slide_width / Pt(WIDE)
    sizes = (Pt(size) for size in (LEFT, top, ACROSS, height))
    place.left, place.top, place.width, place.height = (round(size * point) for size in sizes)
    place._element.txBody.bodyPr.set("anchor", anchor)


def _first_line(place: Any) -> Any:
    """The look of the first level of a text."""
    return next(place._element.iter(qn("a:lvl1pPr")))
