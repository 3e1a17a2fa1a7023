"""Shapes of slides in the markup of presentations (ECMA-376, PresentationML)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from xml.sax.saxutils import quoteattr

from handlers.render.documents.slides.slide_shapes import (
    CellEdge,
    ColorShape,
    SlideBox,
    SlideCell,
    TableShape,
    TextShape,
)
from handlers.render.documents.slides.text_xml import TextWriter, clean_text
from handlers.render.plots.forms.deck_theme import CONTENT, SECTION, TITLE

NAMES = " ".join(
    f'xmlns:{prefix}="http://schemas.openxmlformats.org/{name}"'
    for prefix, name in (
        ("a", "drawingml/2006/main"),
        ("r", "officeDocument/2006/relationships"),
        ("p", "presentationml/2006/main"),
    )
)
PLACES = {
    "title": ("Title", '<p:ph type="title"/>'),
    "body": ("Text", '<p:ph idx="1"/>'),
    "number": ("Slide Number", '<p:ph type="sldNum" sz="quarter" idx="12"/>'),
}
OF_LAYOUT = {
    TITLE: {
        "title": ("Title", '<p:ph type="ctrTitle"/>'),
        "body": ("Text", '<p:ph type="subTitle" idx="1"/>'),
    },
    SECTION: {"body": ("Text", '<p:ph type="body" idx="1"/>')},
}
"""The places that layouts have of their own."""
TABLE = "http://schemas.openxmlformats.org/drawingml/2006/table"
NO_STYLE = "{2D5ABB26-0587-4C30-8999-92F81FD0307C}"
DECORATION = (
    '<a:extLst><a:ext uri="{C183D7F6-B498-43B3-948B-1728B52AA6E4}"><adec:decorative '
    'xmlns:adec="http://schemas.microsoft.com/office/drawing/2017/decorative" val="1"/></a:ext></a:extLst>'
)
"""Says that a shape is nothing to be read aloud."""
ROOM = 90.0
"""Pixels that a short line has to grow, if its reader's letters are wider."""


