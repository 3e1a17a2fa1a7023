"""Formats of cells in the language of spreadsheets, so that their numbers stay numbers."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from handlers.render.plots.data.dates_written import YEAR
from handlers.render.plots.data.figures_written import SIGNS
from handlers.render.plots.data.frame import Column
from handlers.render.plots.data.number_formats import CellNumberFormat
from handlers.render.plots.data.numbers import AS_YEARS, BEFORE, PER_CENT, TIGHT
from handlers.render.plots.data.year_names import are_years
from handlers.render.plots.tables.usual_numbers import UsualNumbers

GENERAL, WHOLE_YEAR = "General", "0"
DAY, MOMENT = "yyyy-mm-dd", "yyyy-mm-dd hh:mm"
FIRST_DAY, LEAP_DAY = datetime(1900, 1, 1), datetime(1900, 3, 1)  # noqa: DTZ001
"""The first day of spreadsheets, and the first one behind a 29 February that 1900 has for them alone."""
SHOWN = re.compile(r"[-+]?([€$£¥]?)([0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.([0-9]{1,15}))?( ?%)?", re.ASCII)
GROUPS = re.compile(r"(?<=[0-9])[ ',](?=[0-9]{3})", re.ASCII)
SWAPPED = str.maketrans(",.", ".,")


def serial(moment: datetime) -> float:
    """Return the number of a moment in spreadsheets, which begin with 1 on the first day of 1900."""
    return (moment - FIRST_DAY) / timedelta(days=1) + (1 if moment < LEAP_DAY else 2)


def date_number(moment: datetime | None, text: str) -> float | None:
    """Return the number that stands for a date as it was written; None of days that spreadsheets have not."""
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
    """The code of a format; General for the types that spreadsheets have not (b, c, g, o, r, s, x)."""
    if format_.type not in ("", "f", "F", "%", "p", "m", "d", "n", "e", "E"):
        return GENERAL
    if format_.type == "" and format_.precision is None and not format_.group:
        return GENERAL
    body = _literal(format_.symbol) + _digits(format_, value) + _literal(format_.suffix)
    if format_.sign == "+":
        return f"+{body};-{body};{body}"
    return f"{body}_);({body})" if format_.sign == "(" else body


def code_as_shown(text: str, *, comma: bool = False, grouped: bool = False) -> str:
    """The code by which a number looks as a text that shows it: its decimals, groups, unit and brackets.

    `comma` tells the text's decimal mark; `grouped` gives groups to numbers that are too small for them.
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
    """The code by which the numbers of a column stand in the unit that they were sent in, or are written."""
    if not column.unit or column.unit == AS_YEARS:
        return GENERAL if writer is None else _usual_code(writer)
    decimals = "." + "0" * min(column.decimals, 15) if column.decimals else ""
    if column.unit == PER_CENT:
        return f"0{decimals}%"
    whole = f"#,##0{decimals}"
    unit = column.unit
    return (
        _literal(unit) + whole if unit in BEFORE else whole + _literal(unit if unit in TIGHT else f" {unit}")
    )


def _usual_code(writer: UsualNumbers) -> str:
    """The code of numbers of one look; General of those that differ in their decimals."""
    if writer.decimals and not writer.padded:
        return GENERAL
    decimals = "." + "0" * writer.decimals if writer.decimals else ""
    return f"#,##0{decimals}" if writer.grouped else f"0{decimals}" if decimals else GENERAL


def _digits(format_: CellNumberFormat, value: float) -> str:
    whole = "#,##0" if format_.group else "0"
    if format_.fill == "0" and format_.width and format_.type == "d":
        return "0" * format_.width
    usual = {"f": 6, "F": 6, "m": 1, "e": 6, "E": 6, "p": 1}.get(format_.type, 0)
    decimals = usual if format_.precision is None else format_.precision
    if format_.type in ("", "n") and format_.precision is None:
        return whole if value.is_integer() else f"{whole}.0#####"
    if format_.type == "d":
        decimals = 0
    places = "." + ("#" if format_.trim else "0") * decimals if decimals else ""
    return whole + places + {"%": "%", "p": "%", "e": "E+00", "E": "E+00"}.get(format_.type, "")


def _literal(text: str) -> str:
    return f'"{text}"' if text else ""
