"""Pictures of mails: all as pixels at twice their size, as mail programs do not draw SVG."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, field
from hashlib import sha256

from PIL import Image, ImageOps

from handlers.render.documents.pages.formulas import DrawnFormula
from handlers.render.documents.pages.media import INK, picture_size
from handlers.render.output_room import MOST_PICTURED
from handlers.render.plots.forms.drawing import png
from handlers.render.plots.forms.embedded_fonts import without_fonts
from handlers.words.document_parts import AssetPart, in_base64
from handlers.words.mail_message import MailPicture

SCALE = 2
EM = 17
"""Font size of text in pixels."""
MOST_BYTES = 12 * 1024 * 1024
"""Most bytes of a mail's pictures: relays seldom accept more than 25 MB, and base64 adds a third."""
SIZE = re.compile(r'width="(\d+)" height="(\d+)" viewBox="0 0 \1 \2"')
"""The size of a drawing of this server, as its first element has it."""
KEPT = frozenset({"image/png", "image/jpeg", "image/gif"})
"""Media types that every mail program shows."""


@dataclass(slots=True)
class PictureStore:
    """Pictures of a message, each stored once.

    With `inlined` they are in the page itself, for reading in a browser; else they are attached.
    """

    inlined: bool = False
    pictures: dict[str, MailPicture] = field(default_factory=dict)
    room: int = MOST_PICTURED

    def chart(self, svg: str, width: int, air: int = 0, *, enlarged: bool = False) -> MailPicture | None:
        """Return a chart in pixels without the margins at its sides, or None if the mail would be too large.

        It has its own size unless it is `enlarged`.
        """
        scale = SCALE + enlarged
        body = png(_without_air(without_fonts(svg), air), scale)
        with Image.open(io.BytesIO(body)) as image:
            across, down = image.size
        shown = width if enlarged else min(width, across // scale)
        return self._add(body, "image/png", shown, round(down * shown / across))

    def asset(self, part: AssetPart, width: int, room: int) -> MailPicture | None:
        """Return a picture of a user, `width` or its own pixels wide, but never wider than the room."""
        across, down = picture_size(part)
        if not across:
            shown = min(width or room, room)
            return self.chart(part.body.decode("utf-8", "replace"), shown)
        shown = min(width or across, room)
        part = _shrunk(part, shown * SCALE)
        return self._add(part.body, part.media, shown, max(1, round(down * shown / across)))

    def portrait(self, part: AssetPart, width: int) -> MailPicture | None:
        """Return the middle of a picture as a square; None for a drawing and beyond the mail's size limit."""
        if not all(picture_size(part)):
            return None
        with Image.open(io.BytesIO(part.body)) as image:
            square = ImageOps.fit(image.convert("RGB"), (width * SCALE, width * SCALE))
        made = io.BytesIO()
        square.save(made, "PNG", compress_level=6)
        return self._add(made.getvalue(), "image/png", width, width)

    def formula(self, drawn: DrawnFormula, mode: str) -> MailPicture | None:
        """Return a formula in the text colour of a mode, readable on any background."""
        width, height = max(1, round(drawn.width * EM)), max(1, round(drawn.height * EM))
        opening = f'<svg fill="{INK[mode]}" width="{width}" height="{height}" '
        return self._add(png(drawn.svg.replace("<svg ", opening, 1), SCALE), "image/png", width, height)

    def address(self, picture: MailPicture) -> str:
        """Return the address of a picture on the page."""
        if self.inlined:
            return f"data:{picture.media};base64,{in_base64(picture.body)}"
        return f"cid:{picture.name}"

    def _add(self, body: bytes, media: str, width: int, height: int) -> MailPicture | None:
        name = f"{sha256(body).hexdigest()[:20]}@mail"
        if name not in self.pictures:
            if sum(len(one.body) for one in self.pictures.values()) + len(body) > MOST_BYTES:
                return None
            self.pictures[name] = MailPicture(name, body, media, width, height)
        # Attached pictures are stored once, inlined ones at each use.
        if self.inlined:
            self.room -= 4 * (len(body) + 2) // 3
            if self.room < 0:
                return None
        kept = self.pictures[name]
        return MailPicture(name, kept.body, media, width, height)


def _without_air(svg: str, air: int) -> str:
    """Return a drawing without `air` pixels at its left and right."""

    def narrower(found: re.Match[str]) -> str:
        width, height = int(found[1]) - 2 * air, found[2]
        return f'width="{width}" height="{height}" viewBox="{air} 0 {width} {height}"'

    return SIZE.sub(narrower, svg, count=1) if air else svg


def _shrunk(part: AssetPart, width: int) -> AssetPart:
    """Return a picture at most `width` pixels wide, in a format that mail programs support."""
    with Image.open(io.BytesIO(part.body)) as image:
        moving = bool(getattr(image, "is_animated", False)) and part.media in KEPT
        if moving or (part.media in KEPT and image.width <= width):
            return part
        image.draft("RGB", (width, image.height))
        small = image.convert("RGBA" if "A" in image.getbands() or "transparency" in image.info else "RGB")
        if small.width > width:
            small = small.resize(
                (width, max(1, round(small.height * width / small.width))), Image.Resampling.LANCZOS
            )
        made = io.BytesIO()
        if part.media == "image/jpeg":
            small.convert("RGB").save(made, "JPEG", quality=86)
        else:
            small.save(made, "PNG", compress_level=6)
    return AssetPart(made.getvalue(), "image/jpeg" if part.media == "image/jpeg" else "image/png")
