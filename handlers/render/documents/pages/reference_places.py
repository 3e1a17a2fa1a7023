"""References of a text: where they stand, to write another owner or another name there.

The parser alone says which these are. Each place where one may stand is given a name of its own, the text
is read once more, and the names that the parser then tells of stand at the places that are references: what
is in code, or in words, is left to the byte.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from handlers.render.documents.markup.blocks import Document
from handlers.render.documents.pages.parts import part_requests
from handlers.words.references import REFERENCE, ReferencePlace, ReferencePlaces, replace_pieces

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
MOST_PLACES = 10_000
"""Places that are looked at: more than a document can have sections."""

Read = Callable[[str], Document]


def reference_places(text: str, read: Read) -> ReferencePlaces:
    """Return the places of a text that `read` makes a document of."""
    references = _references(read(text))
    if not references:
        return ReferencePlaces((), ())
    trial = dict(zip(_names(text), _candidates(text, references), strict=False))
    renamed = replace_pieces(text, ((*found.span("name"), name) for name, found in trial.items()))
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


def _references(document: Document) -> Mapping[str, re.Match[str]]:
    """All items and their leaves that a document refers to; neither its kind nor its look says more."""
    requests = part_requests(document, "doc")
    refs = (*(request.ref for request in requests.visuals), *requests.assets, *requests.variables)
    return {ref: found for ref in refs if (found := REFERENCE.fullmatch(ref))}


def _candidates(text: str, references: Mapping[str, re.Match[str]]) -> Iterator[re.Match[str]]:
    """Return the places at which kind, name and leaf of some references stand, in their order."""
    found = sorted(references.values(), key=lambda one: len(one["name"]), reverse=True)
    parts = [(one["kind"], one["name"], one["leaf"] or "") for one in found]
    # A group of the same name in each branch is no pattern of Python's: names are looked for between them.
    before = "|".join(dict.fromkeys(re.escape(kind) for kind, _, _ in parts))
    words = "|".join(dict.fromkeys(f"{re.escape(name)}(?={re.escape(leaf)})" for _, name, leaf in parts))
    return islice(re.finditer(f"(?P<kind>{before})/(?P<name>{words})", text), MOST_PLACES)


def _names(text: str) -> Iterator[str]:
    """Return short names that the text does not contain."""
    pairs = (first + second for first in DIGITS for second in DIGITS)
    start = next((pair for pair in pairs if f"/{pair}" not in text), "zzz")
    return (start + _digits(number) for number in range(36**4))


def _digits(number: int) -> str:
    return DIGITS[number] if number < 36 else _digits(number // 36) + DIGITS[number % 36]
