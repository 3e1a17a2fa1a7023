"""Colours and boxes in the text of a document: a class for each set of declarations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256

from handlers.render.documents.markup.blocks import BoxLook
from handlers.render.documents.markup.parameters import SHADES
from handlers.render.plots.look.palette import mix

MIDDLE = {
    "gray": "#6d7278", "red": "#c43a2f", "orange": "#cf6213", "yellow": "#b98a00", "green": "#2c8a57",
    "teal": "#0f7388", "blue": "#2a66b5", "indigo": "#5350c2", "purple": "#8447ad", "pink": "#bf417b",
}  # fmt: skip
LIGHTER = {50: 0.07, 100: 0.14, 200: 0.28, 300: 0.48, 400: 0.74}
DARKER = {600: 0.16, 700: 0.34, 800: 0.52, 900: 0.68}


def css_color(color: str) -> str:
    """Return a colour as CSS: a named one has a dark variant, `#rrggbb` is fixed."""
    if color.startswith("#"):
        return color
    return f"light-dark({hex_color(color)}, {hex_color(color, dark=True)})"


def hex_color(color: str, *, dark: bool = False) -> str:
    """Return a named colour as `#rrggbb`."""
    if color in ("black", "white"):
        return "#000000" if (color == "black") is not dark else "#ffffff"
    hue, _, shade = color.partition("-")
    number = int(shade or 500)
    if dark:
        number = SHADES[len(SHADES) - 1 - SHADES.index(number)]
    middle = MIDDLE[hue]
    if number in LIGHTER:
        return mix("#ffffff", middle, LIGHTER[number])
    return mix(middle, "#0c0f12", DARKER[number]) if number in DARKER else middle


SIDES = {"l": ("left",), "r": ("right",), "t": ("top",), "b": ("bottom",), "x": ("left", "right"),
         "y": ("top", "bottom"), "a": ("top", "right", "bottom", "left")}  # fmt: skip
THICK = ("0", "0.5pt", "1pt", "2pt", "3pt", "5pt")


@dataclass(slots=True)
class BoxRules:
    """Classes by their declarations; the HTML contains only class names.

    A class is named by its declarations, so that a change of one page does not change others.
    """

    classes: dict[str, str] = field(default_factory=dict)

    @property
    def css(self) -> str:
        """The rules of all classes."""
        return "\n".join(f".{name}{{{body}}}" for body, name in self.classes.items())

    def name(self, *declarations: str) -> str:
        """Return the class of these declarations, "" for none."""
        body = ";".join(declaration for declaration in declarations if declaration)
        if not body:
            return ""
        return self.classes.setdefault(body, f"x{sha256(body.encode()).hexdigest()[:8]}")

    def box(self, look: BoxLook, *more: str) -> str:
        """Return the class of a box."""
        return self.name(*box_declarations(look), *more)


def box_declarations(look: BoxLook) -> Iterator[str]:
    """Yield the CSS declarations for spaces and colours."""
    for kind, spaces in (("padding", look.padding), ("margin", look.margin)):
        for side, size in spaces:
            for edge in SIDES[side]:
                yield f"{kind}-{edge}:var(--novem-space-{size})"
    for border in look.borders:
        tone = css_color(border.color) if border.color else "var(--novem-rule)"
        for edge in SIDES[border.side]:
            yield f"border-{edge}:{THICK[border.size]} solid {tone}"
    if look.color:
        yield f"color:{css_color(look.color)}"
    if look.ground:
        yield f"background-color:{css_color(look.ground)}"
