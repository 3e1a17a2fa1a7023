"""Dates in the notations that people use, and labels for dates along an axis."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import cache, lru_cache
from itertools import product

from babel import Locale

from handlers.render.plots.data.frame import Frame
from handlers.words.language import language
from vfs.normal_form import normalize

LOCALES = ("en", "en_GB", "de", "de_AT", "fr", "fr_CA", "es", "es_PE", "it", "nl")
OTHERS = {"mrz": 3}
"""Abbreviations that Excel writes and CLDR lacks."""
SHORTEST = 3
FORMS = tuple(product(("format", "stand-alone"), ("wide", "abbreviated")))


def plain_word(word: str) -> str:
    """Return the letters of a word without case, accents and points."""
    return "".join(sign for sign in normalize("NFD", word.casefold()) if sign.isalpha())


@cache
def months_by_word() -> Mapping[str, frozenset[int]]:
    """Return the numbers of months by their names, abbreviations and first three letters.

    A word has several numbers if it is short for several months, as `jui` is in French.
    """
    found: dict[str, set[int]] = {word: {month} for word, month in OTHERS.items()}
    for word, month in _names("months"):
        found.setdefault(word, set()).add(month)
        found.setdefault(word[:SHORTEST], set()).add(month)
    return {word: frozenset(months) for word, months in found.items()}


def month_of(word: str) -> int | None:
    """Return the number of the month that a word names; None if it names none, or several."""
    months = months_by_word().get(plain_word(word), frozenset())
    return next(iter(months)) if len(months) == 1 else None


@cache
def _weekdays() -> frozenset[str]:
    return frozenset({"weds", *(word for word, _ in _names("days"))})


@cache
def is_weekday(word: str) -> bool:
    """Return whether a word is a weekday's name, or its first letters."""
    plain = plain_word(word)
    return len(plain) > 1 and any(day.startswith(plain) for day in _weekdays())


def _names(what: str) -> Iterator[tuple[str, int]]:
    for locale in map(Locale.parse, LOCALES):
        for context, width in FORMS:
            for number, name in getattr(locale, what)[context][width].items():
                yield plain_word(name), number


LONGEST = 40
EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001
DIGIT = re.compile(r"[0-9]")
YEAR = re.compile(r"1[5-9]\d\d|20\d\d|21\d\d", re.ASCII)
DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
NUMBERED = re.compile(r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}", re.ASCII)
"""Numeric text that looks like a date, valid or not."""
UNMARKED_DAY = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])", re.ASCII)
"""Eight digits that are a day, such as 20240131, but also a whole number."""
OFFSET = re.compile(
    r"(?<=\d)\s?(Z|UTC|GMT|[-+]\d\d(?::?\d\d(?::?\d\d(?:\.\d+)?)?)?)", re.ASCII | re.IGNORECASE
)
CLOCK = re.compile(
    r"(.{6,}?)(?:T|t|,? )(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?: ?([AaPp])\.?[Mm]\.?)?", re.ASCII
)
BY_YEAR = re.compile(r"(\d{4})([-./])(\d{1,2})\2(\d{1,2})", re.ASCII)
BY_DOTS = re.compile(r"(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4}|\d\d)", re.ASCII)
BY_COLUMN = re.compile(r"(\d{1,2})([-/])(\d{1,2})\2(\d{4}|\d\d)", re.ASCII)
QUARTER = re.compile(r"(\d{4})[- ]?[Qq]([1-4])|[Qq]([1-4])[- /]?(\d{4})", re.ASCII)
WEEK = re.compile(r"(\d{4})-?[Ww](\d\d)(?:-?([1-7]))?", re.ASCII)
MONTH = re.compile(r"(\d{4})[-/](\d{1,2})|(\d{1,2})/(\d{4})", re.ASCII)
WORD = r"([A-Za-zÀ-ÿ]{3,10})\.?"
OF = r"(?:[Dd][Ee] )?"
"""The word before months and years in Spanish."""
DAY_FIRST = re.compile(
    rf"(\d{{1,2}})(?:\.|er|ER|[º°])?[- ./]?{OF}{WORD}[- ./]?{OF}(\d{{4}}|'?\d\d)", re.ASCII
)
DAY_LAST = re.compile(WORD + r" (\d{1,2}),? (\d{4})", re.ASCII)
MONTH_ALONE = re.compile(rf"{WORD}(?:[- ./]?{OF}(\d{{4}})|(?:[-./]| ?')(\d\d))", re.ASCII)
YEAR_FIRST = re.compile(r"(\d{4})[- /.]" + WORD + r"(?:[- /](\d{1,2}))?", re.ASCII)
MONTH_OR_DAY = re.compile(WORD + r" (\d\d)", re.ASCII)
"""A month with a day or a year of two digits, such as `Mrz 26`: the whole column decides which."""
WEEKDAY = re.compile(r"([A-Za-zÀ-ÿ]{2,10})\.?,? (?=\S)")
BLANKS = str.maketrans({"\u00a0": " ", "\u202f": " "})


