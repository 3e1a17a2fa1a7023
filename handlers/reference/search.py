"""The search of the manual: the sections that contain all words of a query, the best first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from html import unescape
from typing import NamedTuple

from handlers.reference.manual import Chapter
from handlers.rendering.markdown import article

LARGEST_QUESTION = 200
MOST_WORDS = 8
MOST_FOUND = 30
AROUND = 80
HEADING_WEIGHT = 20

_HEADING = re.compile(r'<h[1-4] id="([^"]*)">((?:(?!<h[1-4] ).)*?)</h[1-4]>', re.DOTALL)
_TAG = re.compile(r"<[^<>]*>")
_EXAMPLE = re.compile(r"<pre(?:(?!<pre).)*?</pre>", re.DOTALL)


class ManualSection(NamedTuple):
    """A section of a chapter as plain text, without its examples.

    `folded` is the heading, the text and the examples, normalised for comparison.
    """

    anchor: str
    heading: str
    text: str
    folded: str


class Finding(NamedTuple):
    """A section that matches a query, with an excerpt of whole words around the match.

    An ellipsis marks omitted text; if only an example matches, the excerpt is the beginning of the text.
    """

    chapter: Chapter
    heading: str
    address: str
    before: str
    word: str
    after: str


def search(chapters: Iterable[Chapter], question: str) -> tuple[Finding, ...]:
    """Return the sections that contain every word of the query, at most MOST_FOUND."""
    words = question[:LARGEST_QUESTION].casefold().split()[:MOST_WORDS]
    if not words:
        return ()
    rated = [
        (-_weight(passage, words), number, chapter, passage)
        for number, (chapter, passage) in enumerate(_all_passages(chapters))
        if all(word in passage.folded for word in words)
    ]
    rated.sort(key=lambda one: one[:2])
    return tuple(_finding(chapter, passage, words) for _, _, chapter, passage in rated[:MOST_FOUND])


def _all_passages(chapters: Iterable[Chapter]) -> Iterator[tuple[Chapter, ManualSection]]:
    for chapter in chapters:
        for passage in _passages(chapter.markdown):
            yield chapter, passage


@cache
def _passages(markdown: str) -> tuple[ManualSection, ...]:
    """Return the sections of a chapter; text above its first heading is not part of any."""
    _, *parts = _HEADING.split(article(markdown).html)
    return tuple(
        _passage(anchor, heading, text)
        for anchor, heading, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    )


def _passage(anchor: str, heading: str, shown: str) -> ManualSection:
    words, text = _plain(heading), _plain(_EXAMPLE.sub(" ", shown))
    return ManualSection(anchor, words, text, f"{words} {_plain(shown)}".casefold())


def _plain(shown: str) -> str:
    return " ".join(unescape(_TAG.sub("", shown)).split())


def _weight(passage: ManualSection, words: Iterable[str]) -> int:
    heading = passage.heading.casefold()
    return sum(min(passage.folded.count(word), 9) + HEADING_WEIGHT * (word in heading) for word in words)


def _finding(chapter: Chapter, passage: ManualSection, words: list[str]) -> Finding:
    match = re.search("|".join(map(re.escape, words)), passage.text, re.IGNORECASE)
    start, end = match.span() if match else (0, 0)
    before, after = passage.text[:start], passage.text[end:]
    if len(before) > AROUND:
        before = "… " + before[-AROUND:].partition(" ")[2]
    if len(after) > AROUND:
        after = after[:AROUND].rpartition(" ")[0] + " …"
    address = f"{chapter.address}#{passage.anchor}"
    return Finding(chapter, passage.heading, address, before, passage.text[start:end], after)
