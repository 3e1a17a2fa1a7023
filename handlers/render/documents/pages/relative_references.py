"""References of a text to what is its owner's: where the owner's name goes in when another comes to own it.

The parser alone says which these are. Each place where one may stand is given an owner of its own, the text
is read once more, and the owners that the parser then names stand at the places that are references: what is
in code, or in words, is left to the byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from handlers.render.documents.markup.blocks import Document
from handlers.render.documents.pages.parts import part_requests

RELATIVE = re.compile(r"/([a-z]/[^/]+(?:/[av]/[^/]+)?)")
OWNED = re.compile(r"/u/([^/]+)/[a-z]/.+")
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
        return _insert(text, ((at, owner) for at in self.offsets))


def relative_places(text: str, read: Read) -> RelativePlaces:
    """The places of a text that `read` makes a document of."""
    relative = _relative(read(text))
    if not relative:
        return RelativePlaces((), ())
    names = _owners(text)
    trial = dict(zip(names, _candidates(text, relative), strict=False))
    found = {
        owner[1] for ref in _references(read(_insert(text, _by_place(trial)))) if (owner := OWNED.match(ref))
    }
    offsets = tuple(sorted(at for name, at in trial.items() if name in found))
    made = RelativePlaces(offsets, ())
    return made._replace(left=tuple(_relative(read(made.with_owner(text, next(names))))))


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


def _candidates(text: str, relative: Collection[str]) -> Iterator[int]:
    """The offsets at which the kind and the name of some references stand."""
    words = sorted((ref.lstrip("/") for ref in relative), key=len, reverse=True)
    for number, found in enumerate(re.finditer("|".join(map(re.escape, words)), text)):
        if number == MOST_PLACES:
            return
        yield found.start()


def _owners(text: str) -> Iterator[str]:
    """Short names, of which the text has none."""
    sign = next(
        (first + second for first in DIGITS for second in DIGITS if f"u/{first}{second}" not in text), "zzz"
    )
    for number in range(36**4):
        name = ""
        while number or not name:
            number, digit = divmod(number, 36)
            name = DIGITS[digit] + name
        yield sign + name


def _by_place(trial: dict[str, int]) -> Sequence[tuple[int, str]]:
    return sorted((at, name) for name, at in trial.items())


def _insert(text: str, owners: Iterable[tuple[int, str]]) -> str:
    """A text with an owner at each of some offsets, which grow."""
    pieces: list[str] = []
    before = 0
    for at, owner in owners:
        pieces += (text[before:at], f"u/{owner}/")
        before = at
    return "".join((*pieces, text[before:]))