@dataclass(frozen=True, slots=True)
class DateOrder:
    """The order of days and months in a column's dates such as 1/2/2024, and whether it is a guess.

    `years_behind` is whether the number in dates such as `Mrz 26` is a year.
    """

    day_first: bool = False
    guessed: bool = False
    short_years: bool = False
    years_behind: bool = False

    def read(self, cell: str) -> datetime | None:
        """Return the moment of a cell of the column, or None if it is not a date."""
        if self.years_behind and (found := MONTH_OR_DAY.fullmatch(cell.strip())):
            cell = f"{found[1]}-{found[2]}"
        return read_date(cell, day_first=self.day_first)


def order_of(cells: Iterable[str], *, day_first: bool, given: bool | None = None) -> DateOrder:
    """Return the order that reads more of a column's cells as dates, or the usual order if equal.

    `given` is whether days come first by the plot's settings; None if they do not say.
    """
    first = second = seen = 0
    short = False
    cells = [normalize("NFC", cell) for cell in cells]
    behind = _years_behind(cells)
    for cell in cells:
        if found := BY_COLUMN.match(cell):
            seen += int(found[1]) != int(found[3])
            first += int(found[1]) > 12
            second += int(found[3]) > 12
            short |= len(found[4]) == 2
        elif found := BY_DOTS.match(cell):
            short |= len(found[3]) == 2
        elif found := MONTH_ALONE.fullmatch(cell):
            short |= found[3] is not None
    guessed = given is None and first == second and seen > 0
    usual = day_first if first == second else first > second
    return DateOrder(usual if given is None else given, guessed, short or behind, behind)


def _years_behind(cells: Sequence[str]) -> bool:
    """Return whether the numbers after months, as in `Mrz 26`, are years rather than days.

    They are years if there are fewer of them than of months, or if only this reading puts the rows in order.
    """
    found = [each for cell in cells if (each := MONTH_OR_DAY.fullmatch(cell))]
    months, numbers = {month_of(each[1]) for each in found}, {each[2] for each in found}
    by_year = [(each[2], month_of(each[1]) or 0) for each in found]
    by_day = [(month, number) for number, month in by_year]
    rising = by_year == sorted(by_year) and by_day != sorted(by_day)
    return None not in months and (rising or len(numbers) < len(months))


def read_date(cell: str, *, day_first: bool = False) -> datetime | None:
    """Return the moment of a cell, ignoring its offset from UTC, or None if it is not a date."""
    if len(cell) > LONGEST or not DIGIT.search(cell):
        return None
    try:
        return _moment(normalize("NFC", cell).translate(BLANKS).strip(), day_first)
    except (ValueError, OverflowError):
        return None


def names_day(cell: str) -> bool:
    """Return whether a date names a day, rather than only a year, quarter, week or month."""
    return bool(DIGIT.search(cell)) and not any(
        pattern.fullmatch(cell.strip()) for pattern in (YEAR, MONTH, QUARTER, WEEK, MONTH_ALONE, MONTH_OR_DAY)
    )


def offset_of(cell: str) -> str:
    """Return the offset from UTC that a moment is written with, or "" without one."""
    if ":" not in cell or len(cell) > LONGEST:
        return ""
    found = OFFSET.search(cell, cell.index(":"))
    return found[1] if found and found.end() == len(cell.rstrip()) else ""


def milliseconds(moment: datetime) -> int:
    """Return milliseconds since 1970, the unit of calendar axes."""
    return int((moment - EPOCH) / timedelta(milliseconds=1))


@lru_cache(maxsize=4096)
def _moment(cell: str, day_first: bool) -> datetime | None:
    if ":" not in cell:
        return _day(cell, day_first)
    offset = offset_of(cell)
    if offset:
        cell = cell[: -len(offset)].rstrip()
    found = CLOCK.fullmatch(cell)
    day = _day(found[1], day_first) if found else None
    if found is None or day is None:
        return None
    hour, half = int(found[2]), (found[6] or "").lower()
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "p" else 0)
    return day.replace(
        hour=hour,
        minute=int(found[3]),
        second=int(found[4] or 0),
        microsecond=int((found[5] or "0")[:6].ljust(6, "0")),
    )


def _day(cell: str, day_first: bool) -> datetime | None:
    for pattern, read in READERS:
        if found := pattern.fullmatch(cell):
            return read(found, day_first)
    weekday = WEEKDAY.match(cell)
    if weekday is None or YEAR.fullmatch(cell, weekday.end()) or not is_weekday(weekday[1]):
        return None
    return _day(cell[weekday.end() :], day_first)


def _by_column(found: re.Match[str], day_first: bool) -> datetime:
    first, second = int(found[1]), int(found[3])
    day, month = (first, second) if day_first else (second, first)
    return _midnight(_year(found[4]), month, day)


def _with_word(year: str, word: str, day: str) -> datetime | None:
    month = month_of(word)
    return None if month is None else _midnight(_year(year), month, int(day))


