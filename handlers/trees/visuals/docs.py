"""Documents: pages in markdown with a theme, assets and rendered files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial

from chains.language.named_items import named_in_prose
from handlers.rules.kinds import QuotedFile
from handlers.rules.render_options import PAGE_OPTIONS, options_of
from handlers.services.copies import taken_document
from handlers.services.documents.document_recipe import DocumentRecipe, MailRecipe
from handlers.services.documents.found_parts import PartLookup
from handlers.services.documents.part_requests import LARGEST_CONTENT
from handlers.services.documents.themes import theme_note
from handlers.services.renderings import kept_notes, notes_of
from handlers.services.rights import closed_items
from handlers.services.snapshots import FOLDER, FormWay, SnapshotWay, document_parts
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
from handlers.trees.facets.snapshots import snapshot_schedule, snapshots
from handlers.trees.visuals.grids import FORMS_WAY as GRID_FORMS
from handlers.trees.visuals.grids import RECIPE as GRID_RECIPE
from handlers.trees.visuals.plots import RECIPE as PLOT_RECIPE
from handlers.trees.visuals.preview import PreviewWay
from handlers.trees.visuals.visual import note_log, rendered_file, visual, visual_kind
from vfs.access import Verb
from vfs.context import Context
from vfs.nodes import Dir, Ghost
from vfs.parts import choice, flag, line, text
from vfs.ports.items import Item
from vfs.rules import R, X

RECIPE = DocumentRecipe(PartLookup(PLOT_RECIPE, GRID_RECIPE))
SNAPSHOTS = SnapshotWay(
    own=FormWay(RECIPE, known=PAGE_OPTIONS),
    drawn={PLOT_RECIPE.kind: FormWay(PLOT_RECIPE), GRID_RECIPE.kind: GRID_FORMS},
    parts=partial(document_parts, RECIPE.parts),
    sources=(CONTENT,),
)
MAIL_RECIPE = MailRecipe(RECIPE.parts)
RECIPIENTS = "recipients"


def shown_visuals(context: Context[World], document: Item) -> Mapping[str, Item]:
    """Return the plots and grids in a document, by reference, that its owner and writer may both see."""
    return RECIPE.parts.find(viewer_of(context, document), document).visuals


KIND = replace(
    visual_kind("doc", "Documents", "doc"),
    listed_as="documents",
    says="text with charts; pages or slides",
    takes="content",
    fed="content",
    shows="Read",
    data=QuotedFile("content"),
    references=shown_visuals,
    refers_in={CONTENT: named_in_prose},
    snapshots=SNAPSHOTS,
    recipients={"to": f"config/{RECIPIENTS}"},
    secrets=(f"config/{RECIPIENTS}",),
)
FORMS = {
    "pdf": "pages to print",
    "pptx": "a presentation; each page or slide is a slide",
    "html": "one page of HTML that holds everything it shows",
    "md": "the text as plain markdown, values and names in place",
}
GHOSTS = ("doc.png", "doc.txt", "doc.ansi")
SCREEN = "html"
"""The format whose notes are the document's log, and which sends change events."""


def rendering_notes(context: Context[World]) -> tuple[str, ...]:
    """Return sentences on hidden parts, and for the owner on parts that readers cannot open."""
    viewer = viewer_of(context)
    notes = notes_of(viewer, RECIPE, options_of(SCREEN, {}, known=PAGE_OPTIONS), SCREEN)
    slides = kept_notes(viewer, RECIPE, options_of("pptx", {}, known=PAGE_OPTIONS), "pptx")
    return (*dict.fromkeys((*notes, *slides)), *rights_notes(context))


def rights_notes(context: Context[World]) -> Iterable[str]:
    """Yield sentences on a theme without access, and for the owner on parts that readers cannot open."""
    viewer = viewer_of(context)
    found = RECIPE.parts.find(viewer, context.here)
    yield from theme_note(viewer, found.theme_digest)
    if context.owned:
        yield from closed_items(context.world, context.here, "document", found.visuals)


def _log_lines(context: Context[World]) -> tuple[str, ...]:
    return (*rendering_notes(context), *sending_lines(context))


CONFIG = {
    "comments": flag(True, about="whether it takes comments"),
    "custom": Dir({"custom.css": text(about="style on top of the theme")}, about="own style"),
    "theme": line("novem", about="a theme's name, or +org/theme"),
    "title": line(about="stored for later"),
    "toc": line(about="stored for later"),
    "type": choice(
        "doc", "docs", "pres", "blog", "web", default="doc", about="pages, slides or flowing text"
    ),
    RECIPIENTS: recipients_file(f"who gets it as a mail, one a line: {WHO}"),
    **sending_files(),
    **snapshot_schedule(),
}

DOCS = visual(
    KIND,
    {
        "content": text(largest=LARGEST_CONTENT, about="the body, markdown with sections"),
        "config": Dir(CONFIG, about="how it looks and is sent"),
        "assets": assets(),
        FOLDER: snapshots(SNAPSHOTS),
        "files": Dir(
            {
                f"{KIND.name}.{form}": rendered_file(
                    KIND, RECIPE, form, about, known=PAGE_OPTIONS, followed=form == SCREEN
                )
                for form, about in FORMS.items()
            }
            | {name: Ghost(about="not rendered for documents") for name in GHOSTS},
            rules={Verb.READ: R | X},
            about="rendered files",
        ),
        "status": status_file(MAIL_RECIPE),
    },
    log=note_log(
        _log_lines,
        about="what is not shown and why, and parts that a reader of the document cannot open; for writers, "
        "also the results of sending",
    ),
    copies=("content", *copied_config(CONFIG), "assets"),
    about=("a document", "documents"),
    preview=PreviewWay(
        recipe=RECIPE,
        leaves=(CONTENT, "name", "config"),
        forms=(SCREEN,),
        remarks=rights_notes,
        known=PAGE_OPTIONS,
    ),
    taken=lambda context: taken_document(viewer_of(context), context.requested),
)
