"""Mails: content and recipients, kept until they can be sent."""

from __future__ import annotations

from handlers.trees.facets.assets import assets
from handlers.trees.facets.meta import empty_log, meta, with_tags
from handlers.trees.facets.threads import THREADS
from handlers.trees.facets.variables import VARIABLES
from vfs.access import VIEWABLE
from vfs.nodes import KIB, MIB, Dir, Items
from vfs.parts import choice, flag, line, text, value

MAIL = Dir(
    {
        **meta("m"),
        "threads": THREADS,
        "vars": VARIABLES,
        "content": text(largest=MIB, about="the body, markdown with sections"),
        "recipients": Dir(
            {name: text(largest=64 * KIB, about="one a line") for name in ("to", "cc", "bcc")},
            about="who gets it",
        ),
        "config": Dir(
            {
                "subject": line(about="subject of the mail"),
                "size": line("small", about="width of the mail"),
                "theme": line("novem-light", about="a theme's name"),
                "template": line(about="a template's name"),
                "type": choice("simple", default="simple", about="kind of mail"),
                "reply_to": line("no", about="yes: answers go to the owner's address"),
                "enabled": flag(True, about="whether it may be sent"),
                "comments": flag(True, about="whether it takes comments"),
            },
            about="how it is sent",
        ),
        "assets": assets(),
        "status": choice(
            "draft",
            "sending",
            "sent",
            "test",
            "testing",
            default="draft",
            about="asks for sending; kept, not acted on yet",
        ),
        "log": value(empty_log, about="what became of it"),
    },
    about="a mail",
)
MAILS = Items(
    "mail",
    MAIL,
    home=True,
    confers=VIEWABLE,
    copies=("name", "summary", "description", "content", "recipients", "config", "assets", "vars"),
    copied=with_tags,
    about="mails",
)
