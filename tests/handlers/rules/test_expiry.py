"""The expiry of tokens."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.rules.expiry import expiry
from vfs.errors import Invalid
from vfs.ports.clock import stamp

SECONDS = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800}
NOW = datetime(2026, 11, 21, 7, 44, 16, 123_000, tzinfo=UTC)


def test_a_token_without_a_bound_never_ends() -> None:
    assert expiry(NOW, None, None) is None


@pytest.mark.parametrize("both", [(60, "2030-01-01T00:00:00Z"), (0, "")])
def test_one_bound_at_most(both: tuple[Any, Any]) -> None:
    with pytest.raises(Invalid, match=r"expires_in or expires_on"):
        expiry(NOW, *both)


@pytest.mark.parametrize(
    ("word", "seconds"),
    [
        (60, 60),
        (1.5, 1.5),
        ("60", 60),
        (" 60\n", 60),
        ("1 second", 1),
        ("90 minutes", 5_400),
        ("24 hours", 86_400),
        ("7 Days", 604_800),
        ("2weeks", 1_209_600),
        ("30d", 2_592_000),
    ],
)
def test_a_time_from_now(word: Any, seconds: float) -> None:
    assert expiry(NOW, word, None) == stamp(NOW + timedelta(seconds=seconds))


@given(st.integers(1, 10**6), st.sampled_from(sorted(SECONDS)), st.sampled_from(["", "s"]))
def test_every_unit_counts(number: int, unit: str, plural: str) -> None:
    try:
        wanted = NOW + timedelta(seconds=number * SECONDS[unit])
    except OverflowError:
        with pytest.raises(Invalid):
            expiry(NOW, f"{number} {unit}{plural}", None)
    else:
        assert expiry(NOW, f"{number} {unit}{plural}", None) == stamp(wanted)


@pytest.mark.parametrize(
    "word",
    [
        *(0, -1, 0.0001, float("inf"), float("-inf"), float("nan"), 1e300, 10**30, True, [], {}),
        *("", "0", "-5 days", "0 hours", "inf", "infinity", "1e3", "five days", "7 fortnights", "٧ days"),
        *("9" * 5_000, "999999999999 weeks", "1 day 2 hours"),
    ],
)
def test_no_time_to_come(word: Any) -> None:
    with pytest.raises(Invalid, match="expires_in"):
        expiry(NOW, word, None)


@pytest.mark.parametrize(
    ("word", "end"),
    [
        ("2030-01-02T03:04:05Z", "2030-01-02T03:04:05.000Z"),
        ("2030-01-02T03:04:05.678Z", "2030-01-02T03:04:05.678Z"),
        ("2030-01-02T03:04:05+02:00", "2030-01-02T01:04:05.000Z"),
        ("2030-01-02T03:04:05", "2030-01-02T03:04:05.000Z"),
        ("2030-01-02", "2030-01-02T00:00:00.000Z"),
    ],
)
def test_a_moment(word: str, end: str) -> None:
    assert expiry(NOW, None, word) == end


@pytest.mark.parametrize(
    "word",
    [
        *("2001-01-02T03:04:05Z", "0001-01-01T00:00:00+23:00", "2026-11-21T07:44:16.123Z"),
        *("9999-12-31T23:59:59-23:00", "infinity", "", "tomorrow", "2030-13-01T00:00:00Z"),
        *(1_900_000_000, True, ["2030-01-01"]),
    ],
)
def test_no_moment_to_come(word: Any) -> None:
    with pytest.raises(Invalid, match="expires_on"):
        expiry(NOW, None, word)


@given(st.one_of(st.text(), st.floats(), st.integers(), st.booleans(), st.none()), st.none() | st.text())
def test_whatever_is_sent_is_a_moment_to_come_or_refused(one: Any, other: Any) -> None:
    try:
        end = expiry(NOW, one, other)
    except Invalid:
        return
    assert end is None or end > stamp(NOW)
