"""Visuals: the common structure of documents, grids, mails and plots, and their rendered files."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from handlers.rendering.render_kinds import MEDIA_TYPES
from handlers.rules.kinds import VISUALS, ResourceKind
from handlers.rules.render_options import (
    FORM_OPTIONS,
    NO_DEFAULTS,
    FormOptions,
    Options,
    options_of,
    query_help,
)
from handlers.services.copies import TakenText, keep_text
from handlers.services.renderings import LeavesRecipe, RenderRecipe, notes_of, render
from handlers.services.viewer import Viewer, hints_of
from handlers.services.world import World
from handlers.trees.facets.contexts import viewer_of
from handlers.trees.facets.meta import meta, with_tags
from handlers.trees.facets.renames import draft_mending, finish_rename
from handlers.trees.facets.threads import THREADS
from handlers.trees.facets.variables import VARIABLES
from handlers.trees.visuals.preview import PREVIEW, PreviewWay, preview_file
from handlers.words import sse as events
from handlers.words.tables import one_line
from vfs.access import VIEWABLE, Verb
from vfs.call import Data, Reply, Stream
from vfs.context import Context
from vfs.errors import VfsError
from vfs.nodes import Dir, File, Items, Node
from vfs.parts import value
from vfs.ports.items import Item
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
            kind, recipe, form, FORMS[form], defaults=defaults, followed=form == FOLLOWED
        )
        for form in forms
    }
    return Dir(files, rules={Verb.READ: R | X}, about="rendered files")


def render_log(recipe: RenderRecipe, about: str) -> File:
    """Return the log of the last drawing: a line for each omitted part."""
    return note_log(lambda context: notes_of(viewer_of(context), recipe, options_of(FOLLOWED, {})), about)


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
FOLLOWED = "svg"
"""The format that can be read as a stream of its versions."""
CALM_SECONDS = 0.25
"""Seconds between two checks of a picture made of several items; any of them may have changed."""


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


def follow_picture(viewer: Viewer, recipe: RenderRecipe, since: str) -> Stream:
    """Return a stream of the versions of an item's picture, after the version `since`.

    Its tag is the present version. Raises Unavailable while the maximum number of calls waits for news.
    """
    viewer.ongoing.begin(spare=True)
    version = _version(viewer, recipe)
    return Stream(_versions(viewer, recipe, since), "text/event-stream", tag=version)


def _versions(viewer: Viewer, recipe: RenderRecipe, since: str) -> Iterator[bytes]:
    """Yield an event for the present version, unless the caller has it, and for each new one.

    Heartbeats come between. It ends when the caller may no longer see the picture or the service stops.
    """
    yield events.FIRST
    alone = isinstance(recipe, LeavesRecipe)
    changes, known, seen = viewer.world.visuals.changes, since, 0
    heartbeat = events.first_heartbeat()
    while True:
        began = time.monotonic()
        seen = changes.wait(viewer.item if alone else None, seen, heartbeat)
        heartbeat = events.HEARTBEAT_SECONDS
        if not alone and known and time.monotonic() - began < CALM_SECONDS:
            time.sleep(CALM_SECONDS)
        if not viewer.ongoing.is_allowed():
            return
        try:
            with viewer.world.session():
                version = _version(viewer, recipe)
        except VfsError:
            return
        yield events.event({"version": version}, version) if version != known else events.HEARTBEAT
        known = version


def _version(viewer: Viewer, recipe: RenderRecipe) -> str:
    return recipe.version(viewer, viewer.item, options_of(FOLLOWED, {}))


RIGHTS = {"x": "see the picture", "r": "read", "rw": "edit"}
"""What permission letters allow for a visual."""


def visual_kind(name: str, title: str, default_type: str) -> ResourceKind:
    """Return a kind of visual with the common settings; readers may see it rendered."""
    return ResourceKind(
        name=name,
        confers=VIEWABLE,
        family=VISUALS,
        folder=f"{name}s",
        title=title,
        letter=name[0],
        rights=RIGHTS,
        default_type=default_type,
        claims="vis",
    )


def visual(
    kind: ResourceKind,
    own: Mapping[str, Node],
    log: Node,
    copies: tuple[str, ...],
    about: tuple[str, str],
    preview: PreviewWay,
    taken: Callable[[Context[World]], TakenText] | None = None,
) -> Items:
    """Return the folder of a kind of visual, whose items have the nodes `own`; copies take `copies`.

    `about` describes one item and the folder; `preview` is the way to draw trial texts. `taken` returns the
    text with full references for a copy of another owner's item, if the kind has references.
    """
    one, many = about
    nodes = {**meta(kind), "threads": THREADS, "vars": VARIABLES, **own, "log": log}
    tree = Dir({**nodes, PREVIEW: preview_file(preview, nodes)}, about=one)
    return Items(
        kind,
        tree,
        canonical=True,
        copies=("name", "summary", "description", *copies, "vars"),
        taking=lambda context, name: taken(context) if taken is not None and not context.owned else None,
        copied=_finish_copy,
        mending=partial(draft_mending, kind),
        renamed=partial(finish_rename, kind),
        about=many,
    )


def _finish_copy(context: Context[World], copy: Item, taken: TakenText | None) -> str:
    """Give a copy the caller's tags, and the references of its draft."""
    with_tags(context, copy)
    return keep_text(viewer_of(context), context.requested, copy, taken) if taken is not None else ""
