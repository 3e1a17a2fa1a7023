"""Named colours of documents in ten shades, each with its counterpart on dark paper."""

from __future__ import annotations

from functools import cache

from handlers.render.documents.markup.parameters import SHADES
from handlers.render.plots.look.palette import mix

MIDDLE = {
    "gray": "#6d7278", "red": "#c43a2f", "orange": "#cf6213", "yellow": "#b98a00", "green": "#2c8a57",
    "teal": "#0f7388", "blue": "#2a66b5", "indigo": "#5350c2", "purple": "#8447ad", "pink": "#bf417b",
}  # fmt: skip
LIGHTER = {50: 0.07, 100: 0.14, 200: 0.28, 300: 0.48, 400: 0.74}
DARKER = {600: 0.16, 700: 0.34, 800: 0.52, 900: 0.68}


def css_color(color: str) -> str:
    """A colour as CSS: a name has its counterpart in the dark, `#rrggbb` is itself."""
    if color.startswith("#"):
        return color
    if color in ("black", "white"):
        return "light-dark(#000000, #ffffff)" if color == "black" else "light-dark(#ffffff, #000000)"
    return f"light-dark({hex_color(color)}, {hex_color(color, dark=True)})"


@cache
def hex_color(color: str, *, dark: bool = False) -> str:
    """A colour as `#rrggbb`."""
    if color.startswith("#"):
        return color
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
