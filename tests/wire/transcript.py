r"""Transcripts: conversations with the service as text, read into scenarios.

A file holds scenarios, each begun by `## name`; what stands before the first is played before each of them.

    # a comment
    user acme organisation public       an account, with its traits, `verified` among them
    image alice/upper COPY=shouted      a repo with an image; what its steps do is described in chains/fake.py
    push alice/count                    a commit on a repo's main branch, of the `>` files below; it is built
    share job alice/nightly @bob rx     a share, given without a request
    group @carol~team +acme +acme~sales groups, each founded by the user or organisation that it names
    member +acme~sales bob admins       a user's role in a group, given without a request; or `… pending`
    dispatch 550                        mails that are due go to a relay that answers so
    receive sales@acme.mail.example bob@birds.example 192.0.2.1
                                        a mail to a group, from an address and a server;
                                        192.0.2.1 is one of anyone who sends
    later 31 days                       the time of the service moves on
    as alice                            who asks from here on; or `nobody`, `$TOKEN`, `alice by password`
    PUT /v1/code/jobs/nightly           a request; `await GET …` asks again until the answer is as expected,
                                        `meanwhile POST …` awaits its answer at the scenario's end
    Accept: application/json            its headers; `Content-Type: none` sends a body without a type
    | some text                         its body, a line each; text/plain unless a header names another type
    > data/input.csv text/csv           a file of a multipart body; the `|` lines after it are its content
    < 200 json                          the status, and the media type: text, json, problem, or in full
    < X-NVM-Type: dir                   a header of the answer; `< !X-NVM-Default` has none
    < {"name": "x", "id": "${id}"}      JSON that the body holds at least; may go on in further `<` lines
    <| exact                            the body as text, line by line; a last `<|` stands for a final newline
    <~ words                            words that the body holds; `<!~ words` it does not
    < nothing                           an empty body

In what is expected `*` stands for any text (`\*` for itself), and `"..."` anywhere in an array lets further
elements stand between those that are named. `${name}` keeps what is found there the first time and afterwards
stands for it, in requests too; `$NAME` is the same.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
SETTINGS = (
    "user",
    "image",
    "push",
    "share",
    "group",
    "member",
    "second-factor",
    "dispatch",
    "receive",
    "later",
)
REQUEST = re.compile(rf"^(?:(await|meanwhile) )?({'|'.join(METHODS)}) ([/$]\S*)$")
HEADER = re.compile(r"^([A-Za-z][A-Za-z0-9-]*): ?(.*)$")
STATUS = re.compile(r"^(\d{3})(?: (\S+))?$")


@dataclass(frozen=True, slots=True)
class Speaker:
    """`as NAME [by password]`"""

    line: int
    name: str
    by_password: bool


@dataclass(frozen=True, slots=True)
class Part:
    """A file of a multipart body."""

    name: str
    media: str
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Setting:
    """A word of SETTINGS: what is arranged without a request."""

    line: int
    word: str
    arguments: tuple[str, ...]
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Expected:
    """What the answer must be."""

    status: int = 0
    media: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    absent: tuple[str, ...] = ()
    json: Any = None
    text: tuple[str, ...] = ()
    holds: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    nothing: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """One request and what is expected of its answer."""

    line: int
    method: str
    path: str
    patient: bool = False
    beside: bool = False
    headers: tuple[tuple[str, str], ...] = ()
    body: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    expected: Expected = field(default_factory=Expected)


Step = Setting | Speaker | Request


@dataclass(frozen=True, slots=True)
class Scenario:
    """A named conversation, the file's preface included."""

    file: str
    name: str
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return f"{self.file}::{self.name}"


class Unreadable(Exception):
    """A line that is not of the format."""


def scenarios(file: Path) -> list[Scenario]:
    """The scenarios of a transcript, in order. Raises Unreadable with the file and the line."""
    preface: list[Step] = []
    found: dict[str, list[Step]] = {}
    steps = preface
    lines = Lines(file)
    for line in lines:
        if line.startswith("## "):
            if line[3:] in found:
                raise lines.unreadable("a second scenario of this name")
            steps = found[line[3:]] = []
        elif line and not line.startswith("#"):
            steps.append(lines.step(line))
    return [Scenario(file.name, name, (*preface, *steps)) for name, steps in found.items()]


class Lines:
    """The lines of a transcript with a place among them."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lines = [line.rstrip() for line in file.read_text(encoding="utf-8").splitlines()]
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        while self.number < len(self._lines):
            self.number += 1
            yield self._lines[self.number - 1]

    def unreadable(self, why: str) -> Unreadable:
        """The error for the line that was read last."""
        return Unreadable(f"{self._file.name}:{self.number}: {why}: {self._lines[self.number - 1]}")

    def step(self, line: str) -> Step:
        """The step that begins with this line, with the lines that belong to it."""
        words = line.split()
        if words[0] in SETTINGS and len(words) > 1:
            return Setting(self.number, words[0], tuple(shlex.split(line)[1:]), self._parts())
        if words[0] == "as" and words[2:] in ([], ["by", "password"]):
            return Speaker(self.number, words[1], bool(words[2:]))
        if match := REQUEST.match(line):
            manner = {"patient": match[1] == "await", "beside": match[1] == "meanwhile"}
            return self._request(Request(self.number, match[2], match[3], **manner))
        raise self.unreadable("neither a speaker nor a request")

    def _next(self, *starts: str) -> str | None:
        """The next line, when it begins with one of these (or, asked for nothing, is a header)."""
        if self.number == len(self._lines):
            return None
        line = self._lines[self.number]
        if line.startswith(starts) if starts else HEADER.match(line):
            self.number += 1
            return line
        return None

    def _request(self, request: Request) -> Request:
        headers: list[tuple[str, str]] = []
        while (line := self._next()) is not None:
            name, _, value = line.partition(":")
            headers.append((name, value.strip()))
        body = self._body()
        parts = self._parts()
        expected = Expected()
        while line := self._next("<"):
            expected = self._expect(expected, line)
        if not expected.status:
            raise self.unreadable("a request without an expected status before this line")
        return replace(request, headers=tuple(headers), body=body, parts=parts, expected=expected)

    def _body(self) -> tuple[str, ...]:
        lines = []
        while line := self._next("|"):
            lines.append(line[2:])
        return tuple(lines)

    def _parts(self) -> tuple[Part, ...]:
        parts = []
        while line := self._next("> "):
            name, _, media = line[2:].partition(" ")
            parts.append(Part(name, media, self._body()))
        return tuple(parts)

    def _expect(self, so_far: Expected, line: str) -> Expected:
        for start, key in (("<| ", "text"), ("<~ ", "holds"), ("<!~ ", "lacks")):
            if f"{line} ".startswith(start):
                return replace(so_far, **{key: (*getattr(so_far, key), line[len(start) :])})
        said = line[2:]
        if match := STATUS.match(said):
            return replace(so_far, status=int(match[1]), media=match[2] or "")
        if said == "nothing":
            return replace(so_far, nothing=True)
        if said.startswith(("{", "[")):
            return replace(so_far, json=self._json(said))
        if said.startswith("!"):
            return replace(so_far, absent=(*so_far.absent, said[1:]))
        if match := HEADER.match(said):
            return replace(so_far, headers=(*so_far.headers, (match[1], match[2])))
        raise self.unreadable("not an expectation")

    def _json(self, text: str) -> Any:
        while True:
            try:
                return json.loads(text)
            except ValueError:
                line = self._next("< ")
                if line is None:
                    raise self.unreadable("JSON that does not end") from None
                text += "\n" + line[2:]
