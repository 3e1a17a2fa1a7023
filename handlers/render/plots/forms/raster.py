"""PNG and PDF of a drawn plot: packed pixels, vectors with embedded fonts, the same bytes each time."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pikepdf
import vl_convert
from PIL import Image

from handlers.render.plots.look.type_metrics import FOLDER, STACK

SCALES = (1, 2, 3)
EAST_ASIAN = re.compile(
    r"<text((?=[\s>])[^<>]*)>((?:(?!</?text[\s>]).)*?[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef])",
    re.DOTALL,
)
FAMILY_OF = re.compile(r' font-family="[^"]*"')
FACES = f'font-family="Noto Sans CJK SC, {STACK}"'
PAGE_SCALE = 3
"""Pixels for each of the drawing's, where a page is made of them: 216 to the inch."""


def png(svg: str, scale: int = 1) -> bytes:
    """The picture in pixels, `scale` of them for each of the drawing's."""
    _fonts()
    raw = vl_convert.svg_to_png(in_faces(svg), scale=float(scale))
    with Image.open(io.BytesIO(raw)) as image:
        opaque = image.mode != "RGBA" or image.getchannel("A").getextrema() == (255, 255)
        packed = io.BytesIO()
        (image.convert("RGB") if opaque else image).save(packed, "PNG", compress_level=6)
    return min(raw, packed.getvalue(), key=len)


def in_faces(svg: str) -> str:
    """The drawing with a face for texts of East Asia, whose letters are those of the usual one.

    The drawing library would set such a text in the first face that it finds, which may be a serif.
    """
    return EAST_ASIAN.sub(lambda text: f"<text{FAMILY_OF.sub('', text[1])} {FACES}>{text[2]}", svg)


def pdf(svg: str, title: str) -> bytes:
    """The picture as a page of vectors of its own size."""
    _fonts()
    svg = in_faces(svg)
    with _vectors(svg) or _pixels(svg) as document:
        _name_fonts(document)
        document.docinfo["/Title"] = title
        document.Root.Lang = pikepdf.String("en")
        document.Root.ViewerPreferences = pikepdf.Dictionary(DisplayDocTitle=True)
        made = io.BytesIO()
        # Objects packed into streams would keep the order in which they were found.
        document.save(made, deterministic_id=True, object_stream_mode=pikepdf.ObjectStreamMode.disable)
    return made.getvalue()


def _vectors(svg: str) -> pikepdf.Pdf | None:
    """The page that the drawing library makes; None where it cannot embed a face, as of emoji."""
    try:
        return pikepdf.open(io.BytesIO(vl_convert.svg_to_pdf(svg)))
    except RuntimeError as refusal:
        if "subsetting a font" not in str(refusal):
            raise
        return None


def _pixels(svg: str) -> pikepdf.Pdf:
    """A page of the same size that shows the picture in pixels, packed without loss."""
    with Image.open(io.BytesIO(vl_convert.svg_to_png(svg, scale=float(PAGE_SCALE)))) as drawn:
        ground = Image.new("RGB", drawn.size, "white")
        ground.paste(drawn, mask=drawn.getchannel("A") if "A" in drawn.getbands() else None)
    document = pikepdf.new()
    image = pikepdf.Stream(document, ground.tobytes())
    image.Type, image.Subtype = pikepdf.Name.XObject, pikepdf.Name.Image
    image.Width, image.Height = ground.size
    image.ColorSpace, image.BitsPerComponent = pikepdf.Name.DeviceRGB, 8
    width, height = (side / PAGE_SCALE for side in ground.size)
    page = document.add_blank_page(page_size=(width, height))
    page.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(I0=image))
    page.Contents = pikepdf.Stream(document, f"q {width:g} 0 0 {height:g} 0 0 cm /I0 Do Q".encode())
    return document


def _name_fonts(document: pikepdf.Pdf) -> None:
    """Name fonts by their faces, as the order in which they were found differs from run to run."""
    for stream, resources in list(_contents(document)):
        fonts = resources.get("/Font")
        if fonts is None:
            continue
        faces = sorted(fonts.items(), key=lambda item: str(item[1].BaseFont))
        names = {old: f"/F{index}" for index, (old, _) in enumerate(faces)}
        instructions = pikepdf.parse_content_stream(stream)
        renamed = [
            ([pikepdf.Name(names[str(one.operands[0])]), *list(one.operands)[1:]], one.operator)
            if str(one.operator) == "Tf"
            else one
            for one in instructions
        ]
        body = pikepdf.unparse_content_stream(renamed)
        target = stream.Contents if isinstance(stream, pikepdf.Page) else stream
        target.write(body)
        resources.Font = pikepdf.Dictionary({names[old]: font for old, font in faces})


def _contents(document: pikepdf.Pdf) -> Iterator[tuple[pikepdf.Page | pikepdf.Stream, Any]]:
    """Pages and drawings that are used by them, each with its resources."""
    for page in document.pages:
        yield page, page.resources
    for one in document.objects:
        if isinstance(one, pikepdf.Stream) and one.get("/Subtype") == "/Form" and "/Resources" in one:
            yield one, one.Resources


@cache
def _fonts() -> None:
    """Make the bundled typeface known to the drawing library, once a process."""
    vl_convert.register_font_directory(str(FOLDER))
