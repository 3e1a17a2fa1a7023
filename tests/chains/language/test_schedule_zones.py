"""Time zones of schedules: places alone, whatever else this machine has rules for."""

from __future__ import annotations

import re

import pytest

from chains.language.mistake import Mistake
from chains.language.schedule import Schedule, parse
from chains.language.schedule_words import zone_names


def read(text: str) -> Schedule:
    schedule = parse(text)
    assert schedule is not None
    return schedule


@pytest.mark.parametrize(
    "text,fault,line,column,words",
    [
        ("# where\n TZ=Mars/Base * * * * *", "zone", 2, 2, "no time zone 'Mars/Base'"),
        ("TZ= * * * * *", "zone", 1, 1, "no time zone ''"),
        ("TZ=../../etc/passwd * * * * *", "zone", 1, 1, "no time zone"),
        ("TZ=/etc/localtime * * * * *", "zone", 1, 1, "no time zone"),
        ("TZ=America * * * * *", "zone", 1, 1, "no time zone"),
        ("TZ=localtime * * * * *", "zone", 1, 1, "this machine's own word"),
        ("TZ=posixrules * * * * *", "zone", 1, 1, "this machine's own word"),
        ("TZ=factory * * * * *", "zone", 1, 1, "this machine's own word"),
        ("TZ=right/Europe/Oslo * * * * *", "zone", 1, 1, "this machine's own word"),
        ("TZ=posix/UTC * * * * *", "zone", 1, 1, "this machine's own word"),
        ("TZ=CET-1CEST,M3.5.0,M10.5.0/3 * * * * *", "zone", 1, 1, "no rule or offset is taken"),
        ("TZ=UTC+2 * * * * *", "zone", 1, 1, "no rule or offset is taken"),
        ("TZ=+02:00 * * * * *", "zone", 1, 1, "no rule or offset is taken"),
        ("TZ=europe/OSLO * * * * *", "zone", 1, 1, "write TZ=Europe/Oslo"),
        ("TZ=Oslo * * * * *", "zone", 1, 1, "write TZ=Europe/Oslo"),
        ("TZ='Europe/Oslo' * * * * *", "zone", 1, 1, "write TZ=Europe/Oslo"),
        ("CRON_TZ=Europe/Oslo 0 6 * * *", "zone", 1, 1, "CRON_TZ= is of other crons: write TZ=Europe/Oslo"),
        ("# x\ncron_tz=UTC\n0 6 * * *", "zone", 2, 1, "write TZ=UTC"),
        ("MAILTO=bob 0 6 * * *", "zone", 1, 1, "no setting but TZ= is taken"),
    ],
)
def test_what_names_no_place_is_refused(text, fault, line, column, words):
    with pytest.raises(Mistake) as refused:
        parse(text)
    mistake = refused.value
    assert (mistake.label, mistake.line, mistake.column) == (fault, line, column)
    assert words in mistake.detail


@pytest.mark.parametrize(
    "text,zone,expression",
    [
        ("TZ=localtime 0 0 * * *", "localtime", "0 0 * * *"),
        ("TZ=Factory */90 * * * *", "Factory", "*/90 * * * *"),
        ("TZ=posix/UTC 0 */25 * * *", "posix/UTC", "0 */25 * * *"),
    ],
)
def test_what_an_earlier_version_took_is_read_and_explained_as_it_runs(text, zone, expression):
    with pytest.raises(Mistake):
        parse(text)
    stored = parse(text, is_stored=True)
    assert stored is not None
    assert (stored.zone, stored.expression) == (zone, expression)
    assert stored.explain().endswith(f", {zone}")
    with pytest.raises(Mistake, match="no time zone"):
        parse("TZ=Mars/Base 0 0 * * *", is_stored=True)
    with pytest.raises(Mistake, match="no time zone"):
        parse("TZ=../localtime 0 0 * * *", is_stored=True)


def test_a_zone_is_the_name_of_a_place_in_the_database():
    assert {"UTC", "Europe/Oslo", "America/Argentina/Ushuaia", "Etc/GMT+5"} <= zone_names()
    assert not any(re.match("right/|posix/|posixrules|localtime|Factory", name) for name in zone_names())
    for name in zone_names():
        assert read(f"TZ={name} 0 0 * * *").zone == name
