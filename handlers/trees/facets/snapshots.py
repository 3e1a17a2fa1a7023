"""Snapshots of a document or grid: folders of files that are drawn once and never change."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from handlers.services.snapshots import (
    DATA,
    FOLDER,
    FORMS,
    PICTURES,
    TEXT,
    FixedItem,
    KeptSnapshot,
    SnapshotWay,
    fix,
    kept_text,
    snapshot_at,
    snapshots_of,
    store,
)
from handlers.services.world import World
from handlers.trees.facets.contexts import viewer_of
from handlers.trees.facets.schedule import schedule_file
from handlers.words.text_changes import unified
from vfs.access import Verb
from vfs.call import KeptBytes, Reply
from vfs.context import Context
from vfs.errors import NotFound
from vfs.nodes import Dir, Each, Named, Node
from vfs.param import Param
from vfs.parts import value
from vfs.rules import OWNER, D, R, W

SNAPSHOT: Param[KeptSnapshot] = Param("snapshot")
FILE = re.compile(r"@?[a-z0-9][a-z0-9._~-]*")
FILE_RULE = "that of a plot or grid with its form, such as sales.svg or @bob~sales.csv"
HTML = "html"


def _entries(context: Context[World]) -> Iterator[Named]:
    yield from map(_row, snapshots_of(context.world, context.here))


def _row(one: KeptSnapshot) -> Named:
    return Named(one.name, one.made_on, one.made_on, one)


def _store(context: Context[World], fixed: FixedItem) -> str:
    store(viewer_of(context), context.name, fixed)
    return f"{context.requested} keeps {len(fixed.files)} files as they are now\n"


def _remove(context: Context[World]) -> str:
    context.world.leaves.clear(context.here.id, context.rel)
    context.world.social.links.unpin(context.here.id, context[SNAPSHOT].name)
    return f"removed {context.requested} with its files\n"


def _read(context: Context[World]) -> Reply:
    """Return a file of a snapshot. A browser shows its page in a frame only, as it was written by users."""
    leaf = context.leaf(context.rel)
    if leaf is None or leaf.blob is None:
        raise NotFound(f"there is no {context.requested}")
    kept = leaf.blob
    opened = partial(context.world.blobs.open, kept)
    made = KeptBytes(kept.media, kept.size, kept.digest, opened, is_framed=context.name == HTML)
    one, name = context[SNAPSHOT], context.name
    return Reply(
        made, filename=f"{context.here.name}-{one.name}.{name}" if name in FORMS else name, inline=True
    )


def _text(context: Context[World]) -> str:
    return kept_text(context.world, context.here, context[SNAPSHOT].name)


def _difference(way: SnapshotWay, context: Context[World]) -> str:
    """Return what changed in the text since the snapshot; "" if nothing did."""
    name, now = context[SNAPSHOT].name, way.text(viewer_of(context))
    return unified(_text(context), now, f"{FOLDER}/{name}/{TEXT}", context.here.name)


def _files(param: str, media: tuple[str, ...], one: str, about: str) -> Each[object]:
    return Each(
        Param(param),
        value(_read, media=media, about=one),
        name=FILE,
        name_rule=FILE_RULE,
        fixed=True,
        about=about,
    )


def snapshot_schedule() -> dict[str, Node]:
    """Return the declaration of config/snapshots."""
    about = "when a snapshot is made without you, named by the date: a cron line as in config/schedule"
    return {FOLDER: schedule_file(about, {Verb.WRITE: OWNER & W})}


def snapshots(way: SnapshotWay) -> Each[KeptSnapshot]:
    """Return the node `snapshots` of a kind."""
    forms = {
        HTML: value(_read, media=("text/html",), about="one page of HTML that holds everything it shows"),
        "pdf": value(_read, media=("application/pdf",), about="pages to print"),
    }
    return Each(
        SNAPSHOT,
        Dir(
            {
                TEXT: value(_text, about="the text as it was; of a grid its layout and its mapping"),
                "difference": value(
                    partial(_difference, way), about="what changed in the text since then, as a unified diff"
                ),
                **forms,
                PICTURES: _files(
                    "picture", ("image/svg+xml", "image/png"), "a picture", "a picture of each plot and grid"
                ),
                DATA: _files(
                    "sheet",
                    ("text/csv",),
                    "data as CSV",
                    "the data of plots that its maker, owner and last writer could read",
                ),
                "made_on": value(lambda context: f"{context[SNAPSHOT].made_on}\n", about="when it was made"),
                "made_by": value(lambda context: f"{context[SNAPSHOT].made_by}\n", about="who made it"),
            },
            shown=lambda context: _row(context[SNAPSHOT]),
            about="the item as it was then; nothing in it changes",
        ),
        names=_entries,
        has=lambda context, name: snapshot_at(context.world, context.here, name),
        prepare=lambda context: fix(viewer_of(context), way),
        create=_store,
        remove=_remove,
        rules={Verb.READ: R, Verb.CREATE: R & W, Verb.REMOVE: D},
        candid=True,
        still=True,
        about="what it showed at a moment: PUT makes one, such as 2026-q1",
    )
