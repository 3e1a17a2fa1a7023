"""Default formats: how a table writes a column of numbers without a format, and which stay as sent."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from typing import NamedTuple

from handlers.render.plots.data.figures_written import INDIAN, SIGNS, USUAL, read_figure
from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.data.numbers import MINUS
from handlers.render.plots.data.type_columns import OF_YEARS, are_years, is_year_name, words_of
from handlers.words.language import language

MOST_DECIMALS, LEAST_DECIMALS, GOOD_DIGITS = 6, 2, 4
"""Most decimals that are kept as sent; the least decimals and the digits of longer numbers."""
IN_TWOS = re.compile(INDIAN)
EXACT = Context(prec=200)
YEARS = range(1900, 2101)
IDENTIFIER = re.compile(r"[-+]?(?:0[0-9]|[0-9]{16,}$)", re.ASCII)
"""Beginning of a number that is an id, or has more digits than spreadsheets store."""
COUNTED_WORDS = "no nr num number nummer numero numéro número № #"
CODE_WORDS = """
id ids uid uuid guid code codes codigo código codice kode zip zipcode postcode postal plz phone telephone tel
telefon téléphone fax ean isbn issn isin upc sku gtin iban bic imei serial account konto acct ref reference
pid port version room timestamp epoch
"""
COUNTED = frozenset(COUNTED_WORDS.split())
"""Words that mean ids at the end of a name, and counts before an "of"."""
CODES = COUNTED | OF_YEARS | frozenset(CODE_WORDS.split())
"""Words for digits that are not quantities: ids and years."""
ENDS = ("nummer", "number", "code", "jahr")


class WrittenNumber(NamedTuple):
    """The digits of a cell: their position in it, whole part, decimals and thousands separator.

    The whole part has digits only, except Indian groups, which keep their marks.
    """

    start: int
    end: int
    whole: str
    decimals: str
    mark: str = ""

    @property
    def needed(self) -> int:
        """The decimals that contain all significant digits."""
        digits = self.decimals.rstrip("0")
        if self.whole.strip("0"):
            return min(len(digits), max(0, GOOD_DIGITS - len(self.whole)))
        zeros = len(digits) - len(digits.lstrip("0"))
        return min(len(digits), zeros + GOOD_DIGITS)


@dataclass(frozen=True, slots=True)
class UsualNumbers:
    """Writer of the numbers of a column in one format: whole parts in groups of three, decimals aligned.

    `comma` is whether the decimal mark is a comma, `group` is the thousands separator. Numbers have at most
    `decimals` decimals, filled with zeros if `padded`. `grouped` and `bracketed` are whether any number has
    groups or brackets.
    """

    comma: bool = False
    group: str = ","
    decimals: int = 0
    padded: bool = False
    grouped: bool = False
    bracketed: bool = False

    def __call__(self, sent: str) -> str:
        """Return a number of the column with the signs and units with which it was sent."""
        found = read_digits(sent, comma=self.comma)
        if found is None:
            return sent
        whole, decimals = found.whole or "0", found.decimals
        if len(decimals) > self.decimals and whole.isdigit():
            whole, decimals = _round(whole, decimals, self.decimals)
        elif self.padded:
            decimals = decimals.ljust(self.decimals, "0")
        written = language()
        group, mark = self.group, "," if self.comma else "."
        if written.is_chosen:
            group, mark = written.group, written.decimal
        if whole.isdigit():
            whole = f"{int(whole):,}".replace(",", group)
        tail = f"{mark}{decimals}" if decimals else ""
        before, after = (part.replace("-", MINUS) for part in (sent[: found.start], sent[found.end :]))
        return f"{before}{whole}{tail}{after}"

    def rounds(self, sent: str) -> bool:
        """Return whether a number is shown with fewer decimals than it was sent with."""
        found = read_digits(sent, comma=self.comma)
        return found is not None and len(found.decimals) > self.decimals and (found.whole or "0").isdigit()


def usual_numbers(frame: Frame, index: int, first_row: int = 0) -> UsualNumbers | None:
    """Return the writer of a column's numbers; None if they stay as sent.

    Words, dates, ids and years stay as sent. Rows before `first_row` are heads.
    """
    column = frame.columns[index]
    if column.type is not ColumnType.NUMBER or names_things(column) or is_code_name(frame.head(index)):
        return None
    if not column.unit and are_years(frame.head(index), column.numbers, times=not index):
        return None
    comma = index < len(frame.notation.commas) and frame.notation.commas[index]
    cells = zip(column.texts[first_row:], column.numbers[first_row:], strict=True)
    read = (read_digits(text, comma=comma) for text, number in cells if number is not None)
    known = [found for found in read if found is not None]
    if not known or (not column.unit and _are_years(known)):
        return None
    decimals = max(len(one.decimals) for one in known)
    if decimals > MOST_DECIMALS:
        needed = max(LEAST_DECIMALS, *(one.needed for one in known))
        decimals = needed if needed <= MOST_DECIMALS else decimals
    marks = (one.mark for one in known if one.mark)
    return UsualNumbers(
        comma,
        next(marks, "." if comma else ","),
        decimals,
        decimals <= MOST_DECIMALS and _are_alike(known, decimals),
        grouped=any(len(one.whole) > 3 for one in known),
        bracketed=any(text.endswith(")") for text in column.texts[first_row:]),
    )


def read_digits(text: str, *, comma: bool) -> WrittenNumber | None:
    """Return the digits of a number in a cell; None for one with a power of ten."""
    plain = USUAL.fullmatch(text)
    if plain and not (comma and "." in text):
        whole, _, decimals = plain[2].partition(".")
        return WrittenNumber(len(plain[1]), len(text), whole, decimals)
    figure = read_figure(text)
    if figure is None or figure.power or figure.value(comma=comma) is None:
        return None
    start = text.translate(SIGNS).find(figure.digits)
    whole, _, decimals = figure.digits.partition("," if comma else ".")
    mark = next((text[start + at] for at, sign in enumerate(whole) if not sign.isdigit()), "")
    if mark and not IN_TWOS.fullmatch(whole):
        whole = "".join(sign for sign in whole if sign.isdigit())
    return WrittenNumber(start, start + len(figure.digits), whole, "".join(decimals.split()), mark)


def names_things(column: Column) -> bool:
    """Return whether the digits of a column are ids: they have leading zeros, or are too many."""
    return column.type is ColumnType.NUMBER and any(IDENTIFIER.match(text) for text in column.texts)


@lru_cache(maxsize=4096)
def is_code_name(name: str) -> bool:
    """Return whether a name means ids or years, by its last word, or the last one before an "of"."""
    words, end = words_of(name)
    last = words[:end][-1] if words else ""
    known = last in CODES or last.endswith(ENDS)
    counts = end is not None and (last in COUNTED or last.endswith(ENDS[:2]))
    return (known and not counts) or words[:1] == ["id"] or is_year_name(name)


def _are_years(known: Sequence[WrittenNumber]) -> bool:
    return all(len(one.whole) == 4 and not one.decimals and int(one.whole) in YEARS for one in known)


def _are_alike(known: Sequence[WrittenNumber], decimals: int) -> bool:
    """Return whether numbers may have had that many decimals before a program dropped trailing zeros.

    This is so if half of them have that many, or if the whole part of one with decimals is nearly as long as
    the longest. Otherwise a column contains different quantities, such as people and shares.
    """
    full = sum(len(one.decimals) >= decimals for one in known)
    longest = max(len(one.whole) for one in known)
    return 2 * full >= len(known) or any(one.decimals and len(one.whole) >= longest - 1 for one in known)


def _round(whole: str, decimals: str, kept: int) -> tuple[str, str]:
    """Return a number with fewer decimals; halves are rounded up."""
    exact = Decimal(f"{whole}.{decimals}").quantize(Decimal(1).scaleb(-kept), ROUND_HALF_UP, EXACT)
    rounded, _, rest = f"{exact:f}".partition(".")
    return rounded, rest
