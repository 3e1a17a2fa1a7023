"""The HTTP edge: a request becomes a kernel call, and its reply a response."""

from __future__ import annotations

import io
import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import Any

import falcon

from handlers.http.access_log import AccessLog
from handlers.http.admission import admit_growth, refuse_partial_write
from handlers.http.bodies.body import body_of
from handlers.http.conditions import expectation
from handlers.http.cors import add_cors_headers, is_preflight, preflight
from handlers.http.headers import common_headers
from handlers.http.health import ALIVE, HEALTH, CheckResult, constant_health, health_answer, summary
from handlers.http.kernel import InnerCalls, InnerRequest, Kernel, Outside, read_page
from handlers.http.listings import METHODS, allow
from handlers.http.long_calls import OpenCall, RightsWatch, holder_of
from handlers.http.negotiation import EITHER, accept_face, accepts_events, parse_prefer, preferred_media
from handlers.http.problems import internal_error, raw_answer, refusal, unknown_method, wrong_host
from handlers.http.request_head import (
    VERBS,
    Front,
    RequestHead,
    caller_of,
    client_address,
    hints_about,
    query,
    read_head,
)
from handlers.http.response import Answer, CountedPieces, answer_of, tags
from handlers.http.session_cookie import forget_dead_session, set_session
from handlers.http.welcome import welcome_answer
from handlers.identity.identify import Identifies
from handlers.rules.addresses import API, GIT, HOOK
from handlers.rules.shared_limit import SharedLimit, room_of
from handlers.server.application import Claimant
from handlers.services.run_people import with_people
from handlers.services.world import World
from vfs.access import Caller, Credential, Verb
from vfs.call import Call
from vfs.cause import CAUSE, REQUEST
from vfs.errors import Invalid, NotFound, Unauthenticated, VfsError
from vfs.path import Path

log = logging.getLogger("curlew")

_LINES = {status: f"{status.value} {status.phrase}" for status in HTTPStatus}
ANYWHERE = Front()
GetCaller = Callable[[], Caller]
# The target of a request about the server itself (RFC 9110 section 9.3.7).
SERVER = "*"


