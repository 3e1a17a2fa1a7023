"""References of a text: where they stand, to write another owner or another name there.

The parser alone says which these are. Each place where one may stand is given a name of its own, the text
is read once more, and the names that the parser then tells of stand at the places that are references: what
is in code, or in words, is left to the byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from handlers.render.documents.markup.blocks import Document
from handlers.render.documents.pages.parts import part_requests

REFERENCE = re.compile(r"(?:/u/(?P<owner>[^/]+))?/(?P<kind>[a-z])/(?P<name>[^/]+)(?P<leaf>/[av]/[^/]+)?")
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
MOST_PLACES = 10_000
"""Places that are looked at: more than a document can have sections."""

Read = Callable[[str], Document]


class ReferencePlace(NamedTuple):
    """A reference to an item: where the letter of its kind stands, owner ("": the text's), kind and name."""

    start: int
    owner: str
    kind: str
    name: str


class ReferencePlaces(NamedTuple):
    """The references of a text in their order, and those that stand at no place that is known."""

    found: tuple[ReferencePlace, ...]
    left: tuple[str, ...]

    def with_owner(self, text: str, owner: str) -> str:
        """The text with its relative references as an owner's, else to the byte."""
        return _replace(text, ((one.start, one.start, f"u/{owner}/") for one in self.found if not one.owner))

    def with_name(self, text: str, was: ReferencePlace, name: str) -> str:
        """The text of an owner with another name where it refers to what `was` tells, else to the byte."""
        at = [one.start + len("p/") for one in self.found if _means(one, was)]
        return _replace(text, ((start, start + len(was.name), name) for start in at))

    def unreached_refs(self, was: ReferencePlace | None = None) -> list[str]:
        """References at no known place to what `was` tells, or (None) to what is the owner's of the text."""
        parts = {ref: one for ref in self.left if (one := _place(0, ref)) is not None}
        return [ref for ref, one in parts.items() if (_means(one, was) if was is not None else not one.owner)]


def reference_places(text: str, read: Read) -> ReferencePlaces:
    """The places of a text that `read` makes a document of."""
    references = _references(read(text))
    if not references:
        return ReferencePlaces((), ())
    trial = dict(zip(_names(text), _candidates(text, references), strict=False))
    renamed = _replace(text, ((*found.span("name"), name) for name, found in trial.items()))
    owners: dict[str, str] = {}
    left = []
    for ref, found in _references(read(renamed)).items():
        if found["name"] in trial:
            owners[found["name"]] = found["owner"] or ""
        else:
            left.append(ref)
    places = (
        ReferencePlace(found.start(), owners[name], found["kind"], found["name"])
        for name, found in trial.items()
        if name in owners
    )
    return ReferencePlaces(tuple(places), tuple(left))


def dump_places(places: ReferencePlaces) -> str:
    """The places as JSON."""
    return json.dumps(places)


def load_places(text: str) -> ReferencePlaces:
    """The places that `dump_places` wrote."""
    found, left = json.loads(text)
    return ReferencePlaces(tuple(ReferencePlace(*one) for one in found), tuple(left))


def _means(place: ReferencePlace, was: ReferencePlace) -> bool:
    """Whether a reference in a text of the owner of `was` leads there."""
    return (place.owner or was.owner, *place[2:]) == was[1:]


def _place(start: int, ref: str) -> ReferencePlace | None:
    found = REFERENCE.fullmatch(ref)
    return ReferencePlace(start, found["owner"] or "", found["kind"], found["name"]) if found else None


def _references(document: Document) -> Mapping[str, re.Match[str]]:
    """All items and their leaves that a document refers to; neither its kind nor its look says more."""
    requests = part_requests(document, "doc")
    refs = (*(request.ref for request in requests.visuals), *requests.assets, *requests.variables)
    return {ref: found for ref in refs if (found := REFERENCE.fullmatch(ref))}


def _candidates(text: str, references: Mapping[str, re.Match[str]]) -> Iterator[re.Match[str]]:
    """The places at which kind, name and leaf of some references stand, in their order."""
    found = sorted(references.values(), key=lambda one: len(one["name"]), reverse=True)
    parts = [(one["kind"], one["name"], one["leaf"] or "") for one in found]
    # A group of the same name in each branch is no pattern of Python's: names are looked for between them.
    before = "|".join(dict.fromkeys(re.escape(kind) for kind, _, _ in parts))
    words = "|".join(dict.fromkeys(f"{re.escape(name)}(?={re.escape(leaf)})" for _, name, leaf in parts))
    return islice(re.finditer(f"(?P<kind>{before})/(?P<name>{words})", text), MOST_PLACES)


def _names(text: str) -> Iterator[str]:
    """Short names, of which the text has none."""
    pairs = (first + second for first in DIGITS for second in DIGITS)
    start = next((pair for pair in pairs if f"/{pair}" not in text), "zzz")
    return (start + _digits(number) for number in range(36**4))


def _digits(number: int) -> str:
    return DIGITS[number] if number < 36 else _digits(number // 36) + DIGITS[number % 36]


def _replace(text: str, pieces: Iterable[tuple[int, int, str]]) -> str:
    """A text with words in place of some of its pieces, which stand in their order."""
    made: list[str] = []
    end = 0
    for start, stop, word in pieces:
        made += (text[end:start], word)
        end = stop
    return "".join((*made, text[end:]))
