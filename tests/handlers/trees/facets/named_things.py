"""Items with the name `one`, and items of alice's that refer to them."""

from __future__ import annotations

import json
from pathlib import Path as Folder

from tests.handlers.service_world import ServiceWorld
from tests.handlers.services.documents.stage import DOC, make_report
from vfs.access import Verb

PLOT = "/v1/vis/plots/one"
FILES = {
    "doc": f"{DOC}/content",
    "mail": "/v1/vis/mails/letter/content",
    "grid": "/v1/vis/grids/board/mapping",
}


def rename(
    service_world: ServiceWorld, path: str, name: str, *, mend: bool = True, who: str = "alice"
) -> str:
    sent = json.dumps({"name": name, "mend": mend})
    return str(service_world.call(who, Verb.RENAME, path, sent, media="application/json").value)


def text_of(service_world: ServiceWorld, path: str) -> str:
    return str(service_world.call("alice", Verb.READ, path).value)


def ids(service_world: ServiceWorld, kind: str, names: list[tuple[str, str]]) -> list[int | tuple[str, str]]:
    """Return the ids of the named items, and the owner and name of each that does not exist."""
    found = [service_world.world.items.find(kind, owner, name, owner) for owner, name in names]
    return [one.item.id if one is not None else name for one, name in zip(found, names, strict=True)]


def make_named(service_world: ServiceWorld, folder: Folder) -> ServiceWorld:
    """Make alice's report, a mail, a grid, a job, and items of alice's and bob's with the name `one`."""
    make_report(service_world, folder)
    for who in ("alice", "bob"):
        for path in ("vis/plots/one", "vis/grids/one", "code/repos/one", "code/spaces/one"):
            if (who, path) != ("alice", "vis/plots/one"):
                service_world.call(who, Verb.CREATE, f"/v1/{path}")
    service_world.job("one", chain="", schedule="")
    service_world.job("work", chain="", schedule="")
    service_world.call("alice", Verb.CREATE, "/v1/vis/mails/letter")
    return service_world
