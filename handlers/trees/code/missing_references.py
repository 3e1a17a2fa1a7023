"""Remarks on what a chain or config/spaces names that its writer cannot use: told at the write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from chains.language.ast import Chain, Ref, RepoRef
from handlers.rules.mounts import SpaceMount
from handlers.services.rights import lack_of
from handlers.services.world import World
from vfs.place import Place

# What is looked up for one write, and the lines of a remark.
MOST_LOOKED_UP = 50
MOST_LINES = 10


class Reference(NamedTuple):
    """An item as a text names it, with what using it so needs."""

    kind: str
    owner: str
    name: str
    needs: str


def remark_on_chain(place: Place[World], chain: Chain) -> str:
    """A line for each repo and job of a chain that the writer cannot use."""
    return _remark(place, (_reference(place.here.owner, step.ref) for step in chain.steps))


def remark_on_mounts(place: Place[World], mounts: Iterable[SpaceMount]) -> str:
    """A line for each space that the writer cannot use."""
    return _remark(
        place, (Reference("space", one.owner, one.space, "rw" if one.writable else "r") for one in mounts)
    )


def _reference(owner: str, ref: Ref) -> Reference:
    if isinstance(ref, RepoRef):
        return Reference("repo", ref.owner or owner, ref.repo, "x")
    return Reference("job", ref.owner or owner, ref.job, "x")


def _remark(place: Place[World], references: Iterable[Reference]) -> str:
    return "".join(islice(_lines(place, dict.fromkeys(references)), MOST_LINES))


def _lines(place: Place[World], references: Iterable[Reference]) -> Iterator[str]:
    """Lines on what is missing."""
    for one in islice(references, MOST_LOOKED_UP):
        lack = lack_of(place.world, place.caller, *one)
        if lack is not None:
            yield f"warning: {lack}\n"
