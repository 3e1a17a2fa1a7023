"""Access: the one answer to what a person may do with a resource, by the declaration of its kind."""

from __future__ import annotations

from handlers.services.world import World
from vfs.access import NOTHING, Access, Caller, Reach, access_of, access_through_all
from vfs.ports.items import Found, Item


def item_access(world: World, found: Found, caller: Caller) -> Access:
    """The access of the caller for whom an item was looked up; none to what is of no kind."""
    item, kind = found.item, world.service.kinds.get(found.item.kind)
    if kind is None:
        return NOTHING
    return access_of(item.owner, item.kind, found.reaches, caller, kind.confers)


def person_access(world: World, item: Item, person: str) -> Access:
    """The access that a person has of an item at this moment."""
    found = world.items.at(item.id, person) if person != item.owner else None
    return item_access(world, found or Found(item), Caller(person))


def shared_access(world: World, found: Found, target: str, person: str) -> Access:
    """The access that a person, the owner too, has of an item by its share with a target, and by no other."""
    shares = world.grants.on(found.item.id) if person == found.item.owner else ()
    own = (Reach(share.target, share.letters) for share in shares)
    reaches = [reach for reach in (*found.reaches, *own) if reach.target == target]
    return access_through_all(reaches, world.service.kinds[found.item.kind].confers)
