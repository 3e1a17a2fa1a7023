"""Presentations: layouts, theme and fonts without slides, and a plot on a slide, native or as a picture."""

from __future__ import annotations

import io
import math
import re
import zipfile
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.enum.dml import MSO_THEME_COLOR
from pptx.enum.text import PP_ALIGN
from pptx.opc.constants import RELATIONSHIP_TYPE
from pptx.oxml import parse_xml
from pptx.oxml.ns import nsdecls, qn
from pptx.slide import Slide
from pptx.util import Emu, Pt

from handlers.render.plots.data.frame import Frame
from handlers.render.plots.forms.drawing import Look, describe, draw, png
from handlers.render.plots.forms.embedded_fonts import add_face, complex_family, face_attributes
from handlers.render.plots.forms.slide_chart import Box, add_chart
from handlers.render.plots.look.palette import LIGHT
from handlers.render.plots.look.type_metrics import FAMILY
from handlers.render.plots.shown.native_panels import NativePanel, NativePanels, native_panels
from handlers.render.plots.shown.shown_chart import shown_chart
from handlers.words.language import language, say
from handlers.words.plot import Plot
from handlers.words.terminal_signs import xml_text

QUOTATION = "Quotation"
LEFT, ACROSS = 64, 832
"""Left edge and width in points of the content of document slides, which are 960 wide."""
WIDE = 960
LINE = f"<a:defRPr {nsdecls('a')}"
WITHOUT_MARK = f"<a:buNone {nsdecls('a')}/>"


