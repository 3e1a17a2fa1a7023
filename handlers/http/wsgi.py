"""The HTTP edge: a request becomes a call of the kernel, and its reply an answer."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from types import MappingProxyType
from typing import Any

import falcon

from handlers.http.access_log import AccessLog
from handlers.http.body import body_of
from handlers.http.conditions import expectation
from handlers.http.cors import admit, is_preflight, preflight
from handlers.http.headers import common_headers, merge
from handlers.http.health import Check, summary
from handlers.http.long_calls import Open, Slots, stay
from handlers.http.negotiation import eventful, preferences, wanted
from handlers.http.problems import broken, refusal, unknown_method
from handlers.http.request_head import Asked, Front, asked, query, raw_path
from handlers.http.response import Answer, answered, tags
from handlers.http.session_cookie import Sent, forget_dead_session, health, session_cookie, welcomed
from handlers.identity.identify import Identifies
from handlers.services.world import World
from vfs.access import Caller, Verb
from vfs.errors import Invalid, NotFound, Unauthenticated, Unsupported, VfsError
from vfs.path import Path
from vfs.place import Call, Reply

log = logging.getLogger("curlew")

VERBS: Mapping[str, Verb | None] = {
    "GET": Verb.READ,
    "HEAD": Verb.READ,
    "POST": Verb.WRITE,
    "PUT": Verb.CREATE,
    "PATCH": Verb.RENAME,
    "DELETE": Verb.REMOVE,
    "OPTIONS": None,
}
_LINES = {status: f"{status.value} {status.phrase}" for status in HTTPStatus}
ANYWHERE = Front()

Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class App:
    """The WSGI application. `slow` tells the calls that stay open for long: at most `slots` of them in a
    process, so that the others never wait for a thread. `git` is the application behind `/git/`; `pages`
    are read outside of the API, `site` answers all other paths there (None: not this one), `astray` errors.

    A Stream is sent after the session of its request has ended; one that goes on has `admit` ask whether its
    call is still good, and is woken by `wake` when the process stops.
    """

    def __init__(  # noqa: PLR0913
        self,
        serve: Callable[[Call[World]], Reply],
        world: World,
        identify: Identifies,
        access: AccessLog,
        *,
        ready: Callable[[], Mapping[str, Check]] = dict,
        slow: Callable[[Call[World]], bool] = lambda call: False,
        slots: int = 56,
        front: Front = ANYWHERE,
        git: Wsgi | None = None,
        pages: Mapping[Path, Callable[[Asked], Answer]] = MappingProxyType({}),
        site: Callable[[Asked, Path], Answer | None] = lambda ask, path: None,
        astray: Callable[[VfsError, Asked], Answer] = refusal,
        admit: Callable[[Call[World]], object] = lambda call: None,
        wake: Callable[[], object] = lambda: None,
    ) -> None:
        self._serve = serve
        self._world = world
        self._identify = identify
        self._access = access
        self._ready = ready
        self._slots = Slots(slow, slots)
        self._admit = admit
        self._wake = wake
        self._stopping = threading.Event()
        self._front = front
        self._git = git
        self._site = site
        self._astray = astray
        self._own = {
            **pages,
            Path(): welcomed,
            Path(("healthz",)): self._healthz,
            Path(("readyz",)): self._readyz,
        }
        self._falcon = falcon.App()
        self._falcon.add_sink(self._sink, r"")
        self._falcon.add_error_handler((Exception, falcon.HTTPError), self._unroutable)

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if self._git is not None and raw_path(environ).startswith("/git/"):
            return self._mounted(self._git, environ, start_response)
        return self._falcon(environ, start_response)

    def stop(self) -> None:
        """The process is to end: let streams end, while all other answers are completed."""
        self._stopping.set()
        self._wake()

    def _sink(self, req: falcon.Request, resp: falcon.Response, **_: Any) -> None:
        ask = asked(req.env, self._front)
        self._send(ask, self._answer(ask, req), resp)

    def _unroutable(self, req: falcon.Request, resp: falcon.Response, error: Exception, params: Any) -> None:
        """Answer what Falcon itself refuses, methods of other protocols, and what failed on its way out."""
        ask = asked(req.env, self._front)
        refused = isinstance(error, falcon.HTTPError)
        if not refused:
            log.error("request %s failed: %s %s", ask.id, ask.method, ask.instance, exc_info=error)
        self._send(ask, unknown_method(ask) if refused else broken(ask), resp)

    def _answer(self, ask: Asked, req: falcon.Request) -> Answer:
        try:
            if is_preflight(ask):
                return preflight(ask, self._front)
            if ask.method not in VERBS:
                return unknown_method(ask)
            path = Path.parse(ask.raw)
            if path and path[0] == "v1":
                return self._kernel(ask, path, req)
            if (page := self._site(ask, path)) is not None:
                return page
            if path in self._own:
                return self._outside(ask, self._own[path])
            raise NotFound(f"there is no {path}: the service's files are below /v1, its welcome at /")
        except VfsError as error:
            return self._astray(error, ask)
        except Exception:
            log.exception("request %s failed: %s %s", ask.id, ask.method, ask.instance)
            return broken(ask)

    def _kernel(self, ask: Asked, path: Path, req: falcon.Request) -> Answer:
        verb = VERBS[ask.method]
        if ask.origin is None:
            raise Invalid("the Host header is malformed")
        with self._world.session():
            try:
                caller = self._caller(ask, verb, path)
            except Unauthenticated as error:
                answer = refusal(error, ask)
                forget_dead_session(answer, ask)
                return answer
            ask.user = caller.name
            call = self._call(ask, verb, path, caller, req)
            leave = self._slots.enter(call)
            try:
                reply = self._serve(call)
                want = wanted(ask.environ.get("HTTP_ACCEPT"))
                answer = answered(reply, call, ask.environ, self._world.blobs, by_name=want.named)
                session_cookie(answer, call, reply)
                if answer.pieces is not None:
                    answer.pieces = Sent(answer.pieces, _after(leave))
                    leave = stay
                return answer
            finally:
                leave()

    def _call(
        self, ask: Asked, verb: Verb | None, path: Path, caller: Caller, req: falcon.Request
    ) -> Call[World]:
        environ = ask.environ
        call = Call(
            verb,
            path,
            caller,
            self._world,
            body_of(environ),
            id=ask.id,
            want=wanted(environ.get("HTTP_ACCEPT")).form,
            history=environ.get("HTTP_X_HISTORY", "").strip().lower() == "list",
            folder=ask.raw.endswith("/"),
            expect=None if verb in (Verb.READ, None) else expectation(environ, tags),
            query=query(req.params),
            prefer=preferences(environ.get("HTTP_PREFER")),
            client=ask.client,
            address=ask.address,
            source=ask.source,
            local=ask.local,
            origin=ask.origin or "",
            events=eventful(environ.get("HTTP_ACCEPT")),
            since=environ.get("HTTP_LAST_EVENT_ID", ""),
        )
        call.ongoing = Open(
            partial(self._ask_again, ask, call), environ.get("gunicorn.socket"), self._stopping
        )
        return call

    def _ask_again(self, ask: Asked, call: Call[World]) -> None:
        """Ask once more what was asked before a call was answered. Raises as it would be refused now."""
        with self._world.session():
            self._admit(replace(call, caller=self._caller(ask, call.verb, call.path, again=True)))

    def _caller(self, ask: Asked, verb: Verb | None, path: Path, *, again: bool = False) -> Caller:
        where = {"address": ask.address, "source": ask.source, "origin": ask.origin or ""}
        return self._identify.caller(ask.environ, verb, path, again=again, **where)

    def _outside(self, ask: Asked, page: Callable[[Asked], Answer]) -> Answer:
        verb = VERBS[ask.method]
        if verb is None:
            return Answer(HTTPStatus.NO_CONTENT, [("Allow", "GET, HEAD, OPTIONS")])
        if verb is not Verb.READ:
            raise Unsupported(f"{ask.instance} can only be read", allow=(Verb.READ,))
        return page(ask)

    def _healthz(self, ask: Asked) -> Answer:
        return health(ask, {"status": "pass"})

    def _readyz(self, ask: Asked) -> Answer:
        with self._world.session():
            return health(ask, summary(self._ready(), whole=ask.local))

    def _send(self, ask: Asked, answer: Answer, resp: falcon.Response) -> None:
        """Hand the answer to Falcon, and tell the access log of it as soon as its size is known."""
        admit(ask, self._front, answer)
        resp.status = _LINES[answer.status]
        common = common_headers(ask, self._front, answer.policy, answer.cache)
        for name, value in (*answer.headers, *common):
            resp.append_header(name, value) if name == "Set-Cookie" else resp.set_header(name, value)
        if answer.length is not None:
            resp.set_header("Content-Length", str(answer.length))
        status = answer.status.value
        if answer.pieces is not None:
            sent = Sent(answer.pieces, lambda size: self._log(ask, status, size))
            if ask.method == "HEAD":
                sent.close()
            resp.stream = sent  # without one a HEAD would be told the length 0
            return
        if answer.file is not None:
            resp.stream = answer.file
        else:
            resp.data = answer.body
        self._log(ask, status, len(answer.body) if answer.length is None else answer.length)

    def _mounted(
        self, inner: Wsgi, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        """Let another application answer, under the same number and into the same log."""
        ask = asked(environ, self._front)
        environ["curlew.request_id"] = ask.id
        begun = [HTTPStatus.INTERNAL_SERVER_ERROR.value]

        def begin(status: str, headers: list[tuple[str, str]], *error: Any) -> Any:
            begun[0] = int(status[:3])
            return start_response(status, merge(headers, common_headers(ask, self._front)), *error)

        def ended(size: int) -> None:
            ask.user = environ.get("curlew.user")
            self._log(ask, begun[0], size)

        try:
            return Sent(inner(environ, begin), ended)
        except VfsError as error:
            answer = refusal(error, ask)
        except Exception:
            log.exception("request %s failed: %s %s", ask.id, ask.method, ask.instance)
            answer = broken(ask)
        begin(_LINES[answer.status], [*answer.headers, ("Content-Length", str(len(answer.body)))])
        return Sent([answer.body], ended)

    def _log(self, ask: Asked, status: int, size: int) -> None:
        self._access.line(
            request=ask.id,
            method=ask.method,
            path=ask.instance,
            status=status,
            seconds=time.perf_counter() - ask.began,
            size=size,
            user=ask.user,
            address=ask.address,
            client=ask.client,
        )


def _after(leave: Callable[[], None]) -> Callable[[int], None]:
    return lambda size: leave()
