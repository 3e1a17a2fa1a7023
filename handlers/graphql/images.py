"""Images as rows: one for each repo of which something was built."""

from __future__ import annotations

from collections.abc import Sequence

from handlers.graphql.asking import Ask
from handlers.graphql.selection import Row, Selection
from handlers.graphql.sight import Shown, readable
from handlers.services.build_images import built_state
from vfs.ports.items import Found


def image_rows(ask: Ask, repos: Sequence[Found], wanted: Selection) -> list[Row]:
    """A row for each of these repos of which something was built, with what the caller may read of it."""
    ask.admit(len(repos))
    kind = ask.world.service.kinds["repo"]
    shown = [Shown(one, ask.sight.item(one, kind)) for one in repos]
    told = readable(ask.sight, shown, "status")
    latest = ask.world.code.builds.latest_of(list(told))
    images = ask.world.code.builds.images_of(list(told))
    built = [one for one in repos if one.item.id in latest or one.item.id in images]
    rows = ask.load.items(ask, kind, built, wanted)
    labelled = readable(ask.sight, shown, "labels")
    for one, row in zip(built, rows, strict=True):
        id = one.item.id
        row["repo"] = f"{one.item.owner}/{one.item.name}"
        row["status"] = built_state(latest.get(id), images.get(id, {}))
        row["labels"] = sorted(images.get(id, {})) if id in labelled else []
    return rows
