"""References to items in texts: in prose, mappings of grids, mounts of jobs, and chains as data."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from chains.language import mapping
from chains.language.ast import RepoRef, from_data
from chains.language.mistake import Mistake
from chains.language.trigger_lines import parse_triggers
from vfs.errors import VfsError
from vfs.ports.items import ItemName

Names = Callable[[str], Iterable[ItemName]]
"""A function that returns the items named in a text."""

MOST_NAMED = 1_000
"""Number of different items noted per text, the first ones. No document can show more."""
# A name ends where no character of a name follows. `u` is not a kind: it begins the owner.
_PATH = re.compile(
    r"(?<![\w~/-])(?P<origin>https?://[^\s/?,]+/|/)?(?:u/(?P<owner>[a-z0-9][a-z0-9_-]{0,63})/)?"
    r"(?P<letter>[a-tv-z])/(?P<name>[A-Za-z0-9][A-Za-z0-9_-]{0,63})(?![\w-])"
)
_BARE = re.compile(r"(?<!\w)ref:[ \t]*(?P<name>[A-Za-z0-9]{1,64})(?![\w/-])")


def short_name(shortname: str) -> ItemName:
    """Return the name of an item by its shortname, which needs neither a kind nor an owner."""
    return ItemName("", "", shortname)


def named_in_prose(text: str) -> Iterable[ItemName]:
    """Yield what looks like a reference anywhere in a text: `/p/sales`, an address, `ref: Ab3dE`."""
    return _first((*_paths(text), *(short_name(found["name"]) for found in _BARE.finditer(text))))


def named_in_mapping(text: str) -> Iterable[ItemName]:
    """Yield the plots of a grid; none if the text cannot be parsed."""
    try:
        bound = mapping.parse(text).values()
    except Mistake:
        return ()
    refs = [one.ref for one in bound]
    return _first(
        short_name(ref.name) if ref.short else ItemName("p", ref.owner or "", ref.name) for ref in refs
    )


def named_in_mounts(text: str) -> Iterable[ItemName]:
    """Yield the spaces of a job. Comments, which start with #, are ignored."""
    return _first(_paths("\n".join(line.split("#", 1)[0] for line in text.splitlines())))


def named_in_triggers(text: str) -> Iterable[ItemName]:
    """Yield what the triggers of a job name; none if the text cannot be parsed."""
    try:
        lines = parse_triggers(text)
    except Mistake:
        return ()
    return _first(ItemName(line.kind.letter, line.owner or "", line.name) for line in lines)


def named_in_plan(text: str) -> Iterable[ItemName]:
    """Yield the repos and jobs of a chain stored as data; none if it is not a chain."""
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
