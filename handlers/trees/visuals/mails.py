"""Mails: content with sections, recipients, and rendered files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from chains.language.named_items import named_in_prose
from handlers.rules.kinds import QuotedFile
from handlers.rules.render_options import MAIL_OPTIONS, options_of
from handlers.services.copies import taken_document
from handlers.services.documents.part_requests import LARGEST_CONTENT
from handlers.services.renderings import notes_of
from handlers.services.rights import closed_items
from handlers.services.world import World
from handlers.trees.facets.contexts import viewer_of
from handlers.trees.facets.pictures import assets
from handlers.trees.facets.renames import CONTENT
from handlers.trees.facets.sending import (
    WHO,
    copied_config,
    recipients_file,
    sending_files,
    sending_lines,
    status_file,
)
from handlers.trees.visuals.docs import MAIL_RECIPE, shown_visuals
from handlers.trees.visuals.preview import PreviewWay
from handlers.trees.visuals.visual import note_log, rendered_file, visual, visual_kind
from vfs.access import Verb
from vfs.call import Data
from vfs.context import Context
from vfs.nodes import Dir
from vfs.parts import choice, flag, line, text, value
from vfs.rules import R, W, X

RECIPE = MAIL_RECIPE
LISTS = {"to": "who gets it", "cc": "who gets it too", "bcc": "who gets it unseen by the others"}
KIND = replace(
    visual_kind("mail", "Mails", "simple"),
    says="a document that is sent",
    takes="content",
    shows="Read",
    fed="content",
    data=QuotedFile("content"),
    references=shown_visuals,
    refers_in={CONTENT: named_in_prose},
    recipients={name: f"recipients/{name}" for name in LISTS},
)
FORMS = {
    "html": "the mail as programs show it",
    "txt": "the text for programs without HTML",
    "ansi": "the text with colours for a terminal",
    "pdf": "pages to print",
    "png": "a picture of a page",
    "pptx": "slides to go on with",
}
SCREEN = "html"
"""The format whose notes are the mail's log, and which sends change events."""
MOST_ASSETS = 25


def rendering_notes(context: Context[World]) -> tuple[str, ...]:
    """Return sentences on hidden parts, and for the owner on parts that readers cannot open."""
    notes = notes_of(viewer_of(context), RECIPE, options_of(SCREEN, {}, known=MAIL_OPTIONS), SCREEN)
    return (*notes, *closed_visuals(context))


def closed_visuals(context: Context[World]) -> Iterable[str]:
    """Return sentences for the owner on parts that the mail's readers cannot open."""
    if not context.owned:
        return ()
    return closed_items(context.world, context.here, "mail", shown_visuals(context, context.here))


def _log_lines(context: Context[World]) -> tuple[str, ...]:
    return (*rendering_notes(context), *sending_lines(context))


def _runs(context: Context[World]) -> Data:
    rows = [
        {
            "id": one.id,
            "time": one.started_on,
            "duration": _seconds(one.started_on, one.ended_on) if one.ended_on else None,
            "status": one.status,
            "test": one.test,
            "accepted": one.accepted,
            "refused": one.refused,
        }
        for one in context.world.social.mails.of(context.here.id)
    ]
    return Data(rows, lambda found: "".join(f"{row['time']} {row['status']}\n" for row in found))


def _seconds(start: str, end: str) -> float:
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()


CONFIG = {
    "subject": line(about="subject of the mail"),
    "size": line("small", about="its width: xs, small, medium or large"),
    "theme": line("novem-light", about="novem-light, novem-dark, or novem for the reader's choice"),
    "template": line(about="a template's name, kept"),
    "type": choice("simple", default="simple", about="kind of mail"),
    "reply_to": line("no", about="yes: answers go to the owner's address"),
    **sending_files(),
    "comments": flag(True, about="whether it takes comments"),
}

MAILS = visual(
    KIND,
    {
        "content": text(largest=LARGEST_CONTENT, about="the body, markdown with sections"),
        "recipients": Dir(
            {name: recipients_file(f"{about}, one a line") for name, about in LISTS.items()},
            rules={Verb.READ: W},
            about=f"who gets it: {WHO}",
        ),
        "config": Dir(CONFIG, about="how it looks and is sent"),
        "assets": assets(MOST_ASSETS),
        "files": Dir(
            {
                f"{KIND.name}.{form}": rendered_file(
                    KIND, RECIPE, form, about, known=MAIL_OPTIONS, followed=form == SCREEN
                )
                for form, about in FORMS.items()
            },
            rules={Verb.READ: R | X},
            about="rendered files",
        ),
        "status": status_file(RECIPE),
        "stats": Dir(
            {"runs": value(_runs, about="a row for each sending: time, duration, accepted messages")},
            rules={Verb.READ: W},
            about="the sent mail",
        ),
    },
    log=note_log(_log_lines, about="what is not shown and why; for writers, also the results of sending"),
    copies=("content", "assets", *copied_config(CONFIG)),
    about=("a mail", "mails"),
    preview=PreviewWay(
        recipe=RECIPE,
        leaves=("content", "name", "config"),
        forms=(SCREEN, "txt", "png"),
        remarks=closed_visuals,
        known=MAIL_OPTIONS,
    ),
    taken=lambda context: taken_document(viewer_of(context), context.requested),
)
