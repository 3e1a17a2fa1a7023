"""Parts of a document or grid that a snapshot keeps: the plots and grids that it shows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from handlers.rendering.render_kinds import MEDIA
from handlers.services.documents.found_parts import USABLE, PartLookup
from handlers.services.documents.part_paths import USER, PartPath
from handlers.services.grid_cells import GridRecipe
from handlers.services.rights import item_access
from handlers.services.viewer import Viewer
from vfs.access import NOTHING, Access, Caller
from vfs.errors import Denied
from vfs.ports.items import Item

MOST_NAMED = 5
DATA_FORM = "csv"
"""The form with the data of a part; grids have none."""


@dataclass(frozen=True, slots=True)
class ShownParts:
    """The parts of an item at one moment.

    `drawn` has a picture each, `plots` have data; `used` are all items that the snapshot shows something of,
    with the words for each, as the text has them, so that they reveal no more than the text does. `writers`
    are the people behind the text.
    """

    drawn: Sequence[Item]
    plots: Sequence[Item]
    used: Mapping[Item, str]
    writers: Collection[str]


def document_parts(lookup: PartLookup, viewer: Viewer) -> ShownParts:
    """Return the parts of a document, with the plots in its grids."""
    found = lookup.find(viewer, viewer.item)
    plots, inside = dict[Item, str](), dict[Item, str]()
    for ref, part in found.visuals.items():
        if part.kind == lookup.plots.kind:
            plots[part] = ref
        else:
            within = lookup.grids.grid_plots(viewer.world, part).plots.values()
            inside |= dict.fromkeys(within, f"a plot in {ref}")
    used = {
        item: _as_written(viewer, path)
        for path, item in found.items.items()
        if path.kind != USER and item.id != viewer.item.id
    }
    drawn = list(dict.fromkeys(found.visuals.values()))
    return ShownParts(drawn, list({**plots, **inside}), {**inside, **used}, found.people)


def grid_parts(recipe: GridRecipe, viewer: Viewer) -> ShownParts:
    """Return the plots of a grid, and the grid itself, whose picture is kept with theirs."""
    used = {plot: name for name, plot in recipe.named_plots(viewer.world, viewer.item).items()}
    people = recipe.grid_plots(viewer.world, viewer.item).people
    return ShownParts([viewer.item, *used], list(used), used, people)


def _as_written(viewer: Viewer, path: PartPath) -> str:
    """Return the words for the item at a path of a document."""
    return (
        f"/u/{path.owner}/{viewer.world.service.kinds[path.kind].letter}/{path.name}"
        if path.kind
        else path.name
    )


def readable_parts(
    viewer: Viewer, parts: Mapping[Item, str], writers: Collection[str] = ()
) -> frozenset[int]:
    """Return the ids of the parts whose data may be kept: all people behind the snapshot may read them.

    They are the item's owner, the caller, all who could influence the caller if it is a run, and the
    `writers` of the text, who choose whose data others keep. Raises Denied if one of the others may not see a
    part: what is kept stays readable after its share has ended.
    """
    world, caller, ids = viewer.world, viewer.caller, [part.id for part in parts]
    readable, makers = frozenset(ids), {viewer.item.owner, *(caller.author or "").split()}
    for person in sorted({*makers, *writers}):
        who = caller if person == caller.name else Caller(person)
        found = world.items.all_at(ids, person)
        access = {id: item_access(world, found[id], who) if id in found else NOTHING for id in ids}
        unseen = sorted({name for part, name in parts.items() if not access[part.id] & USABLE})
        if unseen and person in makers:
            raise Denied(
                f"it shows {', '.join(unseen[:MOST_NAMED])}, which @{person} may not see, and a snapshot "
                "would keep that: ask for a share of it, or let the owner make the snapshot"
            )
        readable &= {id for id, one in access.items() if Access.READ in one}
    return readable


def page_of(viewer: Viewer, part: Item) -> str:
    """Return the address of a part as texts name it: `/u/ann/p/sales`."""
    return f"/u/{part.owner}/{viewer.world.service.kinds[part.kind].letter}/{part.name}"


def file_name(home: Item, part: Item) -> str:
    """Return the name of the files of a part, without their form.

    For another owner's it begins with `@owner~`, for a grid it ends with `.grid`. No two parts have the same
    one, as names have neither dots nor tildes.
    """
    owner = "" if part.owner == home.owner else f"@{part.owner}~"
    return f"{owner}{part.name}{'' if DATA_FORM in MEDIA[part.kind] else f'.{part.kind}'}"
