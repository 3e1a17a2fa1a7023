"""KnownClaims: claims that restrict the credentials of runs, by kinds of a tree (decisions 29).

Kinds of resources that a claim does not name are hidden, and other users too. Groups are not resources: they
are visible by name.
"""

from __future__ import annotations

from types import MappingProxyType

from handlers.rules.kinds import Kinds
from handlers.rules.scopes import KnownScopes
from vfs.access import EVERYTHING, NOTHING, Access, Claim
from vfs.errors import Invalid

GLOBAL, USER = "global", "user"
FAMILIES = ("repo", "vis", "space")
NAMES = (GLOBAL, *(f"{family}_{effective_grant}" for family in FAMILIES for effective_grant in ("ro", "rw")))
WORDS = {
    Access.READ: "read",
    Access.WRITE: "write",
    Access.EXECUTE: "execute",
    Access.DELETE: "delete",
}


class KnownClaims:
    """All claims; those of a family cover the kinds whose `claims` name it."""

    def __init__(self, kinds: Kinds) -> None:
        self._kinds = kinds
        self._claims = {name: self._make(name) for name in NAMES}

    def find(self, name: str) -> Claim:
        """Return the claim of that name. Raises Invalid if there is none."""
        found = self._claims.get(name)
        if found is None:
            raise Invalid(f'"{name[:80]}" is not a claim: send one of {", ".join(NAMES)}')
        return found

    def covers(self, present: str, wanted: str) -> bool:
        """Return whether a claim allows everything that another allows. Raises Invalid."""
        here, there = self.find(present), self.find(wanted)
        kinds = {*here.allows, *there.allows, ""}
        return all(there.mask(kind) in here.mask(kind) for kind in kinds)

    def actions(self, name: str) -> tuple[str, ...]:
        """Return the actions of a claim: `<kind>:<action>` each, `*` for every kind. Raises Invalid."""
        found = self.find(name)
        masks = found.allows or {"*": found.otherwise}
        return tuple(
            f"{kind}:{word}" for kind, access in masks.items() for bit, word in WORDS.items() if bit in access
        )

    def _make(self, name: str) -> Claim:
        if name == GLOBAL:
            return Claim(name, MappingProxyType({}), EVERYTHING)
        family, effective_grant = name.split("_")
        more = Access.WRITE if effective_grant == "rw" else Access(0)
        masks = {
            kind.name: kind.confers["r"] | more if kind.claims == family else NOTHING
            for kind in self._kinds.values()
        }
        return Claim(name, MappingProxyType({**masks, USER: NOTHING}))


def narrowing(claims: KnownClaims, scopes: KnownScopes, name: str) -> Claim:
    """Return the restriction stored with a credential: a run's claim, or scopes. Raises Invalid."""
    return claims.find(name) if name in NAMES else scopes.find(name)
