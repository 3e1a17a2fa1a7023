"""Pictures for tests."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from PIL import Image


def drawn(form: str, size: tuple[int, int] = (6, 4), mode: str = "RGB", **more: Any) -> bytes:
    """The bytes of a picture of one colour."""
    out = BytesIO()
    Image.new(mode, size, "teal" if mode in ("RGB", "RGBA") else 0).save(out, form, **more)
    return out.getvalue()
