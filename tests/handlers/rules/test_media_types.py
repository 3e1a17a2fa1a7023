"""A media type that people said is sent only when it is one: no header is added by it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.http.response import disposition
from handlers.rules.media import UNKNOWN, valid_media

VALID = (
    *("text/plain", "text/html; charset=utf-8", "application/vnd.ms-excel", 'a/b;c="d e";f=g', "A/B ; x=y"),
    *("image/svg+xml", "application/x-git-upload-pack-result"),
)
INVALID = (
    *(
        "",
        "text",
        "text/",
        "/plain",
        "text/plain;",
        "text/plain; charset",
        "text/plain\r\nX: y",
        "text/plain\n",
    ),
    *("tex t/plain", "text/plain, text/html", "text/plain;a=b c", 'a/b;c="d', "a/b;c=\x00", "té/xt", "a/b/c"),
    "a/" + "b" * 200,
)


@pytest.mark.parametrize("said", VALID)
def test_a_media_type_is_sent_as_it_was_said(said: str) -> None:
    assert valid_media(said) == said


@pytest.mark.parametrize("said", INVALID)
def test_all_else_is_bytes(said: str) -> None:
    assert valid_media(said) == UNKNOWN


@given(st.text(max_size=40), st.text(max_size=80), st.booleans())
def test_no_header_is_added_whatever_people_choose(media: str, name: str, inline: bool) -> None:
    for value in (valid_media(media), valid_media(f"a/b;{media}"), disposition(name, inline=inline)):
        assert re.fullmatch(r"[\t -~]+", value)
