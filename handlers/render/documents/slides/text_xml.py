"""Text of slides in the markup of presentations (ECMA-376, DrawingML)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from xml.sax.saxutils import escape, quoteattr

from handlers.render.documents.slides.slide_shapes import ListMark, RunStyle, SlideParagraph, SlideRun
from handlers.render.plots.forms.font_faces import complex_family, face_attributes

EMU = 9525
"""English metric units of a pixel."""
POINT = 0.75
UNWRITABLE = re.compile("[^\t\n\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
LINKS = ("http://", "https://", "mailto:", "#")
NUMBER_FIELD = "{B6F15528-21DE-4FAA-801E-634DDDAF4B2B}"
LONGEST_RUN = 20_000
OWN_COLOR = (
    '<a:extLst><a:ext uri="{A12FA001-AC4F-418D-AE19-62706E023703}"><ahyp:hlinkClr '
    'xmlns:ahyp="http://schemas.microsoft.com/office/drawing/2018/hyperlinkcolor" val="tx"/>'
    "</a:ext></a:extLst>"
)
"""Says that a link keeps the colour of its words."""


@dataclass(frozen=True)
class TextWriter:
    """Writes paragraphs: `scale` of the page, `language`, colours and families by their place in the theme.

    `link` gives the name of the relation to an address and what a click does, or None.
    """

    scale: float
    language: str
    colors: dict[str, str]
    families: dict[str, str]
    link: Callable[[str], tuple[str, str] | None]

    def paragraphs(self, paragraphs: tuple[SlideParagraph, ...], left: float, right: float, role: str) -> str:
        """Paragraphs between two edges."""
        written, bottom = [], None
        for paragraph in paragraphs:
            gap = 0 if bottom is None else max(0.0, paragraph.box.y - bottom)
            written.append(self._paragraph(paragraph, left, right, gap, role))
            bottom = paragraph.box.bottom
        return "".join(written) or "<a:p/>"

    def color(self, color: str) -> str:
        """A colour, by its name in the theme if it has one."""
        name = self.colors.get(color)
        return f'<a:schemeClr val="{name}"/>' if name else f'<a:srgbClr val="{color}"/>'

    def fill(self, color: str) -> str:
        """A ground of one colour."""
        return f"<a:solidFill>{self.color(color)}</a:solidFill>"

    def size(self, pixels: float) -> int:
        """Pixels as hundredths of a point."""
        return round(pixels * POINT * self.scale * 100)

    def units(self, pixels: float) -> int:
        """Pixels as units of presentations."""
        return round(pixels * EMU * self.scale)

    @cached_property
    def _number(self) -> str:
        return f'<a:fld id="{NUMBER_FIELD}" type="slidenum">'

    def _paragraph(self, paragraph: SlideParagraph, left: float, right: float, gap: float, role: str) -> str:
        before = max(0.0, right - paragraph.box.right if paragraph.leftward else paragraph.box.x - left)
        mark = paragraph.mark
        first = -mark.hang if mark else paragraph.indent
        if before + first < 0:
            before = -first
        level = f' lvl="{min(8, paragraph.level)}"' if paragraph.level else ""
        sides = f' algn="{paragraph.side}" rtl="{int(paragraph.leftward)}"'
        place = f'marL="{self.units(before)}" indent="{self.units(first)}"{level}{sides}'
        line = min(158_400, self.size(paragraph.line))
        above = min(158_400, self.size(gap))
        spaces = (
            f'<a:lnSpc><a:spcPts val="{line}"/></a:lnSpc><a:spcBef><a:spcPts val="{above}"/></a:spcBef>'
            '<a:spcAft><a:spcPts val="0"/></a:spcAft>'
        )
        tabs = ""
        if any("\t" in run.text for run in paragraph.runs):
            tabs = f'<a:tabLst><a:tab pos="{self.units(right - left - before - 2)}" algn="r"/></a:tabLst>'
        runs = "".join(self._runs(paragraph.runs, role))
        return f"<a:p><a:pPr {place}>{spaces}{self._mark(mark)}{tabs}</a:pPr>{runs}</a:p>"

    def _mark(self, mark: ListMark | None) -> str:
        if mark is None:
            return "<a:buNone/>"
        color = f"<a:buClr>{self.color(mark.color)}</a:buClr>" if mark.color else ""
        if mark.number:
            start = min(32_767, max(1, mark.start))
            return f'{color}<a:buFontTx/><a:buAutoNum type="arabicPeriod" startAt="{start}"/>'
        return f"{color}<a:buFontTx/><a:buChar char={quoteattr(clean_text(mark.sign[:1]))}/>"

    def _runs(self, runs: tuple[SlideRun, ...], role: str) -> Iterator[str]:
        for run in runs:
            look = self._look(run.style)
            for index, line in enumerate(clean_text(run.text)[:LONGEST_RUN].split("\n")):
                if index:
                    yield f"<a:br>{look}</a:br>"
                if line and role == "number":
                    yield f"{self._number}{look}<a:t>{escape(line)}</a:t></a:fld>"
                elif line:
                    yield f"<a:r>{look}<a:t>{escape(line)}</a:t></a:r>"

    def _look(self, style: RunStyle) -> str:
        marks = [f'lang="{self.language}" sz="{min(400_000, max(100, self.size(style.size)))}"']
        marks.append(f'b="{int(style.bold)}" i="{int(style.italic)}"')
        marks += ['u="sng"'] * style.underlined + ['strike="sngStrike"'] * style.struck
        marks += [f'spc="{self.size(style.spacing)}"'] * bool(style.spacing)
        marks += [f'baseline="{style.shift * 1000}"'] * bool(style.shift)
        family = self.families.get(style.family, style.family)
        ground = f"<a:highlight>{self._plain(style.ground)}</a:highlight>" if style.ground else ""
        face = quoteattr(clean_text(family))
        own = family == style.family
        latin = f"<a:latin typeface={face}{face_attributes(family)}/>"
        others = complex_family(family) if own else family.replace("-lt", "-cs")
        inner = f"{self.fill(style.color)}{ground}{latin}<a:cs typeface={quoteattr(clean_text(others))}/>"
        link = self.link(style.address) if style.address.startswith(LINKS) else None
        if link is not None:
            inner += f'<a:hlinkClick r:id="{link[0]}"{link[1]}>{OWN_COLOR}</a:hlinkClick>'
        return f"<a:rPr {' '.join(marks)}>{inner}</a:rPr>"

    def _plain(self, color: str) -> str:
        return f'<a:srgbClr val="{color}"/>'


def clean_text(text: str) -> str:
    """Text without signs that XML cannot hold."""
    return UNWRITABLE.sub("", text)
