"""Snapshots: files of an item that are drawn once, stored below `snapshots/<name>`, and never change."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple
from zoneinfo import ZoneInfo

from handlers.rendering.port import KeptRendering
from handlers.rendering.render_kinds import RENDER_KINDS
from handlers.rules.render_options import FORM_OPTIONS, NO_DEFAULTS, FormOptions, Options, options_of
from handlers.services.documents.found_parts import USABLE, PartLookup
from handlers.services.documents.part_requests import USER, PartPath
from handlers.services.grid_cells import GridRecipe
from handlers.services.renderings import (
    AT_ONCE,
    RenderRecipe,
    WantedRender,
    found_renderings,
    in_language,
    key_of,
)
from handlers.services.rights import item_access
from handlers.services.viewer import Viewer
from handlers.services.world import World
from vfs.access import NOTHING, Access, Caller
from vfs.errors import Conflict, Denied, NotFound, Unavailable, Unmet
from vfs.ports.blobs import Ref, chunks
from vfs.ports.items import Item
from vfs.ports.leaves import Leaf, text_at

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
    return f"{owner}{part.name}{'' if DATA_FORM in RENDER_KINDS[part.kind].forms else f'.{part.kind}'}"


MOST_TURNS = 3
PAUSE = 2
"""Seconds after which a client may try again."""
TEXT, PICTURES, DATA = "text", "pictures", "data"
FORMS = ("html", "pdf")
PICTURED = ("svg", "png")
PLAIN = "text/plain"


@dataclass(frozen=True, slots=True)
class FormWay:
    """The way in which the forms of a kind are drawn: its recipe, and its options as in `files`."""

    recipe: RenderRecipe
    defaults: Options = field(default_factory=lambda: NO_DEFAULTS)
    known: FormOptions = field(default_factory=lambda: FORM_OPTIONS)


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotWay:
    """The way in which a kind makes snapshots.

    `own` draws the item, `drawn` its parts by their kinds, `parts` finds these. The `sources` are its texts.
    """

    own: FormWay
    drawn: Mapping[str, FormWay]
    parts: Callable[[Viewer], ShownParts]
    sources: Sequence[str]

    def text(self, viewer: Viewer) -> str:
        """Return the present text of the viewer's item: several ones with an empty line between them."""
        found = viewer.world.leaves.texts_of([viewer.item.id], self.sources).get(viewer.item.id, {})
        texts = [found.get(rel, "") for rel in self.sources]
        return texts[0] if len(texts) == 1 else "\n\n".join(text.strip("\n") for text in texts) + "\n"


class FixedItem(NamedTuple):
    """The stored files of a snapshot that has no row yet, by their paths, and the items that it shows."""

    files: Mapping[str, Ref]
    used: Mapping[Item, str]


class WantedFile(NamedTuple):
    """A file that is to be drawn: its path, the item that it shows, its form, and the way to draw it."""

    rel: str
    item: Item
    form: str
    way: FormWay


def fix(viewer: Viewer, way: SnapshotWay) -> FixedItem:
    """Draw and store everything that the viewer's item shows now. Call it outside of transactions.

    Raises Denied if the caller may not see a part, Unmet if something cannot be drawn, and Unavailable if the
    item changes meanwhile.
    """
    recipe, item = way.own.recipe, viewer.item
    for _ in range(MOST_TURNS):
        version = recipe.version(viewer, item, NO_DEFAULTS)
        parts, text = way.parts(viewer), way.text(viewer)
        readable = readable_parts(viewer, parts.used, parts.writers)
        wanted = list(_wanted(item, way, parts, readable))
        drawn = list(_drawn(viewer, wanted))
        if recipe.version(viewer, item, NO_DEFAULTS) == version:
            contents = [(_chunks(kept), kept.media) for kept in drawn]
            refs = viewer.world.blobs.add_all([((text.encode(),), PLAIN), *contents], item.id)
            rels = (TEXT, *(one.rel for one in wanted))
            return FixedItem(dict(zip(rels, refs, strict=True)), parts.used)
    raise _changed(item)


def _wanted(
    item: Item, way: SnapshotWay, parts: ShownParts, readable: frozenset[int]
) -> Iterator[WantedFile]:
    """Yield the files to draw: those of the item, pictures of its parts, and data that may be read."""
    for form in FORMS:
        yield WantedFile(form, item, form, way.own)
    for part in parts.drawn:
        name = file_name(item, part)
        for form in PICTURED:
            yield WantedFile(f"{PICTURES}/{name}.{form}", part, form, way.drawn[part.kind])
    for plot in parts.plots:
        if plot.id in readable:
            rel = f"{DATA}/{file_name(item, plot)}.{DATA_FORM}"
            yield WantedFile(rel, plot, DATA_FORM, way.drawn[plot.kind])


def _drawn(viewer: Viewer, wanted: Sequence[WantedFile]) -> Iterator[KeptRendering]:
    """Yield the renders of files, a few at a time. Raises Unmet and Unavailable."""
    for way, files in groupby(wanted, attrgetter("way")):
        group = list(files)
        for start in range(0, len(group), AT_ONCE):
            yield from _draw(viewer, way, group[start : start + AT_ONCE])