def darken_section(layout: Any, ground: str, ink: str) -> None:
    """Set the background of the layout of slides between chapters, and readable text on it."""
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
    """Change a layout of two texts into that of a quotation, with the source below."""
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
    """The size of slides in units, colours of paper and ink, and families of headings, text and quotations.

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
        """Return the colours of the theme by their names in XML."""
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


LEAST_POINTS, SMALLER = 12.0, 0.85
"""Smallest font size of panels in points, and their usual size as a share of that of a single chart."""
GAP = Pt(14)
LONGEST_NAME = 120


def add_panels(slide: Slide, charts: NativePanels, box: Box, points: float) -> Any:
    """Return the group of all panels in a box of a slide; their font size is about `points`, or smaller."""
    group = slide.shapes.add_group_shape()
    small = min(points, max(LEAST_POINTS, points * SMALLER))
    rows = math.ceil(len(charts.panels) / charts.columns)
    left, top, width, height = box
    wide = (width - (charts.columns - 1) * GAP) // charts.columns
    tall = (height - (rows - 1) * GAP) // rows
    for at, panel in enumerate(charts.panels):
        row, column = divmod(at, charts.columns)
        place = Emu(left + column * (wide + GAP)), Emu(top + row * (tall + GAP)), Emu(wide), Emu(tall)
        _add_panel(group, panel, place, small)
    return group


def _add_panel(group: Any, panel: NativePanel, box: Box, points: float) -> None:
    left, top, width, height = box
    head = Emu(min(height // 3, Pt(points * 1.6)))
    text = group.shapes.add_textbox(left, top, width, head).text_frame
    text.word_wrap = True
    text.margin_left = text.margin_right = text.margin_top = text.margin_bottom = 0
    text.text = xml_text(panel.name)[:LONGEST_NAME]
    text.paragraphs[0].alignment = PP_ALIGN.LEFT
    font = text.paragraphs[0].font
    font.size, font.bold, font.name = Pt(round(points, 1)), True, FAMILY
    font.color.rgb = RGBColor.from_string(LIGHT.ink[1:].upper())
    for latin in text.paragraphs[0]._p.iter(qn("a:latin")):
        add_face(latin, FAMILY)
    shape = add_chart(group, panel.chart, (left, Emu(top + head), width, Emu(height - head)), points)
    shape._element.nvGraphicFramePr.cNvPr.set("descr", xml_text(f"{panel.name}: {panel.words}"))


WIDTH, HEIGHT = Emu(12_192_000), Emu(6_858_000)
THEME = DeckTheme(WIDTH, HEIGHT, LIGHT.paper[1:].upper(), LIGHT.ink[1:].upper(), FAMILY, FAMILY)
"""The theme of presentations."""
MARGIN = Emu(609_600)
INNER = Emu(WIDTH - 2 * MARGIN)
UNITS, CLOSER = 9_525, 1.5
"""Units of a pixel, and the factor by which a picture is enlarged, so that its text is readable."""
MADE = datetime(2000, 1, 1)  # noqa: DTZ001
STAMPS = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
MOST_POINTS = 5_000
LONGEST_TITLE, LONGEST_LINE = 300, 600


def pptx(plot: Plot, frame: Frame) -> bytes:
    """Return a presentation of one slide: title, subtitle, chart, caption; equal plots have equal bytes."""
    deck = Presentation(io.BytesIO(blank_deck(THEME)))
    slide = deck.slides.add_slide(deck.slide_layouts.get_by_name("Title Only"))
    title = slide.shapes.title
    title.left, title.top, title.width, title.height = MARGIN, Emu(300_000), INNER, Emu(900_000)
    title.text_frame.text = xml_text(plot.words("title") or plot.name or "Plot")[:LONGEST_TITLE]
    title.text_frame.margin_left = title.text_frame.margin_right = 0
    head = title.text_frame.paragraphs[0]
    head.alignment, head.font.size, head.font.bold = PP_ALIGN.LEFT, Pt(28), True
    words = [" ".join(xml_text(plot.words(key)).split())[:LONGEST_LINE] for key in ("subtitle", "caption")]
    charts = slide_charts(plot, frame)
    top, bottom = Emu(1_300_000), Emu(HEIGHT - 400_000)
    if words[0]:
        _write(slide, words[0], Emu(1_120_000), 18)
        top = Emu(1_560_000)
    below = " · ".join(word for word in (words[1], *map(say, charts.notes)) if word) if charts else ""
    if below:  # a picture contains its caption
        bottom = Emu(bottom - 360_000)
        _write(slide, below, bottom, 12)
    place_chart(slide, plot, frame, (MARGIN, top, INNER, Emu(bottom - top)), charts=charts)
    slide.notes_slide.notes_text_frame.text = "\n".join(
        word for word in [xml_text(describe(plot, frame)), *words] if word
    )
    deck.core_properties.created = deck.core_properties.modified = MADE
    deck.core_properties.title = xml_text(plot.words("title") or plot.name)[:200]
    deck.core_properties.author = ""
    deck.core_properties.language = language().tag
    made = io.BytesIO()
    deck.save(made)
    return steady_zip(made.getvalue())


def slide_charts(plot: Plot, frame: Frame) -> NativePanels | None:
    """Return the native charts of a plot; None if the slide contains the picture."""
    return native_panels(shown_chart(plot, frame), MOST_POINTS)


def place_chart(
    slide: Slide, plot: Plot, frame: Frame, box: Box, points: float = 14, charts: NativePanels | None = None
) -> bool:
    """Place the plot into a box of a slide, in a font size in points; return whether it is native."""
    charts = charts or slide_charts(plot, frame)
    if charts is not None:
        alone = len(charts.panels) == 1 and not charts.panels[0].name
        made = add_chart(slide, charts.panels[0].chart, box, points) if alone else None
        shape = made or add_panels(slide, charts, box, points)
        next(shape._element.iter(qn("p:cNvPr"))).set("descr", xml_text(describe(plot, frame)))
        return True
    # The margin of a drawing is outside of the box, so that its text is aligned with that of the slide.
    width, height = (round(size / UNITS / CLOSER) for size in box[2:])
    look = Look(width=width, height=height, header=False)
    air = look.style().padding
    look = replace(look, width=width + 2 * air)
    drawn = draw(plot, look)
    left, wide = Emu(int(box[0] - air * UNITS * CLOSER)), Emu(int(look.width * UNITS * CLOSER))
    shape = slide.shapes.add_picture(io.BytesIO(png(drawn.svg, 4)), left, box[1], width=wide)
    if shape.height > box[3]:
        shape.width, shape.height = Emu(int(shape.width * box[3] / shape.height)), box[3]
        shape.left = Emu(box[0] + (box[2] - shape.width) // 2)
    shape._element.nvPicPr.cNvPr.set("descr", xml_text(drawn.description))
    return False


def _write(slide: Slide, words: str, top: Emu, size: float) -> None:
    """Write a line of text across the slide."""
    frame = slide.shapes.add_textbox(MARGIN, top, INNER, Emu(360_000)).text_frame
    frame.word_wrap, frame.margin_left, frame.margin_right = True, 0, 0
    frame.text = words
    font = frame.paragraphs[0].font
    font.size, font.color.theme_color = Pt(size), MSO_THEME_COLOR.TEXT_2


def steady_zip(archive: bytes) -> bytes:
    """Return the same archive with one time for all members, so that equal content has equal bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for name in sorted(old.namelist(), key=lambda name: (name != "[Content_Types].xml", name)):
            body = old.read(name)
            if name.endswith(".xlsx"):
                body = steady_zip(body)
            elif name == "docProps/core.xml":
                body = STAMPS.sub(b"2000-01-01T00:00:00Z", body)
            new.writestr(zipfile.ZipInfo(name, (2000, 1, 1, 0, 0, 0)), body, zipfile.ZIP_DEFLATED)
    return made.getvalue()
