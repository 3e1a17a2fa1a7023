"""Scopes: the parts of a user's rights that an application may get (RFC 6749, 3.3)."""

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
"""All scopes, each with what it allows an application to do."""


def scope_words(sent: str) -> tuple[str, ...]:
    """Return the scopes of a space-separated list, each once and in the order of SCOPES. Raises Invalid."""
    words = set(sent.split())
    if not words:
        raise Invalid(f"a scope is needed: one or more of {', '.join(SCOPES)}")
    if unknown := sorted(words - SCOPES.keys()):
        raise Invalid(f'"{unknown[0][:80]}" is not a scope: send one or more of {", ".join(SCOPES)}')
    return (ALL,) if ALL in words else tuple(word for word in SCOPES if word in words)


def is_within(wanted: Iterable[str], granted: Iterable[str]) -> bool:
    """Return whether `granted` includes all wanted scopes; only `all` includes others, such as `read`."""
    there = set(granted)
    return ALL in there or set(wanted) <= there


class KnownScopes:
    """The restrictions that scopes stand for, by the kinds of a tree.

    Resources of a kind that no scope names are hidden. Groups are not resources: they are visible by name.
    """

    def __init__(self, kinds: Kinds) -> None:
        self._kinds = kinds

    def find(self, text: str) -> Claim:
        """Return the claim of a list of scopes without `all`, which restricts nothing. Raises Invalid."""
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
