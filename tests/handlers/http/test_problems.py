"""Errors on the wire: one table, one shape, nothing leaked."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest

from chains.runs.states import RunFailed
from chains.spaces.locks import Locked
from handlers.http.problems import PROBLEM_TYPES, problem_type_of
from tests.handlers.small_kernel import BASE, Kernel, Lines, raising
from tests.kit.client import call
from vfs import errors
from vfs.access import Verb


@pytest.mark.parametrize("kind", PROBLEM_TYPES, ids=lambda kind: kind.__name__)
def test_every_error_has_the_one_shape(kernel: Kernel, app: Any, kind: type[errors.VfsError]) -> None:
    members = {"size": 3} if kind is errors.Unsatisfiable else {}
    kernel.answer = raising(kind("what, why, what to do", **members))
    answer = call(app, "GET", "/v1/x/y?secret=1", [("X-Request-ID", "abc")])
    assert answer.status == PROBLEM_TYPES[kind].status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["x-request-id"] == "abc"
    assert json.loads(answer.body) == {
        "type": f"{BASE}/docs/errors#{PROBLEM_TYPES[kind].slug}",
        "title": PROBLEM_TYPES[kind].title,
        "status": answer.status,
        "detail": "what, why, what to do",
        "instance": "/v1/x/y",
        "request_id": "abc",
        "message": "what, why, what to do",
        "error": "what, why, what to do",
    }


def test_every_class_of_error_has_a_status() -> None:
    found = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    classes = {kind for kind in found if issubclass(kind, errors.VfsError)} - {errors.VfsError}
    assert classes | {RunFailed, Locked} == set(PROBLEM_TYPES)
    assert problem_type_of(errors.VfsError("x")).status == 500

    class Closer(errors.NotFound):
        pass

    assert problem_type_of(Closer("x")).status == 404


@pytest.mark.parametrize(
    "accept, text",
    [
        ("text/plain", True),
        ("*/*", False),
        ("application/json", False),
        ("text/*", False),
        ("text/html", False),
    ],
)
def test_an_error_is_text_only_when_text_is_requested_by_name(
    kernel: Kernel, app: Any, accept: str, text: bool
) -> None:
    kernel.answer = raising(errors.NotFound("there is no\nplot"))
    answer = call(app, "GET", "/v1/x", [("Accept", accept)])
    if text:
        assert answer.body == b"404 not found: there is no plot\n"
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    else:
        assert json.loads(answer.body)["detail"] == "there is no\nplot"


def test_a_verb_that_is_never_there_tells_which_are(kernel: Kernel, app: Any) -> None:
    kernel.answer = raising(errors.Unsupported("no", allow=(Verb.READ, Verb.REMOVE)))
    answer = call(app, "POST", "/v1/x")
    assert answer.headers["allow"] == "GET, HEAD, DELETE, OPTIONS"
    assert json.loads(answer.body)["allow"] == ["OPTIONS", "GET", "DELETE"]


@pytest.mark.parametrize("kind", [errors.Unavailable, errors.TooMany])
def test_asking_again_is_said_when(kernel: Kernel, app: Any, kind: type[errors.VfsError]) -> None:
    kernel.answer = raising(kind("full", retry_after=7))
    assert call(app, "GET", "/v1/x").headers["retry-after"] == "7"
    kernel.answer = raising(kind("full"))
    assert call(app, "GET", "/v1/x").headers["retry-after"] == "1"


def test_a_full_disk_has_a_long_retry_delay(kernel: Kernel, app: Any) -> None:
    kernel.answer = raising(errors.NoSpace("full"))
    assert int(call(app, "GET", "/v1/x").headers["retry-after"]) >= 10


def test_a_detail_that_no_utf_8_can_spell_is_escaped(kernel: Kernel, app: Any) -> None:
    kernel.answer = raising(errors.Invalid("odd \udcff name", names={"\udcff"}))
    assert json.loads(call(app, "GET", "/v1/x").body)["detail"] == "odd \\udcff name"
    assert b"\\udcff" in call(app, "GET", "/v1/x", [("Accept", "text/plain")]).body


def test_a_mistake_of_ours_leaks_nothing_and_is_logged_once(
    app: Any, lines: Lines, caplog: pytest.LogCaptureFixture
) -> None:
    answer = call(app, "GET", "/v1/broken", [("X-Request-ID", "abc")])
    assert answer.status == 500
    assert b"1234" not in answer.body
    assert json.loads(answer.body)["request_id"] == "abc"
    (record,) = caplog.records
    assert record.levelno == logging.ERROR
    assert "abc" in record.getMessage()
    assert "1234" in caplog.text
    assert (lines.written[0]["status"], lines.written[0]["level"]) == (500, "error")
