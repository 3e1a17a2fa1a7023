"""Printed sheets that this process keeps, by the digest of everything that they are made of."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from handlers.render.documents.pdf.printed_sheet import PrintedSheet

MOST_BYTES = 48 << 20
LARGEST = 8 << 20
MOST_TEXTS = 20_000
MOST_DOCUMENTS, MOST_NUMBERS = 64, 5_000


@dataclass(slots=True)
class KeptSheets:
    """The sheets that were used last, of so many bytes; larger ones are never kept.

    A key stands for one content for ever, so nobody is shown what another wrote unless both wrote the same.
    """

    most: int = MOST_BYTES
    largest: int = LARGEST
    size: int = 0
    sheets: OrderedDict[bytes, PrintedSheet] = field(default_factory=OrderedDict)
    starts: OrderedDict[bytes, int] = field(default_factory=OrderedDict)
    """The pages before sheets where they stood last, by the digests of their texts."""
    numbers: OrderedDict[bytes, Mapping[str, int]] = field(default_factory=OrderedDict)
    """Pages of places in a document, which will be right for it again until pages come or go."""

    def get(self, key: bytes) -> PrintedSheet | None:
        """The sheet of a key, if it is kept."""
        if key in self.sheets:
            self.sheets.move_to_end(key)
        return self.sheets.get(key)

    def put(self, key: bytes, text: bytes, start: int, sheet: PrintedSheet) -> None:
        """Keep a sheet of some text that stands behind so many pages."""
        size = kept_size(sheet)
        if size > self.largest:
            return
        if sheet.body:
            self.starts[text] = start
            self.starts.move_to_end(text)
            if len(self.starts) > MOST_TEXTS:
                self.starts.popitem(last=False)
        if key in self.sheets:
            return
        self.sheets[key] = sheet
        self.size += size
        while self.size > self.most:
            _, oldest = self.sheets.popitem(last=False)
            self.size -= kept_size(oldest)

    def put_numbers(self, key: bytes, numbers: Mapping[str, int]) -> None:
        """Keep the pages of places in a document, unless there are a great many."""
        if len(numbers) <= MOST_NUMBERS:
            self.numbers[key] = numbers
            self.numbers.move_to_end(key)
            if len(self.numbers) > MOST_DOCUMENTS:
                self.numbers.popitem(last=False)


def kept_size(sheet: PrintedSheet) -> int:
    """Bytes of memory of a sheet, roughly: of its PDF, and of what lies beside it."""
    letters = sum(len(font.to_unicode) for font in sheet.fonts)
    marks = sum(map(len, sheet.anchors)) + sum(map(len, sheet.bookmarks))
    return len(sheet.body) + 4096 + 300 * letters + 400 * marks


@cache
def process_sheets() -> KeptSheets:
    """Those of this process."""
    return KeptSheets()
