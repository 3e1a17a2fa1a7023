"""The player of transcripts, played against a small application of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.kit.client import Answer, call
from tests.wire.player import Mismatch, play
from tests.wire.transcript import Part, Unreadable, scenarios

Start = Callable[[str, list[tuple[str, str]]], Any]


def mirror(environ: dict[str, Any], start: Start) -> Iterable[bytes]:
    """Answers with what it was asked, as JSON; /text/… with the end of the path."""
    body = environ["wsgi.input"].read()
    path = environ["RAW_URI"]
    if path.startswith("/text/"):
        start("200 OK", [("Content-Type", "text/plain; charset=utf-8"), ("X-NVM-Type", "file")])
        return [path.removeprefix("/text/").replace("~", "\n").encode()]
    if path == "/empty":
        start("204 No Content", [])
        return []
    said = {
        "method": environ["REQUEST_METHOD"],
        "path": environ["PATH_INFO"],
        "query": environ["QUERY_STRING"],
        "who": environ.get("HTTP_AUTHORIZATION"),
        "media": environ.get("CONTENT_TYPE"),
        "body": body.decode(),
        "entries": [{"name": "a", "id": 1}, {"name": "b", "id": 2}, {"name": "c", "id": 3}],
    }
    start("201 Created", [("Content-Type", "application/json"), ("Location", "/runs/1121-0f3c")])
    return [json.dumps(said).encode()]


class Mirror:
    def __init__(self) -> None:
        self.users: dict[str, tuple[str, ...]] = {}
        self.arranged: list[tuple[object, ...]] = []
        self.calls = 0

    def call(self, method: str, path: str, headers: Sequence[tuple[str, str]], body: bytes) -> Answer:
        self.calls += 1
        if path == "/counted":
            return Answer(200 if self.calls > 2 else 503, {}, b"")
        return call(mirror, method, path, headers, body)

    def user(self, name: str, *traits: str) -> str:
        self.users.setdefault(name, traits)
        return f"token-of-{name}"

    def password(self, name: str) -> str:
        return f"password-of-{name}"

    def arrange(self, word: str, arguments: Sequence[str], files: Sequence[Part]) -> None:
        if word == "user":
            self.user(*arguments)
        else:
            self.arranged.append((word, *arguments, *((part.name, part.lines) for part in files)))


Played = Callable[[str], Mirror]


@pytest.fixture
def played(tmp_path: Path) -> Played:
    """Plays the text of a transcript and gives the service that it was played against."""

    def play_text(text: str) -> Mirror:
        file = tmp_path / "example.txt"
        file.write_text(text)
        service = Mirror()
        for scenario in scenarios(file):
            play(scenario, service)
        return service

    return play_text


def test_a_speaker_carries_a_token(played: Played) -> None:
    service = played(
        """
        # what comes before the first scenario is played before each
        user acme organisation public

        ## tokens
        as alice
        GET /x?a=1
        < 201 json
        < {"who": "Bearer token-of-alice", "query": "a=1", "media": null}

        ## nobody and passwords
        GET /x
        < 201
        < {"who": null}
        as alice by password
        GET /x
        < 201
        < {"who": "Basic YWxpY2U6cGFzc3dvcmQtb2YtYWxpY2U="}
        """.replace("\n        ", "\n")
    )
    assert service.users == {"acme": ("organisation", "public"), "alice": ()}


@pytest.mark.parametrize(
    "conversation",
    [
        'POST /x\n| one\n|\n| two\n< 201\n< {"body": "one\\n\\ntwo", "media": "text/plain"}',
        'POST /x\nContent-Type: application/json\n| {}\n< 201\n< {"body": "{}", "media": "application/json"}',
        'POST /x\nContent-Type: none\n| a\n< 201\n< {"body": "a", "media": null}',
        'POST /x\n> a/b.csv text/csv\n| 1,2\n> c.txt\n< 201\n< {"body": "*\\"a/b.csv\\"*1,2*c.txt*"}',
        'PUT /with%20space\n< 201\n< {"path": "/with space",\n<  "method": "PUT"}',
        'GET /x\n< 201\n< {"entries": ["...", {"name": "b"}, "..."]}',
        'GET /x\n< 201\n< {"entries": [{"id": 1}, {"id": 2}, {"name": "c"}]}',
        'GET /x\n< 201\n< {"entries": [{"id": "${id}"}, "..."]}\nGET /text/${id}\n< 200\n<| 1',
        "GET /x\n< 201\n< Location: /runs/$RUN\nGET /text/$RUN\n< 200\n<| 11*-0f3c\n<~ $RUN",
        'GET /x\n< 201\n< Location: /runs/$TOKEN\nas $TOKEN\nGET /x\n< 201\n< {"who": "Bearer 1121-0f3c"}',
        "GET /text/a~b~\n< 200 text\n< X-NVM-Type: file\n< !X-NVM-Default\n<| a\n<| b\n<|\n<~ a\n<!~ c",
        "GET /text/0*a\n< 200\n<| 0\\**",
        "GET /empty\n< 204\n< nothing",
        "await GET /counted\n< 200",
        "meanwhile GET /counted\n< 503\nGET /x\n< 201",
    ],
)
def test_what_is_expected_is_found(played: Played, conversation: str) -> None:
    played(f"## example\n{conversation}\n")


def test_what_is_no_request_is_arranged(played: Played) -> None:
    service = played(
        """## example
