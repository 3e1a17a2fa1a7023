"""The parser of `config/schedule`: cron text with `TZ=` and comments (decisions 28)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from typing import NoReturn
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

from chains.language.mistake import Mistake
from chains.language.schedule_words import TimesOfSchedule, explain, refuse_zone, zone_names

LARGEST = 4096


class ScheduleFault(StrEnum):
    """The kinds of mistakes in a schedule. The last five are the fields of the expression."""

    TOO_LONG = "too_long"
    ZONE = "zone"
    FIELDS = "fields"
    MINUTE = "minute"
    HOUR = "hour"
    DAY_OF_MONTH = "day_of_month"
    MONTH = "month"
    WEEKDAY = "weekday"


@dataclass(frozen=True, slots=True)
class Schedule:
    """The times of a job: five fields of numbers in the time zone `zone`, and a comment.

    With an hour, the times are local: one that a clock change skips runs once, right after the change; one
    that repeats runs once. For every hour (`*`), they follow real time and run in both hours.
    """

    zone: str
    expression: str
    comment: str = ""

    def after(self, moment: datetime) -> datetime:
        """Return the first time later than `moment`. Both are aware; the result is in UTC."""
        return _after(self.zone, self.expression, moment)

    def next(self, count: int, moment: datetime) -> tuple[datetime, ...]:
        """Return the first `count` times later than `moment`."""
        times: list[datetime] = []
        for _ in range(count):
            moment = self.after(moment)
            times.append(moment)
        return tuple(times)

    def explain(self) -> str:
        """Return the schedule in English words, made from its numbers, with its time zone at the end."""
        found = CronSim(self.expression, _SAMPLE)
        times = TimesOfSchedule(
            sorted(found.minutes),
            sorted(found.hours),
            sorted(found.days),
            sorted(found.months),
            sorted({number or 7 for number in found.weekdays if isinstance(number, int)}),
            found.day_and,
        )
        return f"{explain(times)}, {self.zone}"


def parse(text: str, *, is_stored: bool = False) -> Schedule | None:
    """Return the schedule that `text` describes, or None if it has only comments and blanks.

    The text is `[TZ=Area/City] minute hour day-of-month month weekday [# comment]`. The zone may be on a line
    before; the default is UTC. Raises Mistake with the field and its column. With `is_stored`, it accepts
    steps and zones that an earlier version accepted and that new texts may not have.
    """
    encoded = text.encode(errors="replace")
    if len(encoded) > LARGEST:
        raise Mistake(
            ScheduleFault.TOO_LONG, f"the schedule is larger than {LARGEST} bytes: shorten its comments"
        )
    return _ScheduleReader(encoded.decode(), is_strict=not is_stored).schedule()


@dataclass(frozen=True, slots=True)
class _Field:
    """A field of the expression: the range of its numbers, and the words for some of them."""

    fault: ScheduleFault
    low: int
    high: int
    words: Mapping[str, int]

    @property
    def size(self) -> int:
        """The number of different values; 0 and 7 are the same weekday."""
        return self.high - self.low + (self.fault is not ScheduleFault.WEEKDAY)


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of the text and its position, counted from 1."""

    text: str
    line: int
    column: int


def _names(first: int, names: str) -> dict[str, int]:
    """Return the numbers of full names and of their first three letters, counted from `first`."""
    numbered = dict(zip(names.split(), range(first, first + 12), strict=False))
    return numbered | {name[:3]: number for name, number in numbered.items()}


_DAYS = _names(0, "sunday monday tuesday wednesday thursday friday saturday")
_MONTHS = _names(1, "january february march april may june july august september october november december")
_FIELDS = (
    _Field(ScheduleFault.MINUTE, 0, 59, {}),
    _Field(ScheduleFault.HOUR, 0, 23, {}),
    _Field(ScheduleFault.DAY_OF_MONTH, 1, 31, {}),
    _Field(ScheduleFault.MONTH, 1, 12, _MONTHS),
    _Field(ScheduleFault.WEEKDAY, 0, 7, _DAYS),
)
_FIELD_FAULTS = frozenset(field.fault for field in _FIELDS)
_FORM = 'write minute, hour, day of month, month and weekday, as in "30 6 * * Mon-Fri"'
_SAMPLE = datetime(2000, 1, 1, tzinfo=UTC)
_ZONE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+){0,2}")
_SETTING = re.compile(r"[A-Za-z_]+=")
# "5#2" (the second Friday in other crons) is refused, not read as a comment.
_COMMENT = re.compile(r"(?<!\S)#|#(?!\d)")
_PART = re.compile(r"(?:\*|(?P<first>[0-9A-Za-z]+)(?:-(?P<last>[0-9A-Za-z]+))?)(?:/(?P<step>[0-9]+))?")


