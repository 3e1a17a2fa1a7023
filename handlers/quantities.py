"""Quantities in people's words: sizes (`1G`, `512M`) and times (`30d`, `90s`), read and written."""

from __future__ import annotations

import re
from enum import Enum

SIZES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
TIMES = {"": 1, "s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
SIZE = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,6})?)\s*([kmgt]?)(?:i?b)?", re.IGNORECASE)
TIME = re.compile(
    r"([0-9]{1,18}(?:\.[0-9]{1,6})?)\s*"
    r"(?:(s|sec|seconds?)|(m|min|minutes?)|(h|hours?)|(d|days?)|(w|weeks?))",
    re.IGNORECASE,
)
NUMBER = re.compile(r"[0-9]{1,18}(?:\.[0-9]{1,9})?")
MOST = 1 << 62


class Unit(Enum):
    """Unit that a bare number of a setting has: its bytes or seconds, and the words that are taken."""

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
    """The number of units that a text says: a bare number, or one with a size or time behind it.

    Raises ValueError, which says what would do, on anything else and on what is beyond 4 EiB.
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
    """The shortest exact word of a quantity: `1G`, `30d`, `700M`, or the bare number with its unit."""
    total = number * unit.scale
    table = {"t": SIZES["t"], "g": SIZES["g"], "m": SIZES["m"], "k": SIZES["k"]} if unit.is_size else TIMES
    for mark, worth in sorted(table.items(), key=lambda each: -each[1]):
        if mark not in ("", "w") and total and total % worth == 0:
            return f"{int(total // worth)}{mark.upper() if unit.is_size else mark}"
    plain = str(int(total)) if float(total).is_integer() else str(total)
    return plain if unit.is_size else f"{plain}s"


def _bytes(said: str) -> float | None:
    match = SIZE.fullmatch(said)
    return _product(match[1], SIZES[match[2].lower()]) if match else None


def _seconds(said: str) -> float | None:
    match = TIME.fullmatch(said)
    if match is None:
        return None
    return _product(match[1], next(TIMES[word[0].lower()] for word in match.groups()[1:] if word))


def _product(number: str, worth: int) -> float:
    return float(number) * worth if "." in number else int(number) * worth


def _require_real(number: float, text: str) -> float:
    if number >= MOST:
        raise ValueError(f"{text} is more than there is")
    return int(number) if float(number).is_integer() and not isinstance(number, int) else number
