"""Schedules: what may be written, the times they name, changes of clocks, and what is refused."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chains.language.mistake import Mistake
from chains.language.schedule import Schedule, ScheduleFault, parse

MINUTE = timedelta(minutes=1)


def read(text: str) -> Schedule:
    schedule = parse(text)
    assert schedule is not None
    return schedule


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def times(text: str, after: str, number: int) -> list[str]:
    """The next times of the schedule as `day hour:minute` in its own zone."""
    schedule = read(text)
    zone = ZoneInfo(schedule.zone)
    return [f"{time.astimezone(zone):%d %H:%M}" for time in schedule.next(number, at(after))]


@pytest.mark.parametrize(
    "text,zone,expression,comment",
    [
        ("30 6 * * 1-5", "UTC", "30 6 * * 1-5", ""),
        (
            "TZ=Europe/Oslo 30 6 * * Mon-Fri   # before the market",
            "Europe/Oslo",
            "30 6 * * 1-5",
            "before the market",
        ),
        ("tz=America/Argentina/Ushuaia\n\n0 0 * * *", "America/Argentina/Ushuaia", "0 0 * * *", ""),
        ("# nightly\r\n  0\t2 * * *\r\n# and quiet\n", "UTC", "0 2 * * *", "nightly and quiet"),
        ("Tz=UTC */15 9-17 1,15 */2 *", "UTC", "*/15 9-17 1,15 */2 *", ""),
        ("0 0 * * Sunday,sat,TUE", "UTC", "0 0 * * 0,6,2", ""),
        ("0 0 * * 7,sun,0", "UTC", "0 0 * * 0", ""),
        ("0 0 * * Fri-Sun", "UTC", "0 0 * * 5-7", ""),
        ("0 0 * * 5-0", "UTC", "0 0 * * 5-7", ""),
        ("0 0 * * 7-2", "UTC", "0 0 * * 0-2", ""),
        ("0 0 * * 7-7", "UTC", "0 0 * * 0", ""),
        ("0 0 * * 7-0", "UTC", "0 0 * * 0", ""),
        ("0 0 * * 0-7", "UTC", "0 0 * * 0-7", ""),
        ("0 0 * * mon-fri/2", "UTC", "0 0 * * 1-5/2", ""),
        ("0 0 1 jan,February,10-dec *", "UTC", "0 0 1 1,2,10-12 *", ""),
        ("5-5/15 */1 007/2 * *", "UTC", "5 * 7/2 * *", ""),
        ("5/1 23/1 1/1 12/1 3/1", "UTC", "5-59 23 1-31 12 3-7", ""),
        ("0 0 * * 7/1,7/7", "UTC", "0 0 * * 0,7/7", ""),
    ],
)
def test_a_schedule_is_read(text, zone, expression, comment):
    assert parse(text) == Schedule(zone, expression, comment)


@pytest.mark.parametrize("text", ["", "\n \n", "# nothing yet", "  # one\n# two"])
def test_comments_alone_are_no_schedule(text):
    assert parse(text) is None


@pytest.mark.parametrize(
    "text,fault,line,column,words",
    [
        ("60 * * * *", "minute", 1, 1, "'60' is not one of 0 to 59"),
        ("* 24 * * *", "hour", 1, 3, "the hour: '24'"),
        ("* * 0 * *", "day_of_month", 1, 5, "the day of month: '0' is not one of 1 to 31"),
        ("* * * 13 *", "month", 1, 7, "1 to 12"),
        ("* * * * 8", "weekday", 1, 9, "0 to 7"),
        ("* * * * Funday", "weekday", 1, 9, "'Funday'"),
        ("* * mon * *", "day_of_month", 1, 5, "'mon'"),
        ("5- * * * *", "minute", 1, 1, "'5-' is not \"*\""),
        ("-5 * * * *", "minute", 1, 1, "'-5' is not \"*\""),
        ("1,,2 * * * *", "minute", 1, 1, "'' is not \"*\""),
        ("*/ * * * *", "minute", 1, 1, "'*/' is not \"*\""),
        ("*/0 * * * *", "minute", 1, 1, "a step of 0"),
        ("*/90 * * * *", "minute", 1, 1, "the minute: a step of 90 is more than all 60"),
        ("0-30/61 * * * *", "minute", 1, 1, "a step of 61"),
        ("0 0-5,1/25 * * *", "hour", 1, 3, "the hour: a step of 25 is more than all 24"),
        ("0 0 */32 * *", "day_of_month", 1, 5, "more than all 31"),
        ("0 0 1 jan/13 *", "month", 1, 7, "more than all 12"),
        ("0 0 * * mon-fri/8", "weekday", 1, 9, "more than all 7"),
        ("1.5 * * * *", "minute", 1, 1, "'1.5' is not \"*\""),
        ("* * L * *", "day_of_month", 1, 5, "'L' is not one of"),
        ("* * * * 5#2", "weekday", 1, 9, "'5#2' is not \"*\""),
        ("* 17-9 * * *", "hour", 1, 3, "runs backwards, from 17 to 9"),
        ("* * * * sat-mon", "weekday", 1, 9, "runs backwards"),
        ("0 0 30 2 *", "day_of_month", 1, 5, "none of the months has such a day"),
        ("0 0 31 4,jun *", "day_of_month", 1, 5, "none of the months"),
        ("@daily", "fields", 1, 1, "'@daily' is a shorthand"),
        ("* * * *", "fields", 1, 7, "the fields are 4, not five"),
        ("* * * * * *", "fields", 1, 11, "the fields are 6, not five"),
        ("0 1 * * *\n0 2 * * *", "fields", 2, 9, "five fields on one line"),
        ("TZ=Europe/Oslo", "fields", 1, 1, "the five fields are missing"),
        ("* * * * * TZ=UTC", "fields", 1, 11, "not five"),
    ],
)
def test_a_bad_schedule_is_refused_at_its_field(text, fault, line, column, words):
    with pytest.raises(Mistake) as refused:
        parse(text)
    mistake = refused.value
    assert (mistake.label, mistake.line, mistake.column) == (fault, line, column)
    assert words in mistake.detail
    assert mistake.excerpt == text.split("\n")[line - 1].strip()


def test_a_schedule_is_short():
    with pytest.raises(Mistake, match="larger than 4096 bytes") as refused:
        parse("* * * * * # " + "é" * 2048)
    assert refused.value.label is ScheduleFault.TOO_LONG


def test_a_comment_may_touch_the_last_field():
    assert read("0 9 * * 1# weekly").comment == "weekly"


@pytest.mark.parametrize(
    "text,words",
    [
        ("TZ=Europe/Oslo 30 6 * * Mon-Fri", "At 06:30 on Monday through Friday, Europe/Oslo"),
        ("0 0 1 * *", "At 00:00 on the first day of every month, UTC"),
        ("*/15 * * * *", "Every 15th minute of every hour, UTC"),
    ],
)
def test_a_schedule_is_explained(text, words):
    assert read(text).explain() == words


@pytest.mark.parametrize(
    "text,after,expected",
    [
        # 2026-11-21 is a Saturday
        ("30 6 * * Mon-Fri", "2026-11-21 00:00Z", ["23 06:30", "24 06:30"]),
        ("0 12 * * 0", "2026-11-21 00:00Z", ["22 12:00", "29 12:00"]),
        ("0 12 * * 7", "2026-11-21 00:00Z", ["22 12:00", "29 12:00"]),
        ("0 12 24 * mon", "2026-11-21 00:00Z", ["23 12:00", "24 12:00", "30 12:00"]),
        ("0 12 24 * *", "2026-11-21 00:00Z", ["24 12:00", "24 12:00"]),
        ("0 12 * 11 mon", "2026-11-21 00:00Z", ["23 12:00", "30 12:00", "01 12:00"]),
        ("0 0 29 2 *", "2026-11-21 00:00Z", ["29 00:00", "29 00:00"]),
        ("0 0 31 2 fri", "2026-11-21 00:00Z", ["05 00:00", "12 00:00"]),
        ("0,30 8-9 * * *", "2026-11-21 08:30Z", ["21 09:00", "21 09:30", "22 08:00"]),
        ("*/20 23 * * *", "2026-11-21 23:39:59.999Z", ["21 23:40", "22 23:00"]),
        ("TZ=Asia/Tokyo 0 9 * * *", "2026-11-21 00:00Z", ["22 09:00"]),
        ("TZ=Asia/Tokyo 0 9 * * *", "2026-11-20 23:59Z", ["21 09:00"]),
    ],
)
def test_the_next_times(text, after, expected):
    assert times(text, after, len(expected)) == expected


@pytest.mark.parametrize(
    "text,after,expected",
    [
        # Oslo: 02:00 becomes 03:00 on 2026-03-29, 03:00 becomes 02:00 on 2026-10-25
        ("TZ=Europe/Oslo 30 2 * * *", "2026-03-28 00:00+01:00", ["28 02:30", "29 03:00", "30 02:30"]),
        ("TZ=Europe/Oslo 0,30 2,3 * * *", "2026-03-29 00:00+01:00", ["29 03:00", "29 03:30", "30 02:00"]),
        ("TZ=Europe/Oslo */10 2 * * *", "2026-03-28 02:50+01:00", ["29 03:00", "30 02:00", "30 02:10"]),
        ("TZ=Europe/Oslo 0 */2 * * *", "2026-03-29 00:00+01:00", ["29 03:00", "29 04:00"]),
        ("TZ=Europe/Oslo 30 * * * *", "2026-03-29 00:30+01:00", ["29 01:30", "29 03:30", "29 04:30"]),
        ("TZ=Europe/Oslo 30 2 * * *", "2026-10-25 00:00+02:00", ["25 02:30", "26 02:30"]),
        ("TZ=Europe/Oslo 30 2 * * *", "2026-10-25 02:10+01:00", ["26 02:30"]),
        ("TZ=Europe/Oslo */30 2 * * *", "2026-10-25 00:00+02:00", ["25 02:00", "25 02:30", "26 02:00"]),
        ("TZ=Europe/Oslo 30 * * * *", "2026-10-25 01:30+02:00", ["25 02:30", "25 02:30", "25 03:30"]),
        ("TZ=Australia/Lord_Howe 15 2 * * *", "2026-10-03 12:00+10:30", ["04 02:30", "05 02:15"]),
    ],
)
def test_a_change_of_clocks(text, after, expected):
    assert times(text, after, len(expected)) == expected


def numbers(field: str, low: int, high: int) -> set[int]:
    """What a field in plain numbers stands for, read on its own terms."""
    found: set[int] = set()
    for part in field.split(","):
        span, _, step = part.partition("/")
        first, _, last = span.partition("-")
        if span == "*":
            start, end = low, high
        else:
            start = int(first)
            end = int(last) if last else high if step else start
        found |= set(range(start, end + 1, int(step or 1)))
    return found


class Walker:
    """Walks minute by minute instead of computing: an independent reading of the same rules."""

    def __init__(self, fields: list[str], zone: str) -> None:
        self.zone = ZoneInfo(zone)
        self.minutes, self.hours = numbers(fields[0], 0, 59), numbers(fields[1], 0, 23)
        self.days, self.months = numbers(fields[2], 1, 31), numbers(fields[3], 1, 12)
        self.weekdays = {number % 7 for number in numbers(fields[4], 0, 7)}
        self.both = fields[2].startswith("*") or fields[4].startswith("*")
        self.hourly = fields[1] == "*"

    def names(self, local: datetime) -> bool:
        day, weekday = local.day in self.days, local.isoweekday() % 7 in self.weekdays
        dated = (day and weekday) if self.both else (day or weekday)
        return (
            dated and local.month in self.months and local.hour in self.hours and local.minute in self.minutes
        )

    def after(self, moment: datetime, minutes: int) -> datetime | None:
        """The first time after `moment` within `minutes`, or None."""
        start = moment.replace(second=0, microsecond=0)
        for step in range(1, minutes):
            time = start + step * MINUTE
            if self.comes(time):
                return time
        return None

    def comes(self, time: datetime) -> bool:
        local = time.astimezone(self.zone)
        if self.hourly:
            return self.names(local)
        previous = (time - MINUTE).astimezone(self.zone)
        wall, before = local.replace(tzinfo=None), previous.replace(tzinfo=None)
        gap = int((wall - before) / MINUTE)
        skipped = [before + step * MINUTE for step in range(1, max(gap, 1))]
        first = local.fold == 0
        return (first and self.names(wall)) or any(self.names(moment) for moment in skipped)


def field(low: int, high: int):
    one = st.integers(low, high)
    span = st.tuples(one, one).map(
        lambda pair: f"{min(pair)}-{max(pair)}" if pair[0] != pair[1] else str(pair[0])
    )
    size = high - low + (high != 7)
    stepped = st.tuples(span | st.just("*"), st.integers(2, min(size, 20))).map(
        lambda pair: f"{pair[0]}/{pair[1]}"
    )
    return st.just("*") | st.lists(one.map(str) | span | stepped, min_size=1, max_size=3).map(",".join)


ANY = st.just("*")
EXPRESSIONS = st.tuples(
    field(0, 59),
    st.one_of(field(0, 23), field(0, 4)),
    st.one_of(ANY, ANY, field(1, 28)),
    st.one_of(ANY, ANY, field(1, 12)),
    st.one_of(ANY, ANY, field(0, 7)),
)
ZONES = ["UTC", "Europe/Oslo", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "America/Havana"]
CHANGES = [
    *("2026-03-29", "2026-10-25", "2026-03-08", "2026-11-01"),
    *("2026-04-05", "2026-10-04", "2026-04-24", "2026-10-30"),
]
MOMENTS = st.builds(
    lambda day, seconds: datetime.fromisoformat(day).replace(tzinfo=UTC) + timedelta(seconds=seconds),
    st.sampled_from(CHANGES),
    st.integers(-86_400, 86_400),
)


@given(EXPRESSIONS, st.sampled_from(ZONES), MOMENTS)
@example(("30", "2", "*", "*", "*"), "Europe/Oslo", at("2026-03-29 00:59Z"))
@example(("30", "2", "*", "*", "*"), "Europe/Oslo", at("2026-10-25 01:10Z"))
@example(("*", "0", "*", "*", "*"), "America/Havana", at("2026-11-01 04:30Z"))
def test_the_times_are_those_of_a_walk_over_every_minute(fields, zone, moment):
    schedule = read(f"TZ={zone} {' '.join(fields)}")
    time = schedule.after(moment)
    assert time > moment
    assert time.tzinfo is UTC
    walked = Walker(list(fields), zone).after(moment, 3 * 24 * 60)
    if walked is None:
        assert time >= moment + 3 * 24 * 60 * MINUTE - MINUTE
    else:
        assert time == walked


@given(
    st.text() | st.lists(st.sampled_from([*"0123456789*/-,# \n", "TZ=", "UTC", "mon", "jan"])).map("".join)
)
@example("\ud800 * * * *")
@example("9" * 4096)
def test_any_text_is_a_schedule_none_or_a_mistake(text):
    try:
        schedule = parse(text)
    except Mistake as mistake:
        json.dumps(mistake.members, ensure_ascii=False).encode()
        return
    if schedule is not None:
        assert schedule.after(at("2026-01-01 00:00Z")) > at("2026-01-01 00:00Z")
        assert schedule.explain()
