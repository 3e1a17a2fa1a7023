"""How the pages write moments, lengths of time and sizes; how rows are folded; fields of forms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.http.bodies.form_fields import LARGEST, leading_fields
from handlers.pages.assets import address, static
from handlers.pages.step_rows import MOST_SHOWN, fold
from handlers.pages.templates import lasting, moment, size
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


@pytest.mark.parametrize(
    "count, said",
    [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (5 << 20, "5.0 MiB"), (3 << 42, "12288.0 GiB")],
)
def test_a_size(count: int, said: str) -> None:
    assert size(count) == said


def test_a_moment() -> None:
    assert moment("2026-11-01T07:04:06.123Z") == "1 Nov 2026, 07:04:06"
    assert moment(None) == ""


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
