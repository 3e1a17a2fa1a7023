"""Looks of laid boxes: colours, lines and type as shapes of slides know them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from handlers.render.documents.slides.slide_shapes import CellEdge, ColorShape, RunStyle, SlideBox

GENERIC = {"serif": "Times New Roman", "sans-serif": "Arial", "monospace": "Courier New",
           "cursive": "Arial", "fantasy": "Arial", "system-ui": "Arial", "math": "Cambria Math"}  # fmt: skip
SIDES = (("L", "left"), ("R", "right"), ("T", "top"), ("B", "bottom"))
BOLD = 600
Style = Mapping[str, Any]


def color_of(style: Style, key: str) -> str:
    """A colour of a style as `rrggbb`, blended with white; "" for one that is not there."""
    value = style[key]
    if isinstance(value, str):
        value = style["color"]
    clear = value.to("srgb")
    share = float(clear.alpha or 0)
    if share < 0.02:
        return ""
    return "".join(f"{round(255 * (1 - share + share * _part(part))):02X}" for part in clear.coordinates)


def run_style(style: Style, above: RunStyle | None = None, *, raised: int = 0) -> RunStyle:
    """The look of words in a box; lines, grounds and links also come from the boxes above it."""
    marks = style["text_decoration_line"]
    spacing: Any = getattr(style["letter_spacing"], "value", style["letter_spacing"])
    return RunStyle(
        family_of(style),
        above.size if above and (raised or above.shift) else float(style["font_size"]),
        color_of(style, "color") or "000000",
        int(style["font_weight"]) >= BOLD,
        style["font_style"] != "normal",
        "underline" in marks or bool(above and above.underlined),
        "line-through" in marks or bool(above and above.struck),
        raised or (above.shift if above else 0),
        0.0 if isinstance(spacing, str) else float(spacing),
        color_of(style, "background_color") or (above.ground if above else ""),
        above.address if above else "",
    )


def family_of(style: Style) -> str:
    """The first family of type, as slides name it."""
    name = str(style["font_family"][0])[:60]
    return GENERIC.get(name, name)


def is_plain_box(box: Any) -> bool:
    """Whether a box is painted in a manner that slides know."""
    style = box.style
    plain = not style["transform"] and float(style["opacity"]) > 0.98
    return plain and all(image[0] == "none" for image in style["background_image"])


def border_box(box: Any) -> SlideBox:
    """The place of a box with its padding and lines."""
    return SlideBox(box.border_box_x(), box.border_box_y(), box.border_width(), box.border_height())


def content_box(box: Any) -> SlideBox:
    """The place of what a box holds."""
    return SlideBox(box.content_box_x(), box.content_box_y(), float(box.width), float(box.height))


def painted_areas(box: Any) -> Iterator[ColorShape]:
    """The ground of a box and the lines at its sides."""
    place = border_box(box)
    if place.width <= 0 or place.height <= 0:
        return
    radius = float(getattr(box.style["border_top_left_radius"][0], "value", 0))
    if color := color_of(box.style, "background_color"):
        yield ColorShape(place, color, radius=radius)
    edges = list(edges_of(box))
    if len(edges) == 4 and len({(edge.width, edge.color) for edge in edges}) == 1:
        dashed = box.style["border_top_style"] in ("dashed", "dotted")
        yield ColorShape(place, edges[0].color, edges[0].width, dashed, radius)
        return
    for edge in edges:
        yield ColorShape(_strip(place, edge), edge.color)


def edges_of(box: Any) -> Iterator[CellEdge]:
    """The lines at the sides of a box that are seen."""
    for letter, side in SIDES:
        width = float(getattr(box, f"border_{side}_width", 0) or 0)
        if width <= 0 or box.style[f"border_{side}_style"] in ("none", "hidden"):
            continue
        if color := color_of(box.style, f"border_{side}_color"):
            yield CellEdge(letter, width, color)


def _strip(place: SlideBox, edge: CellEdge) -> SlideBox:
    if edge.side in "LR":
        x = place.x if edge.side == "L" else place.right - edge.width
        return SlideBox(x, place.y, edge.width, place.height)
    return SlideBox(
        place.x, place.y if edge.side == "T" else place.bottom - edge.width, place.width, edge.width
    )


def _part(part: Any) -> float:
    return min(1.0, max(0.0, float(part or 0)))
