"""Functions for tests of snapshots of alice's report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.handlers.service_world import ServiceWorld
from vfs.access import Verb
from vfs.call import KeptBytes
from vfs.ports.blobs import Ref
from vfs.ports.items import Item

PATH = "/v1/users/alice/vis/docs/report"
SNAPSHOTS = f"{PATH}/snapshots"


def make(service_world: ServiceWorld, name: str, user: str = "alice", path: str = PATH) -> str:
    """Make a snapshot as a user, and return the answer."""
    return str(service_world.call(user, Verb.CREATE, f"{path}/snapshots/{name}").value)


def names(service_world: ServiceWorld, user: str = "alice", path: str = PATH) -> list[str]:
    """The names of snapshots, the newest first."""
    return [row.name for row in service_world.read(user, f"{path}/snapshots")]


def body(service_world: ServiceWorld, rel: str, user: str = "alice", path: str = PATH) -> str:
    """A file of a snapshot as a user reads it."""
    value: Any = service_world.call(user, Verb.READ, f"{path}/snapshots/{rel}").value
    if not isinstance(value, KeptBytes):
        return str(value)
    with value.open() as file:
        return file.read().decode()


def item(service_world: ServiceWorld, name: str = "report", kind: str = "doc") -> Item:
    """An item of alice's."""
    found = service_world.world.items.find(kind, "alice", name, "alice")
    assert found is not None
    return found.item


def files(service_world: ServiceWorld, name: str) -> list[str]:
    """The paths of the files of a snapshot of the report."""
    return sorted(stored_files(service_world, item(service_world), name))


def stored_files(service_world: ServiceWorld, item: Item, name: str) -> Mapping[str, Ref]:
    """Return the files of a snapshot by their paths; empty if there is no such snapshot."""
    folder = f"snapshots/{name}"
    leaves = service_world.world.leaves.texts(item.id, folder)
    return {leaf.rel.removeprefix(f"{folder}/"): leaf.blob for leaf in leaves if leaf.blob is not None}
