"""The HTML of a sheet, and what printing it by itself needs to know: its names and numbers."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from html import unescape

UNKNOWN = "00"
NAMED = re.compile(r'\bid="([^"]*)"')
POINTING = re.compile(r'href="#([^"]*)"')
NUMBERED = re.compile(r'(<a class="pageref[^"]*" )href="#([^"]*)"')
CONTENTS = re.compile(r'<nav class="contents[^"]*">(?:(?!<nav ).)*?</nav>', re.DOTALL)
ENTRY = re.compile(r'(<a )href="#([^"]*)"')
FOOTNOTE = '<span class="footnote">'


@dataclass(frozen=True)
class SheetText:
    """The HTML of a sheet."""

    html: str

    @cached_property
    def digest(self) -> bytes:
        """SHA-256 of it."""
        return sha256(self.html.encode()).digest()

    @cached_property
    def start(self) -> str:
        """The name of its beginning."""
        found = NAMED.search(self.html)
        return unescape(found[1]) if found else ""

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of places in it."""
        return frozenset(unescape(name) for name in NAMED.findall(self.html))

    @cached_property
    def elsewhere(self) -> tuple[str, ...]:
        """The names to which it leads that are not in it."""
        names = dict.fromkeys(unescape(name) for name in POINTING.findall(self.html))
        return tuple(name for name in names if name not in self.names)

    @cached_property
    def shown_numbers(self) -> frozenset[str]:
        """Those of them whose pages it tells."""
        entries = [found[1] for nav in CONTENTS.findall(self.html) for found in ENTRY.findall(nav)]
        shown = (*entries, *(found[1] for found in NUMBERED.findall(self.html)))
        return frozenset(map(unescape, shown)) - self.names

    @property
    def footnotes(self) -> int:
        """The number of its footnotes."""
        return self.html.count(FOOTNOTE)

    def with_numbers(self, numbers: Mapping[str, int], near: Container[str]) -> str:
        """The HTML with the numbers of pages of what is not `near`, so far as they are known."""

        def add_number(found: re.Match[str]) -> str:
            name = unescape(found[2])
            number = "" if name in near else f'data-page="{numbers.get(name, UNKNOWN)}" '
            return f'{found[1]}{number}href="#{found[2]}"'

        if not self.shown_numbers:
            return self.html
        html = CONTENTS.sub(lambda found: ENTRY.sub(add_number, found[0]), self.html)
        return NUMBERED.sub(add_number, html)
