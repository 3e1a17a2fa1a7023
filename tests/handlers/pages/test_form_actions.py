"""Refusals of the forms of a job and of a run, and files of every kind beside a hold."""

from __future__ import annotations

import re
from html import unescape

import pytest

from tests.handlers.pages.web_user import Owner
from tests.handlers.pages.wire import Wire

BOUNDARY = "multipart/form-data; boundary=xx"


def multipart(fields: dict[str, str], **files: bytes) -> bytes:
    """Return a form with files, encoded as by a browser."""
    parts = [
        f'--xx\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}\r\n'.encode()
        for name, text in fields.items()
    ]
    parts += [
        f'--xx\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode()
        + raw
        + b"\r\n"
        for name, raw in files.items()
    ]
    return b"".join(parts) + b"--xx--\r\n"


@pytest.fixture
def held(owner: Owner) -> str:
    """The path of the page of a run that waits with a file in a folder."""
    owner.image("first", "WRITE=sub/draft.txt=draft")
    owner.image("then", "COPY=SENT")
    page = owner.job("letter", "first -> !then").removeprefix(owner.server.origin)
    return f"{page}/{owner.trigger('letter')}"


def send(wire: Wire, page: str, fields: dict[str, str], **files: bytes) -> tuple[int, str]:
    """Return the status and the body of the response to a form."""
    body = multipart({"token": wire.token(page), **fields}, **files)
    answer = wire.ask("POST", page, body, Origin=wire.origin, Content_Type=BOUNDARY)
    return answer.status, answer.body


def test_line_ends_of_a_file_are_kept_as_they_were(wire: Wire, owner: Owner, held: str) -> None:
    files = f"{held}/hold"
    assert send(wire, files, {"do": "upload"}, **{"dos.txt": b"a\r\nb\r\n", "unix.txt": b"a\nb\n"})[0] == 303
    for name in ("dos.txt", "unix.txt"):
        editor = wire.ask("GET", f"{files}/{name}?edit=yes").body
        etag = re.search(r'name="etag.file" value="([^"]*)"', editor)
        assert etag is not None
        fields = {"text.file": "c\r\nd\r\n", "base.file": "a\r\nb\r\n", "etag.file": unescape(etag[1])}
        assert send(wire, f"{files}/{name}?edit=yes", {"do": "save", **fields})[0] == 303
    space = f"spaces/letter-{held.rsplit('/', 1)[1]}-then-before/content"
    sizes = {row["name"]: row["size"] for row in owner.read(space) if row["type"] == "file"}
    assert sizes == {"dos.txt": 6, "unix.txt": 4}


@pytest.mark.parametrize(
    "fields, said",
    [
        ({"do": "move", "f:sub": "yes", "to": "../x"}, "name"),
        ({"do": "delete"}, "choose"),
        ({"do": "upload"}, "choose"),
        ({"do": "dance"}, "this form is out of date"),
    ],
)
def test_an_impossible_action_on_a_hold_is_refused_with_a_reason(
    wire: Wire, held: str, fields: dict[str, str], said: str
) -> None:
    answered, page = send(wire, f"{held}/hold", fields)
    assert answered == 400
    assert said in page


def test_files_of_a_run_that_went_on_are_not_changed(wire: Wire, owner: Owner, held: str) -> None:
    token = wire.token(f"{held}/hold")
    owner.write(f"jobs/letter/runs/{held.rsplit('/', 1)[1]}/hold", "decline")
    answer = wire.post(f"{held}/hold", token=token, do="delete", **{"f:sub": "yes"})
    assert answer.status in (400, 404)
    assert "wait" in answer.body


def test_a_form_that_lacks_an_input_is_refused_with_a_reason(wire: Wire, owner: Owner) -> None:
    owner.image("same", "COPY=")
    options = {f"config__options__{name}": word for name, word in (("stdin", "yes"), ("input", "optional"))}
    page = owner.job("ask", "same", **options).removeprefix(owner.server.origin)
    status, said = send(wire, page, {"do": "run"})
    assert (status, "this job needs stdin" in said) == (400, True)
    status, said = send(wire, page, {"do": "run", "stdin": "x"}, **{"input.json": b"{}"})
    assert (status, "rename it" in said) == (400, True)
    assert owner.read("jobs/ask/runs") == []
    status, said = send(wire, page, {"do": "run", "stdin": "a\r\nb"}, **{"more.txt": b"more"})
    assert status == 303
    run = owner.read("jobs/ask/runs")[0]["name"]
    names = [one["name"] for one in owner.read(f"jobs/ask/runs/{run}/files")["input"]["files"]]
    assert names == ["input.json", "more.txt"]


def test_a_job_without_a_chain_says_so(wire: Wire, owner: Owner) -> None:
    page = owner.job("bare").removeprefix(owner.server.origin)
    status, said = send(wire, page, {"do": "run"})
    assert (status, "no chain yet" in said) == (409, True)
