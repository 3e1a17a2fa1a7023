"""Figures in the notations that people use, and the notation of a file, decided from all its figures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

LONGEST = 64
LARGEST, SMALLEST = 1e150, 1e-300
"""Largest number that is drawn, so that sums, differences and squares of numbers are finite; and the smallest
one that is not read as 0, as smaller ones have no exact multiples."""
GAPS = frozenset(
    {"", "na", "n/a", "nan", "null", "none", "-", "–", "—", ".", "..", "#n/a", "#na", "<na>", "-nan"}
)
SIGNS = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2212": "-", "’": "'"})
CURRENCIES = "€$£¥₹₽₩₺₪₴₫₦₱฿₿₡₲₸₾¢"
MONEY_WORDS = """
AED ARS AUD BGN BRL BTC CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JPY KRW KZT MXN
MYR NGN NOK NZD PHP PLN RON RSD RUB SAR SEK SGD THB TRY TWD UAH USD VND ZAR kr zł Kč Ft lei Fr. Rs Rs. R$
A$ C$ US$ NZ$ HK$ S$
"""
MEASURE_WORDS = """
° °C °F K ‰ ppm ppb pp bp bps dB m cm mm km µm μm nm in ft yd mi nmi px pt m² m³ m2 m3 km² km2 ha ac g kg
mg µg μg t kt Mt lb lbs oz l L ml mL hl dl cl gal s ms µs μs ns min h hr hrs d yr yrs V kV mV A mA W kW
MW GW TW Wh kWh MWh GWh TWh J kJ MJ cal kcal Pa hPa kPa MPa bar mbar psi N kN Hz kHz MHz GHz B kB KB MB
GB TB PB KiB MiB GiB TiB bit kbit Mbit Gbit kbps Mbps Gbps m/s km/h mph kn rpm mol Ω lx lm x ×
"""
MONEY, MEASURES = MONEY_WORDS.split(), MEASURE_WORDS.split()
UNITS = "|".join(sorted(map(re.escape, [*CURRENCIES, *MONEY]), key=len, reverse=True))
APART = "ABJKNVWdst"
"""Units that need a blank before them, because `12A` is a house number and `1990s` a decade."""
ALONE = [word for word in MEASURES if word not in APART]
AFTER = "|".join(sorted(map(re.escape, ["%", *CURRENCIES, *MONEY, *ALONE]), key=len, reverse=True))
WRITTEN = re.compile(
    rf"(?P<open>\()? ?(?P<sign>[-+])? ?(?P<before>{UNITS})? ?(?P<inner>[-+])? ?"
    r"(?P<digits>[0-9][0-9., ']*(?<! )|[.,][0-9]+)(?P<power>[eE][-+]?[0-9]{1,3})?"
    rf"(?: ?(?P<after>{AFTER})| (?P<apart>[{APART}]))? ?(?P<behind>-)? ?(?P<close>\))?"
)
THREES = r"[1-9][0-9]{0,2}(?:[%s][0-9]{3})+"
INDIAN = r"[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}"
DECIMALS = r"(?:[0-9]*|[0-9]{3}(?: [0-9]{3})*(?: [0-9]{1,3}))"
EITHER = "|".join(("[0-9]+", THREES % "'", THREES % " "))
POINT = re.compile(rf"(?:{EITHER}|{THREES % ','}|{INDIAN})?(?:\.{DECIMALS})?")
COMMA = re.compile(rf"(?:{EITHER}|{THREES % '.'})?(?:,{DECIMALS})?")
DIGIT = re.compile(r"[0-9]")
USUAL = re.compile(r"(-?)([0-9]+(?:\.[0-9]+)?)")
"""The most frequent notation of figures, which needs no detailed parsing."""
CODE = re.compile(r"0[0-9]+")


@dataclass(frozen=True, slots=True)
class Figure:
    """A cell that looks like a number: its sign, its digits with all marks, its power of ten and its unit.

    `point` and `comma` are whether it is a number with that decimal mark.
    """

    digits: str
    negative: bool
    power: str
    unit: str
    point: bool
    comma: bool

    @property
    def plain(self) -> bool:
        """Whether it has no marks and no blanks, so that it is the same number in every notation."""
        return self.digits.isdigit()

    @property
    def ambiguous(self) -> bool:
        """Whether a decimal point and a decimal comma give different numbers, as for 1.200."""
        return self.point and self.comma and ("." in self.digits or "," in self.digits)

    @property
    def code(self) -> bool:
        """Whether it is digits with a leading zero, as in article numbers and postal codes."""
        return not self.unit and not self.power and bool(CODE.fullmatch(self.digits))

    def value(self, *, comma: bool) -> float | None:
        """Return its number in a notation; per cent are a share. None beyond LARGEST."""
        if not (self.comma if comma else self.point):
            return None
        digits = self.digits.replace(" ", "").replace("'", "")
        digits = digits.replace(".", "").replace(",", ".") if comma else digits.replace(",", "")
        number = float(digits + self.power)
        number = number / 100 if self.unit == "%" else number
        if abs(number) > LARGEST:
            return None
        if abs(number) < SMALLEST:
            return 0.0
        return -number if self.negative else number

    def decimals(self, *, comma: bool) -> int:
        """Return its number of decimals in a notation."""
        _, mark, decimals = self.digits.replace(" ", "").partition("," if comma else ".")
        return len(decimals) if mark else 0


@lru_cache(maxsize=4096)
def read_figure(cell: str) -> Figure | None:
    """Return the figure of a cell, or None if no notation reads it as a number."""
    if len(cell) > LONGEST or not DIGIT.search(cell):
        return None
    if usual := USUAL.fullmatch(cell):
        digits = usual[2]
        return Figure(digits, bool(usual[1]), "", "", point=True, comma=bool(COMMA.fullmatch(digits)))
    found = WRITTEN.fullmatch(cell.translate(SIGNS).strip())
    if found is None or bool(found["open"]) != bool(found["close"]):
        return None
    units = [unit for unit in (found["before"], found["after"], found["apart"]) if unit]
    signs = [sign for sign in (found["open"], found["sign"], found["inner"], found["behind"]) if sign]
    digits, power = found["digits"], found["power"] or ""
    point, comma = bool(POINT.fullmatch(digits)), bool(COMMA.fullmatch(digits))
    if power:
        point, comma = point and "," not in digits, comma and "." not in digits
    if len(signs) > 1 or len(units) > 1 or not (point or comma):
        return None
    return Figure(digits, signs[:1] not in ([], ["+"]), power, "".join(units), point, comma)


def read_number(cell: str) -> float | None:
    """Return a finite number such as `1,234.5` or `12%`; None for other text."""
    figure = read_figure(cell)
    if figure is None or (figure.unit and figure.unit not in f"%{CURRENCIES}"):
        return None
    return figure.value(comma=False)


GROUPS = {"'": "apostrophe", " ": "blank", ",": "comma", ".": "point"}


@dataclass(frozen=True, slots=True)
class Evidence:
    """Counts of a column's figures: those only one mark can read, and those both read differently.

    `short` is whether they include whole numbers below 1000, which are usual among numbers with groups of
    three digits.
    """

    point: int = 0
    comma: int = 0
    either: int = 0
    with_comma: int = 0
    short: bool = False

    @property
    def decided(self) -> bool | None:
        """Whether the decimal mark is a comma; None if the column alone does not decide."""
        return None if self.point == self.comma else self.comma > self.point


@dataclass(frozen=True, slots=True)
class Notation:
    """The notation of a file: its decimal mark, its group marks, and whether the decimal mark is a guess.

    `commas` is for each column whether a comma is its decimal mark, `guesses` the columns that were guessed.
    """

    comma: bool = False
    groups: tuple[str, ...] = ()
    commas: tuple[bool, ...] = ()
    guesses: tuple[int, ...] = ()
    differing: tuple[int, ...] = ()


def decide_notation(
    columns: Sequence[Sequence[Figure]], delimiter: str, comma: bool | None = None
) -> Notation:
    """Return the notation of a file from the figures of its columns, unless its decimal mark is given.

    A column is decided by its figures that only one mark can read, else by the other columns, else by its
    delimiter.
    """
    if comma is not None:
        commas = (comma,) * len(columns)
        return Notation(comma, _groups(columns, commas), commas)
    evidence = [_weigh(figures) for figures in columns]
    decided = [one.decided for one in evidence]
    votes = Counter(one for one in decided if one is not None)
    known = votes[True] != votes[False]
    comma = votes[True] > votes[False] if known else delimiter == ";" and any(e.with_comma for e in evidence)
    each, guesses = [], []
    for index, (one, own) in enumerate(zip(evidence, decided, strict=True)):
        each.append(own if own is not None else comma if known else _guess(one, delimiter))
        if own is None and one.either and not known:
            guesses.append(index)
    if not known and guesses:
        comma = each[guesses[0]]
    differing = [index for index, own in enumerate(decided) if own is not None and own != comma]
    return Notation(comma, _groups(columns, each), tuple(each), tuple(guesses), tuple(differing))


def _weigh(figures: Sequence[Figure]) -> Evidence:
    marked = [one for one in figures if not one.plain]
    point = sum(one.point and not one.comma for one in marked)
    comma = sum(one.comma and not one.point for one in marked)
    either = [one for one in marked if one.ambiguous]
    with_comma = comma + sum("," in one.digits for one in either)
    short = any(one.plain and not one.power and len(one.digits) < 4 for one in figures)
    return Evidence(point, comma, len(either), with_comma, short)


def _guess(one: Evidence, delimiter: str) -> bool:
    """Return whether a comma is the decimal mark in a column with only figures such as 1.200 or 1,200.

    Whole numbers below 1000 in the same column indicate that three digits after a mark are a group.
    Comma-separated files mostly use a decimal point, semicolon-separated ones a comma.
    """
    if not one.either or delimiter == ",":
        return False
    if one.short:
        return not one.with_comma
    return delimiter == ";"


def _groups(columns: Sequence[Sequence[Figure]], commas: Sequence[bool]) -> tuple[str, ...]:
    """Return the marks between groups of three digits, in words."""
    found = {
        GROUPS[mark]
        for figures, comma in zip(columns, commas, strict=True)
        for mark in ("' ." if comma else "' ,")
        if any(mark in one.digits and one.value(comma=comma) is not None for one in figures)
    }
    return tuple(sorted(found))
