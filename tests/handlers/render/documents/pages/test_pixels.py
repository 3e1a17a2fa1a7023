"""Pixels of a document's pictures: they are counted together, each picture once."""

import struct
import zlib

from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.document_html import DocumentLook, page_html
from handlers.render.documents.pages.media import ScreenMedium
from handlers.words.document_parts import AssetPart, DocumentParts


def head_of_png(width: int, height: int) -> bytes:
    said = b"IHDR" + struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    data = b"IDAT" + zlib.compress(b"\0" * 8)
    chunks = (
        struct.pack(">I", len(one) - 4) + one + struct.pack(">I", zlib.crc32(one)) for one in (said, data)
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def test_the_pixels_of_all_pictures_together_are_limited() -> None:
    assets = {f"a{at}.png": AssetPart(head_of_png(7_500, 7_900 + at), "image/png") for at in range(6)}
    text = "".join(f"{{{{ img ref: a{at % 6}.png }}}}\n" for at in range(12))
    page = page_html(read_document(text), DocumentParts(assets=assets), ScreenMedium(), DocumentLook())
    assert page.body.count("<img") == 8
    assert sum("million pixels together" in note for note in page.notes) == 4