class _ScheduleReader:
    """A reader of one schedule's text."""

    def __init__(self, text: str, *, is_strict: bool) -> None:
        self.text = text
        self.is_strict = is_strict
        self.words: list[_Word] = []
        comments: list[str] = []
        for number, line in enumerate(text.split("\n"), 1):
            code, *rest = _COMMENT.split(line, maxsplit=1)
            self.words += [_Word(found[0], number, found.start() + 1) for found in re.finditer(r"\S+", code)]
            comments += [comment.strip() for comment in rest]
        self.comment = " ".join(filter(None, comments))

    def schedule(self) -> Schedule | None:
        if not self.words:
            return None
        zone = self.zone() if _SETTING.match(self.words[0].text) else "UTC"
        self.count()
        expression = " ".join(self.field(*pair) for pair in zip(_FIELDS, self.words, strict=True))
        try:
            CronSim(expression, _SAMPLE)
        except CronSimError:
            self.refuse(self.words[2], ScheduleFault.DAY_OF_MONTH, "none of the months has such a day")
        return Schedule(zone, expression, self.comment)

    def zone(self) -> str:
        """Remove the word `TZ=...` from the front and return the name of its zone."""
        word, *fields = self.words
        setting, _, name = word.text.partition("=")
        if setting.lower() != "tz":
            written = (
                f"write TZ={name[:60]}" if setting.lower() == "cron_tz" else "no setting but TZ= is taken"
            )
            self.refuse(word, ScheduleFault.ZONE, f"{setting[:60]}= is of other crons: {written}")
        if name not in zone_names() and (self.is_strict or not _is_known(name)):
            self.refuse(word, ScheduleFault.ZONE, refuse_zone(name))
        if not fields:
            self.refuse(word, ScheduleFault.FIELDS, f"the five fields are missing: {_FORM}")
        self.words = fields
        return name

    def count(self) -> None:
        """Refuse anything but five words on one line."""
        first, last = self.words[0], self.words[-1]
        if first.text.startswith("@"):
            reason = f"{first.text[:60]!r} is a shorthand that is not known here: {_FORM}"
            self.refuse(first, ScheduleFault.FIELDS, reason)
        if first.line != last.line:
            self.refuse(last, ScheduleFault.FIELDS, f"write the five fields on one line: {_FORM}")
        if len(self.words) != len(_FIELDS):
            self.refuse(last, ScheduleFault.FIELDS, f"the fields are {len(self.words)}, not five: {_FORM}")

    def field(self, field: _Field, word: _Word) -> str:
        """Return the field in numbers."""
        return ",".join(dict.fromkeys(self.part(field, word, part) for part in word.text.split(",")))

    def part(self, field: _Field, word: _Word, part: str) -> str:
        found = _PART.fullmatch(part)
        if found is None:
            reason = f'{part[:60]!r} is not "*", a number, a range "1-5" or a step "*/2"'
            self.refuse(word, field.fault, reason)
        step = int(found["step"] or 1)
        if step == 0:
            self.refuse(word, field.fault, "a step of 0 never moves on: write 1 or more")
        if step > field.size and self.is_strict:
            self.refuse(
                word, field.fault, f"a step of {found['step'][:60]} is more than all {field.size} there are"
            )
        every = f"/{step}" if step > 1 else ""
        if found["first"] is None:
            return f"*{every}"
        first = self.number(field, word, found["first"])
        if found["last"] is not None:
            return self.range(field, word, first, self.number(field, word, found["last"]), every)
        if every:
            return f"{first}{every}"
        return self.range(field, word, first, first if found["step"] is None else field.high, every)

    def range(self, field: _Field, word: _Word, first: int, last: int, every: str) -> str:
        if field.fault is ScheduleFault.WEEKDAY:
            last = 7 if last == 0 < first else last
            first = 0 if last < first == 7 else first
        if first > last:
            self.refuse(
                word, field.fault, f"the range runs backwards, from {first} to {last}: write two ranges"
            )
        if first == last:
            return "0" if field.fault is ScheduleFault.WEEKDAY and first == 7 else f"{first}"
        return f"{first}-{last}{every}"

    def number(self, field: _Field, word: _Word, text: str) -> int:
        number = int(text) if text.isdigit() else field.words.get(text.lower(), -1)
        if not field.low <= number <= field.high:
            reason = f"{text[:60]!r} is not one of {field.low} to {field.high}"
            self.refuse(
                word, field.fault, reason + (f' or a name as "{[*field.words][-1]}"' if field.words else "")
            )
        return number

    def refuse(self, word: _Word, fault: ScheduleFault, reason: str) -> NoReturn:
        named = f"the {fault.replace('_', ' ')}: {reason}" if fault in _FIELD_FAULTS else reason
        raise Mistake.at(fault, named, self.text, word.line, word.column)


@lru_cache(maxsize=1024)  # many jobs share the same few expressions and are due at the same time
def _after(zone: str, expression: str, moment: datetime) -> datetime:
    """Return the first time of an expression later than `moment`, in UTC."""
    times = CronSim(_local(expression), moment.astimezone(UTC if zone == "UTC" else ZoneInfo(zone)))
    return next(time for time in (local.astimezone(UTC) for local in times) if time > moment)


def _is_known(name: str) -> bool:
    """Return whether this machine has rules for a zone, under any valid name."""
    try:
        return _ZONE_NAME.fullmatch(name) is not None and ZoneInfo(name) is not None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False


def _local(expression: str) -> str:
    """Return the expression so that cronsim reads it as local times, unless it is for every hour.

    Cronsim decides as Debian's cron does: by a star at the start of the field of minute or hour.
    """
    minute, hour, days = expression.split(" ", 2)
    if hour == "*":
        return expression
    return f"{minute.replace('*', '0-59')} {hour.replace('*', '0-23')} {days}"