image alice/upper COPY= ECHO="two words"
push alice/count
> a/main.py
| print()
later 31 days
"""
    )
    assert service.arranged == [
        ("image", "alice/upper", "COPY=", "ECHO=two words"),
        ("push", "alice/count", ("a/main.py", ("print()",))),
        ("later", "31", "days"),
    ]


@pytest.mark.parametrize(
    "conversation, complaint",
    [
        ("GET /x\n< 200", "status 201, expected 200"),
        ("GET /x\n< 201 text", "media type application/json, expected text"),
        ("GET /x\n< 201\n< X-Odd: a", "header X-Odd: None, expected 'a'"),
        ("GET /x\n< 201\n< !Location", "a header Location, expected none"),
        ("GET /x\n< 201\n< nothing", "a body, expected none"),
        ('GET /x\n< 201\n< {"method": "PUT"}', "body.method: 'GET', expected 'PUT'"),
        ('GET /x\n< 201\n< {"colour": 1}', "body has no member 'colour'"),
        ('GET /x\n< 201\n< {"media": ""}', "body.media: None, expected ''"),
        ('GET /x\n< 201\n< {"entries": [{"id": 1}]}', "body.entries has 3 elements, expected 1"),
        ('GET /x\n< 201\n< {"entries": ["...", {"id": 4}]}', "body.entries has no element"),
        ('GET /x\n< 201\n< {"entries": [{"id": true}, "..."]}', "body.entries has no element"),
        ('GET /text/a\n< 200\n< {"a": 1}', "the body is not JSON"),
        ("GET /text/a~\n< 200\n<| a", "body: 'a\\n', expected 'a'"),
        ("GET /text/abc\n< 200\n<~ d", "expected '*d*'"),
        ("GET /text/abc\n< 200\n<!~ b", "the body holds 'b'"),
        ("GET /text/abc\n< 200\n<| a\\*c", "body: 'abc'"),
        ("GET /text/${id}\n< 200", "nothing was kept as id"),
        ("meanwhile GET /x\n< 200", "status 201, expected 200"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(played: Played, conversation: str, complaint: str) -> None:
    with pytest.raises(Mismatch) as caught:
        played(f"\n## example\n{conversation}\n")
    assert str(caught.value).startswith("example.txt:3: ")
    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    "text, complaint",
    [
        ("## a\nTAKE /x\n", "example.txt:2: neither a speaker nor a request: TAKE /x"),
        ("## a\nGET /x\n", "example.txt:2: a request without an expected status"),
        ("## a\nGET /x\n< 200\n< maybe\n", "example.txt:4: not an expectation"),
        ("## a\nGET /x\n< 200\n< {\n", "example.txt:4: JSON that does not end"),
        ("## a\n## a\n", "example.txt:2: a second scenario of this name"),
    ],
)
def test_a_line_out_of_form_is_refused(played: Played, text: str, complaint: str) -> None:
    with pytest.raises(Unreadable) as caught:
        played(text)
    assert complaint in str(caught.value)
