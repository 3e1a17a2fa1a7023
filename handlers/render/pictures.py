"""Pictures as they are stored: drawn anew from their pixels, so that nothing else in a file is kept."""

from __future__ import annotations

from io import BytesIO
from typing import BinaryIO

from PIL import Image, ImageOps

from vfs.errors import Invalid, TooLarge

FORMATS = {"image/png": "PNG", "image/jpeg": "JPEG", "image/gif": "GIF", "image/webp": "WEBP"}
MOST_PIXELS = 12_000_000
QUALITY = 90


def redrawn(file: BinaryIO, media: str) -> bytes:
    """The picture in the same format, upright, its first frame alone, without anything but its pixels.

    Raises Invalid when it is broken or of another format, TooLarge when it has too many pixels, which its
    header tells before they are decoded.
    """
    form = FORMATS[media]
    try:
        with Image.open(file, formats=[form]) as opened:
            width, height = opened.size
            if width * height > MOST_PIXELS:
                raise TooLarge(f"the picture has {width} by {height} pixels: at most 12 million fit here")
            picture = ImageOps.exif_transpose(opened)
            drawn = _plain(picture, form)
            out = BytesIO()
            drawn.save(out, form, **({"quality": QUALITY} if form in ("JPEG", "WEBP") else {}))
    except TooLarge:
        raise
    except (OSError, ValueError, SyntaxError, EOFError, IndexError, Image.DecompressionBombError) as broken:
        raise Invalid(f"the picture cannot be read as {media}: send a whole, unbroken file") from broken
    return out.getvalue()


def _plain(picture: Image.Image, form: str) -> Image.Image:
    """A new picture with the same pixels, in a mode that its format has."""
    clear = picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info
    mode = "RGBA" if clear and form != "JPEG" else "RGB"
    drawn = Image.new(mode, picture.size)
    drawn.paste(picture.convert(mode))
    return drawn
