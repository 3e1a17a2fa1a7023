"""Style sheets of mails: widths and themes, inlined into elements, with a separate one for dark mode."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import css_inline

from handlers.render.documents.pages.themes import SPACES, code_rules, color_pairs, kind_rules
from handlers.words.mail_message import MODES

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


def inline_css(body: str, look: MailLook, classes: Mapping[str, str], *, rtl: bool) -> tuple[str, str]:
    """Return the body with its rules inlined into its elements, and the sheet for dark mode.

    `classes` are rule bodies by class name, in addition to those of every mail. The sheet is empty for a mail
    of one mode.
    """
    names = {"start": "right" if rtl else "left", "edge": f"{look.edge}px", "width": f"{look.width}px"}
    css = COMMENT.sub("", kind_rules("mail") + code_rules())
    for name, value in names.items():
        css = css.replace(f"${name}", value)
    css += "".join(f".{name}{{{rule}}}" for name, rule in classes.items())
    css = NAMED.sub(_value, css)
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
    """Return the rules that differ in dark mode: by preference, and by Outlook's mark on phones."""
    rules = [(found[1].strip(), said) for found in RULE.finditer(css) if (said := _dark(found[2]))]
    chosen = "".join(f"{selector}{{{said}}}" for selector, said in rules)
    marked = "".join(
        f"{','.join(f'[data-ogsc] {one.strip()}' for one in selector.split(','))}{{{said}}}"
        for selector, said in rules
    )
    return f"@media (prefers-color-scheme:dark){{{chosen}}}{marked}"


def _dark(declarations: str) -> str:
    return ";".join(_important(declarations))


def _important(declarations: str) -> Iterator[str]:
    for declaration in declarations.split(";"):
        if PAIR.search(declaration):
            name, _, value = _of_mode(declaration, "dark").partition(":")
            yield f"{name.strip()}:{value.strip()} !important"
