"""References of a text to what is its owner's: where the owner goes in when another comes to own it.

The parser alone says which these are. Each place where one may stand is given a name of its own, the text
is read once more, and the names that the parser then tells of stand at the places that are references: what
is in code, or in words, is left to the byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from handlers.render.documents.markup.blocks import Document
from handlers.render.documents.pages.parts import part_requests

RELATIVE = re.compile(r"/(?P<kind>[a-z])/(?P<name>[^/]+)(?P<leaf>/[av]/[^/]+)?")
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
MOST_PLACES = 10_000
"""Places that are looked at: more than a document can have sections."""

Read = Callable[[str], Document]


class RelativePlaces(NamedTuple):
    """The offsets in a text at which `u/<owner>/` goes in, and the references that this does not reach."""

    offsets: tuple[int, ...]
    left: tuple[str, ...]

    def with_owner(self, text: str, owner: str) -> str:
        """The text with its relative references as an owner's, else to the byte."""
        return _replace(text, ((at, at, f"u/{owner}/") for at in self.offsets))


def relative_places(text: str, read: Read) -> RelativePlaces:
    """The places of a text that `read` makes a document of."""
    relative = _relative(read(text))
    if not relative:
        return RelativePlaces((), ())
    trial = dict(zip(_names(text), _candidates(text, relative), strict=False))
    renamed = _replace(text, ((*found.span("name"), name) for name, found in trial.items()))
    names = {found["name"] for ref in _references(read(renamed)) if (found := RELATIVE.fullmatch(ref))}
    places = RelativePlaces(tuple(found.start() for name, found in trial.items() if name in names), ())
    return places._replace(left=tuple(_relative(read(places.with_owner(text, next(_names(text)))))))


def dump_places(places: RelativePlaces) -> str:
    """The places as JSON."""
    return json.dumps([places.offsets, places.left])


def load_places(text: str) -> RelativePlaces:
    """The places that `dump_places` wrote."""
    offsets, left = json.loads(text)
    return RelativePlaces(tuple(offsets), tuple(left))


def _references(document: Document) -> Iterable[str]:
    """All that a document refers to; neither its kind nor its look says more."""
    requests = part_requests(document, "doc")
    return (*(request.ref for request in requests.visuals), *requests.assets)


def _relative(document: Document) -> Collection[str]:
    """The references that lead to what is the owner's."""
    return dict.fromkeys(ref for ref in _references(document) if RELATIVE.fullmatch(ref))


def _candidates(text: str, relative: Collection[str]) -> Iterator[re.Match[str]]:
    """The places at which kind, name and leaf of some references stand, in their order."""
    found = [RELATIVE.fullmatch(ref) for ref in sorted(relative, key=len, reverse=True)]
    parts = [(one["kind"], one["name"], one["leaf"] or "") for one in found if one is not None]
    # A group of the same name in each branch is no pattern of Python's: names are looked for between them.
    before = "|".join(dict.fromkeys(re.escape(kind) for kind, _, _ in parts))
    words = "|".join(dict.fromkeys(f"{re.escape(name)}(?={re.escape(leaf)})" for _, name, leaf in parts))
    return islice(re.finditer(f"(?:{before})/(?P<name>{words})", text), MOST_PLACES)


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
