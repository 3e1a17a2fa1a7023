"""The medium of mails: style sheets inlined into elements, charts, pictures as pixels, boxes as tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from html import escape

import css_inline

from handlers.render.documents.markup.blocks import Document, VisBox
from handlers.render.documents.pages.formulas import DrawnFormula
from handlers.render.documents.pages.media import Medium, classes, element
from handlers.render.documents.pages.parts import charts_of, overhang, part_requests, pixels_of, vis_request
from handlers.render.documents.pages.themes import SPACES, code_rules, color_pairs, kind_rules
from handlers.render.mails.mail_pictures import PictureStore
from handlers.words.document_parts import AssetPart, DocumentParts, PartRequests, VisPart, VisRequest
from handlers.words.mail_message import MODES, MailPicture

WIDTHS = {"xs": 400, "s": 600, "m": 900, "l": 1200}
"""Pixels of a mail by its size."""
SIZES = {
    "xs": "xs", "extra small": "xs", "extra-small": "xs", "s": "s", "small": "s", "m": "m", "medium": "m",
    "l": "l", "large": "l",
}  # fmt: skip
EDGE = 32
"""Pixels of margin at each side of the text; narrow mails have three quarters of it."""


@dataclass(frozen=True, slots=True)
class MailLook:
    """The presentation of a mail.

    `page` is the URL of the mail's page, `origin` that of the service, for paths that begin with `/`,
    `unsubscribe` the one to unsubscribe; each may be "". `sender` is named in the footer.
    """

    size: str = "small"
    theme: str = "novem-light"
    subject: str = ""
    sender: str = ""
    origin: str = ""
    page: str = ""
    unsubscribe: str = ""

    @property
    def width(self) -> int:
        """The width in pixels; that of `s` for an unknown size."""
        return WIDTHS[SIZES.get(self.size.strip().lower(), "s")]

    @property
    def edge(self) -> int:
        """The pixels of margin at each side."""
        return EDGE if self.width > WIDTHS["xs"] else EDGE * 3 // 4

    @property
    def column(self) -> int:
        """The pixels of a line of text."""
        return self.width - 2 * self.edge

    @property
    def mode(self) -> str:
        """The mode: `light`, `dark`, or `both` for the reader's choice."""
        return MODES.get(self.theme.strip().lower(), "both")


FAMILIES = {
    "sans": "'Source Sans Pro',-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif",
    "mono": "'Source Code Pro',SFMono-Regular,Consolas,Menlo,monospace",
}
NAMED = re.compile(r"var\(--novem-([a-z0-9-]{1,40})\)")
PAIR = re.compile(r"light-dark\(([^(),]{1,40}),([^(),]{1,40})\)")
COMMENT = re.compile(r"/\*[^*]*\*/")
RULE = re.compile(r"(?<![^{}])([^{}]+)\{([^{}]*)\}")


def inline_css(body: str, look: MailLook, rules: str, *, rtl: bool) -> tuple[str, str]:
    """Return the body with its rules inlined into its elements, and the sheet for dark mode.

    `rules` are added to those of every mail. The sheet is empty for a mail of one mode.
    """
    names = {"start": "right" if rtl else "left", "edge": f"{look.edge}px", "width": f"{look.width}px"}
    css = COMMENT.sub("", kind_rules("mail") + code_rules())
    for name, value in names.items():
        css = css.replace(f"${name}", value)
    css = NAMED.sub(_value, css + rules)
    mode = "dark" if look.mode == "dark" else "light"
    inliner = css_inline.CSSInliner(load_remote_stylesheets=False, minify_css=True)
    inlined = inliner.inline_fragment(body, _of_mode(css, mode))
    return inlined, _dark_sheet(css) if look.mode == "both" else ""


def _value(found: re.Match[str]) -> str:
    """Return the value of a custom property, for programs that do not support these."""
    name = found[1]
    if name.startswith("space-"):
        return f"{SPACES[int(name[-1])]}pt"
    return FAMILIES[name] if name in FAMILIES else f"light-dark({','.join(color_pairs()[name])})"


def _of_mode(css: str, mode: str) -> str:
    return PAIR.sub(lambda pair: pair[1 if mode == "light" else 2].strip(), css)


def _dark_sheet(css: str) -> str:
    """Return the rules that differ in dark mode: in a media query, and for Outlook's attribute on phones."""
    rules = [(found[1].strip(), said) for found in RULE.finditer(css) if (said := _dark(found[2]))]
    chosen = "".join(f"{selector}{{{said}}}" for selector, said in rules)
    marked = "".join(
        f"{','.join(f'[data-ogsc] {one.strip()}' for one in selector.split(','))}{{{said}}}"
        for selector, said in rules
    )
    return f"@media (prefers-color-scheme:dark){{{chosen}}}{marked}"


def _dark(declarations: str) -> str:
    """Return the declarations that differ in dark mode, with their dark values."""
    pairs = (_of_mode(one, "dark").partition(":") for one in declarations.split(";") if PAIR.search(one))
    return ";".join(f"{name.strip()}:{value.strip()} !important" for name, _, value in pairs)


NARROWEST, DRAWN = 120, 420
"""Least width of a chart in pixels, and the width at which it is drawn, independent of its shown size."""


