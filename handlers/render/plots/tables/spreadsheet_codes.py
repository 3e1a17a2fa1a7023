"""Spreadsheet format codes of numbers and dates, so that numbers stay numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import groupby, pairwise

from handlers.render.plots.data.dates_written import YEAR
from handlers.render.plots.data.figures_written import SIGNS
from handlers.render.plots.data.frame import Column
from handlers.render.plots.data.number_formats import CellNumberFormat
from handlers.render.plots.data.numbers import AS_YEARS, BEFORE, MINUS, PER_CENT, TIGHT, sides_of
from handlers.render.plots.data.type_columns import are_years
from handlers.render.plots.tables.usual_numbers import UsualNumbers
from handlers.words.language import language

GENERAL, WHOLE_YEAR = "General", "0"
DAY, MOMENT = "yyyy-mm-dd", "yyyy-mm-dd hh:mm"
FIRST_DAY, LEAP_DAY = datetime(1900, 1, 1), datetime(1900, 3, 1)  # noqa: DTZ001
"""The first day of spreadsheets, and the first one after 29 February 1900, which only they count."""
SHOWN = re.compile(r"[-+]?([€$£¥]?)([0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.([0-9]{1,15}))?( ?%)?", re.ASCII)
GROUPS = re.compile(r"(?<=[0-9])[ ',](?=[0-9]{3})", re.ASCII)
SWAPPED = str.maketrans(",.", ".,")


def serial(moment: datetime) -> float:
    """Return the spreadsheet number of a moment; 1 is the first day of 1900."""
    return (moment - FIRST_DAY) / timedelta(days=1) + (1 if moment < LEAP_DAY else 2)


def date_number(moment: datetime | None, text: str) -> float | None:
    """Return the spreadsheet number of a written date; None for days before 1900."""
    if moment is None:
        return None
    if is_year(text):
        return float(moment.year)
    return serial(moment) if moment >= FIRST_DAY else None


def is_year(text: str) -> bool:
    """Return whether a date is written as a year alone."""
    return YEAR.fullmatch(text.strip()) is not None


def holds_years(column: Column) -> bool:
    """Return whether the numbers of a column are years."""
    if column.unit == AS_YEARS:
        return all(number is None or number.is_integer() for number in column.numbers)
    return are_years(column.name, column.numbers)


def number_code(format_: CellNumberFormat, value: float) -> str:
    """Return the code of a format; General for types that spreadsheets do not have (b, c, g, o, r, s, x)."""
    if format_.type not in ("", "f", "F", "%", "p", "m", "d", "e", "E"):
        return GENERAL
    if format_.type == "" and format_.precision is None and not format_.group:
        return GENERAL
    body = _literal(format_.symbol) + _digits(format_, value) + _literal(format_.suffix)
    if format_.sign == "+":
        return f"+{body};-{body};{body}"
    return f"{body}_);({body})" if format_.sign == "(" else body


def code_as_shown(text: str, *, comma: bool = False, grouped: bool = False) -> str:
    """Return the code that shows a number like a text: with its decimals, groups, unit and brackets.

    `comma` is the text's decimal mark; `grouped` adds groups to numbers that are too small for them.
    """
    bare = text.translate(SIGNS).strip()
    bare = GROUPS.sub(",", bare.translate(SWAPPED) if comma else bare)
    inner = bare.removeprefix("(").removesuffix(")")
    found = SHOWN.fullmatch(inner)
    if not found:
        return GENERAL
    whole = "#,##0" if grouped or "," in found[2] else "0"
    decimals = "." + "0" * len(found[3]) if found[3] else ""
    if whole == "0" and not decimals and not found[1] and not found[4] and inner == bare:
        return GENERAL
    code = _literal(found[1]) + whole + decimals + (found[4] or "")
    return code if inner == bare else f"{code};({code})"


def code_of_column(column: Column, writer: UsualNumbers | None = None) -> str:
    """Return the code for the numbers of a column, with their unit or as their writer shows them."""
    if not column.unit or column.unit == AS_YEARS:
        return GENERAL if writer is None else _usual_code(writer)
    decimals = "." + "0" * min(column.decimals, 15) if column.decimals else ""
    if column.unit == PER_CENT:
        return f"0{decimals}%"
    whole, unit = f"#,##0{decimals}", column.unit
    if unit in BEFORE:
        return _literal(unit) + whole
    return whole + _literal(unit if unit in TIGHT else f" {unit}")


def _usual_code(writer: UsualNumbers) -> str:
    """Return the code of numbers that share a format; General if they differ in their decimals."""
    if writer.decimals and not writer.padded:
        return GENERAL
    decimals = "." + "0" * writer.decimals if writer.decimals else ""
    return f"#,##0{decimals}" if writer.grouped else f"0{decimals}" if decimals else GENERAL


def _digits(format_: CellNumberFormat, value: float) -> str:
    whole = "#,##0" if format_.group else "0"
    if format_.type == "d":
        return "0" * format_.width if format_.fill == "0" and format_.width else whole
    if format_.type == "" and format_.precision is None:
        return whole if value.is_integer() else f"{whole}.0#####"
    usual = {"%": 0, "m": 1, "p": 1}.get(format_.type, 6)
    decimals = usual if format_.precision is None else format_.precision
    places = "." + ("#" if format_.trim else "0") * decimals if decimals else ""
    return whole + places + {"%": "%", "p": "%", "e": "E+00", "E": "E+00"}.get(format_.type, "")


WRITTEN = re.compile(r"([-+\u2212]?)([^\d+\u2212-]*)(\d[\d,]*)(?:\.(\d+))?(?:e([+\u2212-]?\d+))?(.*)", re.S)
COMMAS = {1e3: ",", 1e6: ",,", 1e9: ",,,", 1e12: ",,,,"}
"""Characters of a code that divide by a size."""
COMMA_OF_SIZE = ',"'
FURTHER = re.compile(r"\.0(0+)")
MOST_SECTIONS = 3
"""Number of parts of a code that conditions can choose."""
WHOLE, THREE_DIGITS = "#,##0", 100
"""The code of whole numbers, and the least number for which it shows all digits of a drawing."""
NEAR = 0.3
"""Share by which a written number may differ from its value, because it is rounded."""


def code_of(value: float, text: str) -> str:
    """Return the code that shows a value like a text: with its decimals, groups, size, sign and unit."""
    found = WRITTEN.fullmatch(text.strip())
    if found is None or not value:
        return GENERAL
    sign, before, whole, decimals, power, after = found.groups()
    places = "." + "0" * len(decimals) if decimals else ""
    if power is not None:
        return _with_minus(f"{_literal(before)}0{places}E+00{_literal(after)}", sign)
    number = float(whole.replace(",", "") + (f".{decimals}" if decimals else ""))
    size = abs(value) / number if number else 1.0
    for _, divisor, name in language().sizes:
        if after.startswith(name) and abs(size / divisor - 1) < NEAR:
            commas = COMMAS[divisor]
            rest = _literal(after[len(name) :])
            body = f'{_literal(before)}#,##0{places}{commas}"{name}"{rest}'
            return _with_minus(body, sign, f"{_literal(before)}0{rest}")
    gap, sign_of_percent, rest = after.partition("%")
    percent = sign_of_percent and not gap.strip() and abs(size * 100 - 1) < NEAR
    end = f"{_literal(gap)}%{_literal(rest)}" if percent else _literal(after)
    grouped = "#,##0" if abs(number) < 1000 or "," in whole else "0"
    return _with_minus(f"{_literal(before)}{grouped}{places}{end}", sign)


def code_of_all(pairs: Iterable[tuple[float | None, str]], unit: str = "") -> str:
    """Return the code of some values with their texts; it depends on their size if texts differ."""
    known = [(value, text) for value, text in pairs if value is not None]
    codes = {code_of(value, text) for value, text in known if value}
    if len(codes) < 2:
        return codes.pop() if codes else GENERAL
    # A code has two conditions: for numbers above zero, or for those below if all are negative.
    below = all(value <= 0 for value, _ in known)
    sides = [pair for pair in known if below or pair[0] >= 0]
    largest_first = sorted(sides, key=lambda pair: -abs(pair[0]))
    runs = [list(run) for _, run in groupby(largest_first, lambda pair: _body(*pair))]
    if len(runs) > MOST_SECTIONS:
        return _code_of_sizes(sides, unit, below=below)
    return _code_of_runs(runs, below=below)


def _body(value: float, text: str) -> str:
    """Return the code of a value without its part for negative numbers."""
    return code_of(value, text).partition(";")[0]


def _code_of_runs(runs: Sequence[Sequence[tuple[float, str]]], *, below: bool) -> str:
    """Return the code of a few runs of numbers, the largest first, each with its own code."""
    sign, sections = "<=-" if below else ">=", list[str]()
    for run, smaller in pairwise(runs):
        least, most = abs(run[-1][0]), abs(smaller[0][0])
        power = 10.0 ** math.floor(math.log10(least))
        sections.append(f"[{sign}{power if power > most else least:.15g}]{_body(*run[0])}")
    return ";".join([*sections, _body(*runs[-1][0])])


def _code_of_sizes(pairs: Sequence[tuple[float, str]], unit: str, *, below: bool) -> str:
    """Return a code for the two largest sizes of some numbers, and one for all smaller ones."""
    sign, by_size = "<=-" if below else ">=", dict[str, list[tuple[float, str]]]()
    for value, text in pairs:
        by_size.setdefault(_size_of(value, text), []).append((value, text))
    largest = [(first, name) for first, _, name in language().sizes if name in by_size][:2]
    sections = [f"[{sign}{first:.0f}]{_longest(by_size.pop(name), unit)}" for first, name in largest]
    rest = [pair for some in by_size.values() for pair in some]
    whole = WHOLE if all(abs(value) >= THREE_DIGITS for value, _ in rest if value) else GENERAL
    return ";".join([*sections, _longest(rest, unit) if len(by_size) == 1 else _of_unit(whole, unit)])


def _size_of(value: float, text: str) -> str:
    """Return the word of size in the text of a number, such as m; "" without one."""
    code = code_of(value, text)
    return next((name for _, by, name in language().sizes if f'{COMMAS[by]}"{name}"' in code), "")


def _longest(pairs: Sequence[tuple[float, str]], unit: str) -> str:
    """Return the code with most decimals for numbers of one size, without its part for negative numbers."""
    codes = {_body(*pair) for pair in pairs}
    if len(codes) == 1 and "E+" not in "".join(codes):
        return codes.pop()
    if not all(COMMA_OF_SIZE in code for code in codes):
        return _of_unit(GENERAL, unit)
    return FURTHER.sub(lambda found: ".0" + "#" * len(found[1]), max(codes, key=lambda code: code.count("0")))


def _of_unit(code: str, unit: str) -> str:
    """Return a code with a unit at its side."""
    before, after = sides_of(unit)
    return f"{_literal(before)}{code}{_literal(after)}"


def date_code(moments: Iterable[datetime], *, clock: bool) -> str:
    """Return the code that shows the parts of dates that distinguish them."""
    dates = list(moments)
    if clock:
        return "hh:mm" if len({moment.date() for moment in dates}) == 1 else "d mmm hh:mm"
    if all(moment.month == moment.day == 1 for moment in dates):
        return "yyyy"
    if all(moment.day == 1 for moment in dates):
        return "mmm yyyy"
    return "d mmm yyyy"


def _with_minus(body: str, sign: str, zero: str = "") -> str:
    """Return the code with a true minus, a plus if one was written, and a separate code for zero."""
    plus = "+" if sign == "+" else ""
    zero = zero or (body if plus else "")
    return f'{plus}{body};"{MINUS}"{body}' + (f";{zero}" if zero else "")


def _literal(text: str) -> str:
    return '"{}"'.format(text.replace('"', "")) if text.replace('"', "") else ""
