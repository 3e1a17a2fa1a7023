"""Items that texts name: in prose, in mappings of grids, in mounts of jobs, and in chains as data."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from chains.language import mapping
from chains.language.ast import RepoRef, from_data
from chains.language.mistake import Mistake
from vfs.errors import VfsError
from vfs.ports.items import ItemName

Names = Callable[[str], Iterable[ItemName]]
"""The items that a text names."""

MOST_NAMED = 1_000
"""Different items of a text that are noted, the first ones: more than a document can show."""
# A name ends where none of its signs follows; `u` is no kind, but begins the owner.
_PATH = re.compile(
    r"(?<![\w~/-])(?P<origin>https?://[^\s/?,]+/|/)?(?:u/(?P<owner>[a-z0-9][a-z0-9_-]{0,63})/)?"
    r"(?P<letter>[a-tv-z])/(?P<name>[A-Za-z0-9][A-Za-z0-9_-]{0,63})(?![\w-])"
)
_BARE = re.compile(r"(?<!\w)ref:[ \t]*(?P<name>[A-Za-z0-9]{1,64})(?![\w/-])")


def short_name(shortname: str) -> ItemName:
    """The name of an item by its shortname, which needs neither a kind nor an owner."""
    return ItemName("", "", shortname)


def named_in_prose(text: str) -> Iterable[ItemName]:
    """Matches of the form of a reference, wherever it stands: `/p/sales`, an address, `ref: Ab3dE`."""
    return _first((*_paths(text), *(short_name(found["name"]) for found in _BARE.finditer(text))))


def named_in_mapping(text: str) -> Iterable[ItemName]:
    """The plots of a grid; none of a text that cannot be read."""
    try:
        bound = mapping.parse(text).values()
    except Mistake:
        return ()
    refs = [one.ref for one in bound]
    return _first(
        short_name(ref.name) if ref.short else ItemName("p", ref.owner or "", ref.name) for ref in refs
    )


def named_in_mounts(text: str) -> Iterable[ItemName]:
    """The spaces of a job: what follows # is passed over."""
    return _first(_paths("\n".join(line.split("#", 1)[0] for line in text.splitlines())))


def named_in_plan(text: str) -> Iterable[ItemName]:
    """The repos and jobs of a chain that is kept as data; none of what is no chain."""
    try:
        refs = [step.ref for step in from_data(json.loads(text)).steps] if text else []
    except (ValueError, KeyError, TypeError, VfsError):
        return ()
    return _first(
        ItemName("r", ref.owner or "", ref.repo)
        if isinstance(ref, RepoRef)
        else ItemName("j", ref.owner or "", ref.job)
        for ref in refs
    )


def _paths(text: str) -> Iterator[ItemName]:
    for found in _PATH.finditer(text):
        yield ItemName(found["letter"], found["owner"] or "", found["name"])
        if found["owner"] is None and (found["origin"] or "/") != "/":
            yield short_name(found["name"])  # the address of a page, `https://host/p/Ab3dE`


def _first(names: Iterable[ItemName]) -> Iterable[ItemName]:
    return tuple(islice(dict.fromkeys(names), MOST_NAMED))