def mail_requests(document: Document, column: int) -> PartRequests:
    """Return the parts that a mail with lines of `column` pixels needs."""
    requests = part_requests(document, "web")
    visuals = (mail_chart(box, column) for box, _ in charts_of(document, "web"))
    return replace(requests, visuals=tuple(dict.fromkeys(visuals)))


def mail_chart(box: VisBox, column: int) -> VisRequest:
    """Return the request for a chart in a mail: one drawing for all programs, readable on phones."""
    shown = chart_width(box, column)
    width = min(DRAWN, shown)
    height = min(pixels_of(box.height, column), 4 * column) * width // shown
    bare = VisRequest(box.ref, width, height, box.title, box.caption, narrow=True)
    wider = replace(bare, width=width + 2 * air_of(box, bare))
    return replace(bare, width=width + 2 * air_of(box, wider))


def air_of(box: VisBox, drawn: VisRequest) -> int:
    """Return the margin in pixels that is cut off a drawing, so that it is aligned with the text."""
    return round(overhang(box, drawn, "web"))


def chart_width(box: VisBox, column: int) -> int:
    """Return the width in pixels at which a chart is shown in a mail with lines of `column` pixels."""
    return max(NARROWEST, min(column, pixels_of(box.width, column) or column))


def document_parts(document: Document, parts: DocumentParts, column: int, kind: str) -> DocumentParts:
    """Return the parts of a mail by the names that a document of a kind uses for them."""
    visuals: dict[str, VisPart] = {}
    for box, room in charts_of(document, kind):
        if part := parts.visuals.get(mail_chart(box, column).key):
            visuals[vis_request(box, room).key] = part
    return replace(parts, visuals=visuals)


PORTRAIT = 56
"""Pixels of the side of a portrait."""
SCHEMES = ("http://", "https://", "mailto:", "tel:")
LAYOUT = 'role="presentation" cellpadding="0" cellspacing="0" border="0"'


@dataclass
class MailMedium(Medium):
    """Writer of pictures, boxes and links of a mail. `notes` are for its author."""

    look: MailLook
    store: PictureStore
    notes: list[str] = field(default_factory=list)
    table, data = ' cellpadding="0" cellspacing="0" border="0"', "data"

    def __post_init__(self) -> None:
        self.mode, self.column = self.look.mode, self.look.column

    @property
    def modes(self) -> tuple[str, ...]:
        """The modes in which charts are drawn."""
        return ("light", "dark") if self.mode == "both" else (self.mode,)

    def chart(self, part: VisPart, alt: str, name: str, narrow: VisPart | None = None) -> str:
        """Return a chart as wide as the column."""
        return self.charts(part, alt, self.column)

    def charts(self, part: VisPart, alt: str, width: int, air: int = 0, *, enlarged: bool = False) -> str:
        """Return a chart of that width without margins; "" if there is no room for it."""
        svgs = [part.pictures.get(mode) or part.pictures.get("light", "") for mode in self.modes]
        drawn = [self.store.chart(svg, width, air, enlarged=enlarged) for svg in dict.fromkeys(svgs) if svg]
        return self.images([one for one in drawn if one], alt)

    def asset(self, part: AssetPart, alt: str, name: str) -> str:
        """Return a picture of a user, or its alternative text if there is no room for it."""
        if name == "portrait":
            picture = self.store.portrait(part, PORTRAIT)
            return self.images([picture], alt, name) if picture else ""
        picture = self.store.asset(part, 0, self.column)
        if picture is None:
            self.notes.append(f'picture "{alt[:80]}" is not shown: the mail would be too large')
            return escape(f"[image: {alt}]", quote=False)
        return self.images([picture], alt, name)

    def formula(self, drawn: DrawnFormula, alt: str, name: str) -> str:
        """Return a formula in the text colour of each mode."""
        pictures = [self.store.formula(drawn, mode) for mode in self.modes]
        shown = self.images([one for one in pictures if one], alt, name)
        return shown or f"<code>{escape(alt, quote=False)}</code>"

    def images(self, drawn: Sequence[MailPicture], alt: str, name: str = "") -> str:
        """Return one picture, or a light and a dark one; mail programs show one of these."""
        shown = [self._image(picture, alt, name) for picture in drawn]
        if len(shown) < 2:
            return "".join(shown)
        # Programs that ignore style sheets must hide the second one, too.
        return (
            f'<span class="on-light">{shown[0]}</span>'
            f'<!--[if !mso]><!--><span class="on-dark">{shown[1]}</span><!--<![endif]-->'
        )

    def _image(self, picture: MailPicture, alt: str, name: str) -> str:
        return (
            f'<img{classes(name)} src="{self.store.address(picture)}" width="{picture.width}" '
            f'height="{picture.height}" alt="{escape(alt)}">'
        )

    def address(self, target: str) -> str:
        """Return the address as a mail can contain it; "" if it has no absolute form."""
        if target.startswith("/") and not target.startswith("//") and self.look.origin:
            return self.look.origin.rstrip("/") + target
        return target if target.lower().startswith(SCHEMES) else ""

    def panel(self, tag: str, names: str, inner: str) -> str:
        """Return a table of one cell, because Outlook shows borders and padding only on tables."""
        cell = element("td", names or tag, inner)
        return f'<table {LAYOUT} width="100%" class="panel"><tr>{cell}</tr></table>'
