"""Plays transcripts against a service and says where the answer was not the expected one."""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Protocol

from tests.kit.client import Answer
from tests.wire.transcript import Expected, Part, Request, Scenario, Setting, Speaker

PATIENCE = 60.0
PAUSE = 0.01
BOUNDARY = "part-of-a-transcript"
MEDIA = {"text": "text/plain", "json": "application/json", "problem": "application/problem+json"}
PIECE = re.compile(r"(\$\{\w+\}|\$[A-Z][A-Z0-9_]*|\\?\*)")
ANYTHING = {"*": ".*", r"\*": r"\*"}
CAPTURE = re.compile(r"\$\{(\w+)\}|\$([A-Z][A-Z0-9_]*)")


class Service(Protocol):
    """What a transcript is played against."""

    def call(self, method: str, path: str, headers: Sequence[tuple[str, str]], body: bytes) -> Answer:
        """Send a request; `path` goes out as it is written, the query string included."""
        ...

    def user(self, name: str, *traits: str) -> str:
        """The token of an account, made with these traits when it is not there yet."""
        ...

    def password(self, name: str) -> str:
        """The password of an account made by `user`."""
        ...

    def arrange(self, word: str, arguments: Sequence[str], files: Sequence[Part]) -> None:
        """Bring about what a line of the transcript says without a request."""
        ...


class Mismatch(AssertionError):
    """The answer was not the expected one."""


def play(scenario: Scenario, service: Service) -> None:
    """Play all steps in order; stop at the first that goes wrong."""
    player = _Player(service)
    with ThreadPoolExecutor() as beside:
        begun = []
        for step in scenario.steps:
            if isinstance(step, Setting):
                service.arrange(step.word, step.arguments, step.parts)
            elif isinstance(step, Speaker):
                player.speak(step)
            elif step.beside:
                with _located(scenario, step):
                    begun.append((step, beside.submit(player.begin(step))))
            else:
                with _located(scenario, step):
                    player.ask(step)
        for step, answer in begun:
            with _located(scenario, step):
                player.check(step, answer.result(PATIENCE))


@contextmanager
def _located(scenario: Scenario, step: Request) -> Iterator[None]:
    """Tell where in the transcript a mismatch was met."""
    try:
        yield
    except Mismatch as mismatch:
        raise Mismatch(f"{scenario.file}:{step.line}: {mismatch}") from None


