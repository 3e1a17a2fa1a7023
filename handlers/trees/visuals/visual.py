"""Visuals: the common structure of documents, grids, mails and plots."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from handlers.rules.kinds import VISUALS, ResourceKind
from handlers.services.copies import TakenText, keep_text
from handlers.services.world import World
from handlers.trees.facets.meta import meta, with_tags
from handlers.trees.facets.renames import draft_mending, finish_rename
from handlers.trees.facets.threads import THREADS
from handlers.trees.facets.variables import VARIABLES
from handlers.trees.facets.viewers import viewer_of
from handlers.trees.visuals.preview import PREVIEW, PreviewWay, preview_file
from vfs.access import VIEWABLE
from vfs.context import Context
from vfs.nodes import Dir, Items, Node
from vfs.ports.items import Item

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
