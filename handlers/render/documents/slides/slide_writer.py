"""Writes slides: shapes in order, pictures and charts with their files, notes, links between slides."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pptx.opc.constants import RELATIONSHIP_TYPE
from pptx.oxml import parse_xml
from pptx.oxml.ns import qn
from pptx.util import Emu

from handlers.render.documents.slides.chart_words import chart_parts
from handlers.render.documents.slides.page_pieces import PagePieces
from handlers.render.documents.slides.shape_xml import NAMES, ShapeWriter
from handlers.render.documents.slides.slide_parts import add_empty_slide, add_notes
from handlers.render.documents.slides.slide_shapes import (
    ChartShape,
    PictureShape,
    RunStyle,
    SlideBox,
    SlidePage,
    SlideParagraph,
    SlideRun,
    SlideShape,
    TextShape,
)
from handlers.render.documents.slides.text_xml import EMU, TextWriter, clean_text
from handlers.render.plots.data.type_columns import plot_frame
from handlers.render.plots.forms.deck_theme import DeckTheme
from handlers.render.plots.forms.slide import place_chart

LONGEST_TITLE, LONGEST_ADDRESS = 300, 2_000
MOST_LINKS = 500
HIDDEN = 18.0
"""Pixels of the letters of a title that no one sees."""
SCHEME = {"lt1": "bg1", "dk1": "tx1", "lt2": "bg2", "dk2": "tx2"}
JUMP = ' action="ppaction://hlinksldjump"'


class SlideWriter:
    """Writes the slides of a deck; `targets` are slides by the addresses of their anchors."""

    def __init__(self, deck: Any, theme: DeckTheme, pieces: PagePieces, targets: Mapping[str, int]) -> None:
        self.deck, self.theme, self.pieces, self.targets = deck, theme, pieces, targets
        self.colors = {color: SCHEME.get(name, name) for name, color in reversed(theme.colors().items())}
        self.families = {theme.head: "+mj-lt", theme.text: "+mn-lt"}
        self.slides: list[Any] = []

    def add_slides(self, layouts: Sequence[str]) -> None:
        """Slides without anything, each of a layout, so that links may lead to any of them."""
        for name in layouts:
            self.slides.append(add_empty_slide(self.deck, self.deck.slide_layouts.get_by_name(name)))

    def fill(self, number: int, page: SlidePage, *, whole: bool, spoken: str = "") -> None:
        """Set a page into its slide, as a picture if `whole`, with what is said to it or its own words."""
        slide = self.slides[number]
        scale = min(self.theme.width / (page.width * EMU), self.theme.height / (page.height * EMU))
        scale = 1.0 if abs(scale - 1) < 0.002 else scale
        left, top = (
            max(0, round((room - size * EMU * scale) / 2))
            for room, size in ((self.theme.width, page.width), (self.theme.height, page.height))
        )
        text = TextWriter(scale, self.theme.language, self.colors, self.families, _linker(self, slide))
        writer = ShapeWriter(text, left, top, slide.slide_layout.name)
        if page.color != self.theme.ground(slide.slide_layout.name):
            _set_ground(slide, text.fill(page.color))
        if whole:
            box = SlideBox(0, 0, page.width, page.height)
            self._picture(slide, writer, self.pieces.page(number), box, page.words or page.title)
        else:
            for shape in page.shapes:
                self._shape(slide, writer, shape, number)
        if whole or not any(isinstance(shape, TextShape) and shape.role == "title" for shape in page.shapes):
            self._add(slide, writer, _hidden_title(page, self.theme.head))
        add_notes(self.deck, slide, number, spoken or page.words or page.title, self.theme.language)

    def _shape(self, slide: Any, writer: ShapeWriter, shape: SlideShape, number: int) -> None:
        if isinstance(shape, PictureShape):
            if body := self.pieces.picture(number, shape):
                self._picture(slide, writer, body, shape.box, shape.alt, shape.address)
        elif isinstance(shape, ChartShape):
            head, box, foot, points = chart_parts(shape)
            for text in (head, foot):
                if text is not None:
                    self._add(slide, writer, text)
            places = tuple(Emu(size) for size in writer.place(box))
            frame = plot_frame(shape.plot)
            place_chart(slide, shape.plot, frame, places, points * writer.text.scale)
            drawn = slide.shapes[-1]._element
            next(drawn.iter(qn("p:cNvPr"))).set("descr", clean_text(shape.alt))
        else:
            self._add(slide, writer, shape)

    def _add(self, slide: Any, writer: ShapeWriter, shape: Any) -> None:
        tree = slide.shapes._spTree
        tree.append(parse_xml(writer.write(len(tree) + 2, shape)))

    def _picture(
        self, slide: Any, writer: ShapeWriter, body: bytes, box: SlideBox, alt: str, address: str = ""
    ) -> None:
        picture = slide.shapes.add_picture(io.BytesIO(body), *(Emu(size) for size in writer.place(box)))
        picture._element.nvPicPr.cNvPr.set("descr", clean_text(alt)[:1_000])
        if address.startswith(("http://", "https://", "mailto:")):
            picture.click_action.hyperlink.address = clean_text(address)[:LONGEST_ADDRESS]


def _linker(writer: SlideWriter, slide: Any) -> Callable[[str], tuple[str, str] | None]:
    """The function that names the relation of a slide to an address."""
    known: dict[str, tuple[str, str] | None] = {}

    def link(address: str) -> tuple[str, str] | None:
        if address not in known:
            known[address] = _relation(address) if len(known) < MOST_LINKS else None
        return known[address]

    def _relation(address: str) -> tuple[str, str] | None:
        if address.startswith("#"):
            target = writer.targets.get(address, -1)
            if not 0 <= target < len(writer.slides):
                return None
            return slide.part.relate_to(writer.slides[target].part, RELATIONSHIP_TYPE.SLIDE), JUMP
        outside = clean_text(address)[:LONGEST_ADDRESS]
        return slide.part.relate_to(outside, RELATIONSHIP_TYPE.HYPERLINK, is_external=True), ""

    return link


def _set_ground(slide: Any, fill: str) -> None:
    ground = f"<p:bg {NAMES}><p:bgPr>{fill}<a:effectLst/></p:bgPr></p:bg>"
    slide._element.cSld.insert(0, parse_xml(ground))


def _hidden_title(page: SlidePage, family: str) -> TextShape:
    """A title above the slide, where outlines and screen readers find it and nobody else."""
    words = " ".join(page.title.split())[:LONGEST_TITLE]
    box = SlideBox(0, -3 * HIDDEN, page.width, 2 * HIDDEN)
    run = SlideRun(words, RunStyle(family, HIDDEN, page.ink, bold=True))
    return TextShape(box, (SlideParagraph((run,), box, 1.3 * HIDDEN, 1),), "title")
