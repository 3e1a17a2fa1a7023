"""Checks of what people may do with an item, and who of its readers cannot open what it shows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from chains.runs.rights import Use
from handlers.services.world import World
from vfs.access import (
    EVERYBODY,
    NOTHING,
    Access,
    Caller,
    EffectiveGrant,
    access_of,
    access_through_all,
    people_behind,
)
from vfs.ports.items import Found, Item

NEEDS = {"x": Access.EXECUTE, "r": Access.READ, "rw": Access.READ | Access.WRITE}
PLACES = {"repo": "@{}/{}", "job": "/u/{}/j/{}", "space": "/u/{}/s/{}", "plot": "/u/{}/p/{}"}


def item_access(world: World, found: Found, caller: Caller) -> Access:
    """Return the access of the caller for whom an item was looked up; none for an item without a kind."""
    item, kind = found.item, world.service.kinds.get(found.item.kind)
    if kind is None:
        return NOTHING
    grants = caller.grants_on(item.id, found.effective_grants)
    return access_of(item, grants, caller, kind.confers)


def person_access(world: World, item: Item, person: str) -> Access:
    """Return the access that a person has to an item now."""
    found = world.items.at(item.id, person) if person != item.owner else None
    return item_access(world, found or Found(item), Caller(person))


def shared_access(world: World, found: Found, target: str, person: str) -> Access:
    """Return the access to an item through the share with `target` alone, also for the owner."""
    shares = world.grants.on(found.item.id) if person == found.item.owner else ()
    own = (EffectiveGrant(share.target, share.letters) for share in shares)
    effective_grants = [
        effective_grant
        for effective_grant in (*found.effective_grants, *own)
        if effective_grant.target == target
    ]
    return access_through_all(effective_grants, world.service.kinds[found.item.kind].confers)


def may(world: World, person: str, found: Found, letters: str) -> bool:
    """Return whether the access that permission letters confer is granted to a person."""
    return NEEDS[letters] in item_access(world, found, Caller(person))


def readers_behind(world: World, item: Item, author: str | None) -> frozenset[str]:
    """Return the people whose rights apply to a text of an item that its `author` wrote.

    Returns nobody, who sees nothing, if the account of one of them but the owner is locked or gone.
    """
    people = people_behind(item.owner, author)
    others = people - {item.owner}
    return frozenset() if any(_is_at_rest(world, person) for person in others) else people


def usable_items(
    world: World,
    people: Collection[str],
    kind: str,
    names: Collection[tuple[str, str]],
    shortnames: Collection[str],
    needs: Access,
) -> list[Item]:
    """Return the items of a kind, by owners and names or by shortnames, which all people may access.

    Any access of `needs` suffices. One statement for each person; without people the result is empty.
    """
    usable: dict[int, Item] | None = None
    for person in sorted(people):
        theirs = {
            one.item.id: one.item
            for one in world.items.all_named(kind, names, shortnames, person)
            if item_access(world, one, Caller(person)) & needs
        }
        usable = theirs if usable is None else {id: usable[id] for id in usable if id in theirs}
    return list((usable or {}).values())


def place_of(kind: str, owner: str, name: str) -> str:
    """Return the name of an item in a chain, config/spaces or a mapping."""
    return PLACES[kind].format(owner, name)


def absence_of(kind: str, owner: str, name: str) -> str:
    """Return the message for an item of the job owner that does not exist."""
    return f"@{owner} has no {kind} {place_of(kind, owner, name)}: create it, or correct its name"


def refusal_of(person: str, place: str, letters: str, more: str = "") -> str:
    """Return the message that a person may not use an item (`more`: any more)."""
    return f"@{person} may not use {place}{more}: its owner has to share it with {letters}"


def lack_of(world: World, caller: Caller, kind: str, owner: str, name: str, needs: str) -> str | None:
    """Return why a caller cannot use an item, the same for missing and hidden ones; None if it can."""
    found = world.items.find(kind, owner, name, caller.name)
    access = NOTHING if found is None else item_access(world, found, caller)
    named = place_of(kind, owner, name)
    if not access:
        folder = f"/v1/code/{world.service.kinds[kind].folder}/{name}"
        makes = f": PUT {folder} makes it" if owner == caller.name else ""
        return f"there is no {kind} {named}, or it is not visible to you{makes}"
    if NEEDS[needs] not in access:
        return f"you may not use {named}: its owner has to share it with {needs}"
    return None


@dataclass(frozen=True, slots=True)
class PresentRights:
    """Checks the present shares (chains.runs.rights): two statements for each person."""

    world: World

    def refusal(self, uses: Collection[Use]) -> str | None:
        """See Rights.refusal. A locked account may use nothing."""
        for person in sorted({person for use in uses for person in use.people}):
            if _is_at_rest(self.world, person):
                return f"@{person} has no access any more: the account is locked, and the operator unlocks it"
            theirs = [use for use in uses if person in use.people]
            if (use := self._first_refusal(person, theirs)) is not None:
                return _taken_back(person, use)
        return None

    def _first_refusal(self, person: str, uses: Collection[Use]) -> Use | None:
        """Return the first use that is not allowed; recorded ids do not match a new item of the same name."""
        items = self.world.items
        there = items.all_at([use.item for use in uses if use.item is not None], person)
        for use in uses:
            found = there.get(use.item) if use.item is not None else None
            if use.item is None:
                found = items.find(use.kind, use.owner, use.name, person)
            if found is None or not may(self.world, person, found, use.needs):
                return use
        return None


def _is_at_rest(world: World, person: str) -> bool:
    """Return whether a person may use and see nothing, because the account is locked or gone."""
    if person == EVERYBODY:
        return False
    user = world.people.users.find(person)
    return user is None or user.locked


def _taken_back(person: str, use: Use) -> str:
    where = place_of(use.kind, use.owner, use.name)
    if person == use.owner:
        return f"{where} was removed, and what has its name now is another one: trigger the job again"
    return refusal_of(person, where, use.needs, " any more")


def other_writer(world: World, item: int) -> str | None:
    """Return the target of a share that lets another user write an item; None without one."""
    return next((grant.name for grant in world.grants.on(item) if "w" in grant.letters), None)


PUBLIC = "public"


class ClosedItem(NamedTuple):
    """An item that is shown under a name, and the targets of shares that cannot open it."""

    name: str
    item: Item
    targets: Sequence[str]


def closed_items(world: World, home: Item, noun: str, shown: Mapping[str, Item]) -> Iterator[str]:
    """Yield a sentence for each shown item that some users with whom `home` is shared cannot open."""
    for name, item, targets in find_closed(world, home, shown):
        if item.owner == home.owner:
            yield f"{name} is not shared with {', '.join(targets)}, to whom this {noun} shows it."
        else:
            yield f"{name} is @{item.owner}'s; who sees it in this {noun} may not be able to open it."


def find_closed(
    world: World, home: Item, shown: Mapping[str, Item], otherwise: Sequence[str] = ()
) -> Iterator[ClosedItem]:
    """Yield each shown item that some users with whom `home` is shared cannot open.

    They name the targets of the shares of `home`, so they are for its owner alone (interface, Sharing 9).
    `shown` maps the names used in `home` to items, `otherwise` are the targets if it is not shared. Of other
    owners' items, only a public share is revealed.
    """
    names: dict[int, tuple[str, Item]] = {}
    for name, item in shown.items():
        names.setdefault(item.id, (name, item))
    own = [id for id, (_, item) in names.items() if item.owner == home.owner]
    targets = world.grants.targets([home.id, *own])
    readers = targets.get(home.id, ()) or otherwise
    if not readers or not names:
        return
    public = _open_to_all(world, [item for _, item in names.values() if item.owner != home.owner])
    for id, (name, item) in names.items():
        known = targets.get(id, ()) if id in own else (PUBLIC,) if id in public else ()
        closed = [] if PUBLIC in known else [target for target in readers if target not in known]
        if closed:
            yield ClosedItem(name, item, closed)


def _open_to_all(world: World, items: list[Item]) -> frozenset[int]:
    """Return the ids of the items that everybody may open; one statement for each kind."""
    found = [
        one
        for kind in {item.kind for item in items}
        for one in world.items.all_named(
            kind, [(item.owner, item.name) for item in items if item.kind == kind], (), None
        )
    ]
    return frozenset(one.item.id for one in found if NEEDS["x"] in item_access(world, one, Caller(None)))
