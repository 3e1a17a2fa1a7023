"""Writes slides with python-pptx; raw markup (ECMA-376, PresentationML) only where it has no API."""

from __future__ import annotations

import io
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from pptx.enum.dml import MSO_LINE
from pptx.enum.shapes import MSO_SHAPE
from pptx.enum.text import MSO_AUTO_SIZE, MSO_VERTICAL_ANCHOR
from pptx.opc.constants import RELATIONSHIP_TYPE
from pptx.oxml import parse_xml
from pptx.oxml.ns import nsdecls, qn
from pptx.util import Emu, Length

from handlers.render.documents.slides.page_pieces import PagePieces
from handlers.render.documents.slides.slide_shapes import (
    ChartShape,
    ColorShape,
    PictureShape,
    RunStyle,
    SlideBox,
    SlideCell,
    SlidePage,
    SlideParagraph,
    SlideRun,
    SlideShape,
    TableShape,
    TextShape,
)
from handlers.render.documents.slides.slide_text import EMU, OWN_COLOR, TextWriter
from handlers.render.plots.data.type_columns import plot_frame
from handlers.render.plots.forms.slide import DeckTheme, place_chart
from handlers.render.plots.look.palette import LIGHT
from handlers.render.plots.look.style import style_of
from handlers.render.plots.look.type_metrics import FAMILY
from handlers.words.terminal_signs import xml_text

LONGEST_TITLE, LONGEST_ADDRESS, LONGEST_ALT, LONGEST_NOTE = 300, 2_000, 1_000, 8_000
MOST_LINKS = 500
FARTHEST = 2**31 - 1
HIDDEN = 18.0
"""Font size of an invisible title in pixels."""
LETTER = 0.5
"""Width of a letter as a share of its height."""
ROOM = 90.0
"""Pixels by which a short line may grow if the reader's font is wider."""
SCHEME = {"lt1": "bg1", "dk1": "tx1", "lt2": "bg2", "dk2": "tx2"}
PLACES = {"title": 0, "body": 1, "number": 12}
"""The indexes of placeholders in layouts, by the roles of texts."""
OUTSIDE = ("http://", "https://", "mailto:")
NO_STYLE = "{2D5ABB26-0587-4C30-8999-92F81FD0307C}"
DECORATION = (
    f'<a:extLst {nsdecls("a")}><a:ext uri="{{C183D7F6-B498-43B3-948B-1728B52AA6E4}}"><adec:decorative '
    'xmlns:adec="http://schemas.microsoft.com/office/drawing/2017/decorative" val="1"/></a:ext></a:extLst>'
)
"""Marks a shape as decorative, so that it is not read aloud."""


class SlideWriter:
    """Writes the slides of a presentation; `targets` are slides by the anchors on them."""

    def __init__(self, deck: Any, theme: DeckTheme, pieces: PagePieces, targets: Mapping[str, int]) -> None:
        self.deck, self.theme, self.pieces, self.targets = deck, theme, pieces, targets
        self.colors = {color: SCHEME.get(name, name) for name, color in reversed(theme.colors().items())}
        self.families = {theme.head: "+mj-lt", theme.text: "+mn-lt"}
        self.slides: list[Any] = []
        self.places: dict[str, dict[int, Any]] = {}
        self.written: dict[Hashable, Any] = {}

    def add_slides(self, layouts: Sequence[str]) -> None:
        """Add empty slides with their layouts, so that links may lead to any of them."""
        for name in layouts:
            layout = self.deck.slide_layouts.get_by_name(name)
            if name not in self.places:
                self.places[name] = {place.placeholder_format.idx: place for place in layout.placeholders}
            slide = self.deck.slides.add_slide(layout)
            for place in list(slide.placeholders):
                place.element.getparent().remove(place.element)  # `fill` adds the ones that the page uses
            self.slides.append(slide)

    def fill(self, number: int, page: SlidePage, *, whole: bool, spoken: str = "") -> None:
        """Write a page into its slide, as a picture if `whole`; its words replace missing speaker notes."""
        slide = self.slides[number]
        writer = _PageWriter(self, slide, page)
        if page.color != self.theme.ground(slide.slide_layout.name):
            writer.text.paint(slide.background.fill, page.color)
        if whole:
            box = SlideBox(0, 0, page.width, page.height)
            writer.add_picture(self.pieces.page(number), box, page.words or page.title)
        else:
            for shape in page.shapes:
                writer.add(shape, number)
        if whole or not any(isinstance(shape, TextShape) and shape.role == "title" for shape in page.shapes):
            writer.add(_hidden_title(page, self.theme.head, writer.above), number)
        self._add_notes(slide, spoken or page.words or page.title)

    def _add_notes(self, slide: Any, words: str) -> None:
        frame = slide.notes_slide.notes_text_frame
        frame.text = xml_text(words)[:LONGEST_NOTE]
        for run in frame._txBody.iter(qn("a:r")):
            run.get_or_add_rPr().set("lang", self.theme.language)


