"""Text of slides, written with python-pptx; raw markup (ECMA-376, DrawingML) only where it has no API."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from xml.sax.saxutils import quoteattr

from pptx.dml.color import RGBColor
from pptx.enum.dml import MSO_THEME_COLOR
from pptx.enum.text import PP_ALIGN
from pptx.oxml import parse_xml
from pptx.oxml.ns import nsdecls, qn
from pptx.oxml.xmlchemy import OxmlElement
from pptx.text.text import Font, TextFrame
from pptx.util import Centipoints, Emu, Length

from handlers.render.documents.slides.slide_shapes import ListMark, RunStyle, SlideBox, SlideParagraph
from handlers.render.plots.forms.embedded_fonts import add_face, complex_family
from handlers.words.terminal_signs import xml_text

EMU = 9525
"""English Metric Units per pixel."""
POINT = 0.75
NUMBER_FIELD = "{B6F15528-21DE-4FAA-801E-634DDDAF4B2B}"
LONGEST_RUN, MOST_SPACE = 20_000, 158_400
OWN_COLOR = (
    f'<a:extLst {nsdecls("a")}><a:ext uri="{{A12FA001-AC4F-418D-AE19-62706E023703}}"><ahyp:hlinkClr '
    'xmlns:ahyp="http://schemas.microsoft.com/office/drawing/2018/hyperlinkcolor" val="tx"/>'
    "</a:ext></a:extLst>"
)
"""Extension by which a link keeps the colour of its words."""


@dataclass(frozen=True, slots=True)
class _LineSpace:
    """The height of a line, the space above it and before it, and the position of its tab."""

    height: Centipoints
    above: Centipoints
    before: Length
    first: Length
    tab: Length | None


@dataclass(frozen=True, slots=True)
class TextWriter:
    """Writes the texts of slides, with a page's `scale`, `language`, theme colours and families.

    `written` holds properties of runs, lines and cells that were written before, for all pages of a deck.
    """

    scale: float
    language: str
    colors: Mapping[str, str]
    families: Mapping[str, str]
    written: dict[Hashable, Any]

    def write(
        self,
        frame: TextFrame,
        paragraphs: Sequence[SlideParagraph],
        box: SlideBox,
        link: Callable[[Any, str], None],
        *,
        number: bool = False,
    ) -> None:
        """Write paragraphs between the edges of a box into an empty frame; a `number` is the slide's.

        `link` adds an address to the look of words.
        """
        line, bottom = frame.paragraphs[0], None
        for paragraph in paragraphs:
            line = line if bottom is None else frame.add_paragraph()
            self._set_line(line, paragraph, box, 0 if bottom is None else max(0.0, paragraph.box.y - bottom))
            for run in paragraph.runs:
                for piece in _add_words(line, xml_text(run.text)[:LONGEST_RUN]):
                    look = piece.get_or_add_rPr()
                    style = replace(run.style, address="")
                    self.set_properties(look, style, partial(self._set_look, look, style))
                    if run.style.address:
                        link(look, run.style.address)
                    if number and piece.tag == qn("a:r"):
                        piece.tag = qn("a:fld")
                        piece.attrib.update({"id": NUMBER_FIELD, "type": "slidenum"})
            bottom = paragraph.box.bottom

    def set_properties(self, element: Any, look: Hashable, write: Callable[[], object]) -> None:
        """Have `write` fill an empty element of properties, or copy the ones of an equal `look`.

        Most runs, lines and cells look like earlier ones, and the library needs a second for a thousand.
        """
        key = (element.tag, self.scale, look)
        if (before := self.written.get(key)) is not None:
            element.attrib.update(before.attrib)
            element.extend(list(deepcopy(before)))
            return
        write()
        self.written[key] = deepcopy(element)

    def paint(self, fill: Any, color: str) -> None:
        """Fill with a colour, by its name in the theme if it has one; "" means no fill."""
        if not color:
            fill.background()
            return
        fill.solid()
        if name := self.colors.get(color):
            fill.fore_color.theme_color = MSO_THEME_COLOR.from_xml(name)
        else:
            fill.fore_color.rgb = RGBColor.from_string(color)

    def color(self, color: str) -> str:
        """Return a colour in markup."""
        name = self.colors.get(color)
        return f'<a:schemeClr val="{name}"/>' if name else f'<a:srgbClr val="{color}"/>'

    def points(self, pixels: float, least: int = 0, most: int = MOST_SPACE) -> Centipoints:
        """Return a font size or line height in points."""
        return Centipoints(min(most, max(least, round(pixels * POINT * self.scale * 100))))

    def units(self, pixels: float) -> Length:
        """Return a size on the slide."""
        return Emu(round(pixels * EMU * self.scale))

    def _set_line(self, line: Any, paragraph: SlideParagraph, box: SlideBox, gap: float) -> None:
        own, leftward, mark = paragraph.box, paragraph.leftward, paragraph.mark
        first = -mark.hang if mark else paragraph.indent
        before = max(0.0, -first, box.right - own.right if leftward else own.x - box.x)
        has_tab = any("\t" in run.text for run in paragraph.runs)
        space = _LineSpace(
            self.points(paragraph.line),
            self.points(gap),
            self.units(before),
            self.units(first),
            self.units(box.width - before - 2) if has_tab else None,
        )
        look = (space, paragraph.side, paragraph.level, leftward, mark)
        self.set_properties(line._p.get_or_add_pPr(), look, partial(self._write_line, line, paragraph, space))

    def _write_line(self, line: Any, paragraph: SlideParagraph, space: _LineSpace) -> None:
        line.alignment, line.level = PP_ALIGN.from_xml(paragraph.side), min(8, paragraph.level)
        line.line_spacing, line.space_before = space.height, space.above
        line.space_after = Centipoints(0)
        rtl = str(int(paragraph.leftward))
        line._p.pPr.attrib.update({"marL": str(space.before), "indent": str(space.first), "rtl": rtl})
        tabs = ""
        if space.tab is not None:
            tabs = f'<a:tabLst><a:tab pos="{space.tab}" algn="r"/></a:tabLst>'
        mark = self._mark(paragraph.mark)
        line._p.pPr.extend(parse_xml(f"<a:pPr {nsdecls('a')}>{mark}{tabs}</a:pPr>"))

    def _mark(self, mark: ListMark | None) -> str:
        if mark is None:
            return "<a:buNone/>"
        color = f"<a:buClr>{self.color(mark.color)}</a:buClr>" if mark.color else ""
        if mark.number:
            start = min(32_767, max(1, mark.start))
            return f'{color}<a:buFontTx/><a:buAutoNum type="arabicPeriod" startAt="{start}"/>'
        return f"{color}<a:buFontTx/><a:buChar char={quoteattr(xml_text(mark.sign[:1]))}/>"

    def _set_look(self, look: Any, style: RunStyle) -> None:
        font = Font(look)
        font.size = self.points(style.size, 100, 400_000)
        font.bold, font.italic, font.underline = style.bold, style.italic, style.underlined or None
        look.set("lang", self.language)
        if style.struck:
            look.set("strike", "sngStrike")
        if style.spacing:
            look.set("spc", str(round(style.spacing * POINT * self.scale * 100)))
        if style.shift:
            look.set("baseline", str(style.shift * 1000))
        self.paint(font.fill, style.color)
        if style.ground:
            ground = f'<a:highlight {nsdecls("a")}><a:srgbClr val="{style.ground}"/></a:highlight>'
            look.append(parse_xml(ground))
        family = xml_text(self.families.get(style.family, style.family))
        font.name = family
        add_face(look.latin, family)
        others = OxmlElement("a:cs")
        own = family.startswith("+")
        others.set("typeface", family.replace("-lt", "-cs") if own else complex_family(family))
        look.append(others)


def _add_words(line: Any, text: str) -> Iterator[Any]:
    """Yield the added elements of a text: runs and line ends."""
    for index, words in enumerate(text.split("\n")):
        if index:
            line.add_line_break()
            yield line._p[-1]
        if words:
            run = line.add_run()
            run.text = words
            yield run._r
