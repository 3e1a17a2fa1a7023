"""Formats of cells: numbers as in d3-format and Python, dates as in strftime."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from handlers.render.plots.data.numbers import MINUS, sides_of, with_decimals
from handlers.words.language import language

LONGEST, MOST_DECIMALS = 40, 20
PLAIN_BELOW = 1e21
"""Size from which numbers have an exponent in every format, because so long ones are hard to read."""
SPEC = re.compile(
    r"(?:(?P<fill>.)?(?P<align>[<>=^]))?(?P<sign>[-+( ])?(?P<symbol>[$€£¥#])?(?P<zero>0)?(?P<width>[0-9]+)?"
    r"(?P<group>[,_])?(?:\.(?P<precision>[0-9]+))?(?P<trim>~)?(?P<type>[bcdeEfFgGmnoprsxX%])?(?P<suffix>[$€£¥])?",
    re.ASCII,
)
PREFIXES = "yzafpnµm kMGTPEZY"
INTEGERS = frozenset("dboxX")
USUAL_DECIMALS = {"": None, "%": 0, "m": 1, "s": 3, "p": 3}
"""Decimals or digits of types without a precision; the others have 6."""
LEADING = re.compile(r"\d+")


class BadFormat(ValueError):
    """Raised with the reason for a text that is not a format of cells."""


@dataclass(frozen=True, slots=True)
class CellNumberFormat:
    """A format of numbers: `+,.1%` makes `+5.9%` of 0.0589.

    `precision` is the number of decimals, and of significant digits for the types g, p, r and s; `based` adds
    0b, 0o or 0x before the digits.
    """

    type: str = ""
    precision: int | None = None
    sign: str = "-"
    symbol: str = ""
    suffix: str = ""
    group: str = ""
    trim: bool = False
    based: bool = False
    fill: str = " "
    align: str = ">"
    width: int = 0

    def __call__(self, value: float) -> str:
        """Return a number as text, with a true minus sign."""
        digits, unit = self._digits(abs(float(value)))
        if self.trim and "." in digits:
            digits = digits.rstrip("0").rstrip(".")
        if self.group and digits[:1].isdigit():
            digits = LEADING.sub(lambda found: f"{int(found[0]):{self.group}}", digits, count=1)
        negative = value < 0 and any(sign not in "0.,_" for sign in digits)
        lead, tail = self._signs(negative)
        before, after = sides_of(self.symbol)
        unit = sides_of(unit)[1] if unit == "%" else unit
        body = f"{before}{language().marks(digits)}{unit}{self.suffix}{after}{tail}"
        return self._pad(lead, body)

    def _digits(self, size: float) -> tuple[str, str]:
        """Return the digits of a size, and the unit after them."""
        type_, precision = self.type, self.precision
        if type_ in INTEGERS:
            if size >= PLAIN_BELOW:
                return f"{size:e}", ""
            return f"{math.floor(size + 0.5):{'#' if self.based else ''}{type_}}", ""
        decimals = USUAL_DECIMALS.get(type_, 6) if precision is None else precision
        if type_ == "s":
            return _with_prefix(size, max(1, decimals or 0))
        if type_ in ("%", "p"):
            write = _with_decimals if type_ == "%" else _significant
            return write(size * 100, decimals or 0), "%"
        return _plain(type_, size, decimals), ""

    def _signs(self, negative: bool) -> tuple[str, str]:
        if self.sign == "(":
            return ("(", ")") if negative else ("", "")
        return (MINUS if negative else self.sign.replace("-", ""), "")

    def _pad(self, lead: str, body: str) -> str:
        blanks = self.width - len(lead) - len(body)
        if blanks <= 0:
            return lead + body
        if self.align == "=":
            return lead + self.fill * blanks + body
        left = {"<": 0, ">": blanks, "^": blanks // 2}[self.align]
        return self.fill * left + lead + body + self.fill * (blanks - left)


def parse_number_format(text: str) -> CellNumberFormat:
    """Return the number format that a text denotes. Raises BadFormat."""
    found = SPEC.fullmatch(text) if len(text) <= LONGEST else None
    if not found or not text:
        raise BadFormat(f'"{text[:40]}" is no format: write one such as ,.1f, +.0%, $.2m, .3s or %d %b %Y')
    parts = found.groupdict(default="")
    type_, zero, width, precision = (parts[name] for name in ("type", "zero", "width", "precision"))
    if type_ in ("s", "m") and not precision:
        # Common notations of money and prefixes: $2m, 3s.
        precision, zero, width = zero + width, "", ""
    decimals = int(precision) if precision else None
    if (decimals or 0) > MOST_DECIMALS or int(width or 0) > LONGEST:
        raise BadFormat(
            f'"{text}" asks for too much: at most {MOST_DECIMALS} decimals and {LONGEST} characters'
        )
    return CellNumberFormat(
        type="g" if type_ == "n" else type_,
        precision=decimals,
        sign=parts["sign"] or "-",
        symbol=parts["symbol"].replace("#", ""),
        suffix=parts["suffix"],
        group="," if type_ in ("m", "n") else parts["group"],
        trim=bool(parts["trim"]),
        based=parts["symbol"] == "#" and type_ in INTEGERS,
        fill="0" if zero else parts["fill"] or " ",
        align="=" if zero else parts["align"] or ">",
        width=int(width or 0),
    )


def _plain(type_: str, size: float, decimals: int | None) -> str:
    if decimals is None or type_ == "c":
        return shortest(size)
    if type_ in ("e", "E"):
        return f"{size:.{decimals}{type_}}"
    if type_ in ("g", "G"):
        return f"{size:.{max(1, decimals)}{type_}}"
    return _significant(size, decimals) if type_ == "r" else _with_decimals(size, decimals)


def shortest(size: float) -> str:
    """Return the fewest digits that read back as the same number, without an exponent if that is short."""
    return f"{size:.0f}" if size.is_integer() and size < PLAIN_BELOW else repr(size)


def _with_decimals(size: float, decimals: int) -> str:
    """Return a size with a number of decimals; a half is rounded up."""
    if size >= PLAIN_BELOW:
        return f"{size:.{decimals}e}"
    return f"{with_decimals(size, decimals):f}"


def _significant(size: float, digits: int) -> str:
    """Return a size rounded to a number of significant digits, without an exponent."""
    kept = max(1, digits or 6)
    if not size or not 1e-12 < size < PLAIN_BELOW:
        return f"{size:.{kept - 1}e}" if size else "0"
    place = kept - 1 - math.floor(math.log10(size))
    rounded = round(size, place)
    return f"{rounded:.{max(0, min(place, MOST_DECIMALS + 12))}f}"


def _with_prefix(size: float, digits: int) -> tuple[str, str]:
    """Return significant digits and the prefix of a power of a thousand: `1.28M`."""
    if not size or not math.isfinite(size):
        return "0", ""
    exponent = math.floor(math.log10(float(f"{size:.{digits - 1}e}")) + 1e-12)
    step = max(-8, min(8, exponent // 3))
    scaled = size / 1000.0**step
    decimals = max(0, digits - 1 - (exponent - 3 * step))
    unit = PREFIXES[step + 8].strip()
    return _with_decimals(scaled, min(decimals, MOST_DECIMALS)), unit


DIRECTIVE = re.compile(r"%(-?[A-Za-z%])")
LONGEST_DATE = 40


@dataclass(frozen=True, slots=True)
class CellDateFormat:
    """A format of dates: `%d %b %Y` makes `20 Nov 2026`."""

    pattern: str

    def __call__(self, moment: datetime) -> str:
        """Return a moment as text."""
        return DIRECTIVE.sub(lambda found: DIRECTIVES[found[1]][0](moment), self.pattern)

    @property
    def spreadsheet_code(self) -> str:
        """The same format as a spreadsheet format code."""
        parts = enumerate(DIRECTIVE.split(self.pattern))
        return "".join(DIRECTIVES[part][1] if at % 2 else _literal(part) for at, part in parts)


def parse_date_format(text: str) -> CellDateFormat:
    """Return the date format that a text denotes. Raises BadFormat."""
    strange = next((one for one in DIRECTIVE.findall(text) if one not in DIRECTIVES), None)
    if len(text) > LONGEST_DATE or strange is not None or "%" in DIRECTIVE.sub("", text):
        named = " ".join(f"%{one}" for one in DIRECTIVES)
        raise BadFormat(f'"{text[:40]}" is no format of dates: write one with {named}')
    return CellDateFormat(text)


def is_date_format(text: str) -> bool:
    """Return whether a format is for dates: it has a `%` before a letter."""
    return bool(re.search(r"%-?[A-Za-z]", text))


def _literal(text: str) -> str:
    return "".join(sign if sign in " -/:.," else f'"{sign}"' for sign in text if sign != '"')


DIRECTIVES: Mapping[str, tuple[Callable[[datetime], str], str]] = {
    "Y": (lambda at: f"{at.year:04}", "yyyy"),
    "y": (lambda at: f"{at.year % 100:02}", "yy"),
    "m": (lambda at: f"{at.month:02}", "mm"),
    "-m": (lambda at: str(at.month), "m"),
    "b": (lambda at: language().short_months[at.month - 1], "mmm"),
    "B": (lambda at: language().months[at.month - 1], "mmmm"),
    "d": (lambda at: f"{at.day:02}", "dd"),
    "-d": (lambda at: str(at.day), "d"),
    "e": (lambda at: str(at.day), "d"),
    "a": (lambda at: language().short_days[at.weekday()], "ddd"),
    "A": (lambda at: language().days[at.weekday()], "dddd"),
    "H": (lambda at: f"{at.hour:02}", "hh"),
    "M": (lambda at: f"{at.minute:02}", "mm"),
    "S": (lambda at: f"{at.second:02}", "ss"),
    "q": (lambda at: str((at.month + 2) // 3), ""),
    "%": (lambda at: "%", '"%"'),
}
"""Directives, each with its function and its code in spreadsheets."""