class _PageWriter:
    """Writes the shapes of a page in the middle of its slide."""

    def __init__(self, deck: SlideWriter, slide: Any, page: SlidePage) -> None:
        self.deck, self.slide, self.shapes = deck, slide, slide.shapes
        self.shapes.turbo_add_enabled = True  # else the library searches the slide for each new number
        theme = deck.theme
        scale = min(theme.width / (page.width * EMU), theme.height / (page.height * EMU))
        scale = 1.0 if abs(scale - 1) < 0.002 else scale
        self.left, self.top = (
            max(0, round((room - size * EMU * scale) / 2))
            for room, size in ((theme.width, page.width), (theme.height, page.height))
        )
        self.text = TextWriter(scale, theme.language, deck.colors, deck.families, deck.written)
        self.above = self.top / (EMU * scale)
        self.places = deck.places[slide.slide_layout.name]

    def add(self, shape: SlideShape, number: int) -> None:
        """Add a shape; `number` is the page's number."""
        match shape:
            case TextShape():
                self._add_text(_with_room(shape))
            case ColorShape():
                self._add_area(shape)
            case TableShape():
                self._add_table(shape)
            case ChartShape():
                self._add_chart(shape)
            case PictureShape():
                if body := self.deck.pieces.picture(number, shape):
                    self.add_picture(body, shape.box, shape.alt, shape.address)

    def add_picture(self, body: bytes, box: SlideBox, alt: str, address: str = "") -> None:
        """Add a picture that links to an address."""
        picture = self.shapes.add_picture(io.BytesIO(body), *self._place(box))
        _describe(picture, alt)
        if address.startswith(OUTSIDE):
            picture.click_action.hyperlink.address = xml_text(address)[:LONGEST_ADDRESS]

    def _place(self, box: SlideBox) -> tuple[Length, Length, Length, Length]:
        """Return left, top, width and height on the slide."""
        x, y, width, height = (self.text.units(size) for size in (box.x, box.y, box.width, box.height))
        place = self.left + x, self.top + y, max(1, width), max(1, height)
        left, top, wide, tall = (Emu(min(max(size, -FARTHEST), FARTHEST)) for size in place)
        return left, top, wide, tall

    def _add_text(self, shape: TextShape) -> None:
        place = self._place(shape.box)
        holder = self.places.get(PLACES.get(shape.role, -1))
        if holder is None:
            made = self.shapes.add_textbox(*place)
        else:
            self.shapes.clone_placeholder(holder)
            made = self.shapes[-1]
            made.left, made.top, made.width, made.height = place
        frame = made.text_frame
        balanced = any(paragraph.balanced for paragraph in shape.paragraphs)
        frame.word_wrap = True
        frame.auto_size = MSO_AUTO_SIZE.TEXT_TO_FIT_SHAPE if balanced else MSO_AUTO_SIZE.NONE
        frame.margin_left = frame.margin_top = frame.margin_right = frame.margin_bottom = 0
        frame.vertical_anchor = MSO_VERTICAL_ANCHOR.TOP
        self.text.write(frame, shape.paragraphs, shape.box, self._link, number=shape.role == "number")

    def _add_area(self, shape: ColorShape) -> None:
        shortest = min(shape.box.width, shape.box.height)
        is_round = shape.radius >= 1 and shortest > 2
        form = MSO_SHAPE.ROUNDED_RECTANGLE if is_round else MSO_SHAPE.RECTANGLE
        made = self.shapes.add_shape(form, *self._place(shape.box))
        made._element.remove(made._element.find(qn("p:style")))
        made._element._nvXxPr.cNvPr.append(parse_xml(DECORATION))
        if is_round:
            made.adjustments[0] = min(0.5, shape.radius / shortest)
        self.text.paint(made.fill, "" if shape.edge else shape.color)
        self.text.paint(made.line.fill, shape.color if shape.edge else "")
        if shape.edge:
            made.line.width = self.text.units(shape.edge)
        if shape.dashed:
            made.line.dash_style = MSO_LINE.DASH

    def _add_table(self, shape: TableShape) -> None:
        made = self.shapes.add_table(len(shape.rows), len(shape.widths), *self._place(shape.box))
        head = "; ".join(" ".join(p.words for p in cell.paragraphs) for cell in shape.rows[0])
        _describe(made, f"Table of {len(shape.rows) - 1} rows: {head}")
        made.table.horz_banding = False
        # The library would sum all columns for each column, and list all rows for each row.
        table = made.table._tbl
        table.tblPr.find(qn("a:tableStyleId")).text = NO_STYLE
        for column, width in zip(table.tblGrid.gridCol_lst, shape.widths, strict=True):
            column.w = self.text.units(width)
        for row, height in zip(table.tr_lst, shape.heights, strict=True):
            row.h = self.text.units(height)
        cells = (cell for row in shape.rows for cell in row)
        for place, cell in zip(made.table.iter_cells(), cells, strict=True):
            self._fill_cell(place, cell)

    def _fill_cell(self, place: Any, cell: SlideCell) -> None:
        air = _with_air(cell)
        look = (air, cell.anchor, cell.edges, cell.color)
        properties = place._tc.get_or_add_tcPr()
        self.text.set_properties(properties, look, partial(self._set_cell, place, cell, air))
        box = cell.paragraphs[0].box if cell.paragraphs else SlideBox(0, 0, 0, 0)
        self.text.write(place.text_frame, cell.paragraphs, box, self._link)

    def _set_cell(self, place: Any, cell: SlideCell, air: Sequence[float]) -> None:
        edges = map(self.text.units, air)
        place.margin_left, place.margin_top, place.margin_right, place.margin_bottom = edges
        place.vertical_anchor = MSO_VERTICAL_ANCHOR.from_xml(cell.anchor)
        for edge in cell.edges:
            width, fill = self.text.units(edge.width), self.text.color(edge.color)
            name, inner = f"a:ln{edge.side}", f"<a:solidFill>{fill}</a:solidFill>"
            line = f'<{name} {nsdecls("a")} w="{width}">{inner}</{name}>'
            place._tc.tcPr.append(parse_xml(line))
        self.text.paint(place.fill, cell.color)

    def _add_chart(self, shape: ChartShape) -> None:
        texts, box, points = _chart_parts(shape)
        for text in texts:
            self._add_text(text)
        frame = plot_frame(shape.plot)
        place_chart(self.slide, shape.plot, frame, self._place(box), points * self.text.scale)
        self.shapes.turbo_add_enabled = True  # continue after the numbers of panels
        _describe(self.shapes[-1], shape.alt)

    def _link(self, look: Any, address: str) -> None:
        """Link words to an address: `#` and an anchor, or an external one."""
        part, slides = self.slide.part, self.deck.slides
        target = self.deck.targets.get(address, -1)
        if len(part.rels) > MOST_LINKS:
            return
        if 0 <= target < len(slides):
            link = look.add_hlinkClick(part.relate_to(slides[target].part, RELATIONSHIP_TYPE.SLIDE))
            link.set("action", "ppaction://hlinksldjump")
        elif address.startswith(OUTSIDE):
            outside = xml_text(address)[:LONGEST_ADDRESS]
            link = look.add_hlinkClick(part.relate_to(outside, RELATIONSHIP_TYPE.HYPERLINK, is_external=True))
        else:
            return
        link.append(parse_xml(OWN_COLOR))


