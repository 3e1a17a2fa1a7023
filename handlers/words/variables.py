"""The value of a variable for display: by its type and format, as text and for terminals."""

from __future__ import annotations

import re
from datetime import datetime

from handlers.words.language import language
from handlers.words.terminal_signs import safe_text

NUMBER = re.compile(r"\s*[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?\s*", re.ASCII)
MONEY_SIGNS = ("$", "€", "£")
MONEY = re.compile(r"([$€£])([0-9]{1,2})m")
DECIMALS = re.compile(r"\.([0-9]{1,2})")
# The allowed directives have the same result on every machine.
DATE = re.compile(r"(?:[^%]|%[aAbBdeHIjmMpSUwWyY%])*")

NAMED = re.compile(r"%.", re.DOTALL)
MINUS = "\N{MINUS SIGN}"
UP, DOWN, LEVEL = (
    "\N{BLACK UP-POINTING TRIANGLE}",
    "\N{BLACK DOWN-POINTING TRIANGLE}",
    "\N{BLACK RIGHT-POINTING TRIANGLE}",
)
GREEN, RED, GREY = "\x1b[48;5;22m\x1b[92m", "\x1b[48;5;52m\x1b[91m", "\x1b[48;5;238m\x1b[97m"
END = "\x1b[0m"


def format_value(value: str, kind: str = "number", format: str = "") -> str:
    """Return a value in a format like d3-format.

    `%` multiplies by a hundred, `+` forces a sign, `,` groups thousands, `.2` keeps two decimals (else none);
    `$2m`, `€2m` and `£2m` are money.

    Texts that are not numbers, the type `text` and the format `st` are unchanged. An ISO 8601 value of type
    `date` uses a format of strftime.
    """
    if kind == "text" or format == "st":
        return value
    if kind == "date":
        return _date(value, format)
    number = _number(value)
    if number is None or format.startswith("%"):
        return value
    if money := MONEY.fullmatch(format):
        return _with_sign(number, f"{abs(number):,.{int(money[2])}f}", forced=False, unit=money[1])
    shown = number * 100 if "%" in format else number
    decimals = DECIMALS.search(format)
    digits = f"{abs(shown):{',' if ',' in format else ''}.{int(decimals[1]) if decimals else 0}f}"
    return _with_sign(shown, digits, forced="+" in format, unit="%" if "%" in format else "")


def ansi(value: str, kind: str = "number", format: str = "", threshold: str = "") -> str:
    """Return the formatted value on a coloured background; "" for no value.

    The type `relative` has an arrow: green and up above the threshold (default 0), red and down below it,
    grey at it. Other types are grey.
    """
    shown = safe_text(format_value(value, kind, format))
    if not shown:
        return ""
    number, bar = _number(value), _number(threshold or "0")
    if kind != "relative" or number is None or bar is None:
        return f"{GREY} {shown} {END}"
    if number == bar:
        return f"{GREY} {LEVEL} {shown} {END}"
    return f"{GREEN} {UP} {shown} {END}" if number > bar else f"{RED} {DOWN} {shown} {END}"


def is_number(text: str) -> bool:
    """Return whether a text is a finite decimal number."""
    return _number(text) is not None


def _number(text: str) -> float | None:
    if not NUMBER.fullmatch(text):
        return None
    number = float(text)
    return number if abs(number) < 1e300 else None


def _with_sign(number: float, digits: str, *, forced: bool, unit: str = "") -> str:
    sign = MINUS if number < 0 else "+" if forced else ""
    before, after = language().sides_of(unit, money=unit in MONEY_SIGNS, tight=True)
    return f"{before}{sign}{language().marks(digits)}{after}"


def _date(value: str, format: str) -> str:
    try:
        moment = datetime.fromisoformat(value.strip())
    except ValueError:
        return value
    if "%" not in format or not DATE.fullmatch(format):
        return value
    return moment.strftime(NAMED.sub(lambda found: _name_of(moment, found[0]), format))


def _name_of(moment: datetime, directive: str) -> str:
    """Return the name of a month or a day; other directives are unchanged."""
    written, month, day = language(), moment.month - 1, moment.weekday()
    names = {"%b": written.short_months[month], "%B": written.months[month]}
    return (names | {"%a": written.short_days[day], "%A": written.days[day]}).get(directive, directive)
