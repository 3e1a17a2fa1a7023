"""References to items in texts (prose, mappings, mounts, chains), and changes of those in a chain's text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice

from chains.language import mapping
from chains.language.ast import Ref, RepoRef, from_data, reference
from chains.language.chain import ChainWord, bare_label, parse, read_words
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
    """Yield all items whose references a text may contain: `/p/sales`, an address, `ref: Ab3dE`."""
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
    """Yield the items in the triggers of a job; none if the text cannot be parsed."""
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


def with_owner(text: str, owner: str) -> str:
    """Return the chain with `owner` added to each repo and job that has none (see `rewritten`)."""
    return rewritten(text, lambda ref: replace(ref, owner=ref.owner or owner))


def with_name(text: str, owner: str, was: Ref, name: str) -> str:
    """Return the owner's chain with the references to `was` changed to `name` (see `rewritten`)."""

    def meant(ref: Ref) -> Ref:
        if not leads_to(ref, owner, was):
            return ref
        return replace(ref, repo=name) if isinstance(ref, RepoRef) else replace(ref, job=name)

    return rewritten(text, meant)


def leads_to(ref: Ref, owner: str, what: Ref) -> bool:
    """Return whether a reference in a chain of `owner` means the same as `what`, whose owner is set."""
    return (type(ref), ref.owner or owner, _name(ref)) == (type(what), what.owner, _name(what))


def rewritten(text: str, meant: Callable[[Ref], Ref]) -> str:
    """Return the chain with each reference replaced by `meant` of it. The rest is unchanged to the byte.

    If a label is a repo's name and `meant` changes that repo, a binding line is added before the first edge.
    Raises Mistake as `parse` does, and if the result is too long.
    """
    parse(text)
    lines = read_words(text)
    bound = {words[0].text for kind, words in lines if kind == "binding"}
    pieces: list[tuple[int, int, str]] = []
    labels: dict[str, None] = {}
    for kind, words in lines:
        if kind == "edges":
            labels |= dict.fromkeys(bare_label(word.text) for word in words)
        elif kind == "binding" or bare_label(words[0].text) not in bound:
            pieces += _pieces(words[-1], meant)
    means = {label: meant(RepoRef(None, label)) for label in labels if label not in bound}
    if added := [(label, ref) for label, ref in means.items() if ref != RepoRef(None, label)]:
        first = next(words[0] for kind, words in lines if kind == "edges")
        end = "\r\n" if "\r\n" in text else "\n"
        start = text.rfind("\n", 0, first.start) + 1
        pieces.append((start, start, "".join(f"{label} <- {_spelling(ref)}{end}" for label, ref in added)))
    for start, stop, word in sorted(pieces, reverse=True):
        text = text[:start] + word + text[stop:]
    parse(text)
    return text


def _spelling(ref: Ref) -> str:
    """Return the text of a reference, without the label `latest`, which is the default."""
    return str(ref).removesuffix(":latest")


def _pieces(word: ChainWord, meant: Callable[[Ref], Ref]) -> list[tuple[int, int, str]]:
    """Return the replacements, as (start, stop, text), that make a reference the one `meant` returns."""
    bare = bare_label(word.text)
    ref, start = reference(bare), word.start + word.text.index(bare)
    if ref is None or (made := meant(ref)) == ref:
        return []
    if isinstance(ref, RepoRef):
        at = owned = start + bare.find("/") + 1
        mark = f"@{made.owner}/"
    else:
        owned = start + bare.rindex("j/")
        at, mark = owned + len("j/"), f"u/{made.owner}/"
    was, name = _name(ref), _name(made)
    return [
        *([(owned, owned, mark)] if made.owner != ref.owner else []),
        *([(at, at + len(was), name)] if name != was else []),
    ]


def _name(ref: Ref) -> str:
    return ref.repo if isinstance(ref, RepoRef) else ref.job
