"""Moments and lengths of time on pages, folded rows, and fields of forms."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.http.bodies.form_fields import LARGEST, leading_fields
from handlers.pages.assets import address, static
from handlers.pages.framing.moments import ago, clock, clock_time, exact, lasting
from handlers.pages.framing.reader import Reader, reading
from handlers.pages.runs import MOST_SHOWN, fold
from vfs.errors import Invalid, TooLarge

KIND = "multipart/form-data; boundary=xx"


@pytest.mark.parametrize(
    "seconds, said",
    [
        (None, ""),
        (0.0, "0.00 s"),
        (9.994, "9.99 s"),
        (12.3, "12 s"),
        (59.6, "1 min 0 s"),
        (3725, "1 h 2 min"),
        (200_000, "2 d 7 h"),
    ],
)
def test_a_length_of_time(seconds: float | None, said: str) -> None:
    assert lasting(seconds) == said


NOW = datetime(2026, 11, 26, 6, 56, 40, tzinfo=UTC)


@pytest.mark.parametrize(
    "stamp, said",
    [
        (None, ""),
        ("2026-11-26T06:56:10Z", "now"),
        ("2026-11-26T06:55:40Z", "1 minute ago"),
        ("2026-11-26T06:31:39.123Z", "25 minutes ago"),
        ("2026-11-26T01:56:40Z", "5 hours ago"),
        ("2026-11-25T23:56:40Z", "7 hours ago"),
        ("2026-11-25T08:00:00Z", "yesterday"),
        ("2026-11-23T08:00:00Z", "Monday"),
        ("2026-11-19T08:00:00Z", "19 Nov"),
        ("2025-11-19T08:00:00Z", "19 Nov 2025"),
        ("2026-11-26T07:01:00Z", "in 4 minutes"),
        ("2026-11-26T20:00:00Z", "in 13 hours"),
        ("2026-11-27T20:00:00Z", "tomorrow"),
        ("2026-11-30T08:00:00Z", "in 4 days"),
        ("2026-12-20T08:00:00Z", "20 Dec"),
    ],
)
def test_how_long_ago_a_moment_was(stamp: str | None, said: str) -> None:
    with reading(Reader(now=NOW)):
        assert ago(stamp) == said


def test_a_moment_is_shown_in_the_zone_of_the_reader() -> None:
    late = "2026-11-25T22:30:00Z"
    with reading(Reader(now=NOW)):
        assert (clock(late), clock_time(late)) == ("yesterday, 22:30", "22:30:00")
        assert exact(None) == clock(None) == ""
    with reading(Reader("Asia/Tokyo", now=NOW)):
        assert (clock(late), clock_time(late)) == ("today, 07:30", "07:30:00")
        assert exact(late) == "2026-11-26 07:30:00 Asia/Tokyo"
    with reading(Reader("no/zone", now=NOW)):
        assert exact(late) == "2026-11-25 22:30:00 UTC"


def test_a_static_file_is_named_with_its_version() -> None:
    found = static("page.css")
    assert found is not None
    assert address("page.css") == f"/static/page.css?v={found.version}"
    assert static("../site.py") is None
    with pytest.raises(KeyError):
        address("other.css")


def row(status: str, replica: int | None = None, name: str = "each") -> dict[str, object]:
    return {"name": name, "replica_index": replica, "status": status, "duration": 1.5, "fan_out": None}


def test_replicas_are_counted_and_the_failed_come_first() -> None:
    words = ["success"] * MOST_SHOWN + ["failed", "running"]
    one, two = fold(
        [row("running"), *(row(word, n) for n, word in enumerate(words)), row("pending", None, "z")]
    )
    assert (one.name, one.replicas, one.counts) == ("each", 62, {"success": 60, "running": 1, "failed": 1})
    assert [shown["replica_index"] for shown in one.shown][:3] == [60, 61, 0]
    assert len(one.shown) == MOST_SHOWN
    assert one.note == "60 of 62 files done"
    assert (two.name, two.replicas, two.note) == ("z", 0, "1.50 s")


def part(name: str, content: bytes, filename: str | None = None) -> bytes:
    file = f'; filename="{filename}"' if filename is not None else ""
    return f'--xx\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'.encode() + content + b"\r\n"


@given(st.integers(1, 60), st.binary(max_size=200))
def test_fields_are_read_ahead_of_files_however_the_body_comes(size: int, content: bytes) -> None:
    content = content.replace(b"--xx", b"")
    body = part("token", "müll".encode()) + part("do", b"run") + part("f", content, "a.bin") + b"--xx--\r\n"
    pieces = iter([body[at : at + size] for at in range(0, len(body), size)])
    fields, rest = leading_fields(pieces, KIND)
    assert fields == {"token": "müll", "do": "run"}
    assert b"".join(rest) == body


@pytest.mark.parametrize(
    "body, error",
    [
        (part("a", b"\xff") + b"--xx--\r\n", Invalid),
        (b"--yy\r\n", Invalid),
        (b"--xx\r\nbad header\r\n\r\n", Invalid),
        (part("a", b"x" * (LARGEST + 1)), TooLarge),
    ],
)
def test_odd_fields_are_refused(body: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        leading_fields(iter([body]), KIND)
