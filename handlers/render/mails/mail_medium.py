"""The medium of mails: pictures as pixels, boxes as tables, and links to the outside only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from handlers.render.documents.pages.formulas import DrawnFormula
from handlers.render.documents.pages.media import element
from handlers.render.mails.mail_css import MailLook
from handlers.render.mails.mail_pictures import PictureStore
from handlers.words.document_parts import AssetPart, VisPart
from handlers.words.mail_message import MailPicture

PORTRAIT = 56
"""Pixels of the side of a portrait."""
SCHEMES = ("http://", "https://", "mailto:", "tel:")
LAYOUT = 'role="presentation" cellpadding="0" cellspacing="0" border="0"'


@dataclass(slots=True)
class MailMedium:
    """Puts pictures, boxes and links into a mail. `notes` are for its writer."""

    look: MailLook
    store: PictureStore
    paged: bool = False
    interactive: bool = False
    notes: list[str] = field(default_factory=list)

    @property
    def mode(self) -> str:
        """The mode of the mail."""
        return self.look.mode

    @property
    def column(self) -> int:
        """Pixels of a line of text."""
        return self.look.column

    @property
    def modes(self) -> tuple[str, ...]:
        """The modes in which charts are drawn."""
        return ("light", "dark") if self.mode == "both" else (self.mode,)

    def takes(self, part: VisPart | AssetPart) -> bool:
        """Return True: what has no room is left out when its pixels are known."""
        return True

    def chart(self, part: VisPart, alt: str, name: str, narrow: VisPart | None = None) -> str:
        """A chart as wide as the column."""
        return self.charts(part, alt, self.column)

    def charts(self, part: VisPart, alt: str, width: int, air: int = 0, *, enlarged: bool = False) -> str:
        """Return a chart of so many pixels without the air at its sides; "" if there is no room for it."""
        svgs = [part.pictures.get(mode) or part.pictures.get("light", "") for mode in self.modes]
        drawn = [self.store.chart(svg, width, air, enlarged=enlarged) for svg in dict.fromkeys(svgs) if svg]
        return self.images([one for one in drawn if one], alt)

    def asset(self, part: AssetPart, alt: str, name: str) -> str:
        """A picture of a user, or its words if there is no room for it."""
        if name == "portrait":
            picture = self.store.portrait(part, PORTRAIT)
            return self.images([picture], alt, name) if picture else ""
        picture = self.store.asset(part, 0, self.column)
        if picture is None:
            self.notes.append(f'picture "{alt[:80]}" is not shown: the mail would be too large')
            return escape(f"[image: {alt}]", quote=False)
        return self.images([picture], alt, name)

    def formula(self, drawn: DrawnFormula, alt: str, name: str) -> str:
        """A formula in the ink of each mode."""
        pictures = [self.store.formula(drawn, mode) for mode in self.modes]
        shown = self.images([one for one in pictures if one], alt, name)
        return shown or f"<code>{escape(alt, quote=False)}</code>"

    def images(self, drawn: Sequence[MailPicture], alt: str, name: str = "") -> str:
        """Return one picture, or a light and a dark one; mail programs show one of these."""
        shown = [self._image(picture, alt, name) for picture in drawn]
        if len(shown) < 2:
            return "".join(shown)
        # Programs that drop style sheets keep the second one out of sight.
        return (
            f'<span class="on-light">{shown[0]}</span>'
            f'<!--[if !mso]><!--><span class="on-dark">{shown[1]}</span><!--<![endif]-->'
        )

    def _image(self, picture: MailPicture, alt: str, name: str) -> str:
        names = f' class="{name}"' if name else ""
        return (
            f'<img{names} src="{self.store.address(picture)}" width="{picture.width}" '
            f'height="{picture.height}" alt="{escape(alt)}">'
        )

    def address(self, target: str) -> str:
        """The address as a mail can hold it; "" where there is none outside the service."""
        if target.startswith("/") and not target.startswith("//") and self.look.origin:
            return self.look.origin.rstrip("/") + target
        return target if target.lower().startswith(SCHEMES) else ""

    def panel(self, tag: str, names: str, inner: str) -> str:
        """A table of one cell, as Outlook gives edges and padding to nothing else."""
        cell = element("td", names or tag, inner)
        return f'<table {LAYOUT} width="100%" class="panel"><tr>{cell}</tr></table>'
