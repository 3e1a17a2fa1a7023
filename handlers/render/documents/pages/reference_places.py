"""References in a text: their positions, to replace the owner or name there.

Only the parser knows them. Each possible position gets a unique name, the text is parsed again, and the names
that the parser then returns are at references; code and plain text stay unchanged.
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
"""Most positions to check: more than a document can have sections."""

Read = Callable[[str], Document]


def reference_places(text: str, read: Read) -> ReferencePlaces:
    """Return the positions in a text that `read` parses to a document."""
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
    """Return all items and leaves that a document refers to, independent of its kind and look."""
    requests = part_requests(document, "doc")
    refs = (*(request.ref for request in requests.visuals), *requests.assets, *requests.variables)
    return {ref: found for ref in refs if (found := REFERENCE.fullmatch(ref))}


def _candidates(text: str, references: Mapping[str, re.Match[str]]) -> Iterator[re.Match[str]]:
    """Return the positions at which kind, name and leaf of possible references begin, in order."""
    found = sorted(references.values(), key=lambda one: len(one["name"]), reverse=True)
    parts = [(one["kind"], one["name"], one["leaf"] or "") for one in found]
    # Python has no group of the same name in each branch: names are searched between them.
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
