"""Mails: content and recipients, kept until they can be sent."""

from __future__ import annotations

from handlers.trees.facets.assets import assets
from handlers.trees.facets.meta import empty_log
from handlers.trees.visuals.visual import visual, visual_kind
from vfs.nodes import KIB, MIB, Dir
from vfs.parts import choice, flag, line, text, value

MAILS = visual(
    visual_kind("mail", "Mails", "simple"),
    {
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
    },
    log=value(empty_log, about="what became of it"),
    copies=("content", "recipients", "config", "assets"),
    about=("a mail", "mails"),
)
