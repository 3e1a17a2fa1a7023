"""Quantities in short form: sizes (`1G`, `512M`) and times (`30d`, `90s`), read and written."""

from __future__ import annotations

import re
from decimal import Decimal
from enum import Enum

SIZES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
TIMES = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
GREAT_SIZES = {"T": 1 << 40, "G": 1 << 30, "M": 1 << 20, "K": 1 << 10}
GREAT_TIMES = {"d": 86_400, "h": 3_600, "m": 60}
SIZE = re.compile(r"([0-9]{1,19}(?:\.[0-9]{1,9})?)\s*(?:b|bytes?|([kmgt])(?:i?b)?)", re.IGNORECASE)
TIME = re.compile(
    r"([0-9]{1,19}(?:\.[0-9]{1,9})?)\s*"
    r"(?:(s|sec|seconds?)|(m|min|minutes?)|(h|hours?)|(d|days?)|(w|weeks?))",
    re.IGNORECASE,
)
NUMBER = re.compile(r"[0-9]{1,19}(?:\.[0-9]{1,9})?")
MOST = 1 << 62


class Unit(Enum):
    """Unit of a setting's bare number: bytes or seconds, with the suffixes that are accepted."""

    BYTES = ("bytes", 1)
    KIB = ("KiB", 1 << 10)
    SECONDS = ("seconds", 1)
    DAYS = ("days", 86_400)

    def __init__(self, plural: str, scale: int) -> None:
        self.plural = plural
        self.scale = scale

    @property
    def is_size(self) -> bool:
        """Whether it counts bytes, not time."""
        return self in (Unit.BYTES, Unit.KIB)


def parse_quantity(text: str, unit: Unit) -> float:
    """Return the number of units in a text: a bare number, or one with a suffix for size or time.

    Raises ValueError with advice for any other text and for values above 4 EiB.
    """
    said = text.strip()
    if NUMBER.fullmatch(said):
        return _require_real(float(said) if "." in said else int(said), text)
    number = _bytes(said) if unit.is_size else _seconds(said)
    if number is None:
        example = "512M or 1G" if unit.is_size else "90s, 12h or 30d"
        raise ValueError(f"say a number of {unit.plural}, or one such as {example}")
    return _require_real(number / unit.scale if unit.scale > 1 else number, text)


def quantity_text(number: float, unit: Unit) -> str:
    """Return the shortest text that is read as the same quantity: `1G`, `30d`, `1536M`, `2.5s`."""
    total = number * unit.scale
    for mark, worth in (GREAT_SIZES if unit.is_size else GREAT_TIMES).items():
        if total and total % worth == 0:
            return f"{int(total // worth)}{mark}"
    plain = str(int(total)) if float(total).is_integer() else f"{total:.9f}".rstrip("0")
    return f"{plain}{'' if unit is Unit.BYTES else 'B' if unit.is_size else 's'}"


def rounded_size(number: int) -> str:
    """Return a number of bytes rounded to three figures, for tables: `261`, `1.21M`, `20G`."""
    for mark, worth in GREAT_SIZES.items():
        if number >= worth:
            return f"{number / worth:.{3 if number < 1000 * worth else 4}g}{mark}"
    return str(number)


def _bytes(said: str) -> float | None:
    match = SIZE.fullmatch(said)
    return _product(match[1], SIZES[(match[2] or "").lower()]) if match else None


def _seconds(said: str) -> float | None:
    match = TIME.fullmatch(said)
    if match is None:
        return None
    return _product(match[1], next(TIMES[word[0].lower()] for word in match.groups()[1:] if word))


def _product(number: str, worth: int) -> float:
    return float(Decimal(number) * worth) if "." in number else int(number) * worth


def _require_real(number: float, text: str) -> float:
    if number >= MOST:
        raise ValueError(f"{text} is too large")
    return int(number) if float(number).is_integer() and not isinstance(number, int) else number
