"""The trash: restores and removes deleted items and files, with the effects besides their rows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from chains.runs.retention import remove_before
from chains.schedules.timetable import SCHEDULE, SNAPSHOTS
from handlers.rules.addresses import API
from handlers.services.happenings import Happening, publish
from handlers.services.run_people import note_writers
from handlers.services.space_changes import noting_changes
from handlers.services.world import World
from vfs.errors import Conflict
from vfs.ports.clock import stamp
from vfs.ports.items import Item
from vfs.ports.trash import TrashEntry

AT_ONCE = 100


def until(world: World, entry: TrashEntry) -> str:
    """Return the time stamp after which an entry ends."""
    deleted = datetime.fromisoformat(entry.deleted_on)
    return stamp(deleted + timedelta(days=world.service.settings.trash_days))


def home(world: World, entry: TrashEntry, name: str) -> str:
    """Return the path that an entry has once it is restored with this name, or to this path of its space."""
    kind = world.service.kinds[entry.kind if entry.is_item else "space"]
    names = ("", *API, "users", entry.owner, kind.family, kind.folder)
    return "/".join(
        (*names, name) if entry.is_item else (*names, entry.place, "content", *filter(None, [name]))
    )


def restore(world: World, entry: TrashEntry, name: str, *, ways: bool, cause: str) -> str:
    """Restore an entry under a name, or to a path of its space; return its path.

    With `ways` an item gets back its shares and hooks. `cause` is the request. Call it in a transaction.
    Raises Conflict and NotFound.
    """
    if not entry.is_item:
        return _restore_files(world, entry, name, cause)
    item = world.trash.restore(entry, name, ways=ways)
    _plan(world, item)
    world.items.touch(item)
    publish(world, Happening("resource", "created", entry.owner, item.id, ""))
    return home(world, entry, name)


def _restore_files(world: World, entry: TrashEntry, path: str, cause: str) -> str:
    found = world.items.at(entry.item, entry.owner)
    if found is None:
        raise Conflict(f"the space {entry.place} is in the trash, too: restore it first")
    world.items.touch(found.item)
    note_writers(world, found.item, [entry.owner])
    with noting_changes(world, found.item.id, cause):
        world.code.spaces.restore(entry, path)
    return home(world, entry._replace(place=found.item.name), path)


def _plan(world: World, item: Item) -> None:
    """Put the schedules of a restored item into effect again."""
    if world.leaves.texts_of([item.id], (SCHEDULE, SNAPSHOTS)):
        world.code.schedules.rebuild()
        world.code.schedules.signal()


def end(world: World, entry: TrashEntry) -> bool:
    """End an entry. Return False if it was restored or ended meanwhile. Call it in a transaction."""
    if not world.trash.drop(entry):
        return False
    if entry.is_item:
        world.items.remove(Item(entry.item, entry.kind, entry.owner, entry.name, "", "", ""))
    return True


def end_all(world: World, owner: str) -> int:
    """End all entries of an owner; return their number."""
    return world.trash.drop_files(owner) + _end_each(world, world.trash.of(owner))


def end_old(world: World, now: datetime) -> None:
    """End entries that were deleted too long ago; of at most a few days, in case the clock is wrong."""
    oldest = world.trash.before(stamp(now), 1)
    if not oldest:
        return
    before = remove_before(now, world.service.settings.trash_days, oldest[0].deleted_on)
    while entries := world.trash.before(before, AT_ONCE):
        _end_each(world, entries)


def _end_each(world: World, entries: Sequence[TrashEntry]) -> int:
    """End entries, each in its own transaction; return their number."""
    count = 0
    for entry in entries:
        with world.atomic():
            count += end(world, entry)
    return count


def item_ended(world: World, item: Item) -> None:
    """Remove what is stored outside of the rows of an item. Call it before these are removed."""
    if (kind := world.service.kinds.get(item.kind)) is not None:
        kind.ended(world, item)