def _year(digits: str) -> int:
    """Return a year; two digits mean 1969 to 2068, as in POSIX."""
    digits = digits.removeprefix("'")
    return int(digits) if len(digits) > 2 else int(digits) + (1900 if int(digits) > 68 else 2000)


def _midnight(year: int, month: int, day: int) -> datetime:
    return datetime(year, month, day)  # noqa: DTZ001


READERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], bool], datetime | None]], ...] = (
    (YEAR, lambda found, _: _midnight(int(found[0]), 1, 1)),
    (BY_YEAR, lambda found, _: _midnight(int(found[1]), int(found[3]), int(found[4]))),
    (BY_DOTS, lambda found, _: _midnight(_year(found[3]), int(found[2]), int(found[1]))),
    (BY_COLUMN, _by_column),
    (MONTH, lambda found, _: _midnight(int(found[1] or found[4]), int(found[2] or found[3]), 1)),
    (QUARTER, lambda found, _: _midnight(int(found[1] or found[4]), 3 * int(found[2] or found[3]) - 2, 1)),
    (WEEK, lambda found, _: datetime.fromisocalendar(int(found[1]), int(found[2]), int(found[3] or 1))),
    (DAY_FIRST, lambda found, _: _with_word(found[3], found[2], found[1])),
    (DAY_LAST, lambda found, _: _with_word(found[3], found[1], found[2])),
    (MONTH_ALONE, lambda found, _: _with_word(found[2] or found[3], found[1], "1")),
    (YEAR_FIRST, lambda found, _: _with_word(found[1], found[2], found[3] or "1")),
)


def named_rows(frame: Frame) -> tuple[tuple[str, str], ...] | None:
    """Return for each row the smaller and the greater units of its date, as texts.

    For example `Feb` and `2026`, `08:00` and `2 Mar`. None if the rows are not dates, or have fractions of a
    second.
    """
    moments, axis, written = frame.moments, frame.axis, language()
    if moments is None or axis is None or any(moment.microsecond for moment in moments):
        return None
    if axis.clock:
        clock = "%H:%M:%S" if any(moment.second for moment in moments) else "%H:%M"
        days = _dates(moments, written.day_month, written.day_month_year)
        return tuple((f"{moment:{clock}}", day) for moment, day in zip(moments, days, strict=True))
    if any("q" in text.lower() for text in axis.texts):
        return tuple((written.quarters[(moment.month - 1) // 3], str(moment.year)) for moment in moments)
    if all(len(text) == 4 for text in axis.texts) or _are_new_years(moments):
        return tuple((str(moment.year), "") for moment in moments)
    if are_months(moments):
        return tuple((written.short_months[moment.month - 1], str(moment.year)) for moment in moments)
    months = _dates(moments, "%(LLL)s", written.month_year)
    return tuple((str(moment.day), month) for moment, month in zip(moments, months, strict=True))


def row_names(frame: Frame) -> tuple[str, ...]:
    """Return the names of the rows, with dates in words."""
    words, moments, written = named_rows(frame), frame.moments or (), language()
    if words is None:
        return frame.categories
    if words and words[0][0].isdecimal() and words[0][1]:
        return _dates(moments, written.day_month, written.day_month_year)
    if are_months(moments) and words[0][0] in written.short_months:
        return _dates(moments, written.month_year, written.month_year)
    return tuple(" ".join(pair).strip() for pair in words)


def row_called(frame: Frame, name: str) -> int | None:
    """Return the number of the row with this name or day; None if it has no value or does not exist."""
    wanted, moment = name.casefold(), read_date(name)
    moments = frame.moments or ()
    for row, text in enumerate(frame.categories):
        if text.strip().casefold() == wanted or (moments and moment is not None and moments[row] == moment):
            return row if frame.series[0].numbers[row] is not None else None
    return None


def are_months(moments: Sequence[datetime]) -> bool:
    """Return whether all days are the first of a month or all the last, as months are often written."""
    if all(moment.day == 1 for moment in moments):
        return any(moment.month != 1 for moment in moments)
    return are_ends_of_months(moments)


def are_ends_of_months(moments: Sequence[datetime]) -> bool:
    """Return whether moments are the last days of several months."""
    return len(set(moments)) > 1 and all(
        end_of_month(moment) == moment and moment.time() == time() for moment in moments
    )


def end_of_month(moment: datetime) -> datetime:
    """Return the last day of a moment's month, at the same time."""
    return moment.replace(day=monthrange(moment.year, moment.month)[1])


def _are_new_years(moments: Sequence[datetime]) -> bool:
    """Return whether days are January 1 of several years, which is how years are often written."""
    return len(set(moments)) > 1 and all(moment.month == moment.day == 1 for moment in moments)


def _dates(moments: Sequence[datetime], within_a_year: str, beyond: str) -> tuple[str, ...]:
    """Return dates formatted by the first pattern, or by the second if they are in several years."""
    pattern = within_a_year if moments[0].year == moments[-1].year else beyond
    return tuple(language().date(moment, pattern) for moment in moments)
