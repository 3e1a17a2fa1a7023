"""The face of a value and the preferences that a request asks for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.http.negotiation import (
    accept_face,
    accept_media,
    accepts_events,
    parse_prefer,
    preferred_media,
)
from vfs.call import Form


@pytest.mark.parametrize(
    "accept, form, named",
    [
        (None, Form.TEXT, False),
        ("*/*", Form.TEXT, False),
        ("", Form.TEXT, False),
        ("text/plain", Form.TEXT, True),
        ("TEXT/PLAIN;q=0.5, */*;q=0.1", Form.TEXT, True),
        ("text/*", Form.TEXT, False),
        ("text/html,application/xhtml+xml,*/*;q=0.8", Form.TEXT, False),
        ("application/json", Form.DATA, True),
        ("application/*", Form.DATA, False),
        ("application/problem+json", Form.DATA, False),
        ("application/json, text/plain, */*", Form.DATA, True),
        ("text/plain, application/json", Form.TEXT, True),
        ("application/json;q=0.4, text/plain;q=0.5", Form.TEXT, True),
        ("application/json;q=0.5, text/plain;q=0.4", Form.DATA, True),
        ("application/json;q=0", Form.TEXT, False),
        ("application/json;q=nonsense, text/plain", Form.TEXT, True),
        ("application/json;q=7, text/plain", Form.TEXT, True),
        (",;=,;;q=", Form.TEXT, False),
        ("image/png", Form.TEXT, False),
    ],
)
def test_the_face_follows_accept(accept: str | None, form: Form, named: bool) -> None:
    assert accept_face(accept) == (form, named)


@pytest.mark.parametrize(
    "accept, media",
    [
        (None, "text/plain"),
        ("*/*", "text/plain"),
        ("text/*", "text/plain"),
        ("application/json", "text/plain"),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html"),
        ("text/markdown", "text/markdown"),
        ("text/plain, text/html;q=0.9", "text/plain"),
        ("text/html;q=0, */*", "text/plain"),
    ],
)
def test_a_page_has_the_form_that_is_liked_best_by_name(accept: str | None, media: str) -> None:
    assert accept_media(accept, ("text/html", "text/markdown"), "text/plain") == media


def test_of_what_is_offered_the_first_is_for_those_who_name_none() -> None:
    offered = ["image/svg+xml", "image/png"]
    assert preferred_media("image/png, */*", offered) == "image/png"
    assert preferred_media("image/*", offered) == preferred_media(None, offered) == "image/svg+xml"


@given(st.text(max_size=80))
def test_no_header_breaks_the_negotiation(text: str) -> None:
    assert accept_face(text).form in Form
    assert isinstance(parse_prefer(text), dict)


def test_preferences_are_read() -> None:
    assert parse_prefer('Respond-Async, wait="10"; x=y, WAIT=20') == {"respond-async": "", "wait": "10"}
    assert parse_prefer(None) == {}


@pytest.mark.parametrize(
    "accept, expected",
    [
        (None, False),
        ("*/*", False),
        ("text/*", False),
        ("text/event-stream", True),
        ("text/event-stream, */*", True),
        ("text/plain, text/event-stream;q=0.5", False),
        ("application/json;q=0.4, text/event-stream;q=0.5", True),
        ("text/event-stream;q=0", False),
    ],
)
def test_events_are_requested_by_name(accept: str | None, expected: bool) -> None:
    assert accepts_events(accept) is expected