@dataclass(frozen=True, slots=True)
class ShapeWriter:
    """Writes shapes; `left` and `top` are units by which a page lies within its slide."""

    text: TextWriter
    left: int = 0
    top: int = 0
    layout: str = CONTENT

    def write(self, number: int, shape: TextShape | ColorShape | TableShape) -> str:
        """A shape with its number on the slide."""
        match shape:
            case TextShape():
                return self._text(number, shape)
            case ColorShape():
                return self._color(number, shape)
            case TableShape():
                return self._table(number, shape)

    def place(self, box: SlideBox) -> tuple[int, int, int, int]:
        """Left, top, width and height in units."""
        units = self.text.units
        return (
            self.left + units(box.x),
            self.top + units(box.y),
            max(1, units(box.width)),
            max(1, units(box.height)),
        )

    def _text(self, number: int, shape: TextShape) -> str:
        name, holder = {**PLACES, **OF_LAYOUT.get(self.layout, {})}.get(shape.role, ("Text", ""))
        kind = '<p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr>' if holder else '<p:cNvSpPr txBox="1"/>'
        shape = _with_room(shape)
        box = shape.box
        words = self.text.paragraphs(shape.paragraphs, box.x, box.right, shape.role)
        body = (
            '<a:bodyPr wrap="square" lIns="0" tIns="0" rIns="0" bIns="0" anchor="t"><a:noAutofit/></a:bodyPr>'
        )
        return (
            f'<p:sp {NAMES}><p:nvSpPr><p:cNvPr id="{number}" name="{name} {number}"/>{kind}'
            f"<p:nvPr>{holder}</p:nvPr></p:nvSpPr><p:spPr>{self._frame(box)}"
            f'<a:prstGeom prst="rect"><a:avLst/></a:prstGeom><a:noFill/></p:spPr>'
            f"<p:txBody>{body}<a:lstStyle/>{words}</p:txBody></p:sp>"
        )

    def _color(self, number: int, shape: ColorShape) -> str:
        fill, line = self.text.fill(shape.color), "<a:ln><a:noFill/></a:ln>"
        if shape.edge:
            dash = '<a:prstDash val="dash"/>' if shape.dashed else ""
            fill, line = "<a:noFill/>", f'<a:ln w="{self.text.units(shape.edge)}">{fill}{dash}</a:ln>'
        form, shortest = "rect", min(shape.box.width, shape.box.height)
        rounding = "<a:avLst/>"
        if shape.radius >= 1 and shortest > 2:
            share = min(50_000, round(100_000 * shape.radius / shortest))
            form, rounding = "roundRect", f'<a:avLst><a:gd name="adj" fmla="val {share}"/></a:avLst>'
        return (
            f'<p:sp {NAMES}><p:nvSpPr><p:cNvPr id="{number}" name="Area {number}">{DECORATION}</p:cNvPr>'
            f"<p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr>{self._frame(shape.box)}"
            f'<a:prstGeom prst="{form}">{rounding}</a:prstGeom>{fill}{line}</p:spPr></p:sp>'
        )

    def _table(self, number: int, shape: TableShape) -> str:
        units = self.text.units
        columns = "".join(f'<a:gridCol w="{units(width)}"/>' for width in shape.widths)
        rows = "".join(
            f'<a:tr h="{units(height)}">{"".join(self._cell(cell) for cell in row)}</a:tr>'
            for row, height in zip(shape.rows, shape.heights, strict=True)
        )
        head = "; ".join(" ".join(p.words for p in cell.paragraphs) for cell in shape.rows[0])
        alt = quoteattr(clean_text(f"Table of {len(shape.rows) - 1} rows: {head}")[:1_000])
        x, y, width, height = self.place(shape.box)
        return (
            f"<p:graphicFrame {NAMES}><p:nvGraphicFramePr>"
            f'<p:cNvPr id="{number}" name="Table {number}" descr={alt}/>'
            '<p:cNvGraphicFramePr><a:graphicFrameLocks noGrp="1"/></p:cNvGraphicFramePr><p:nvPr/>'
            "</p:nvGraphicFramePr>"
            f'<p:xfrm><a:off x="{x}" y="{y}"/><a:ext cx="{width}" cy="{height}"/></p:xfrm>'
            f'<a:graphic><a:graphicData uri="{TABLE}"><a:tbl><a:tblPr firstRow="1">'
            f"<a:tableStyleId>{NO_STYLE}</a:tableStyleId></a:tblPr>"
            f"<a:tblGrid>{columns}</a:tblGrid>{rows}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
        )

    def _cell(self, cell: SlideCell) -> str:
        units = self.text.units
        left, top, right, bottom = _with_air(cell)
        first = cell.paragraphs[0].box.x if cell.paragraphs else 0
        last = cell.paragraphs[0].box.right if cell.paragraphs else 0
        words = self.text.paragraphs(cell.paragraphs, first, last, "")
        margins = f'marL="{units(left)}" marR="{units(right)}" marT="{units(top)}" marB="{units(bottom)}"'
        fill = self.text.fill(cell.color) if cell.color else "<a:noFill/>"
        return (
            f"<a:tc><a:txBody><a:bodyPr/><a:lstStyle/>{words}</a:txBody>"
            f'<a:tcPr {margins} anchor="{cell.anchor}">{"".join(self._edges(cell))}{fill}</a:tcPr></a:tc>'
        )

    def _edges(self, cell: SlideCell) -> Iterator[str]:
        edges: dict[str, CellEdge] = {edge.side: edge for edge in cell.edges}
        for side in "LRTB":
            edge = edges.get(side)
            width = self.text.units(edge.width) if edge else 0
            fill = self.text.fill(edge.color) if edge else "<a:noFill/>"
            yield f'<a:ln{side} w="{width}">{fill}</a:ln{side}>'

    def _frame(self, box: SlideBox) -> str:
        x, y, width, height = self.place(box)
        return f'<a:xfrm><a:off x="{x}" y="{y}"/><a:ext cx="{width}" cy="{height}"/></a:xfrm>'


def _with_room(shape: TextShape) -> TextShape:
    """A text that has room on its free side, if it is a short line."""
    box = shape.box
    if box.width >= ROOM or len(shape.paragraphs) != 1:
        return shape
    (line,) = shape.paragraphs
    side = "r" if shape.role in ("number", "edge") and box.x > ROOM else line.side
    more = ROOM - box.width
    shift = {"r": more, "ctr": more / 2}.get(side, 0.0)
    wide = SlideBox(box.x - shift, box.y, ROOM, box.height)
    return replace(shape, box=wide, paragraphs=(replace(line, box=wide, side=side),))


def _with_air(cell: SlideCell) -> tuple[float, float, float, float]:
    """The padding of a cell, into which words of one line may reach in letters that are wider than these."""
    left, top, right, bottom = cell.padding
    if not cell.paragraphs or any(one.lines > 1 or one.mark for one in cell.paragraphs):
        return cell.padding
    match cell.paragraphs[0].side, cell.paragraphs[0].leftward:
        case ("ctr", _):
            air = min(left, right)
            return left - air, top, right - air, bottom
        case ("r", False) | ("l", True):
            return 0, top, right, bottom
    return left, top, 0, bottom
