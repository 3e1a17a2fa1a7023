"""Numbers of charts: ticks of round steps, labels in one unit with as few digits as they need."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from handlers.render.plots.data.figures_written import CURRENCIES, MONEY

MINUS = "\u2212"
GAP = "\u2013"
MAGNITUDES = ((1e12, "tn"), (1e9, "bn"), (1e6, "m"))
BEFORE = frozenset(CURRENCIES) - {"¢"} | {word for word in MONEY if word.endswith("$")}
"""Units that stand before a number."""
TIGHT = BEFORE | {"%", "°", "°C", "°F", "‰", "¢", "×", "x"}
"""Units without a blank between them and their number."""
PER_CENT = "per cent"
"""The unit of shares, which are written a hundredfold: 0.12 is 12%. With the unit `%`, 12 is 12%."""
AS_YEARS = "as years"
"""The unit of numbers that are years, which have no groups."""
TINIEST = 1e-200
SMALL, LARGE = 1e-4, 1e18
THREE_DIGITS = 0.005
"""Share of a number by which its text may be off, as three digits of it are good."""
ROUND_STEPS = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """Writes the numbers of one axis or column alike: `1,250`, `0.35`, `1.28m`, with a true minus."""

    divisor: float = 1.0
    magnitude: str = ""
    decimals: int = 0
    unit: str = ""

    def __call__(self, value: float | None, *, sign: bool = False) -> str:
        """A number as text; a gap is a dash."""
        if value is None:
            return GAP
        digits = f"{abs(value) / self.divisor:{'' if self.unit == AS_YEARS else ','}.{self.decimals}f}"
        zero = not digits.strip("0.,")
        lead = MINUS if value < 0 and not zero else "+" if sign and value > 0 and not zero else ""
        before, after = _sides(self.unit)
        return f"{lead}{before}{digits}{self.magnitude}{after}"

    def round_as_written(self, value: float) -> float:
        """The number that is read from its text."""
        return round(value / self.divisor, self.decimals) * self.divisor


def unit_words(unit: str) -> str:
    """A unit as it is read."""
    return {PER_CENT: "%", AS_YEARS: ""}.get(unit, unit)


def _sides(unit: str) -> tuple[str, str]:
    """The signs that a unit sets before and behind a number."""
    if unit in BEFORE:
        return unit, ""
    word = unit_words(unit)
    return "", word if not word or word in TIGHT else f"\u00a0{word}"


def spread_of(values: Iterable[float | None]) -> tuple[float, float]:
    """The smallest and the largest of the values that are there; (0, 0) without any."""
    present = [value for value in values if value is not None]
    return (min(present), max(present)) if present else (0.0, 0.0)


def round_ticks(low: float, high: float, most: int) -> list[float]:
    """About so many ticks of a 1-2-2.5-5 step from low to high; flat data get a span of their own."""
    if high - low <= max(abs(low), abs(high)) * 1e-6:
        # Too near to each other for labels that differ: as flat data.
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
    """Ticks of a logarithmic axis around positive values: powers of ten, with 2 and 5 between where few."""
    first, last = math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9)
    fine = _fine_ticks(low, high)
    if last - first <= 3 and len(fine) <= max(5, 2 * most):
        return fine
    every = max(1, math.ceil((last - first) / max(2, min(8, 2 * most))))
    return [10.0**power for power in range(first, last + every, every)]


def log_ends(low: float, high: float) -> tuple[float, float]:
    """The ends of a logarithmic axis: 1, 2 or 5 times a power of ten, around positive values."""
    fine = _fine_ticks(low, high)
    return fine[0], fine[-1]


def _fine_ticks(low: float, high: float) -> list[float]:
    """The powers of ten with 2 and 5 between, from that below some values to that above them."""
    first, last = math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9)
    fine = [factor * 10.0**power for power in range(first, last + 1) for factor in (1, 2, 5)]
    inner = [tick for tick in fine if low < tick < high]
    below = max((tick for tick in fine if tick <= low * (1 + 1e-9)), default=fine[0])
    above = min((tick for tick in fine if tick >= high * (1 - 1e-9)), default=fine[-1])
    return sorted({below, *inner, above})


def axis_labels(ticks: Sequence[float], unit: str = "") -> list[str]:
    """Labels of the ticks in one magnitude; a short unit stands on the last one alone."""
    divisor, magnitude = _magnitude(max(map(abs, ticks)), unit)
    decimals = _decimals_of_step((ticks[1] - ticks[0]) / divisor if len(ticks) > 1 else 1.0)
    plain = NumberFormat(divisor, magnitude, decimals, AS_YEARS if unit == AS_YEARS else "")
    labels = [plain(tick) if tick else "0" for tick in ticks]
    if unit and unit != AS_YEARS:
        labels[-1] = NumberFormat(divisor, magnitude, decimals, unit)(ticks[-1])
    return labels


def format_of(values: Iterable[float | None], unit: str = "") -> NumberFormat:
    """The format of a column or a set of labels: no more decimals than values have or sizes need."""
    sizes = [abs(value) for value in values if value is not None]
    top = max(sizes, default=0.0)
    divisor, magnitude = _magnitude(top, unit)
    top = top / divisor if unit == PER_CENT else top
    most = 2 if divisor != 1 or top < 100 else 1 if top < 10_000 else 0
    most = max(most, 1 - math.floor(math.log10(top))) if divisor == 1 and 0 < top < 1 else most
    decimals = next((n for n in range(most) if all(_fits(size / divisor, n) for size in sizes)), most)
    return NumberFormat(divisor, magnitude, decimals, unit)


def writer_of(values: Iterable[float | None], unit: str = "") -> Callable[[float | None], str]:
    """The function that writes some numbers alike, or each by itself where that would cost it its digits."""
    present = [value for value in values if value is not None]
    alike = format_of(present, unit)
    lost = any(abs(alike.round_as_written(value) - value) > THREE_DIGITS * abs(value) for value in present)
    return (lambda value: alone(value, unit)) if lost else alike


def alone(value: float | None, unit: str = "") -> str:
    """A number that stands by itself: three digits that matter, no zeros after them."""
    if value is None:
        return GAP
    divisor, magnitude = _magnitude(abs(value), unit)
    size = abs(value) / divisor
    if not size or (divisor == 1 and (size >= 1000 or size.is_integer())):
        decimals = 0
    else:
        decimals = max(0, 2 - math.floor(math.log10(size)))
        while decimals and _fits(round(size, decimals), decimals - 1):
            decimals -= 1
    return NumberFormat(divisor, magnitude, min(decimals, 12), unit)(value)


def whole_shares(values: Sequence[float]) -> list[int]:
    """Percentages without decimals that add up to 100 (largest remainder)."""
    total = sum(values)
    exact = [value / total * 100 for value in values]
    shares = [int(share) for share in exact]
    by_remainder = sorted(range(len(values)), key=lambda index: shares[index] - exact[index])
    for index in by_remainder[: 100 - sum(shares)]:
        shares[index] += 1
    return shares


def quantile(ordered: Sequence[float], share: float) -> float:
    """The value below which that share of ordered values lies, between neighbours in proportion."""
    position = (len(ordered) - 1) * share
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)


def _magnitude(top: float, unit: str = "") -> tuple[float, str]:
    """The size in which numbers are written: a power of ten where they are beyond words."""
    if unit == PER_CENT:
        divisor, magnitude = _magnitude(min(top, 1e306) * 100)
        return divisor / 100, magnitude
    if top and not SMALL <= top < LARGE:
        power = math.floor(math.log10(top) / 3) * 3
        return 10.0**power, f"e{power}".replace("-", MINUS)
    return next(((size, name) for size, name in MAGNITUDES if top >= size), (1.0, ""))


def _decimals_of_step(step: float) -> int:
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    return decimals if _fits(step, decimals) else decimals + 1


def _fits(value: float, decimals: int) -> bool:
    return abs(value - round(value, decimals)) < 1e-9 * max(1.0, abs(value))
