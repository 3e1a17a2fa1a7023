"""The three fields of a schedule: they are read from its line, and written to it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chains.language.mistake import Mistake
from chains.language.schedule import parse
from handlers.pages.forms import SentForm
from handlers.pages.schedule_fields import EVERY, LINE, ScheduleFields, read_schedule, sent_schedule

REQUEST = cast(Any, SimpleNamespace(peek=lambda path, otherwise: "Europe/Berlin"))


def sent(every: str, at: str, zone: str, was: str = "x", line: str = "") -> str:
    return sent_schedule(
        SentForm({"when.every": every, "when.at": at, "when.zone": zone, "when.was": was}), line
    )


@given(
    st.sampled_from(["", "hour", *EVERY]),
    st.times().map(lambda one: f"{one:%H:%M}"),
    st.sampled_from(["UTC", "Europe/Berlin"]),
)
def test_a_choice_makes_a_line_that_is_read_as_the_choice(every: str, at: str, zone: str) -> None:
    line = sent(every, at, zone)
    found = read_schedule(REQUEST, line)
    plan = parse(line)
    assert found.every == every and (plan is None) == (every == "")
    if plan is not None:
        assert (plan.zone, found.zone) == (zone, zone)
    if every in EVERY:
        assert found.at == at and at in plan.explain()  # type: ignore[union-attr]


@given(st.text(st.sampled_from("0123456789*/,- MonFriTZ=UTC#\n"), max_size=40))
def test_every_line_has_fields_that_leave_it_as_it_is(line: str) -> None:
    found = read_schedule(REQUEST, line)
    assert sent(*found, was=" ".join(found), line=line) == line
    if found.every in EVERY:
        minute, hour = line.split()[-5:-3]
        assert found.at == f"{int(hour):02}:{int(minute):02}"


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ("30 6 * * 1", ScheduleFields("Mon", "06:30", "UTC")),
        ("TZ=Europe/Oslo 0 7 * * mon-fri", ScheduleFields("weekday", "07:00", "Europe/Oslo")),
        ("0 0 * * 7", ScheduleFields("Sun", "00:00", "UTC")),
        ("", ScheduleFields("", "06:00", "Europe/Berlin")),
        ("61 6 * * 1", ScheduleFields(LINE, "06:00", "UTC")),
        ("*/5 * * * *", ScheduleFields(LINE, "06:00", "UTC")),
    ],
)
def test_lines_of_the_first_day(line: str, fields: ScheduleFields) -> None:
    assert read_schedule(REQUEST, line) == fields


@pytest.mark.parametrize("at", ["", "6", "99:99", "a:b", "06:00:00 1"])
def test_a_wrong_time_is_refused_and_not_guessed(at: str) -> None:
    with pytest.raises(Mistake):
        parse(sent("Mon", at, "UTC"))
