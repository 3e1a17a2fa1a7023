"""Dates with names of months, as Babel and Excel write them, are read in six languages."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from datetime import date, timedelta

import pytest
from babel.dates import format_date, format_skeleton, get_month_names
from hypothesis import given
from hypothesis import strategies as st

from handlers.render.plots.data.dates_written import months_by_word, read_date
from handlers.render.plots.data.delimited_rows import RowReport
from handlers.render.plots.data.frame import Column
from handlers.render.plots.data.table_text import Cells, read_column

LOCALES = ("de", "de_AT", "de_CH", "fr", "fr_CA", "es", "es_MX", "it", "it_CH", "nl", "nl_BE", "en", "en_GB")
DAYS = st.dates(date(1970, 1, 1), date(2060, 12, 31))
NFD: Callable[[str], str] = lambda text: unicodedata.normalize("NFD", text)  # noqa: E731
WAYS = st.sampled_from((str, str.upper, str.lower, str.title, NFD))
EXCEL = {
    "de": "Jan Feb Mrz Apr Mai Jun Jul Aug Sep Okt Nov Dez",
    "fr": "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
    "es": "ene feb mar abr may jun jul ago sep oct nov dic",
    "it": "gen feb mar apr mag giu lug ago set ott nov dic",
    "nl": "jan feb mrt apr mei jun jul aug sep okt nov dec",
}


def column(*cells: str) -> tuple[Column, RowReport]:
    report = RowReport()
    made = Cells("month", tuple(cells), range(2, len(cells) + 2))
    return read_column(made, report, first=True, comma=False, usual=False), report


@given(DAYS, st.sampled_from(LOCALES), st.sampled_from(("full", "long")), WAYS)
def test_days_as_babel_writes_them(day: date, locale: str, form: str, way: Callable[[str], str]) -> None:
    found = read_date(way(format_date(day, form, locale=locale)))
    assert found is not None and found.date() == day


@given(DAYS, st.sampled_from(LOCALES), st.sampled_from(("yMMM", "yMMMM", "yMMMd", "yMMMEd")), WAYS)
def test_months_as_babel_writes_them(day: date, locale: str, form: str, way: Callable[[str], str]) -> None:
    found = read_date(way(format_skeleton(form, day, locale=locale)))
    assert found is not None and found.date() == (day if "d" in form else day.replace(day=1))


@pytest.mark.parametrize("form", ["{} 2026", "{}-26", "{}.26", "{} '26", "1.{}.2026", "01. {} 26", "2026-{}"])
@pytest.mark.parametrize("language", EXCEL)
def test_months_as_excel_writes_them(language: str, form: str) -> None:
    for month, word in enumerate(EXCEL[language].split(), 1):
        for written in (word, word.removesuffix("."), word.upper()):
            found = read_date(form.format(written))
            assert found is not None and (found.year, found.month, found.day) == (2026, month, 1)


def test_a_word_means_one_month_or_none() -> None:
    assert {word for word, months in months_by_word().items() if len(months) > 1} == {"jui"}
    assert read_date("jui 2026") is None


@given(st.sampled_from(LOCALES), st.integers(1971, 2060), st.integers(0, 11), st.integers(3, 30))
def test_a_column_of_months_with_short_years(locale: str, year: int, first: int, count: int) -> None:
    names = get_month_names("wide", locale=locale)
    months = [(year + at // 12, at % 12 + 1) for at in range(first, first + count)]
    read, report = column(*(f"{names[month]} {year % 100:02}" for year, month in months))
    assert [(one.year, one.month) for one in read.dates if one] == [
        (year - 100 * (year > 2068), month) for year, month in months
    ]
    assert any("years of two digits: a guess" in note for note in report.notes)


@given(DAYS, st.integers(2, 60), st.sampled_from(LOCALES))
def test_days_without_a_year_stay_names(day: date, count: int, locale: str) -> None:
    names = get_month_names("wide", locale=locale)
    days = [day.replace(day=10, month=min(day.month, 10)) + timedelta(at) for at in range(count)]
    read, _ = column(*(f"{names[one.month]} {one.day:02}" for one in days))
    assert not read.dates


@pytest.mark.parametrize("cell", ["mer 2026", "Sun 2026", "30 févr. 2026", "12 mai", "Maison 12"])
def test_words_that_are_not_dates_stay_names(cell: str) -> None:
    assert read_date(cell) is None
