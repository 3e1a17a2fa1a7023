"""Styles of mails: declarations on each element, as mail programs drop sheets, and a sheet for the dark."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape
from typing import NamedTuple

from handlers.render.documents.looks.named_colors import hex_color
from handlers.render.documents.markup.box_look import BoxLook
from handlers.render.documents.pages.themes import TONES
from handlers.render.plots.look.palette import DARK, LIGHT, mix

SANS = "'Source Sans Pro',-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"
MONO = "'Source Code Pro',SFMono-Regular,Consolas,Menlo,monospace"
SIDES = {"l": ("left",), "r": ("right",), "t": ("top",), "b": ("bottom",), "x": ("left", "right"),
         "y": ("top", "bottom"), "a": ("top", "right", "bottom", "left")}  # fmt: skip
SPACES = (0, 5, 10, 20, 28, 38)
THICK = (0, 1, 1, 2, 4, 6)


class Tint(NamedTuple):
    """A colour on light and on dark ground."""

    light: str
    dark: str


class Declaration(NamedTuple):
    """A declaration of CSS; `dark` takes its place in the dark, "" where it is the same."""

    light: str
    dark: str = ""


TINTS = {
    "ground": Tint("#f1efe8", "#0e1113"), "paper": Tint("#ffffff", DARK.paper),
    "panel": Tint(LIGHT.panel, DARK.panel), "ink": Tint(LIGHT.ink, DARK.ink),
    "quiet": Tint(LIGHT.quiet, DARK.quiet), "rule": Tint(LIGHT.grid, DARK.grid),
    "accent": Tint(LIGHT.categories[0], DARK.categories[0]),
    "edge": Tint(LIGHT.edge, DARK.edge),
    "good": Tint(LIGHT.good, DARK.good), "bad": Tint(LIGHT.bad, DARK.bad),
} | {name: Tint(*pair) for name, pair in TONES.items()} | {
    f"{name}-tint": Tint(mix("#ffffff", light, 0.09), mix(DARK.paper, dark, 0.16))
    for name, (light, dark) in TONES.items()
}  # fmt: skip
"""Colours by their part in a mail."""


def color_rule(property: str, tint: Tint | str, before: str = "") -> Declaration:
    """A declaration of a colour, by its part or as it is, with words before it."""
    pair = TINTS[tint] if isinstance(tint, str) else tint
    return Declaration(f"{property}:{before}{pair.light}", f"{property}:{before}{pair.dark}")


def named_tint(color: str) -> Tint:
    """A colour as documents name it."""
    return Tint(hex_color(color), hex_color(color, dark=True))


def box_styles(look: BoxLook) -> Iterator[Declaration]:
    """The declarations of spaces, borders and colours that a section asks for."""
    for kind, spaces in (("padding", look.padding), ("margin", look.margin)):
        for side, size in spaces:
            for edge in SIDES[side]:
                yield Declaration(f"{kind}-{edge}:{SPACES[size]}px")
    for border in look.borders:
        tint = named_tint(border.color) if border.color else TINTS["rule"]
        for edge in SIDES[border.side]:
            yield color_rule(f"border-{edge}", tint, f"{THICK[border.size]}px solid ")
    if look.color:
        yield color_rule("color", named_tint(look.color))
    if look.ground:
        yield color_rule("background-color", named_tint(look.ground))


@dataclass(slots=True)
class MailStyles:
    """Writes declarations into elements, and gathers those that hold in the dark alone."""

    mode: str
    dark: dict[str, str] = field(default_factory=dict)

    def attributes(self, *declarations: Declaration | str) -> str:
        """The attributes `style` and, where colours follow the reader's choice, `class`."""
        pairs = [item if isinstance(item, Declaration) else Declaration(item) for item in declarations]
        always = ";".join(pair.dark if self.mode == "dark" and pair.dark else pair.light for pair in pairs)
        style = f' style="{escape(always)}"' if always else ""
        return style + self._class(pairs)

    def sheet(self) -> str:
        """The rules for the dark: by the reader's choice, and as one program for phones marks them."""
        rules = [(name, body.replace(";", " !important;")) for name, body in self.dark.items()]
        chosen = "".join(f".{name}{{{body} !important}}" for name, body in rules)
        marked = "".join(f"[data-ogsc] .{name}{{{body} !important}}" for name, body in rules)
        return f"@media (prefers-color-scheme:dark){{{chosen}}}{marked}" if rules else ""

    def _class(self, pairs: list[Declaration]) -> str:
        body = ";".join(pair.dark for pair in pairs if pair.dark and pair.dark != pair.light)
        if self.mode != "both" or not body:
            return ""
        name = f"k{sha256(body.encode()).hexdigest()[:7]}"
        self.dark[name] = body
        return f' class="{name}"'
