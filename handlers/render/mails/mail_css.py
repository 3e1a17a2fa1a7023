"""Style sheets of mails: widths and themes, inlined into elements, with a second one for the dark."""

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
"""Pixels of air at each side of the text; narrow mails have three quarters of it."""


@dataclass(frozen=True, slots=True)
class MailLook:
    """The manner in which a mail is shown.

    `page` is the mail's own page, `origin` the address of the service, before paths that begin with `/`;
    `unsubscribe` ends such mails; each of them may be "". `sender` stands at the foot.
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
        """Pixels from edge to edge; small where the size is none that there is."""
        return WIDTHS[SIZES.get(self.size.strip().lower(), "s")]

    @property
    def edge(self) -> int:
        """Pixels of air at each side."""
        return EDGE if self.width > WIDTHS["xs"] else EDGE * 3 // 4

    @property
    def column(self) -> int:
        """Pixels of a line of text."""
        return self.width - 2 * self.edge

    @property
    def mode(self) -> str:
        """The mode: `light`, `dark`, or `both` where the reader's choice holds."""
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
    """Return the body with its rules written into its elements, and the sheet for the dark.

    `classes` are bodies of rules by the name of their class, in addition to those of every mail. The sheet is
    empty where a mail is of one mode.
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
    """The value of a token of pages, for programs that know no custom properties."""
    name = found[1]
    if name.startswith("space-"):
        return f"{SPACES[int(name[-1])]}pt"
    return FAMILIES[name] if name in FAMILIES else f"light-dark({','.join(color_pairs()[name])})"


def _of_mode(css: str, mode: str) -> str:
    return PAIR.sub(lambda pair: pair[1 if mode == "light" else 2].strip(), css)


def _dark_sheet(css: str) -> str:
    """The rules that differ in the dark: by the reader's choice, and as Outlook for phones marks it."""
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
