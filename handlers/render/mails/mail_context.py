"""The context of a mail that is written: its look, parts, styles, pictures and notes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape

from handlers.render.documents.markup.blocks import Blocks
from handlers.render.documents.pages.page_context import PageContext
from handlers.render.documents.pages.part_models import AssetPart, DocumentParts
from handlers.render.mails.mail_look import MailLook
from handlers.render.mails.mail_pictures import MailPicture, PictureStore
from handlers.render.mails.mail_styles import Declaration, MailStyles

TOO_LARGE = "the pictures of a mail take at most 12 MiB together"
SCHEMES = ("http://", "https://", "mailto:", "tel:")


@dataclass(slots=True)
class MailContext:
    """Everything that the writers of a mail share; `notes` and `endnotes` grow while it is written."""

    page: PageContext
    parts: DocumentParts
    look: MailLook
    styles: MailStyles
    store: PictureStore
    notes: list[str] = field(default_factory=list)
    endnotes: list[str] = field(default_factory=list)
    formulas: int = 0
    write_blocks: Callable[[Blocks], str] = lambda blocks: ""
    """Writes the blocks of a footnote."""

    def style(self, *declarations: Declaration | str) -> str:
        """The attributes of an element."""
        return self.styles.attributes(*declarations)

    def asset(self, ref: str) -> AssetPart | str:
        """A picture of a user, or the reason why it is not shown."""
        return self.page.asset(ref)

    def missing(self, ref: str, otherwise: str) -> str:
        """The reason why something is not shown."""
        return self.parts.reasons.get(ref, otherwise)

    def address(self, target: str) -> str:
        """An address as a mail can hold it; "" where there is none outside the service."""
        if target.startswith("/") and not target.startswith("//") and self.look.origin:
            return self.look.origin.rstrip("/") + target
        return target if target.lower().startswith(SCHEMES) else ""

    def images(self, drawn: Sequence[MailPicture], alt: str, *styles: Declaration | str) -> str:
        """A picture, or one for the light and one for the dark, of which programs show either."""
        shown = [self._image(picture, alt, *styles) for picture in drawn]
        if len(shown) < 2:
            return "".join(shown)
        light = self.style(Declaration("display:inline", "display:none"))
        # Programs that drop sheets keep the second one out of sight.
        dark = self.style(Declaration("display:none;mso-hide:all", "display:inline"))
        return (
            f"<span{light}>{shown[0]}</span><!--[if !mso]><!--><span{dark}>{shown[1]}</span><!--<![endif]-->"
        )

    def _image(self, picture: MailPicture, alt: str, *styles: Declaration | str) -> str:
        style = self.style("max-width:100%", "height:auto", "border:0", *styles)
        return (
            f'<img src="{self.store.address(picture)}" width="{picture.width}" height="{picture.height}" '
            f'alt="{escape(alt)}"{style}>'
        )

    @property
    def modes(self) -> tuple[str, ...]:
        """The modes in which charts are drawn."""
        return ("light", "dark") if self.styles.mode == "both" else (self.styles.mode,)
