"""Mails: content with sections, who gets it, and rendered files."""

from __future__ import annotations

from handlers.rules.kinds import QuotedFile
from handlers.rules.render_options import MAIL_OPTIONS, options_of
from handlers.services.closed_items import closed_items
from handlers.services.mails.mail_recipe import MailRecipe
from handlers.services.mails.recipient_lines import read_recipients
from handlers.services.renderings import notes_of
from handlers.services.world import World
from handlers.trees.facets.assets import assets
from handlers.trees.visuals.docs import RECIPE as DOCUMENT_RECIPE
from handlers.trees.visuals.docs import shown_visuals
from handlers.trees.visuals.rendered import note_log, rendered_file
from handlers.trees.visuals.visual import visual, visual_kind
from vfs.access import Access, Verb
from vfs.nodes import KIB, MIB, Dir
from vfs.parts import choice, flag, line, text
from vfs.place import Place
from vfs.rules import R, W, X

RECIPE = MailRecipe(DOCUMENT_RECIPE.parts)
KIND = visual_kind("mail", "Mails", "simple", data=QuotedFile("content"), references=shown_visuals)
FORMS = {
    "html": "the mail as programs show it",
    "txt": "the text for programs without HTML",
    "ansi": "the text with colours for a terminal",
    "pdf": "pages to print",
    "png": "a picture of a page",
    "pptx": "slides to go on with",
}
SCREEN = "html"
"""The form whose notes are the mail's log, and which tells of changes."""
LISTS = {"to": "who gets it", "cc": "who gets it too", "bcc": "who gets it unseen by the others"}
LARGEST_LIST = 640 * KIB


def rendering_notes(place: Place[World]) -> tuple[str, ...]:
    """Sentences about what is not shown, and for writers about what is closed to the mail's readers."""
    notes = notes_of(place, RECIPE, options_of(SCREEN, {}, known=MAIL_OPTIONS), SCREEN)
    if Access.WRITE not in place.access:
        return notes
    return (*notes, *closed_items(place.world, place.here, "mail", shown_visuals(place, place.here)))


def read_list(sent: str) -> str:
    """A list of recipients as it was sent. Raises Invalid that names every line which is none."""
    read_recipients(sent, "")
    return sent


MAILS = visual(
    KIND,
    {
        "content": text(largest=MIB, about="the body, markdown with sections"),
        "recipients": Dir(
            {
                name: text(check=read_list, largest=LARGEST_LIST, about=f"{about}, one a line")
                for name, about in LISTS.items()
            },
            rules={Verb.READ: W},
            about="who gets it: name@host, @user, me, +org~group or @user~group",
        ),
        "config": Dir(
            {
                "subject": line(about="subject of the mail"),
                "size": line("small", about="xs, small, medium or large: how wide it is"),
                "theme": line(
                    "novem-light", about="novem-light, novem-dark, or novem for the reader's choice"
                ),
                "template": line(about="a template's name, kept"),
                "type": choice("simple", default="simple", about="kind of mail"),
                "reply_to": line("no", about="yes: answers go to the owner's address"),
                "enabled": flag(True, about="whether it may be sent"),
                "comments": flag(True, about="whether it takes comments"),
            },
            about="how it looks and is sent",
        ),
        "assets": assets(),
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
    log=note_log(rendering_notes, about="what is not shown and why"),
    copies=("content", "config", "assets"),
    about=("a mail", "mails"),
)
