"""Codes by which spreadsheets and presentations write numbers and dates as a drawing writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

from handlers.render.plots.data.numbers import MINUS

GENERAL = "General"
WRITTEN = re.compile(r"([-+\u2212]?)([^\d+\u2212-]*)(\d[\d,]*)(?:\.(\d+))?(?:e([+\u2212-]?\d+))?(.*)", re.S)
SIZES = {1e6: (",,", "m"), 1e9: (",,,", "bn"), 1e12: (",,,,", "tn")}
NEAR = 0.3
"""Share by which a written number may differ from its value, as it is rounded."""


def code_of(value: float, text: str) -> str:
    """The code that writes a value as a text has it: its decimals, groups, size, sign and unit."""
    found = WRITTEN.fullmatch(text.strip())
    if found is None or not value:
        return GENERAL
    sign, before, whole, decimals, power, after = found.groups()
    places = "." + "0" * len(decimals) if decimals else ""
    if power is not None:
        return _with_minus(f"{_literal(before)}0{places}E+00{_literal(after)}", sign)
    number = float(whole.replace(",", "") + (f".{decimals}" if decimals else ""))
    size = abs(value) / number if number else 1.0
    for divisor, (commas, name) in SIZES.items():
        if after.startswith(name) and abs(size / divisor - 1) < NEAR:
            rest = _literal(after[len(name) :])
            return _with_minus(f'{_literal(before)}#,##0{places}{commas}"{name}"{rest}', sign)
    percent = after.startswith("%") and abs(size * 100 - 1) < NEAR
    end = f"%{_literal(after[1:])}" if percent else _literal(after)
    grouped = "#,##0" if abs(number) < 1000 or "," in whole else "0"
    return _with_minus(f"{_literal(before)}{grouped}{places}{end}", sign)


def code_of_all(pairs: Iterable[tuple[float | None, str]], unit: str = "") -> str:
    """The code of some values with their texts; one that minds sizes where they are not written alike."""
    codes = {code_of(value, text) for value, text in pairs if value}
    if len(codes) == 1:
        return codes.pop()
    if not codes:
        return GENERAL
    end, before = ("", f'"{unit}"') if unit in ("€", "$", "£", "¥") else (_literal(unit), "")
    return f'[>=1000000000]{before}0.0#,,,"bn"{end};[>=1000000]{before}0.0#,,"m"{end};{before}{GENERAL}{end}'


def date_code(moments: Iterable[datetime], *, clock: bool) -> str:
    """The code that tells as much of dates as sets them apart."""
    dates = list(moments)
    if clock:
        return "hh:mm" if len({moment.date() for moment in dates}) == 1 else "d mmm hh:mm"
    if all(moment.month == moment.day == 1 for moment in dates):
        return "yyyy"
    if all(moment.day == 1 for moment in dates):
        return "mmm yyyy"
    return "d mmm yyyy"


def _with_minus(body: str, sign: str) -> str:
    """The code with a true minus, and with a plus where one was written."""
    plus = "+" if sign == "+" else ""
    return f'{plus}{body};"{MINUS}"{body}' if not plus else f'+{body};"{MINUS}"{body};{body}'


def _literal(text: str) -> str:
    return '"{}"'.format(text.replace('"', "")) if text.replace('"', "") else ""
