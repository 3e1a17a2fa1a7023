"""The session cookie: set by a login, taken away by a logout or when its session is dead."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from http import HTTPStatus
from typing import Any

from handlers.http.negotiation import accept_face
from handlers.http.problems import indented_json
from handlers.http.request_head import RequestHead
from handlers.http.response import JSON, PLAIN, Answer
from handlers.http.welcome import welcome
from handlers.identity.identify import COOKIE, cookie_name
from handlers.services.hints import hints_of
from handlers.services.world import World
from vfs.access import Verb
from vfs.call import Call, Data, Form, Reply
from vfs.path import Path

SESSION_SECONDS = 30 * 24 * 3600

_LOGIN, _LOGOUT = Path(("v1", "auth")), Path(("v1", "logout"))


class CountedPieces:
    """Pieces being sent; `ended` is given their size when all are sent or the client is gone."""

    def __init__(self, pieces: Iterable[bytes], ended: Callable[[int], object]) -> None:
        self._pieces = pieces
        self._ended: Callable[[int], object] | None = ended
        self._size = 0

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            self._size += len(piece)
            yield piece

    def close(self) -> None:
        ended, self._ended = self._ended, None
        try:
            if hasattr(self._pieces, "close"):
                self._pieces.close()
        finally:
            if ended is not None:
                ended(self._size)


def session_cookie(answer: Answer, call: Call[World], reply: Reply) -> None:
    """Let a browser keep the session of a login, and forget that of a logout (decisions 17)."""
    if call.verb is not Verb.WRITE or call.path not in (_LOGIN, _LOGOUT):
        return
    if call.path == _LOGOUT:
        forget_session(answer, hints_of(call).origin)
    elif isinstance(reply.value, Data):
        _set_session(answer, hints_of(call).origin, reply.value.value["token"], SESSION_SECONDS)


def forget_dead_session(answer: Answer, head: RequestHead) -> None:
    """Take a dead session from the browser, which could not sign in again while it sends it."""
    if COOKIE in head.environ.get("HTTP_COOKIE", ""):
        forget_session(answer, head.origin or "")


def forget_session(answer: Answer, origin: str) -> None:
    """Take a session from the browser."""
    _set_session(answer, origin, "", 0)


def _set_session(answer: Answer, origin: str, token: str, seconds: int) -> None:
    secure = "; Secure" if origin.startswith("https:") else ""
    cookie = f"{cookie_name(origin)}={token}"
    answer.add("Set-Cookie", f"{cookie}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}")


def health_answer(head: RequestHead, found: Mapping[str, Any]) -> Answer:
    """The answer of a health check: its JSON, or its status as one word; a warning is still 200."""
    well = found["status"] != "fail"
    answer = Answer(HTTPStatus.OK if well else HTTPStatus.SERVICE_UNAVAILABLE)
    if accept_face(head.environ.get("HTTP_ACCEPT")).form is Form.DATA:
        answer.body = indented_json(found)
        answer.add("Content-Type", JSON)
    else:
        answer.body = f"{found['status']}\n".encode()
        answer.add("Content-Type", PLAIN)
    return answer


def welcome_answer(head: RequestHead) -> Answer:
    """The answer of the root to curl."""
    answer = Answer(HTTPStatus.OK, body=welcome(head.origin or "").encode())
    answer.add("Content-Type", PLAIN)
    return answer
