"""Numbers of charts: ticks at round steps, labels in one unit with as few digits as possible."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Context, Decimal

from handlers.render.plots.data.figures_written import CURRENCIES, MONEY
from handlers.words.language import language

MINUS = "\u2212"
GAP = "\u2013"
OF_MONEY = frozenset((*CURRENCIES, *MONEY))
BEFORE = frozenset(CURRENCIES) - {"¢"} | {word for word in MONEY if word.endswith("$")}
"""Units that stand before a number."""
TIGHT = BEFORE | {"%", "°", "°C", "°F", "‰", "¢", "×", "x"}
"""Units without a blank before or after their number."""
WITHOUT_SIZES = TIGHT - BEFORE - {"¢"} | {"K", "ppm", "ppb", "pp", "bp", "bps", "dB"}
"""Units such as shares and degrees that take no word for a size: 400 million per cent are not `400m%`."""
PER_CENT = "per cent"
"""The unit of shares, which are multiplied by 100: 0.12 is 12%. With the unit `%`, 12 is 12%."""
AS_YEARS = "as years"
"""The unit of numbers that are years, which have no group marks."""
TINIEST = 1e-200
SMALL, TINY, LARGE = 1e-4, 1e-12, 1e18
THREE_DIGITS = 0.005
"""Relative error that the text of a number may have, so that its first three digits are right."""
MOST_DECIMALS = 2
"""Most decimals of axis labels in a size; with more, a smaller size is used."""
EXACT = Context(prec=60)
ROUND_STEPS = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """Format of all numbers of one axis or column: `1,250`, `0.35`, `1.28m`, with a true minus sign.

    Marks, the position of a unit and the words for sizes depend on the language of the render.
    """

    divisor: float = 1.0
    magnitude: str = ""
    decimals: int = 0
    unit: str = ""

    def __call__(self, value: float | None, *, sign: bool = False) -> str:
        """Return a number as text, a half rounded up; a gap is a dash."""
        if value is None:
            return GAP
        size = with_decimals(abs(value) / self.divisor, self.decimals)
        digits = f"{size:{'' if self.unit == AS_YEARS else ','}f}"
        lead = MINUS if value < 0 and size else "+" if sign and value > 0 and size else ""
        before, after = sides_of(self.unit)
        return f"{lead}{before}{language().marks(digits)}{self.magnitude}{after}"

    def round_as_written(self, value: float) -> float:
        """Return a value rounded to the digits that its text shows."""
        digits = with_decimals(abs(value) / self.divisor, self.decimals)
        return math.copysign(float(digits * Decimal(repr(self.divisor))), value)


def unit_words(unit: str) -> str:
    """Return a unit as it is shown."""
    return {PER_CENT: "%", AS_YEARS: ""}.get(unit, unit)


def sides_of(unit: str) -> tuple[str, str]:
    """Return the text of a unit before and after a number."""
    word = unit_words(unit)
    return language().sides_of(word, money=unit in BEFORE, tight=not word or word in TIGHT)


def spread_of(values: Iterable[float | None]) -> tuple[float, float]:
    """Return the smallest and the largest of the values that are not None; (0, 0) without any."""
    present = [value for value in values if value is not None]
    return (min(present), max(present)) if present else (0.0, 0.0)


def round_ticks(low: float, high: float, most: int) -> list[float]:
    """Return about `most` ticks with a 1-2-2.5-5 step from low to high; equal ends are moved apart."""
    if high - low <= max(abs(low), abs(high)) * 1e-6:
        # Too close for labels that differ: handled as equal ends.
        low, high = (min(0.0, low), max(0.0, high)) if max(abs(low), abs(high)) > TINIEST else (0.0, 1.0)
    wanted = (high - low) / max(1, most)
    power = 10.0 ** math.floor(math.log10(wanted))
    step = next(factor * power for factor in ROUND_STEPS if factor * power >= wanted * 0.999)
    if power == 1 and step == 2.5:
        step = 5.0
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    digits = 12 - math.floor(math.log10(step))
    return [round(index * step, digits) + 0.0 for index in range(first, max(last, first + 1) + 1)]


def log_ticks(low: float, high: float, most: int = 8) -> list[float]:
    """Return ticks of a logarithmic axis around positive values: powers of ten, and 2 and 5 times if few."""
    first, last = math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9)
    fine = _fine_ticks(low, high)
    if last - first <= 3 and len(fine) <= max(5, 2 * most):
        return fine
    every = max(1, math.ceil((last - first) / max(2, min(8, 2 * most))))
    return [10.0**power for power in range(first, last + every, every)]


def log_ends(low: float, high: float) -> tuple[float, float]:
    """Return the ends of a logarithmic axis around positive values: 1, 2 or 5 times a power of ten."""
    fine = _fine_ticks(low, high)
    return fine[0], fine[-1]


def _fine_ticks(low: float, high: float) -> list[float]:
    """Return 1, 2 and 5 times powers of ten, from below the values to above them."""
    first, last = math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9)
    fine = [factor * 10.0**power for power in range(first, last + 1) for factor in (1, 2, 5)]
    inner = [tick for tick in fine if low < tick < high]
    below = max((tick for tick in fine if tick <= low * (1 + 1e-9)), default=fine[0])
    above = min((tick for tick in fine if tick >= high * (1 - 1e-9)), default=fine[-1])
    return sorted({below, *inner, above})


def axis_labels(ticks: Sequence[float], unit: str = "") -> list[str]:
    """Return labels of the ticks in one size with equal decimals; only the last one has a short unit."""
    steps = [after - before for before, after in itertools.pairwise(ticks) if after > before]
    one = _axis_format(ticks, min(steps, default=0.0), unit)
    plain = one if unit == AS_YEARS else replace(one, unit="")
    labels = [plain(tick) if tick else "0" for tick in ticks]
    return [*labels[:-1], one(ticks[-1])] if unit and unit != AS_YEARS else labels


def _axis_format(ticks: Sequence[float], step: float, unit: str) -> NumberFormat:
    """Return the largest size in which ticks differ by few decimals, so that 1,000,025 is not 1.000025m."""
    top, found = max(map(abs, ticks)), NumberFormat(unit=unit)
    for divisor, magnitude in _magnitudes(top, unit):
        most = max(0, 2 - math.floor(math.log10(step / divisor))) if step else 2
        decimals = next((n for n in range(most) if all(_fits(tick / divisor, n) for tick in ticks)), most)
        found = NumberFormat(divisor, magnitude, decimals, unit)
        if decimals <= MOST_DECIMALS:
            break
    return found


def format_of(values: Iterable[float | None], unit: str = "") -> NumberFormat:
    """Return a format for labels: three digits for the largest, and no more decimals than values have."""
    sizes = [abs(value) for value in values if value is not None]
    top = max(sizes, default=0.0)
    divisor, magnitude = _magnitudes(top, unit)[0]
    least, most = _few_decimals(top / divisor, magnitude, unit)
    needed = next((n for n in range(most) if all(_fits(size / divisor, n) for size in sizes)), most)
    found = NumberFormat(divisor, magnitude, max(needed, least) if needed else 0, unit)
    grown = _magnitudes(found.round_as_written(top), unit)[0]
    return found if grown == (divisor, magnitude) else NumberFormat(*grown, 0, unit)


def writer_of(values: Iterable[float | None], unit: str = "") -> Callable[[float | None], str]:
    """Return a function that formats numbers beside marks, in a common size or each in its own.

    Each has its own size if a number would lose digits or be below 1 in the size of the largest one: 0.3bn is
    300m.
    """
    sizes = [abs(value) for value in values if value is not None]
    alike = format_of(sizes, unit)
    least = alike.divisor if alike.magnitude else 0.0

    def loses(size: float) -> bool:
        shown = round(size / alike.divisor, alike.decimals) * alike.divisor
        return abs(shown - size) > THREE_DIGITS * size or 0 < shown < least * (1 - 1e-9)

    if not any(map(loses, sizes)):
        return alike
    # Several in one size have three digits each, as 18.0k beside 22.8k.
    texts = {(_magnitudes(size, unit)[0][1], len(alone(size, unit).partition(".")[2])) for size in sizes}
    padded = any(count > 1 for size, count in Counter(size for size, _ in texts).items() if size)
    return lambda value: alone(value, unit, padded=padded)


def alone(value: float | None, unit: str = "", digits: int = 3, *, padded: bool = False) -> str:
    """Return the text of a single number: three significant digits and its size.

    Significant zeros are kept: 16,988 is 17.0k, and 17,000 is 17k unless it is `padded`. Whole numbers below
    10,000 have all of their digits, and money has cents or no decimals.
    """
    if value is None or math.isinf(value):  # as the ratio of the largest number and the smallest is
        return GAP
    divisor, magnitude = _magnitudes(abs(value), unit)[0]
    size = abs(value) / divisor
    least, decimals = _few_decimals(size, magnitude, unit, digits)
    if magnitude and decimals and len(str(int(with_decimals(size, decimals)))) > len(str(int(size))):
        decimals -= 1  # 99.96 is 100, with three digits
    exact = size if magnitude else float(with_decimals(size, decimals))
    while decimals and not (padded and magnitude) and _fits(exact, decimals - 1):
        decimals -= 1
    found = NumberFormat(divisor, magnitude, max(least, decimals) if decimals else 0, unit)
    shown = found.round_as_written(value)
    grown = _magnitudes(abs(shown), unit)[0] != (divisor, magnitude)
    return alone(shown, unit, digits, padded=padded) if grown else found(value)


def exact(value: float | None, unit: str = "") -> str:
    """Return a number with all digits that it was sent with, for tooltips."""
    size = abs(value or 0.0) * (100 if unit == PER_CENT else 1)
    if value is None or (size and not TINY <= size < LARGE):
        return alone(value, unit)
    decimals = len(f"{Decimal(f'{size:.15g}'):f}".partition(".")[2])
    decimals = 2 if decimals == 1 and unit in OF_MONEY else decimals
    return NumberFormat(0.01 if unit == PER_CENT else 1.0, "", decimals, unit)(value)


def whole_shares(values: Sequence[float]) -> list[int]:
    """Return percentages without decimals that add up to 100 (largest remainder)."""
    total = sum(values)
    exact = [value / total * 100 for value in values]
    shares = [int(share) for share in exact]
    by_remainder = sorted(range(len(values)), key=lambda index: shares[index] - exact[index])
    for index in by_remainder[: 100 - sum(shares)]:
        shares[index] += 1
    return shares


def quantile(ordered: Sequence[float], share: float) -> float:
    """Return the quantile of sorted values at a share, with linear interpolation."""
    position = (len(ordered) - 1) * share
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)


def _magnitudes(top: float, unit: str = "") -> list[tuple[float, str]]:
    """Return the sizes for numbers, the largest first: divisors and their words.

    Beyond all words they are powers of ten. Measures have no thousands, as `12k kg` would have two prefixes.
    """
    share = 100.0 if unit == PER_CENT else 1.0
    top = min(top, 1e306) * share
    if top and not SMALL <= top < LARGE:
        power = max(math.floor(math.log10(top) / 3) * 3, -306)
        return [(10.0**power / share, f"e{power}".replace("-", MINUS))]
    if unit in (AS_YEARS, PER_CENT) or unit in WITHOUT_SIZES:
        return [(1 / share, "")]
    least = 1e4 if not unit or unit in OF_MONEY else 1e6
    sizes = [(divisor, name) for first, divisor, name in language().sizes if top >= first >= least]
    return [*sizes, (1.0, "")]


def _few_decimals(size: float, magnitude: str, unit: str, digits: int = 3) -> tuple[int, int]:
    """Return the least and the greatest number of decimals to show for `digits` significant digits.

    Money from 1 to 100 has two.
    """
    if not size or (not magnitude and size >= 1000):
        return 0, 0
    if digits == 3 and not magnitude and 1 <= size < 100 and unit in OF_MONEY:
        return 2, 2
    return 0, min(12, max(0, digits - 1 - math.floor(math.log10(size))))


def with_decimals(size: float, decimals: int) -> Decimal:
    """Return a non-negative number with a number of decimals; a half is rounded up."""
    return Decimal(repr(float(size))).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP, EXACT)


def _fits(value: float, decimals: int) -> bool:
    return abs(value - round(value, decimals)) < 1e-9 * max(1.0, abs(value))
