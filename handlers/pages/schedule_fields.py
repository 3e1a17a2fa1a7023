"""Schedules as three form fields: frequency, time of day and time zone; other schedules are cron lines."""

from __future__ import annotations

import re
from calendar import day_name
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from chains.schedules.timetable import SCHEDULE
from handlers.pages.acting.fields import TEXT
from handlers.pages.forms import SentForm
from handlers.pages.framing.frame import ZONE
from handlers.pages.request import PageRequest

WHEN = "when."
"""Prefix of the names of the fields; `when.was` has their former values."""
CALLED, HOURLY, LINE = "", "hour", "line"
HOUR_LINE = "0 * * * *"
EVERY: Mapping[str, tuple[str, str, str]] = {
    "day": ("Every day", "*", "*"),
    "weekday": ("Monday to Friday", "*", "Mon-Fri"),
    **{day[:3]: (f"Every {day}", "*", day[:3]) for day in day_name},
    "month": ("The first of every month", "1", "*"),
}
"""The choices with a time of the day: their words, days of the month and weekdays."""
FIRST_TIME = "06:00"
PLAIN = re.compile(
    r"(?P<minute>[0-9]{1,2}) (?P<hour>[0-9]{1,2}) (?P<day>\*|1) \* (?P<weekday>\*|[A-Za-z0-7-]{1,7})"
)
NUMBERED = {**{str(number): day[:3] for number, day in enumerate(day_name, 1)}, "0": "Sun", "1-5": "Mon-fri"}


class ScheduleFields(NamedTuple):
    """The values of the three fields."""

    every: str
    at: str
    zone: str

    @property
    def choices(self) -> Mapping[str, str]:
        """The words for each value of `every`, without the first one."""
        words = {key: one[0] for key, one in EVERY.items()}
        return {HOURLY: "Every hour", **words, LINE: "Custom (cron expression)"}


def read_schedule(request: PageRequest, text: str) -> ScheduleFields:
    """Return the fields for a schedule; without one the zone is that of the caller."""
    words = text.split()
    zone = "UTC" if words else str(request.peek(ZONE, "UTC")).strip()
    if words and words[0].startswith("TZ="):
        zone = words.pop(0).removeprefix("TZ=")
    if not words:
        return ScheduleFields(CALLED, FIRST_TIME, zone)
    if words == HOUR_LINE.split():
        return ScheduleFields(HOURLY, FIRST_TIME, zone)
    found = PLAIN.fullmatch(" ".join(words))
    if found is None or int(found["minute"]) > 59 or int(found["hour"]) > 23:
        return ScheduleFields(LINE, FIRST_TIME, zone)
    at = f"{int(found['hour']):02}:{int(found['minute']):02}"
    weekday = NUMBERED.get(found["weekday"], found["weekday"].capitalize())
    for key, (_, *days) in EVERY.items():
        if [found["day"], weekday] == [days[0], days[1].capitalize()]:
            return ScheduleFields(key, at, zone)
    return ScheduleFields(LINE, FIRST_TIME, zone)


def with_schedule(form: SentForm) -> SentForm:
    """Return the form of an editor, with the schedule of its three fields if they were changed."""
    rel = TEXT + SCHEDULE
    if rel not in form.fields:
        return form
    return replace(form, fields={**form.fields, rel: sent_schedule(form, form[rel])})


def sent_schedule(form: SentForm, line: str) -> str:
    """Return the schedule of a form: its line, or that of the three fields if they were changed."""
    sent = ScheduleFields(*(form[WHEN + name] for name in ScheduleFields._fields))
    if WHEN + "was" not in form.fields or " ".join(sent) == form[WHEN + "was"] or sent.every == LINE:
        return line
    return _line(sent)


def _line(fields: ScheduleFields) -> str:
    """Return the cron line; an invalid time or zone makes it invalid."""
    if fields.every not in (HOURLY, *EVERY):
        return ""
    zone = f"TZ={fields.zone} " if fields.zone != "UTC" else ""
    if fields.every == HOURLY:
        return f"{zone}{HOUR_LINE}"
    hour, _, minute = (one.lstrip("0") or one[-1:] for one in fields.at.partition(":"))
    _, day, weekday = EVERY[fields.every]
    return f"{zone}{minute} {hour} {day} * {weekday}"