class _Player:
    def __init__(self, service: Service) -> None:
        self._service = service
        self._credential: str | None = None
        self._kept: dict[str, str] = {}

    def speak(self, step: Speaker) -> None:
        if step.name == "nobody":
            self._credential = None
        elif step.by_password:
            self._service.user(step.name)
            pair = f"{step.name}:{self._service.password(step.name)}"
            self._credential = "Basic " + base64.b64encode(pair.encode()).decode()
        else:
            token = self._filled(step.name) if step.name.startswith("$") else self._service.user(step.name)
            self._credential = f"Bearer {token}"

    def begin(self, request: Request) -> Callable[[], Answer]:
        """The request, ready to be sent by anyone who calls."""
        headers, body = self._sent(request)
        path = self._filled(request.path)
        return lambda: self._service.call(request.method, path, headers, body)

    def ask(self, request: Request) -> None:
        send = self.begin(request)
        deadline = time.monotonic() + (PATIENCE if request.patient else 0)
        while True:
            kept = dict(self._kept)
            try:
                self.check(request, send())
                return
            except Mismatch:
                self._kept = kept
                if time.monotonic() >= deadline:
                    raise
            time.sleep(PAUSE)

    def check(self, request: Request, answer: Answer) -> None:
        try:
            self._check(request.expected, answer)
        except Mismatch as mismatch:
            raise Mismatch(f"{mismatch}\n{_shown(request, answer)}") from None

    def _sent(self, request: Request) -> tuple[list[tuple[str, str]], bytes]:
        headers = [(name, self._filled(value)) for name, value in request.headers]
        names = {name.lower() for name, _ in headers}
        if self._credential and "authorization" not in names:
            headers.append(("Authorization", self._credential))
        body = self._filled("\n".join(request.body)).encode()
        media = "text/plain" if request.body else ""
        if request.parts:
            body = b"".join(self._part(part.name, part.media, part.lines) for part in request.parts)
            body += f"--{BOUNDARY}--\r\n".encode()
            media = f"multipart/form-data; boundary={BOUNDARY}"
        if media and "content-type" not in names:
            headers.append(("Content-Type", media))
        return [pair for pair in headers if pair != ("Content-Type", "none")], body

    def _part(self, name: str, media: str, lines: Sequence[str]) -> bytes:
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
        kind = f"Content-Type: {media}\r\n" if media else ""
        return (head + kind + "\r\n" + self._filled("\n".join(lines)) + "\r\n").encode()

    def _filled(self, text: str) -> str:
        def value(match: re.Match[str]) -> str:
            name = match[1] or match[2]
            if name not in self._kept:
                raise Mismatch(f"nothing was kept as {name}")
            return self._kept[name]

        return CAPTURE.sub(value, text)

    def _check(self, expected: Expected, answer: Answer) -> None:
        if answer.status != expected.status:
            raise Mismatch(f"status {answer.status}, expected {expected.status}")
        media = answer.headers.get("content-type", "").partition(";")[0]
        if expected.media and media != MEDIA.get(expected.media, expected.media):
            raise Mismatch(f"media type {media or 'none'}, expected {expected.media}")
        for name, value in expected.headers:
            self._match(value, answer.headers.get(name.lower()), f"header {name}")
        for name in expected.absent:
            if name.lower() in answer.headers:
                raise Mismatch(f"a header {name}, expected none")
        self._check_body(expected, answer)

    def _check_body(self, expected: Expected, answer: Answer) -> None:
        if expected.nothing and answer.body:
            raise Mismatch("a body, expected none")
        if expected.json is not None:
            try:
                found = json.loads(answer.body)
            except ValueError:
                raise Mismatch("the body is not JSON") from None
            self._match(expected.json, found, "body")
        text = answer.body.decode("utf-8", "replace")
        if expected.text:
            self._match("\n".join(expected.text), text, "body")
        for words in expected.holds:
            self._match(f"*{words}*", text, "body")
        for words in expected.lacks:
            if self._filled(words) in text:
                raise Mismatch(f"the body holds {words!r}")

    def _match(self, expected: Any, found: Any, where: str) -> None:
        """Compare, and keep what is captured. Objects may hold more members than are expected."""
        if isinstance(expected, str) and not isinstance(found, dict | list | None):
            self._match_text(expected, found if isinstance(found, str) else json.dumps(found), where)
        elif isinstance(expected, dict) and isinstance(found, dict):
            for key, value in expected.items():
                if key not in found:
                    raise Mismatch(f"{where} has no member {key!r}")
                self._match(value, found[key], f"{where}.{key}")
        elif isinstance(expected, list) and isinstance(found, list):
            self._match_list(expected, found, where)
        elif expected != found or type(expected) is not type(found):
            raise Mismatch(f"{where}: {found!r}, expected {expected!r}")

    def _match_text(self, expected: str, found: str, where: str) -> None:
        pattern, fresh = "", []
        for piece in PIECE.split(expected):
            name = piece.strip("${}") if CAPTURE.fullmatch(piece) else ""
            if name and name not in self._kept and name not in fresh:
                fresh.append(name)
                pattern += f"(?P<{name}>.+?)"
            elif name in fresh:
                pattern += f"(?P={name})"
            else:
                pattern += ANYTHING.get(piece) or re.escape(self._filled(piece))
        match = re.fullmatch(pattern, found, re.DOTALL)
        if not match:
            raise Mismatch(f"{where}: {found!r}, expected {expected!r}")
        self._kept.update(match.groupdict())

    def _match_list(self, expected: list[Any], found: list[Any], where: str) -> None:
        loose = "..." in expected
        wanted = [value for value in expected if value != "..."]
        if not loose and len(wanted) != len(found):
            raise Mismatch(f"{where} has {len(found)} elements, expected {len(wanted)}")
        rest = iter(enumerate(found))
        for value in wanted:
            self._match_next(value, rest, where, loose)

    def _match_next(self, value: Any, rest: Any, where: str, loose: bool) -> None:
        for index, element in rest:
            try:
                self._match(value, element, f"{where}[{index}]")
                return
            except Mismatch:
                if not loose:
                    raise
        raise Mismatch(f"{where} has no element {json.dumps(value)}")


def _shown(request: Request, answer: Answer) -> str:
    headers = "".join(f"  {name}: {value}\n" for name, value in answer.headers.items())
    body = answer.body[:2000].decode("utf-8", "backslashreplace")
    return f"{request.method} {request.path}\n  {answer.status}\n{headers}\n{body}"
