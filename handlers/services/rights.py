"""The one answer to what people may do with an item: in a text, at the trigger, whenever a run uses it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

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
    """The access of the caller for whom an item was looked up; none to what is of no kind."""
    item, kind = found.item, world.service.kinds.get(found.item.kind)
    if kind is None:
        return NOTHING
    return access_of(item.owner, item.kind, found.effective_grants, caller, kind.confers)


def person_access(world: World, item: Item, person: str) -> Access:
    """The access that a person has of an item at this moment."""
    found = world.items.at(item.id, person) if person != item.owner else None
    return item_access(world, found or Found(item), Caller(person))


def shared_access(world: World, found: Found, target: str, person: str) -> Access:
    """The access that a person, the owner too, has of an item by its share with a target, and by no other."""
    shares = world.grants.on(found.item.id) if person == found.item.owner else ()
    own = (EffectiveGrant(share.target, share.letters) for share in shares)
    effective_grants = [
        effective_grant
        for effective_grant in (*found.effective_grants, *own)
        if effective_grant.target == target
    ]
    return access_through_all(effective_grants, world.service.kinds[found.item.kind].confers)


def may(world: World, person: str, found: Found, letters: str) -> bool:
    """Whether a person has of an item what letters confer."""
    return NEEDS[letters] in item_access(world, found, Caller(person))


def readers_behind(world: World, item: Item, author: str | None) -> frozenset[str]:
    """The people with whose rights a text of an item is read that was written by its `author`.

    Nobody, who sees nothing, where one of the others has an account that is locked, or gone.
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
    """The items of a kind, by owners and names or by shortnames, to which all people have access.

    Any access of the `needs` will do. A statement for each of the people; nothing is usable for nobody.
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
    """The name of an item in a chain, config/spaces or a mapping."""
    return PLACES[kind].format(owner, name)


def absence_of(kind: str, owner: str, name: str) -> str:
    """Why nobody may use something of a job owner's own."""
    return f"@{owner} has no {kind} {place_of(kind, owner, name)}: make it, or mend its name"


def refusal_of(person: str, place: str, letters: str, more: str = "") -> str:
    """Why a person may not use something (`more`: any more)."""
    return f"@{person} may not use {place}{more}: its owner has to share it with {letters}"


def lack_of(world: World, caller: Caller, kind: str, owner: str, name: str, needs: str) -> str | None:
    """Why a caller cannot use something, absent and invisible in the same words; None where it can."""
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
    """Asks what is shared at this moment (chains.runs.rights): two statements for each of the people."""

    world: World

    def refusal(self, uses: Collection[Use]) -> str | None:
        """As Rights.refusal. A locked account uses nothing."""
        for person in sorted({person for use in uses for person in use.people}):
            if _is_at_rest(self.world, person):
                return (
                    f"@{person} may use nothing any more: the account is locked, and the operator unlocks it"
                )
            theirs = [use for use in uses if person in use.people]
            if (use := self._first_refusal(person, theirs)) is not None:
                return _taken_back(person, use)
        return None

    def _first_refusal(self, person: str, uses: Collection[Use]) -> Use | None:
        """The first use that is not allowed; what was recorded by its id is no other of the same name."""
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
    """Whether somebody uses and sees nothing, as their account is locked, or there is none any more."""
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
    """The name of a share that lets somebody else write an item; None when nobody else may."""
    return next((grant.name for grant in world.grants.on(item) if "w" in grant.letters), None)
