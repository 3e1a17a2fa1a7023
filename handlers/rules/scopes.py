"""Scopes: the parts of a person's rights that an application may be given (RFC 6749, 3.3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from handlers.rules.kinds import Kinds, kinds_of
from vfs.access import EVERYTHING, NOTHING, Access, Claim
from vfs.errors import Invalid

ALL, READ = "all", "read"
SCOPES: Mapping[str, str] = {
    ALL: "do all that you can do, but for your password, tokens, invitations and the secrets of your jobs",
    READ: "read the visualisations, the code and the files that you can read",
    "vis": "read, make, change, share and remove visualisations in your name, and send mails",
    "code": "read, make, change, share and remove repositories, jobs and spaces in your name, and run jobs, "
    "with all that these may do",
}
"""The scopes there are, each with what it lets an application do."""


def scope_words(sent: str) -> tuple[str, ...]:
    """The scopes of a list with blanks between, each once and in the order of all. Raises Invalid."""
    words = set(sent.split())
    if not words:
        raise Invalid(f"a scope is needed: one or more of {', '.join(SCOPES)}")
    if unknown := sorted(words - SCOPES.keys()):
        raise Invalid(f'"{unknown[0][:80]}" is not a scope: send one or more of {", ".join(SCOPES)}')
    return (ALL,) if ALL in words else tuple(word for word in SCOPES if word in words)


def is_within(wanted: Iterable[str], granted: Iterable[str]) -> bool:
    """Whether scopes allow nothing that others do not; reading is part of all alone."""
    there = set(granted)
    return ALL in there or set(wanted) <= there


class KnownScopes:
    """The narrowings that scopes stand for, over the kinds of a tree.

    Resources of a kind that no scope names are absent; groups, which are no resources, are told by name.
    """

    def __init__(self, kinds: Kinds) -> None:
        self._kinds = kinds

    def find(self, text: str) -> Claim:
        """The claim of a list of scopes without `all`, which narrows nothing. Raises Invalid."""
        words = scope_words(text)
        masks = {name: self._mask(name, words) for name in self._kinds}
        return Claim(text, MappingProxyType(masks))

    def _mask(self, kind: str, words: Iterable[str]) -> Access:
        mask = NOTHING
        for word in words:
            if word == READ:
                mask |= self._kinds[kind].confers["r"]
            elif kind in kinds_of(word, self._kinds):
                mask |= EVERYTHING
        return mask