def _draw(viewer: Viewer, way: FormWay, files: Sequence[WantedFile]) -> Iterator[KeptRendering]:
    kind = way.recipe.kind
    renders = [_render(viewer, way, one) for one in files]
    for one, render, (key, kept) in zip(
        files, renders, found_renderings(viewer, way.recipe, renders), strict=True
    ):
        if kept.passing:
            why = " ".join(kept.notes) or "It could not be drawn."
            raise Unmet(
                f"nothing was stored, as {page_of(viewer, one.item)} has no {one.form}: {why} Correct it, or "
                "take it out of the text"
            )
        if key != key_of(kind, one.form, render.options, render.version):
            raise _changed(one.item)
        yield kept


def _render(viewer: Viewer, way: FormWay, file: WantedFile) -> WantedRender:
    options = in_language(viewer, options_of(file.form, {}, way.defaults, way.known))
    return WantedRender(file.item, file.form, options, way.recipe.version(viewer, file.item, options))


def _changed(item: Item) -> Unavailable:
    return Unavailable(
        f"nothing was stored, as {item.name} changes or takes long to be drawn: try again", retry_after=PAUSE
    )


def _chunks(kept: KeptRendering) -> Iterator[bytes]:
    with kept.open() as file:
        yield from chunks(file)


FOLDER, ZONE = "snapshots", "timezone"
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class KeptSnapshot(NamedTuple):
    """A snapshot: its name, when it was made, and by whom."""

    name: str
    made_on: str
    made_by: str


def make_snapshot(
    viewer: Viewer, way: SnapshotWay, name: str, settle: Callable[[], object] = lambda: None
) -> str:
    """Make a snapshot of the viewer's item, whole or not at all, and return its name.

    A date that is taken gets a suffix. `settle` is called in the transaction. Raises as `fix` and `store`.
    """
    fixed = fix(viewer, way)
    with viewer.world.atomic():
        if not viewer.world.items.hold(viewer.item):
            raise NotFound("the item was removed while its snapshot was made, so nothing was stored")
        settle()
        free = free_name(viewer.world, viewer.item, name)
        store(viewer, free, fixed)
    return free


def store(viewer: Viewer, name: str, fixed: FixedItem) -> None:
    """Store a snapshot, in a transaction that holds its item.

    Raises Conflict if the name is taken or there are too many, Denied if the caller may not see a part any
    more, and TooLarge beyond the owner's quota.
    """
    world, item = viewer.world, viewer.item
    readable_parts(viewer, fixed.used)
    present = [one.name for one in snapshots_of(world, item)]
    most = world.service.settings.snapshots
    if name in present:
        raise Conflict(f"there is already a snapshot {name}, and none is changed: choose another name")
    if len(present) >= most:
        raise Conflict(f"{item.name} has {most:,} snapshots, which is the maximum: DELETE an old one first")
    for rel, ref in fixed.files.items():
        world.leaves.put(item.id, f"{FOLDER}/{name}/{rel}", ref, viewer.me)


def snapshots_of(world: World, item: Item) -> Sequence[KeptSnapshot]:
    """Return the snapshots of an item, the newest first; one statement."""
    found = [one for leaf in world.leaves.texts(item.id, FOLDER) if (one := _snapshot(leaf)) is not None]
    return sorted(found, key=lambda one: (one.made_on, one.name), reverse=True)


def snapshot_at(world: World, item: Item, name: str) -> KeptSnapshot | None:
    """Return the snapshot of a name; None if there is none."""
    leaf = world.leaves.get(item.id, f"{FOLDER}/{name}/{TEXT}")
    return _snapshot(leaf) if leaf is not None else None


def kept_text(world: World, item: Item, name: str) -> str:
    """Return the text of a snapshot; "" if it was removed. Raises NotFound if its bytes are gone."""
    leaf = world.leaves.get(item.id, f"{FOLDER}/{name}/{TEXT}")
    if leaf is None or leaf.blob is None:
        return ""
    with world.blobs.open(leaf.blob) as file:
        return file.read().decode()


def day_in(moment: datetime, zone: str) -> str:
    """Return the date of a moment in a time zone, the name of a snapshot that has no other."""
    return moment.astimezone(ZoneInfo(zone)).date().isoformat()


def today_of(world: World, account: str) -> str:
    """Return the present date in the time zone of an account."""
    user = world.people.users.find(account)
    zone = text_at(world.leaves, user.item, ZONE) if user is not None else ""
    return day_in(world.clock.now(), zone.strip() or "UTC")


def free_name(world: World, item: Item, name: str) -> str:
    """Return a name for a snapshot: a date that is taken gets `-2` and so on, another name stays as it is."""
    taken = {one.name for one in snapshots_of(world, item)}
    if not DAY.fullmatch(name):
        return name
    names = (name, *(f"{name}-{number}" for number in range(2, len(taken) + 2)))
    return next(one for one in names if one not in taken)


def _snapshot(leaf: Leaf) -> KeptSnapshot | None:
    """Return the snapshot whose text a leaf is; None for its other files."""
    names = leaf.rel.split("/")
    return KeptSnapshot(names[1], leaf.created_on, leaf.author or "") if names[2:] == [TEXT] else None
