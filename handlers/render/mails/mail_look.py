"""Looks of mails: widths, themes and the words that stand around the content."""

from __future__ import annotations

from dataclasses import dataclass

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
