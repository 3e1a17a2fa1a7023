"""Grids: a drawn layout and the plots in its cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial

from chains.language import layout, mapping
from chains.language.grid import NOTHING_DRAWN, NOTHING_SHOWN, references, structure
from chains.language.layout import LayoutBox
from chains.language.mapping import Binding
from chains.language.mistake import Mistake
from chains.language.named_items import named_in_mapping
from handlers.rules.kinds import QuotedFile
from handlers.rules.render_options import options_of
from handlers.services.copies import TakenText, admit_text, unseen
from handlers.services.grid_cells import MAPPING, GridRecipe, unseen_plots
from handlers.services.renderings import notes_of
from handlers.services.rights import closed_items
from handlers.services.snapshots import FOLDER, FormWay, SnapshotWay, grid_parts
from handlers.services.world import World
from handlers.trees.facets.contexts import viewer_of
from handlers.trees.facets.sending import copied_config
from handlers.trees.facets.snapshots import snapshot_schedule, snapshots
from handlers.trees.visuals.plots import RECIPE as PLOT_RECIPE
from handlers.trees.visuals.preview import PreviewWay
from handlers.trees.visuals.visual import note_log, rendered_files, visual, visual_kind
from vfs.context import Context
from vfs.nodes import KIB, Derived, Dir
from vfs.parts import flag, line, parsed_by, text
from vfs.ports.items import Item
from vfs.ports.leaves import text_at

JSON = "application/json"
SOURCES = ("../layout", "../mapping")
LARGEST = 64 * KIB


def read_grid(sources: Mapping[str, str]) -> tuple[LayoutBox | None, Mapping[str, Binding]]:
    """Return the boxes and bindings of a grid.

    An invalid text from before there were checks counts as empty, so that either can be corrected first.
    """
    drawn, bound = (sources[source] for source in SOURCES)
    try:
        box = layout.parse(drawn)
    except Mistake:
        box = None
    try:
        return box, mapping.parse(bound)
    except Mistake:
        return box, {}


def taken_mapping(context: Context[World]) -> TakenText:
    """Return the mapping for a copy of another owner's grid."""
    owner, text = context.here.owner, text_at(context.world.leaves, context.here.id, MAPPING)
    _, bound = read_grid(dict(zip(SOURCES, ("", text), strict=True)))
    after = admit_text(mapping.with_owner(text, owner), LARGEST)
    return TakenText(MAPPING, text, after, unseen(unseen_plots(context.world, owner, bound, context.me)))


RECIPE = GridRecipe(PLOT_RECIPE)
DEFAULTS = {"width": 1200}
"""Options of the drawing: a grid is wider than a plot."""
FORMS_WAY = FormWay(RECIPE, DEFAULTS)
SNAPSHOTS = SnapshotWay(
    own=FORMS_WAY,
    drawn={PLOT_RECIPE.kind: FormWay(PLOT_RECIPE), RECIPE.kind: FORMS_WAY},
    parts=partial(grid_parts, RECIPE),
    sources=("layout", MAPPING),
)


def shown_plots(context: Context[World], grid: Item) -> Mapping[str, Item]:
    """Return the plots in a grid, by label, that its owner and last writer may both see."""
    return RECIPE.grid_plots(context.world, grid).plots


KIND = replace(
    visual_kind("grid", "Grids", "grid"),
    says="plots side by side",
    takes="layout",
    data=QuotedFile("json/data.json", NOTHING_DRAWN, is_json=True),
    metadata=QuotedFile("json/meta_data.json", NOTHING_SHOWN, is_json=True),
    references=shown_plots,
    pictured=True,
    refers_in={MAPPING: named_in_mapping},
    snapshots=SNAPSHOTS,
)
FORMS = ("html", "png", "svg", "pdf", "txt", "ansi")


def closed_plots(context: Context[World]) -> Iterable[str]:
    """Return sentences for the owner on plots that the grid's readers cannot open."""
    if not context.owned:
        return ()
    return closed_items(
        context.world, context.here, KIND.name, RECIPE.named_plots(context.world, context.here)
    )


def drawing_notes(context: Context[World]) -> tuple[str, ...]:
    """Return sentences on cells without a plot, and for the owner on plots that readers cannot open."""
    notes = notes_of(viewer_of(context), RECIPE, options_of("svg", {}, DEFAULTS))
    return (*notes, *closed_plots(context))


CONFIG = {
    "type": line(about="kind of grid"),
    "theme": line("novem", about="a theme's name, or +org/theme"),
    "comments": flag(True, about="whether it takes comments"),
    "custom": Dir({name: text() for name in ("custom.css", "custom.js")}, about="own style"),
    **snapshot_schedule(),
}

GRIDS = visual(
    KIND,
    {
        "layout": text(check=parsed_by(layout.parse), largest=LARGEST, about="the drawn boxes"),
        "mapping": text(check=parsed_by(mapping.parse), largest=LARGEST, about="the plot of each box"),
        "json": Dir(
            {
                "data.json": Derived(
                    lambda _, sources: structure(*read_grid(sources)),
                    of=SOURCES,
                    media=JSON,
                    default=NOTHING_DRAWN,
                    about="the boxes as drawn: type, width, height, children, inst",
                ),
                "meta_data.json": Derived(
                    lambda _, sources: references(*read_grid(sources)),
                    of=SOURCES,
                    media=JSON,
                    default=NOTHING_SHOWN,
                    about="the content of the boxes",
                ),
            },
            about="layout and mapping as they were parsed",
        ),
        "files": rendered_files(KIND, RECIPE, FORMS, DEFAULTS),
        FOLDER: snapshots(SNAPSHOTS),
        "config": Dir(CONFIG, about="how it looks"),
    },
    log=note_log(
        drawing_notes, about="cells without a plot, and plots that a reader of the grid cannot open"
    ),
    copies=("layout", "mapping", "json", *copied_config(CONFIG)),
    about=("a grid", "grids"),
    preview=PreviewWay(
        recipe=RECIPE,
        leaves=("layout", MAPPING, "name", "summary", "config"),
        forms=("svg", "png", "html", "txt"),
        remarks=closed_plots,
        defaults=DEFAULTS,
    ),
    taken=taken_mapping,
)