def _describe(shape: Any, alt: str) -> None:
    shape._element._nvXxPr.cNvPr.set("descr", xml_text(alt)[:LONGEST_ALT])


def _hidden_title(page: SlidePage, family: str, above: float) -> TextShape:
    """Return a title above the slide, `above` pixels from the page: only for outlines and screen readers."""
    words = " ".join(page.title.split())[:LONGEST_TITLE]
    box = SlideBox(0, -above - 8 * HIDDEN, page.width, 7 * HIDDEN)
    run = SlideRun(words, RunStyle(family, HIDDEN, page.ink, bold=True))
    return TextShape(box, (SlideParagraph((run,), box, 1.3 * HIDDEN, 1),), "title")


def _with_room(shape: TextShape) -> TextShape:
    """Return a short line of text with more room on its free side."""
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
    """Return the padding of a cell, reduced by the space that a wider font may need."""
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


def _chart_parts(shape: ChartShape) -> tuple[list[TextShape], SlideBox, float]:
    """Return the texts around a chart, the area between them, and the font size of its labels."""
    style = style_of(shape.drawn, "light")
    share = shape.box.width / max(1, shape.drawn)
    pad = style.padding * share
    x, top, bottom = shape.box.x + pad, shape.box.y, shape.box.bottom - pad / 2
    width, texts = max(10.0, shape.box.width - 2 * pad), []
    heads = {"title": style.title * share, "subtitle": style.subtitle * share} if shape.title else {}
    if head := _chart_words(shape, heads, x, top + pad / 2, width):
        texts.append(head)
        top = head.box.bottom + pad / 4
    feet = {"caption": style.source * share} if shape.caption else {}
    if foot := _chart_words(shape, feet, x, 0, width):
        place = replace(foot.box, y=bottom - foot.box.height)
        texts.append(TextShape(place, (replace(foot.paragraphs[0], box=place),)))
        bottom = place.y - pad / 4
    return texts, SlideBox(x, top, width, max(40.0, bottom - top)), style.label * share * 0.75


def _chart_words(
    shape: ChartShape, sizes: Mapping[str, float], x: float, top: float, width: float
) -> TextShape | None:
    """Return settings of a chart as a text of paragraphs, in these font sizes."""
    lines, y = [], top
    for key, size in sizes.items():
        if words := shape.plot.words(key)[:LONGEST_TITLE]:
            rows = 1 + int(len(words) * size * LETTER / width)
            color = LIGHT.ink if key == "title" else LIGHT.quiet
            run = SlideRun(words, RunStyle(FAMILY, size, color[1:].upper(), bold=key == "title"))
            lines.append(SlideParagraph((run,), SlideBox(x, y, width, 1.3 * size * rows), 1.3 * size, rows))
            y = lines[-1].box.bottom
    return TextShape(SlideBox(x, top, width, y - top), tuple(lines)) if lines else None
