"""Rendered files of visuals: `files/<kind>.<form>`, and the log of omitted parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from handlers.rendering.render_kinds import MEDIA_TYPES
from handlers.rules.kinds import ResourceKind
from handlers.rules.render_options import (
    FORM_OPTIONS,
    NO_DEFAULTS,
    FormOptions,
    Options,
    options_of,
    query_help,
)
from handlers.services.hints import hints_of
from handlers.services.picture_news import FORM, follow_picture
from handlers.services.renderings import LeavesRecipe, RenderRecipe, notes_of, render
from handlers.services.world import World
from handlers.trees.facets.viewers import viewer_of
from handlers.words.tables import one_line
from vfs.access import Verb
from vfs.call import Data, Reply
from vfs.context import Context
from vfs.nodes import Dir, File
from vfs.parts import value
from vfs.rules import R, X

FORMS = {
    "svg": "a picture of lines and type",
    "png": "a picture of pixels",
    "pdf": "a page to print",
    "html": "a fragment for a page",
    "txt": "characters for a terminal",
    "ansi": "characters with colours for a terminal",
    "csv": "the data",
    "xlsx": "the data as a workbook with a chart",
    "pptx": "a slide with a chart",
}
"""Formats with their descriptions. Those of DATA return the source data and need `r`."""
DATA = frozenset({"csv", "xlsx"})
FOLDER = "files"
"""Name of the folder of rendered files, each `<kind>.<form>`."""


def rendered_files(
    kind: ResourceKind, recipe: RenderRecipe, forms: Iterable[str], defaults: Options = NO_DEFAULTS
) -> Dir:
    """Return the folder `files` of a kind: formats are rendered on read and cached until a change."""
    files = {
        f"{kind.name}.{form}": rendered_file(
            kind, recipe, form, FORMS[form], defaults=defaults, followed=form == FORM
        )
        for form in forms
    }
    return Dir(files, rules={Verb.READ: R | X}, about="rendered files")


def render_log(recipe: RenderRecipe, about: str) -> File:
    """Return the log of the last drawing: a line for each omitted part."""
    return note_log(lambda context: notes_of(viewer_of(context), recipe, options_of("svg", {})), about)


def note_log(notes_at: Callable[[Context[World]], Sequence[str]], about: str) -> File:
    """Return a log of sentences that are computed when it is read, one on each line."""

    def read(context: Context[World]) -> Data:
        notes = notes_at(context)
        return Data(
            [{"message": note} for note in notes],
            lambda lines: "".join(f"{one_line(note)}\n" for note in notes),
        )

    return value(read, about=about)


NAMED = ("pptx", "xlsx")
"""Formats that show the name of their item if it has no title and no display name."""


def rendered_file(
    kind: ResourceKind,
    recipe: RenderRecipe,
    form: str,
    about: str,
    *,
    defaults: Options = NO_DEFAULTS,
    known: FormOptions = FORM_OPTIONS,
    followed: bool = False,
) -> File:
    """Return a file of a format; a `followed` one can be read as a stream of events with its versions."""

    def read(context: Context[World]) -> Reply:
        hints, viewer = hints_of(context.call), viewer_of(context)
        if followed and hints.events:
            return Reply(follow_picture(viewer, recipe, hints.since))
        page = kind.page(hints.origin, context.here)
        options = options_of(form, context.call.query, defaults, known)
        if isinstance(recipe, LeavesRecipe) and form in NAMED:
            options = {**options, "called": context.here.name}
        made = render(viewer, recipe, form, options)
        return Reply(made, filename=f"{context.here.name}.{form}", inline=True, canonical=page)

    rules = {Verb.READ: R if form in DATA else R | X}
    media = (MEDIA_TYPES[form],)
    query = query_help(form, known)
    return value(read, rules=rules, query=query, media=media, about=about)
