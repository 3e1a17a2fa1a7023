"""The media of pages, paper and screens, and checks of the users' pictures."""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from html import escape

from PIL import Image

from handlers.render.documents.pages.formulas import DrawnFormula
from handlers.render.documents.pictures import fault_of_drawing
from handlers.render.output_room import MOST_PICTURED
from handlers.render.plots.forms.embedded_fonts import without_fonts
from handlers.words.document_parts import AssetPart, VisPart, in_base64

MOST_PIXELS = 60_000_000
FORMATS = {"image/png": "PNG", "image/jpeg": "JPEG", "image/gif": "GIF", "image/webp": "WEBP"}


@lru_cache(maxsize=32)
def fault_of_picture(part: AssetPart) -> str:
    """Return why a picture cannot be shown, "" if it can."""
    if part.media == "image/svg+xml":
        return fault_of_drawing(part.body)
    form = FORMATS.get(part.media)
    if form is None:
        return f"{part.media} is not a picture"
    try:
        with Image.open(io.BytesIO(part.body), formats=[form]) as opened:
            width, height = opened.size
    except Image.DecompressionBombError:
        return f"it has too many pixels: at most {MOST_PIXELS // 1_000_000} million are shown"
    except (OSError, ValueError, SyntaxError, EOFError, IndexError):
        return f"it cannot be read as {part.media}"
    if width * height > MOST_PIXELS:
        return f"it has {width:,} by {height:,} pixels: at most {MOST_PIXELS // 1_000_000} million are shown"
    return ""


@lru_cache(maxsize=32)
def picture_size(part: AssetPart) -> tuple[int, int]:
    """Return the width and height of a picture in pixels; (0, 0) for a drawing."""
    if part.media == "image/svg+xml":
        return 0, 0
    with Image.open(io.BytesIO(part.body), formats=[FORMATS[part.media]]) as opened:
        return opened.size


INK = {"light": "#22252a", "dark": "#e6e4de"}
SCHEME = "part:"
DARK, ON_PHONE = "(prefers-color-scheme: dark)", "(max-width: 519px)"
ENDINGS = {"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp",
           "image/svg+xml": "svg"}  # fmt: skip


def element(tag: str, names: str, inner: str) -> str:
    """Return an element with classes around some HTML."""
    return f"<{tag}{classes(names)}>\n{inner}\n</{tag}>"


class Medium(ABC):
    """Puts pictures, boxes and links into a page.

    `mode` is `light`, `dark`, or `both` for the reader's preference. `paged` media have pages, `interactive`
    ones fold and scroll. `column` is the width of a line in pixels, 0 for that of the document's kind. Tables
    of data have the attributes `table` and the class `data`.
    """

    mode: str
    paged = interactive = False
    column = 0
    table = data = ""

    def takes(self, part: VisPart | AssetPart) -> bool:
        """Return whether there is space for another chart or picture."""
        return True

    @abstractmethod
    def chart(self, part: VisPart, alt: str, name: str, narrow: VisPart | None = None) -> str:
        """Return a chart as HTML, with a class, and its drawing for phones."""

    @abstractmethod
    def asset(self, part: AssetPart, alt: str, name: str) -> str:
        """Return a picture as HTML, with a class."""

    @abstractmethod
    def formula(self, drawn: DrawnFormula, alt: str, name: str) -> str:
        """Return a formula as HTML, with a class."""

    def address(self, target: str) -> str:
        """Return the address of a link; "" if this medium cannot reach it."""
        return target

    def panel(self, tag: str, names: str, inner: str) -> str:
        """Return an element with its own borders or background around some HTML."""
        return element(tag, names, inner)


@dataclass
class PaperMedium(Medium):
    """Paper pages in one mode; `files` are the files they show, by the names in their addresses."""

    mode: str = "light"
    files: dict[str, AssetPart] = field(default_factory=dict)
    paged = True

    def chart(self, part: VisPart, alt: str, name: str, narrow: VisPart | None = None) -> str:
        """Return the chart of the mode as vectors."""
        return self.asset(_drawing(without_fonts(_of_mode(part.pictures, self.mode))), alt, name)

    def asset(self, part: AssetPart, alt: str, name: str) -> str:
        """Return the picture as it is."""
        address = part_address(part)
        self.files[address.removeprefix(SCHEME)] = part
        return _image(address, alt, name)

    def formula(self, drawn: DrawnFormula, alt: str, name: str) -> str:
        """Return the formula in the text colour of the mode."""
        svg = drawn.svg.replace("<svg ", f'<svg fill="{INK[self.mode]}" ', 1)
        return self.asset(_drawing(svg), alt, name)

    def address(self, target: str) -> str:
        """Return the address, unless it is relative to a server, which a file does not know."""
        return "" if target.startswith(("/", ".")) else target


@dataclass
class ScreenMedium(Medium):
    """A page that contains its pictures, light and dark, and follows the reader's preference."""

    mode: str = "both"
    room: int = MOST_PICTURED
    interactive = True

    def takes(self, part: VisPart | AssetPart) -> bool:
        """Return whether the page has space for it, in all its modes."""
        shown = self._drawings(part) if isinstance(part, VisPart) else (part,)
        size = sum(4 * (len(one.body) + 2) // 3 for one in shown)
        if size > self.room:
            return False
        self.room -= size
        return True

    def _drawings(self, part: VisPart) -> Iterator[AssetPart]:
        yield _drawing(_of_mode(part.pictures, self.mode))
        if self.mode == "both" and "dark" in part.pictures:
            yield _drawing(part.pictures["dark"])

    def chart(self, part: VisPart, alt: str, name: str, narrow: VisPart | None = None) -> str:
        """Return the chart of the mode, or of both, and another one for phones."""
        shown, *others = map(_data, self._drawings(part))
        image = _image(shown, alt, name)
        sources = [(DARK, dark) for dark in others]
        if narrow is not None and self.takes(narrow):
            light, *dark = map(_data, self._drawings(narrow))
            sources = [*((f"{ON_PHONE} and {DARK}", one) for one in dark), (ON_PHONE, light), *sources]
        if not sources:
            return image
        listed = "".join(f'<source media="{media}" srcset="{svg}">' for media, svg in sources)
        return f"<picture>{listed}{image}</picture>"

    def asset(self, part: AssetPart, alt: str, name: str) -> str:
        """Return the picture as it is."""
        return _image(_data(part), alt, name)

    def formula(self, drawn: DrawnFormula, alt: str, name: str) -> str:
        """Return the formula in the colour of the text."""
        opening = f'<svg{classes(name)} role="img" aria-label="{escape(alt)}" fill="currentColor" '
        return drawn.svg.replace("<svg ", opening, 1)


def _of_mode(pictures: Mapping[str, str], mode: str) -> str:
    return pictures.get(mode) or pictures.get("light") or next(iter(pictures.values()), "<svg/>")


def _drawing(svg: str) -> AssetPart:
    return AssetPart(svg.encode(), "image/svg+xml")


def _data(part: AssetPart) -> str:
    return f"data:{part.media};base64,{in_base64(part.body)}"


def part_address(part: AssetPart) -> str:
    """Return the address of a picture on paper pages."""
    return f"{SCHEME}{sha256(part.body).hexdigest()[:20]}.{ENDINGS.get(part.media, 'bin')}"


def _image(address: str, alt: str, name: str) -> str:
    return f'<img{classes(name)} src="{address}" alt="{escape(alt)}">'


def classes(*names: str) -> str:
    """Return the class attribute of an element, without empty names."""
    said = " ".join(filter(None, names))
    return f' class="{said}"' if said else ""
