"""Headers of mails: whatever people write, others read those very words, and no header more."""

from __future__ import annotations

import email
import re
from email.header import decode_header, make_header
from email.policy import compat32, default
from email.utils import getaddresses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.words.mail_headers import (
    address_header,
    base64_part,
    file_part,
    header,
    is_address,
    one_line,
    words_header,
)

BREAKS = "\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029\0\x7f"
CHARSETS = ("utf-8", "utf-7", "utf-16", "iso-2022-jp", "iso-8859-1", "us-ascii", "x-unknown", "")
ENCODED = st.builds(
    "=?{}?{}?{}?=".format,
    st.sampled_from(CHARSETS),
    st.sampled_from("qbQBx"),
    st.sampled_from((
        *("x=0D=0AFrom:_president=40bank.example=0D=0A=0D=0Apay", "PT91dGYtNz9xPysyRDAtPz0=", "=3D=3Futf-8"),
        *("+2D0-", "DQpCY2M6IGFAYg==", "", "=C3=28", "=ED=A0=80"),
    )),
)  # fmt: skip
WORDS = st.lists(
    st.one_of(
        ENCODED,
        st.text(max_size=12),
        st.sampled_from(
            [*BREAKS, "\r\n", "\ud800", "\u200c", "\u200d", "\u202e", "x" * 300, "ø" * 80, "  ", '"', "\\"]
        ),
        st.sampled_from(["\r\nBcc: a@b.example", "From: x@y", "=?", "?=", "=?utf-8?q?", ": ", ",", "<a@b>"]),
    ),
    max_size=6,
).map("".join)


def read(raw: bytes, policy: Any) -> Any:
    return email.message_from_bytes(raw + b"\r\nbody\r\n", policy=policy)


@given(WORDS)
def test_a_subject_says_what_was_written(words: str) -> None:
    raw = words_header("Subject", words)
    expected = one_line(words)
    if not expected:
        assert raw == b""
        return
    raw.decode("ascii")
    assert all(len(line) <= 78 for line in raw.split(b"\r\n"))
    plain = read(raw, compat32)
    assert plain.keys() == ["Subject"] and plain.get_payload() == "body\r\n"
    assert str(make_header(decode_header(re.sub(r"\r\n", "", plain["Subject"])))) == expected
    modern = read(raw, default)
    assert modern.keys() == ["Subject"] and modern["Subject"] == expected


@given(WORDS, st.sampled_from(["ann@birds.example", "a.b+c@birds.example", '"a b"@birds.example']))
def test_a_name_before_an_address_is_a_name(words: str, address: str) -> None:
    raw = address_header("From", address, words)
    modern = read(raw, default)
    assert modern.keys() == ["From"]
    assert [found.addr_spec for found in modern["From"].addresses] == [address]
    # Python's modern reader sets a blank between encoded words of a name, the older one does not.
    ((name, spec),) = getaddresses([read(raw, compat32)["From"].replace("\r\n", "")])
    assert (str(make_header(decode_header(name))), spec) == (one_line(words), address)


@given(WORDS, WORDS)
def test_a_file_has_the_name_that_was_given(name: str, media: str) -> None:
    part = email.message_from_bytes(file_part(media, b"content", name), policy=compat32)
    assert part.keys() == ["Content-Type", "Content-Transfer-Encoding", "Content-Disposition"]
    assert part.get_payload(decode=True) == b"content"
    assert part.get_filename() == (one_line(name) or "file")
    assert part.get_content_type() in ("application/octet-stream", media.lower())


@pytest.mark.parametrize("sign", [*BREAKS, "\ud800"])
def test_signs_that_break_lines_are_blanks(sign: str) -> None:
    assert one_line(f"a{sign}{sign}b") == ("a b" if sign in BREAKS else "a\ufffd\ufffdb")
    assert one_line(f"{sign}a{BREAKS}") in ("a", "\ufffda")


def test_joiners_stay() -> None:
    family = "\U0001f469\u200d\U0001f467 \u0645\u06cc\u200c\u062e"
    assert read(words_header("Subject", family), default)["Subject"] == family


HOSTILE = (
    *("a@b\r\nBcc: c@d", "a@b, c@d", "a b@c", "<a@b>", "a@b>", "=?utf-8?q?x?=@b", "ø@b", "a@ø", "a@"),
    *("@b", "a", '"a\r\n"@b', "a@[1.2.3.4", "a@b;", "a@b (c)", "a@b\0", ""),
)


@pytest.mark.parametrize("address", HOSTILE)
def test_what_is_no_address_is_refused(address: str) -> None:
    assert not is_address(address)
    with pytest.raises(ValueError, match="no address"):
        address_header("To", address)


@pytest.mark.parametrize("value", ["a\r\nBcc: b@c", "a\n", "ø", "", " a", "a\0"])
def test_a_value_that_we_set_is_one_line_of_ascii(value: str) -> None:
    with pytest.raises(ValueError, match="X-Ours"):
        header("X-Ours", value)


@given(st.binary(max_size=300))
def test_a_part_holds_its_bytes(body: bytes) -> None:
    part = email.message_from_bytes(base64_part("a/b", body), policy=compat32)
    assert part.get_payload(decode=True) == body


@given(st.integers(1, 200))
def test_an_identity_is_read_as_it_was_written_however_long_it_is(length: int) -> None:
    identity = f"<{'1' * length}@a.example>"
    written = header("Message-ID", identity)
    assert written == f"Message-ID: {identity}\r\n".encode()
    assert email.message_from_bytes(written + b"\r\n", policy=default)["Message-ID"] == identity
