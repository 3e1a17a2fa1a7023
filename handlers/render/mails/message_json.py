"""Mails as JSON, in which they travel from whoever renders them to whoever sends them."""

from __future__ import annotations

import base64
import json

from handlers.render.mails.mail_html import MailPage
from handlers.render.mails.mail_pictures import MailPicture


def dump_page(page: MailPage, text: str) -> str:
    """A mail and its text as JSON; bytes are in base 64."""
    pictures = [
        [one.name, base64.b64encode(one.body).decode(), one.media, one.width, one.height]
        for one in page.pictures
    ]
    return json.dumps({"html": page.html, "text": text, "pictures": pictures, "notes": page.notes})


def load_page(dumped: str) -> tuple[MailPage, str]:
    """The mail and its text that were dumped."""
    fields = json.loads(dumped)
    pictures = tuple(
        MailPicture(name, base64.b64decode(body), media, width, height)
        for name, body, media, width, height in fields["pictures"]
    )
    return MailPage(fields["html"], pictures, tuple(fields["notes"])), fields["text"]
