"""Contact sheets: drawings side by side with their widths, on the grounds of light and dark."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from handlers.render.plots.look.type_metrics import FILES, FOLDER

GAP, HEAD = 24, 28
GROUNDS = {"light": "#ffffff", "dark": "#000000"}
INK = {"light": "#444444", "dark": "#bbbbbb"}


@dataclass(frozen=True)
class Shot:
    """A drawing as a PNG, and the words above it."""

    words: str
    png: bytes


def sheet_of(rows: Sequence[Sequence[Shot]], mode: str) -> Image.Image:
    """Rows of drawings at their own sizes."""
    opened = [[(shot, Image.open(io.BytesIO(shot.png)).convert("RGBA")) for shot in row] for row in rows]
    width = max(sum(image.width + GAP for _, image in row) for row in opened) + GAP
    heights = [max(image.height for _, image in row) + HEAD + GAP for row in opened]
    sheet = Image.new("RGB", (width, sum(heights) + GAP), GROUNDS[mode])
    pen, face = ImageDraw.Draw(sheet), ImageFont.truetype(str(FOLDER / FILES[400]), 15)
    top = GAP
    for row, height in zip(opened, heights, strict=True):
        left = GAP
        for shot, image in row:
            pen.text((left, top), shot.words, fill=INK[mode], font=face)
            sheet.paste(image, (left, top + HEAD), image)
            left += image.width + GAP
        top += height
    return sheet


def save(sheet: Image.Image, path: Path) -> None:
    """Write a sheet as a PNG."""
    path.parent.mkdir(parents=True, exist_ok=True)
    sheet.save(path, optimize=False)