class App:
    """The WSGI application.

    `room` limits the calls that stay open, so that others never wait for a thread. A Stream is sent after the
    session of its request has ended; a long one asks the kernel whether its call is still permitted, and is
    woken by `wake` when the process stops. `refused` logs refusals.
    For the server it is a `ServedApplication`.
    """

    refuse = staticmethod(raw_answer)
    constants: Mapping[str, bytes] = {HEALTH: constant_health()}

    def __init__(  # noqa: PLR0913
        self,
        kernel: Kernel,
        world: World,
        identify: Identifies,
        access: AccessLog,
        *,
        outside: Outside = Outside(),  # noqa: B008
        ready: Callable[[], Mapping[str, CheckResult]] = dict,
        room: SharedLimit | None = None,
        front: Front = ANYWHERE,
        wake: Callable[[], object] = lambda: None,
        refused: Callable[[RequestHead, int], object] = lambda head, status: None,
    ) -> None:
        self._kernel = kernel
        self._world = world
        self._identify = identify
        self._access = access
        self._watch = RightsWatch(wake)
        self._ready = ready
        self._room = room or room_of(56)
        self._wake = wake
        self._refused = refused
        self._stopping = threading.Event()
        self._front = front
        self._outside = outside
        health = {Path.parse(HEALTH): self._healthz, Path(("readyz",)): self._readyz}
        self._pages = {**outside.pages, Path(): welcome_answer, **health}
        self._falcon = falcon.App()
        self._falcon.add_sink(self._sink, r"")
        self._falcon.add_error_handler((Exception, falcon.HTTPError), self._unroutable)

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        return self._falcon(environ, start_response)

    def claimant(self, environ: Mapping[str, Any]) -> Claimant:
        """Return the address and the credential of a request, unverified."""
        shown = environ.get("HTTP_AUTHORIZATION") or environ.get("HTTP_COOKIE", "")
        return Claimant(client_address(environ, self._front), shown)

    def stop(self) -> None:
        """End streams, because the process stops; other responses are completed."""
        self._stopping.set()
        self._wake()
        self._outside.stop()

    def _sink(self, req: falcon.Request, resp: falcon.Response, **_: Any) -> None:
        head = self._head(req)
        self._send(head, self._answer(head, req), resp)

    def _head(self, req: falcon.Request) -> RequestHead:
        """Return the head of a request; later log lines of this thread contain its id."""
        head = read_head(req.env, self._front)
        CAUSE.set(f"{REQUEST} {head.id}")
        return head

    def _unroutable(self, req: falcon.Request, resp: falcon.Response, error: Exception, params: Any) -> None:
        """Answer errors of Falcon, unknown methods, and failures while sending."""
        head = self._head(req)
        refused = isinstance(error, falcon.HTTPError)
        if not refused:
            log.error("request %s failed: %s %s", head.id, head.method, head.instance, exc_info=error)
        self._send(head, self._answer(head, req) if refused else internal_error(head), resp)

    def _answer(self, head: RequestHead, req: falcon.Request) -> Answer:
        try:
            return self._answer_for_server(head) or self._answer_for_path(head, req)
        except VfsError as error:
            return self._outside.astray(error, head)
        except Exception:
            log.exception("request %s failed: %s %s", head.id, head.method, head.instance)
            return internal_error(head)

    def _answer_for_server(self, head: RequestHead) -> Answer | None:
        """Return the response to a request for another host, or for the server itself; else None."""
        if head.origin is None:
            raise Invalid("the Host header is malformed")
        if not self._front.is_for(head.environ):
            return wrong_host(head)
        if head.raw == SERVER and head.method == "OPTIONS":
            return Answer(HTTPStatus.NO_CONTENT, [("Allow", allow(tuple(METHODS)))])
        return None

    def _answer_for_path(self, head: RequestHead, req: falcon.Request) -> Answer:
        if self._outside.git is not None and head.raw.startswith(GIT):
            return self._outside.git(head)
        if is_preflight(head):
            return preflight(head, self._front)
        if (answer := self._answer_at_door(head, req)) is not None:
            return answer
        if head.method not in VERBS:
            return unknown_method(head)
        if self._outside.hooks is not None and head.first == HOOK:
            return self._outside.hooks(head)
        refuse_partial_write(head.method, head.raw, head.environ)
        path = Path.parse(head.raw)
        admit_growth(head, path, self._outside.disk, self._kernel.credentials)
        if path[:1] == API:
            return self._call_kernel(head, path, req)
        others = self._outside
        for outside in (others.oauth, others.graphql, others.events, others.site):
            if (answer := outside(head, path)) is not None:
                return answer
        if path in self._pages:
            return read_page(head, self._pages[path])
        raise NotFound(f"there is no {path}: the service's files are below /v1, its welcome at /")

    def _answer_at_door(self, head: RequestHead, req: falcon.Request) -> Answer | None:
        """Return the response of the part that serves the first name of the path; None without one."""
        door = self._outside.doors.get(head.first)
        if door is None:
            return None
        return door(head, InnerCalls(partial(self._read_as, head, req), partial(self._answer_within, head)))

    def _answer_within(self, head: RequestHead, sent: InnerRequest) -> Answer:
        """Answer a request that is part of another, with its credential but none of its other headers."""
        path, _, asked = sent.target.partition("?")
        passed = {
            name: value
            for name, value in head.environ.items()
            if not name.startswith(("HTTP_", "CONTENT_")) or name == "HTTP_AUTHORIZATION"
        }
        own = {
            "REQUEST_METHOD": sent.method,
            "RAW_URI": sent.target,
            "PATH_INFO": path,
            "QUERY_STRING": asked,
        }
        body = {"wsgi.input": io.BytesIO(sent.body), "CONTENT_LENGTH": str(len(sent.body))}
        environ = {**passed, **own, **(body if sent.body or sent.method != "GET" else {}), **sent.headers}
        face = accept_face(sent.headers.get("HTTP_ACCEPT"))
        inner = replace(head, environ=environ, method=sent.method, raw=path, face=face)
        try:
            answer = self._answer_inner(inner, Path.parse(path), falcon.Request(environ))
        except VfsError as error:
            answer = refusal(error, replace(inner, face=EITHER))
        self._log(inner, answer.status.value, answer.length or len(answer.body), answer.why)
        return answer

    def _answer_inner(self, head: RequestHead, path: Path, req: falcon.Request) -> Answer:
        admit_growth(head, path, self._outside.disk, self._kernel.credentials)
        if path in self._pages and path:
            return read_page(head, self._pages[path])
        if path[:1] != API:
            raise NotFound(f"there is no {path}: files are below /v1, and the manual below /docs")
        return self._call_kernel(head, path, req)

    def _call_kernel(self, head: RequestHead, path: Path, req: falcon.Request) -> Answer:
        verb = VERBS[head.method]
        asked_by = self._kernel.credentials.get(path) if verb is Verb.WRITE else None
        head.by_password = asked_by is Credential.PASSWORD
        with self._world.session():
            try:
                caller = caller_of(self._identify, head, verb, path)
            except Unauthenticated as error:
                answer = refusal(error, head)
                forget_dead_session(answer, head)
                return answer
            head.user = caller.name
            again = partial(caller_of, self._identify, head, verb, path, again=True)
            return self._serve(head, path, req, caller, again)

    def _read_as(self, head: RequestHead, req: falcon.Request, path: Path, again: GetCaller) -> Answer:
        return self._serve(head, path, req, again(), again)

    def _serve(
        self, head: RequestHead, path: Path, req: falcon.Request, caller: Caller, again: GetCaller
    ) -> Answer:
        """Answer a call; while a long answer is sent, it is checked for the caller that `again` returns."""
        verb = VERBS[head.method]
        call = self._call(head, verb, path, caller, req)
        ongoing = call.ongoing = self._ongoing(head, path, req, again)
        try:
            reply = self._kernel.serve(call)
            answer = answer_of(reply, call, head, self._world.blobs)
        except BaseException:
            ongoing.end()
            raise
        if reply.session is not None:
            set_session(answer, reply.session, head.origin or "")
        if answer.pieces is None:
            ongoing.end()
        else:
            answer.pieces = CountedPieces(answer.pieces, lambda size: ongoing.end())
        return answer

    def _ongoing(self, head: RequestHead, path: Path, req: falcon.Request, again: GetCaller) -> OpenCall:
        """Return the supervision of a call. It does not refer to the call: cycles are freed late."""
        wire = head.environ.get("gunicorn.socket")
        check = partial(self._check_again, head, path, req, again)
        holder = holder_of(head.user, head.source)
        return OpenCall(check, wire, self._stopping, self._room, holder, self._watch)

    def _call(
        self, head: RequestHead, verb: Verb | None, path: Path, caller: Caller, req: falcon.Request
    ) -> Call[World]:
        environ = head.environ
        history = environ.get("HTTP_X_HISTORY", "").strip().lower()
        return Call(
            verb,
            path,
            with_people(self._world, caller),
            self._world,
            body_of(environ),
            id=head.id,
            want=head.face.form,
            history=history == "list",
            autosave=history == "autosave",
            folder=head.raw.endswith("/"),
            expect=None if verb in (Verb.READ, None) else expectation(environ, tags),
            query=query(req.params),
            tags=tags,
            hints=hints_about(
                head,
                prefer=parse_prefer(environ.get("HTTP_PREFER")),
                events=accepts_events(environ.get("HTTP_ACCEPT")),
                since=environ.get("HTTP_LAST_EVENT_ID", ""),
                prefers=partial(preferred_media, environ.get("HTTP_ACCEPT")),
            ),
        )

    def _check_again(self, head: RequestHead, path: Path, req: falcon.Request, again: GetCaller) -> None:
        """Check a long call again. Raises if it is refused."""
        with self._world.session():
            self._kernel.admit(self._call(head, VERBS[head.method], path, again(), req))

    def _healthz(self, head: RequestHead) -> Answer:
        return health_answer(head, ALIVE)

    def _readyz(self, head: RequestHead) -> Answer:
        with self._world.session():
            return health_answer(head, summary(self._ready(), whole=head.local))

    def _send(self, head: RequestHead, answer: Answer, resp: falcon.Response) -> None:
        """Pass the response to Falcon, and to the access log as soon as its size is known."""
        if not head.raw.startswith(GIT):
            add_cors_headers(head, self._front, answer)
        resp.status = _LINES[answer.status]
        if answer.length is not None:
            answer.add("Content-Length", str(answer.length))
        resp.set_headers((*answer.headers, *common_headers(head, self._front, answer.policy, answer.cache)))
        for cookie in answer.cookies:
            resp.append_header("Set-Cookie", cookie)
        status = answer.status.value
        if answer.pieces is not None:
            sent = CountedPieces(answer.pieces, lambda size: self._log(head, status, size, answer.why))
            if head.method == "HEAD":
                sent.close()
            resp.stream = sent  # otherwise a HEAD would report length 0
            return
        if answer.file is not None:
            resp.stream = answer.file
        else:
            resp.data = answer.body
        size = len(answer.body) if answer.length is None else answer.length
        self._log(head, status, size, answer.why)

    def _log(self, head: RequestHead, status: int, size: int, why: str) -> None:
        self._refused(head, status)
        self._access.line(
            request=head.id,
            method=head.method,
            path=head.instance,
            status=status,
            seconds=time.perf_counter() - head.began,
            size=size,
            user=head.user,
            address=head.address,
            client=head.client,
            why=why,
        )
