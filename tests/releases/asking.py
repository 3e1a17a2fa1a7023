"""A client of a server of any release: it says what is to be stored, and reads all that there is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

ROOTS = {
    "alice": ("users/alice", "users/bob", "admin", "i"),
    "bob": ("users/alice", "users/bob", "admin"),
    "acme": ("users/acme", "admin"),
}
LONGEST = 1_000
PASSING = {"quota", "tokens"}
"""Folders whose content passes with time, or with each request."""
DECLARED = {"uri", "actions"}


class Answer(NamedTuple):
    """The answer to a GET: status, media type, and the body, or the digest of a long one or of bytes."""

    status: int
    media: str
    body: str


class Client:
    """Requests of some accounts, by their tokens."""

    def __init__(self, origin: str, tokens: dict[str, str]) -> None:
        self.origin = origin
        self.tokens = tokens
        self.refused: list[str] = []

    def say(self, who: str, verb: str, path: str, body: str | bytes | None) -> None:
        """Say something; that it is refused is noted."""
        sent = body.encode() if isinstance(body, str) else body or b""
        media = media_of(body) if isinstance(body, bytes) else "text/plain"
        self._note(who, verb, path, sent, media)

    def trigger(self, who: str, path: str, content: str) -> None:
        """Send a file to a job; it is answered when the run ended, whatever its end."""
        head = 'Content-Disposition: form-data; name="file"; filename="words.txt"'
        sent = f"--b\r\n{head}\r\nContent-Type: text/plain\r\n\r\n{content}\r\n--b--\r\n"
        self._note(who, "POST", path, sent.encode(), "multipart/form-data; boundary=b")

    def _note(self, who: str, verb: str, path: str, sent: bytes, media: str) -> None:
        answer, _ = self._ask(who, verb, path, sent, media)
        if answer.status >= 500:
            raise AssertionError(f"{verb} {path}: {answer}")
        if answer.status >= 400:
            self.refused.append(f"{who} {verb} {path}: {answer.status}")

    def text(self, who: str, path: str) -> str:
        """A small text."""
        return self._ask(who, "GET", path)[0].body.strip()

    def listing(self, who: str, path: str) -> Sequence[dict[str, Any]] | None:
        """The entries of a folder; None if it is not one."""
        answer, is_folder = self._ask(who, "GET", path)
        if not is_folder or answer.status != 200:
            return None
        found = json.loads(answer.body)
        return found if isinstance(found, list) and all("name" in entry for entry in found) else None

    def answers(self) -> Iterator[tuple[str, str, Answer]]:
        """What each account is answered in each place that it finds: account, path and answer."""
        for who, roots in ROOTS.items():
            waiting = list(reversed(roots))
            while waiting:
                path = waiting.pop()
                answer, is_folder = self._ask(who, "GET", path)
                if answer.status != 200 or answer.body:
                    yield who, path, _kept(answer, is_folder)
                if is_folder and answer.status == 200:
                    names = [entry["name"] for entry in json.loads(answer.body) if "name" in entry]
                    waiting += [f"{path}/{name}" for name in reversed(names) if name not in PASSING]

    def answer(self, who: str, path: str) -> Answer:
        """The answer in one place."""
        return _kept(*self._ask(who, "GET", path))

    def _ask(
        self, who: str, verb: str, path: str, body: bytes = b"", media: str = "text/plain"
    ) -> tuple[Answer, bool]:
        request = Request(
            f"{self.origin}/v1/{quote(path, safe='/@+~')}", body if verb != "GET" else None, method=verb
        )
        request.add_header("Authorization", f"Bearer {self.tokens[who]}")
        request.add_header("Accept", "application/json, text/plain;q=0.9, */*;q=0.1")
        if verb != "GET":
            request.add_header("Content-Type", media)
        try:
            with urlopen(request, timeout=120) as found:
                return _read(found.status, found)
        except HTTPError as error:
            with error:
                return _read(error.code, error)


def media_of(content: bytes) -> str:
    """The media type of a picture, or of other bytes."""
    return "image/png" if content.startswith(b"\x89PNG") else "application/octet-stream"


def _read(status: int, found: Any) -> tuple[Answer, bool]:
    content = found.read()
    media = (found.headers.get("Content-Type") or "").partition(";")[0]
    try:
        body = content.decode()
    except UnicodeDecodeError:
        body = _digest(content)
    return Answer(status, media, body), found.headers.get("X-NVM-Type") == "dir"


def _kept(answer: Answer, is_folder: bool) -> Answer:
    """The answer as it is compared.

    Of refusals the status alone, entries without what is declared of them, long texts by their digest.
    """
    if answer.status != 200:
        return Answer(answer.status, "", "")
    if is_folder:
        entries = [
            {key: value for key, value in entry.items() if key not in DECLARED}
            for entry in json.loads(answer.body)
        ]
        return answer._replace(body=json.dumps(entries, ensure_ascii=False))
    return answer if len(answer.body) <= LONGEST else answer._replace(body=_digest(answer.body.encode()))


def _digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"
