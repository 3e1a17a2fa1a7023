"""Schedules in English words, made from the numbers by which they run, and names of time zones."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from zoneinfo import available_timezones

MOST_TIMES = 4
"""Maximum number of times of a day that are listed one by one."""
SHORTEST_RUN = 3
"""Minimum length of a run (consecutive or in equal steps) that is written by its ends."""
MINUTES, HOURS, DAYS = range(60), range(24), range(1, 32)
MONTHS, WEEKDAYS = range(1, 13), range(1, 8)
_WORDS = ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_SUFFIXES = {1: "st", 2: "nd", 3: "rd"}


@dataclass(frozen=True, slots=True)
class TimesOfSchedule:
    """The numbers of a schedule's fields, in order; Sunday is 7.

    With `both`, a date must match the day of the month and the weekday; otherwise either.
    """

    minutes: Sequence[int]
    hours: Sequence[int]
    days: Sequence[int]
    months: Sequence[int]
    weekdays: Sequence[int]
    both: bool


def explain(times: TimesOfSchedule) -> str:
    """Return one sentence without its full stop, such as `At 06:30 on Monday through Friday`."""
    time, is_at = _time(times)
    date = _date(times)
    if not date and is_at:
        date = "every day"
    elif date.startswith("in ") and is_at:
        date = f"every day {date}"
    words = f"{time} {date}".rstrip()
    return words[0].upper() + words[1:]


def ordinal(number: int) -> str:
    """Return the English ordinal of a number: `first`, `11th`, `22nd`."""
    if number < len(_WORDS):
        return _WORDS[number]
    suffix = "th" if number % 100 in (11, 12, 13) else _SUFFIXES.get(number % 10, "th")
    return f"{number}{suffix}"


def _time(times: TimesOfSchedule) -> tuple[str, bool]:
    """Return the times of a day, and whether they are listed one by one."""
    minutes, hours = times.minutes, times.hours
    if len(minutes) * len(hours) <= MOST_TIMES:
        return f"at {_join([f'{hour:02}:{minute:02}' for hour, minute in product(hours, minutes)])}", True
    if len(hours) == len(HOURS):
        if list(minutes) == [0]:
            return "at the start of every hour", False
        every_minute = len(minutes) == len(MINUTES)
        return "every minute" if every_minute else f"{_minutes(minutes)} of every hour", False
    if len(minutes) == len(MINUTES) and _is_run(hours, 1):
        return f"every minute from {hours[0]:02}:00 through {hours[-1]:02}:59", False
    return f"{_minutes(minutes)} past {_numbers('hour', hours, HOURS)}", False


def _minutes(minutes: Sequence[int]) -> str:
    words = _numbers("minute", minutes, MINUTES)
    return words if words.startswith("every") else f"at {words}"


def _date(times: TimesOfSchedule) -> str:
    """Return the dates; "" for every date."""
    is_any_day, is_any_weekday = len(times.days) == len(DAYS), len(times.weekdays) == len(WEEKDAYS)
    if is_any_day if is_any_weekday else is_any_day and not times.both:
        return _in_months(times.months)
    if is_any_weekday and not times.both:
        return _in_months(times.months)
    weekdays = _join(_spans(times.weekdays, _weekday, "through"))
    if is_any_day:
        return f"on {weekdays} {_in_months(times.months)}".rstrip()
    days = _days(times.days, times.months)
    if is_any_weekday:
        return f"on {days}"
    if times.both:
        return f"on {days} if it's {weekdays}"
    return f"on {days} and on {weekdays} {_in_months(times.months)}".rstrip()


def _days(days: Sequence[int], months: Sequence[int]) -> str:
    if len(days) == len(months) == 1:
        return f"{_month(months[0])} {days[0]}"
    of = "every month" if len(months) == len(MONTHS) else _join(_spans(months, _month, "through"))
    if (step := _step(days)) > 1:
        first, last = ordinal(days[0]), ordinal(days[-1])
        return f"every {ordinal(step)} day from the {first} through the {last} of {of}"
    return f"the {_join(_spans(days, ordinal, 'through'))} day of {of}"


def _in_months(months: Sequence[int]) -> str:
    return "" if len(months) == len(MONTHS) else f"in {_join(_spans(months, _month, 'through'))}"


def _numbers(name: str, numbers: Sequence[int], everything: range) -> str:
    """Return minutes or hours: `every minute`, `every 15th minute`, `minute 5`, `hours 1 and 3 through 6`."""
    if len(numbers) == len(everything):
        return f"every {name}"
    if (step := _step(numbers)) > 1:
        whole = range(everything.start, everything.stop, step)
        ends = "" if list(numbers) == list(whole) else f" from {numbers[0]} through {numbers[-1]}"
        return f"every {ordinal(step)} {name}{ends}"
    if _is_run(numbers, 1) and len(numbers) >= SHORTEST_RUN:
        return f"every {name} from {numbers[0]} through {numbers[-1]}"
    return f"{name}{'s' * (len(numbers) > 1)} {_join(_spans(numbers, str, 'through'))}"


def _spans(numbers: Sequence[int], word: Callable[[int], str], through: str) -> list[str]:
    """Return the numbers as words, with runs of consecutive numbers written by their ends."""
    words: list[str] = []
    at = 0
    while at < len(numbers):
        end = at
        while end + 1 < len(numbers) and numbers[end + 1] == numbers[end] + 1:
            end += 1
        if end - at + 1 >= SHORTEST_RUN:
            words.append(f"{word(numbers[at])} {through} {word(numbers[end])}")
        else:
            words += map(word, numbers[at : end + 1])
        at = end + 1
    return words


def _step(numbers: Sequence[int]) -> int:
    """Return the step between the numbers if it is constant and there are at least SHORTEST_RUN; else 0."""
    if len(numbers) < SHORTEST_RUN:
        return 0
    step = numbers[1] - numbers[0]
    return step if _is_run(numbers, step) else 0


def _is_run(numbers: Sequence[int], step: int) -> bool:
    return list(numbers) == list(range(numbers[0], numbers[-1] + 1, step))


def _join(words: Sequence[str]) -> str:
    """Join words: `a`, `a and b`, `a, b, and c`."""
    if len(words) <= 2:
        return " and ".join(words)
    return f"{', '.join(words[:-1])}, and {words[-1]}"


def _month(number: int) -> str:
    return calendar.month_name[number]


def _weekday(number: int) -> str:
    return calendar.day_name[number - 1]


# The meaning of these names depends on the machine, or they have no meaning.
_NO_PLACES = frozenset({"localtime", "posixrules", "Factory"})
_RULE = re.compile(r"[^A-Za-z/_-]")
_SHOWN = 60


@cache
def zone_names() -> frozenset[str]:
    """Return the names of the IANA database (`Europe/Oslo`, `UTC`) without `right/` and `posix/`."""
    return frozenset(available_timezones() - _NO_PLACES)


def refuse_zone(name: str) -> str:
    """Return why a name is not a time zone, with a suggestion if there is a similar name."""
    reason = f"there is no time zone {name[:_SHOWN]!r}"
    plain = name.strip("\"'").casefold()
    meant = _alike().get(plain) if plain else None
    if meant is not None:
        return f"{reason}: write TZ={meant}"
    if plain in map(str.casefold, _NO_PLACES) or plain.startswith(("right/", "posix/")):
        return f"{reason} to be named, as it is this machine's own word: write a place, as in TZ=Europe/Oslo"
    if _RULE.search(plain):
        return f"{reason}, and no rule or offset is taken: write a place, as in TZ=Europe/Oslo"
    return f"{reason}: write one as in TZ=Europe/Oslo"


@cache
def _alike() -> dict[str, str]:
    """Return the names by their lower-case forms, and by the cities alone."""
    names = sorted(zone_names())
    cities = {name.rpartition("/")[2].casefold(): name for name in reversed(names) if name[:4] != "Etc/"}
    return cities | {name.casefold(): name for name in names}
