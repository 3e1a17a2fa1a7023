"""The access listing of a resource: for its owner, who has what of it, and through which shares."""

from __future__ import annotations

from collections.abc import Iterator

from handlers.services.world import World
from vfs.access import Access, Holding, Verb, holdings, public_holding
from vfs.call import Data
from vfs.nodes import File
from vfs.parts import value
from vfs.place import Place
from vfs.rules import OWNER, R

ACCESS = {
    Access.READ: "read",
    Access.INFO: "info",
    Access.WRITE: "write",
    Access.EXECUTE: "execute",
    Access.DELETE: "delete",
}
PUBLIC = "public"


def access_entries(place: Place[World]) -> Data:
    """An entry for the owner, for each user whom shares reach, and for the public."""
    return Data([_entry(holding) for holding in _holdings(place)])


def _holdings(place: Place[World]) -> Iterator[Holding]:
    grants, users, item = place.world.grants, place.world.people.users, place.here
    confers = place.confers
    yield from holdings(item.owner, grants.holders(item.id), confers)
    for grant in grants.on(item.id):
        if grant.target == PUBLIC:
            owner = users.find(item.owner)
            yield public_holding(grant, confers, effective=owner is not None and owner.public)


def _entry(holding: Holding) -> dict[str, object]:
    tail = f"~{''.join(holding.permissions)}" if holding.permissions else ""
    return {
        "name": PUBLIC if holding.user is None else f"@{holding.user}{tail}",
        "target": None if holding.user is None else f"/v1/users/{holding.user}",
        "permissions": holding.permissions,
        "access": [word for access, word in ACCESS.items() if access in holding.access],
        "via": holding.via,
        "type": "file" if holding.user is None else "link",
    }


def access() -> File:
    """The node `access` of a resource of any kind: its owner's, and absent to everybody else."""
    mine = OWNER & R
    return value(
        access_entries,
        rules={Verb.READ: mine},
        listed=mine,
        veiled=True,
        about="who has what of it, and through which shares; for its owner alone",
    )
