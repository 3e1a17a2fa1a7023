"""The one answer to whether people may use something: at the trigger, and whenever their run uses it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from chains.runs.rights import Use
from handlers.services.access import item_access
from handlers.services.world import World
from vfs.access import Access, Caller
from vfs.ports.world import Found

NEEDS = {"x": Access.EXECUTE, "r": Access.READ, "rw": Access.READ | Access.WRITE}
PLACES = {"repo": "@{}/{}", "job": "/u/{}/j/{}", "space": "/u/{}/s/{}", "plot": "/u/{}/p/{}"}


def may(world: World, person: str, found: Found, letters: str) -> bool:
    """Whether a person has of an item what letters confer."""
    return NEEDS[letters] in item_access(world, found, Caller(person))


def place_of(kind: str, owner: str, name: str) -> str:
    """The name of an item in a chain, config/spaces or a mapping."""
    return PLACES[kind].format(owner, name)


def refusal_of(person: str, place: str, letters: str, more: str = "") -> str:
    """Why a person may not use something (`more`: any more)."""
    return f"@{person} may not use {place}{more}: its owner has to share it with {letters}"


@dataclass(frozen=True, slots=True)
class PresentRights:
    """Asks what is shared at this moment (chains.runs.rights): two statements for each of the people."""

    world: World

    def refusal(self, uses: Collection[Use]) -> str | None:
        """As Rights.refusal. A locked account uses nothing."""
        for person in sorted({person for use in uses for person in use.people}):
            user = self.world.people.users.find(person)
            if user is not None and user.locked:
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


def _taken_back(person: str, use: Use) -> str:
    where = place_of(use.kind, use.owner, use.name)
    if person == use.owner:
        return f"{where} was removed, and what bears its name later is another: trigger the job anew"
    return refusal_of(person, where, use.needs, " any more")


def other_writer(world: World, item: int) -> str | None:
    """The name of a share that lets somebody else write an item; None when nobody else may."""
    return next((grant.name for grant in world.grants.on(item) if "w" in grant.letters), None)
