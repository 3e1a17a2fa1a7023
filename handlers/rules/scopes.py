"""Scopes and claims: parts of a user's rights, for applications, tokens and runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from handlers.rules.kinds import Kinds, ResourceKind
from vfs.access import EVERYTHING, NOTHING, Access, Claim, ItemClaim
from vfs.errors import Invalid

ALL, READ, RUN, PROPOSE = "all", "read", "jobs:run", "propose"
SCOPES: Mapping[str, str] = {
    ALL: "do all that you can do, but for your password, tokens, invitations and the secrets of your jobs",
    READ: "read the visualisations, the code and the files that you can read",
    "vis": "read, make, change, share and remove visualisations in your name, and send mails",
    "code": "read, make, change, share and remove repositories, jobs and spaces in your name, and run jobs, "
    "with all that these may do",
    RUN: "see the jobs that you can read, start those that you can run, with all that these may do, "
    "and cancel runs that you started",
    PROPOSE: "read what you can read, and start jobs that wait at a hold until a person has answered it",
}
"""All scopes, each with what it allows an application or a token to do."""
STORED = re.compile(r"(?P<word>[a-z]+(?::[a-z]+)*):(?P<kind>[a-z]+)/(?P<item>[0-9]{1,18})")


class ItemScope(NamedTuple):
    """A scope of a single item: all or, with another word, a part of what the user can do with it.

    It has the item's number, so it follows a renamed item, and never means another one of the same name.
    """

    word: str
    kind: str
    item: int

    def __str__(self) -> str:
        return f"{self.word}:{self.kind}/{self.item}"


def scope_words(sent: str) -> tuple[str, ...]:
    """Return the scopes of a space-separated list, each once and in the order of SCOPES. Raises Invalid."""
    words = set(sent.split())
    if not words:
        raise Invalid(f"a scope is needed: one or more of {', '.join(SCOPES)}")
    if unknown := sorted(words - SCOPES.keys()):
        raise Invalid(f'"{unknown[0][:80]}" is not a scope: send one or more of {", ".join(SCOPES)}')
    return (ALL,) if ALL in words else tuple(word for word in SCOPES if word in words)


def stored_scopes(text: str) -> tuple[tuple[str, ...], tuple[ItemScope, ...]]:
    """Return the words of scopes as they are stored, and the scopes of single items. Raises Invalid."""
    words, single = [], []
    for one in text.split():
        found = STORED.fullmatch(one)
        if found is None:
            words.append(one)
        else:
            single.append(ItemScope(found["word"], found["kind"], int(found["item"])))
    return scope_words(" ".join(words)) if words or not single else (), tuple(single)


def is_within(wanted: Iterable[str], granted: Iterable[str]) -> bool:
    """Return whether `granted` includes all wanted scopes; only `all` includes others, such as `read`."""
    there = set(granted)
    return ALL in there or set(wanted) <= there


def scope_mask(word: str, kind: ResourceKind) -> Access:
    """Return the access to items of a kind that a scope stands for."""
    if word in (ALL, kind.family):
        return EVERYTHING
    access = NOTHING
    for letter in kind.scopes.get(word, "r" if word in (READ, PROPOSE) else ""):
        access |= kind.confers[letter]
    return access


class KnownScopes:
    """The restrictions that scopes stand for, by the kinds of a tree.

    Resources of a kind that no scope names are hidden. Groups and users are not resources: they are visible
    by name, but not to a credential that has scopes of single items alone.
    """

    def __init__(self, kinds: Kinds) -> None:
        self._kinds = kinds

    def find(self, text: str) -> Claim:
        """Return the claim of stored scopes. Raises Invalid."""
        words, single = stored_scopes(text)
        masks = {kind.name: self._mask(kind, words) for kind in self._kinds.values()}
        items: dict[int, ItemClaim] = {}
        for word, kind, item in single:
            access = scope_mask(word, self._kinds[kind]) if kind in self._kinds else NOTHING
            access |= items[item].access if item in items else NOTHING
            items[item] = ItemClaim(kind, access)
        otherwise = Access.INFO if words else NOTHING
        return Claim(text, MappingProxyType(masks), otherwise, MappingProxyType(items))

    def _mask(self, kind: ResourceKind, words: Iterable[str]) -> Access:
        access = NOTHING
        for word in words:
            access |= scope_mask(word, kind)
        return access


def needs_hold(claim: Claim | None, item: int, kind: ResourceKind) -> bool:
    """Return whether a credential may start runs of a job only if a person has to answer them."""
    if claim is None or PROPOSE not in claim.name:
        return False
    words, single = stored_scopes(claim.name)
    others = {*words, *(one.word for one in single if one.item == item)} - {PROPOSE}
    return not any(Access.EXECUTE in scope_mask(word, kind) for word in others)


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
