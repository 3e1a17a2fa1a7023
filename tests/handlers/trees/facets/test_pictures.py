"""Pictures are encoded again: same pixels, nothing else."""

from __future__ import annotations

from contextlib import suppress
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from handlers.trees.facets.pictures import FORMATS, redrawn
from tests.handlers.pictures import drawn
from vfs.errors import Invalid, TooLarge

ORIENTATION = 0x0112


@pytest.mark.parametrize(("media", "form"), FORMATS.items())
def test_a_picture_keeps_its_format_and_size(media: str, form: str) -> None:
    with Image.open(BytesIO(redrawn(BytesIO(drawn(form)), media))) as again:
        assert (again.format, again.size) == (form, (6, 4))


@pytest.mark.parametrize("media", ["image/jpeg", "image/png", "image/webp"])
def test_metadata_is_dropped_and_the_picture_is_upright(media: str) -> None:
    exif = Image.Exif()
    exif[ORIENTATION] = 6
    exif[0x010E] = "taken at home"
    before = drawn(FORMATS[media], exif=exif)
    assert b"taken at home" in before
    after = redrawn(BytesIO(before), media)
    assert b"taken at home" not in after
    with Image.open(BytesIO(after)) as again:
        assert again.size == (4, 6)
        assert not again.getexif()


def test_texts_of_a_png_are_dropped() -> None:
    info = PngInfo()
    info.add_text("Comment", "a secret place")
    assert b"secret" not in redrawn(BytesIO(drawn("PNG", pnginfo=info)), "image/png")


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P", "L", "1", "I;16"])
def test_every_mode_is_drawn(mode: str) -> None:
    with Image.open(BytesIO(redrawn(BytesIO(drawn("PNG", mode=mode)), "image/png"))) as again:
        assert again.mode == ("RGBA" if mode in ("RGBA", "LA") else "RGB")


def test_a_cmyk_photograph_is_drawn() -> None:
    with Image.open(BytesIO(redrawn(BytesIO(drawn("JPEG", mode="CMYK")), "image/jpeg"))) as again:
        assert again.mode == "RGB"


def test_too_many_pixels_are_refused_by_the_header() -> None:
    with pytest.raises(TooLarge, match="4000 by 4000"):
        redrawn(BytesIO(drawn("PNG", (4_000, 4_000), "1")), "image/png")


def test_another_format_is_refused() -> None:
    with pytest.raises(Invalid):
        redrawn(BytesIO(drawn("GIF")), "image/png")


@given(cut=st.integers(8, 60), flip=st.integers(0, 255))
def test_a_broken_picture_is_refused_or_drawn(cut: int, flip: int) -> None:
    whole = bytearray(drawn("PNG"))
    whole[cut % len(whole)] ^= flip
    with suppress(Invalid, TooLarge):
        again = redrawn(BytesIO(bytes(whole[: len(whole) - cut % 9])), "image/png")
        assert again.startswith(b"\x89PNG")
