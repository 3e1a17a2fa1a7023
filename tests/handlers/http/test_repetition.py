"""Requests that are answered once more: noted like the first, but for what an answer's repetition forgets."""

from __future__ import annotations

import io
import json
from http import HTTPStatus
from typing import Any

import pytest

from handlers.http.answer_memory import KEEPING, AnswerMemory, AwaitedAnswer
from handlers.http.repetition import RepeatedRequest, is_lasting
from handlers.http.request_head import RequestHead, read_head
from handlers.http.response import Answer
from handlers.http.wsgi import ANYWHERE
from tests.handlers.standins import Anyone, Kernel, Lines, edge
from vfs.access import Caller

SECRET = "Bearer clw_secret"


def head(**environ: str) -> RequestHead:
    return read_head(
        {
            "REQUEST_METHOD": "GET",
            "RAW_URI": "/v1/text?q=1",
            "REMOTE_ADDR": "10.0.0.9",
            "HTTP_USER_AGENT": "curl/8",
            "wsgi.url_scheme": "http",
            **environ,
        },
        ANYWHERE,
    )


def test_each_is_noted_under_an_id_of_its_own() -> None:
    noted: list[tuple[RequestHead, int, int]] = []
    first = head(HTTP_AUTHORIZATION=SECRET)
    first.user, first.notes.account = "bob", "bob"
    repeated = RepeatedRequest(first, HTTPStatus.OK, 7, lambda *one: noted.append(one))
    ids = [repeated.repeat(), repeated.repeat()]
    assert len({first.id, *ids}) == 3
    assert [one.id for one, _, _ in noted] == ids
    for one, status, size in noted:
        assert (one.method, one.raw, one.address, one.client) == ("GET", "/v1/text", "10.0.0.9", "curl/8")
        assert (one.user, one.notes.account, one.notes.request) == ("bob", "bob", one.id)
        assert (status, size, one.has_credential, one.notes.is_told) == (200, 7, True, False)
        assert SECRET not in repr(one)


def test_an_id_that_the_client_chose_stays() -> None:
    repeated = RepeatedRequest(head(HTTP_X_REQUEST_ID="mine"), HTTPStatus.OK, 0, lambda *one: None)
    assert [repeated.repeat(), repeated.repeat()] == ["mine", "mine"]


def test_one_whose_credential_has_expired_is_not_noted() -> None:
    noted: list[Any] = []
    first = head()
    first.notes.use_again = lambda: False
    assert RepeatedRequest(first, HTTPStatus.OK, 0, lambda *one: noted.append(one)).repeat() is None
    assert noted == []


@pytest.mark.parametrize(
    ("answer", "lasts"),
    [
        (Answer(HTTPStatus.OK, body=b"x"), True),
        (Answer(HTTPStatus.NOT_FOUND), True),
        (Answer(HTTPStatus.UNAUTHORIZED, cookies=["a=b"]), False),
        (Answer(HTTPStatus.OK, pieces=[b"x"]), False),
        (Answer(HTTPStatus.OK, file=io.BytesIO()), False),
        (Answer(HTTPStatus.OK, body=b"x", is_passing=True), False),
        (Answer(HTTPStatus.TOO_MANY_REQUESTS), False),
        (Answer(HTTPStatus.SERVICE_UNAVAILABLE), False),
        (Answer(HTTPStatus.INTERNAL_SERVER_ERROR), False),
    ],
)
def test_an_answer_lasts_that_is_whole_and_nothing_of_the_moment(answer: Answer, lasts: bool) -> None:
    assert is_lasting(answer) is lasts


def test_the_application_says_what_becomes_of_its_answer(kernel: Kernel, lines: Lines) -> None:
    memory = AnswerMemory(lambda: 1)
    memory.await_answer(b"", b"")
    awaited = memory.await_answer(b"", b"")
    assert isinstance(awaited, AwaitedAnswer)
    environ = {**head().environ, "PATH_INFO": "/v1/x", "RAW_URI": "/v1/x", KEEPING: awaited}
    environ |= {"QUERY_STRING": "", "SERVER_NAME": "c", "SERVER_PORT": "80", "HTTP_HOST": "c"}
    environ |= {"SERVER_PROTOCOL": "HTTP/1.1", "wsgi.input": io.BytesIO(), "wsgi.errors": io.StringIO()}
    edge(kernel, lines, identify=Anyone(Caller("bob")))(environ, lambda status, headers, error=None: None)
    assert awaited.repetition is not None
    again = awaited.repetition.repeat()
    first, second = lines.written
    assert (second["request_id"], second["status"], second["bytes"]) == (
        again,
        first["status"],
        first["bytes"],
    )
    assert {**first, "request_id": "", "ms": 0, "time": ""} == {
        **second,
        "request_id": "",
        "ms": 0,
        "time": "",
    }
    assert json.dumps(second)
