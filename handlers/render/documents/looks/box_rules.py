"""Rules of style that a document asks for in its text: each set of declarations is a class of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256

from handlers.render.documents.looks.named_colors import css_color
from handlers.render.documents.markup.box_look import BoxLook

SIDES = {"l": ("left",), "r": ("right",), "t": ("top",), "b": ("bottom",), "x": ("left", "right"),
         "y": ("top", "bottom"), "a": ("top", "right", "bottom", "left")}  # fmt: skip
THICK = ("0", "0.5pt", "1pt", "2pt", "3pt", "5pt")


@dataclass(slots=True)
class BoxRules:
    """Classes by their declarations; the text of the page names classes alone.

    A class is named for what it declares, so that a change of one page leaves the text of others as it is.
    """

    classes: dict[str, str] = field(default_factory=dict)

    def name(self, *declarations: str) -> str:
        """The class of these declarations, "" of none."""
        body = ";".join(declaration for declaration in declarations if declaration)
        if not body:
            return ""
        return self.classes.setdefault(body, f"x{sha256(body.encode()).hexdigest()[:8]}")

    def box(self, look: BoxLook, *more: str) -> str:
        """The class of a box."""
        return self.name(*box_declarations(look), *more)


def box_declarations(look: BoxLook) -> Iterator[str]:
    """The declarations of CSS for spaces and colours."""
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
