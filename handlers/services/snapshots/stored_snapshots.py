"""Stored snapshots: files of an item below `snapshots/<name>`, which nothing changes after they were made."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from handlers.services.snapshots.fixing import TEXT, FixedItem, SnapshotWay, fix
from handlers.services.snapshots.shown_parts import readable_parts
from handlers.services.viewer import Viewer
from handlers.services.world import World
from vfs.errors import Conflict, NotFound
from vfs.ports.items import Item
from vfs.ports.leaves import Leaf, text_at

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
