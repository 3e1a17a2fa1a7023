"""Git over smart HTTP: the WSGI edge for clone, fetch and push, through git's own backend."""

from __future__ import annotations

import logging
import re
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from http import HTTPStatus
from typing import IO, Any, Literal, NamedTuple, Protocol
from urllib.parse import parse_qs

from handlers.http.request_head import raw_path
from storage.git.command import end, kill
from storage.git.repositories import GitRepositories
from vfs.errors import (
    Denied,
    Invalid,
    NoSpace,
    NotFound,
    TooLarge,
    TooMany,
    Unauthenticated,
    Unavailable,
    Unsupported,
    VfsError,
    unstored,
)
from vfs.path import Path

Service = Literal["read", "write"]
Environ = Mapping[str, Any]
StartResponse = Callable[[str, list[tuple[str, str]]], Any]

UPLOAD, RECEIVE = "git-upload-pack", "git-receive-pack"
SERVICES: dict[str, Service] = {UPLOAD: "read", RECEIVE: "write"}
ADDRESS = re.compile(
    r"/git/(?P<user>[a-z0-9][a-z0-9_-]{0,199})/(?P<repo>[a-z0-9][a-z0-9_-]{0,199}?)(?:\.git)?/(?P<rest>.+)"
)
PROTOCOL = re.compile(r"[a-z0-9=:._-]{1,200}")
GZIP = ("gzip", "x-gzip")
PIECE = 1 << 16
SECONDS_TO_END = 5
STATUS = {
    Unauthenticated: HTTPStatus.UNAUTHORIZED,
    Denied: HTTPStatus.FORBIDDEN,
    NotFound: HTTPStatus.NOT_FOUND,
    Unsupported: HTTPStatus.METHOD_NOT_ALLOWED,
    TooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    TooMany: HTTPStatus.TOO_MANY_REQUESTS,
    Unavailable: HTTPStatus.SERVICE_UNAVAILABLE,
    NoSpace: HTTPStatus.INSUFFICIENT_STORAGE,
}
log = logging.getLogger(__name__)


class Admitted(NamedTuple):
    """The repo's item id, and the user who asks: None for the public, which never pushes."""

    item: int
    by: str | None


class Admit(Protocol):
    """Decides who may clone and push."""

    def __call__(self, user: str, repo: str, service: Service, authorization: str | None) -> Admitted:
        """The repo, and the caller whom the raw Authorization header proves.

        Raises Denied, NotFound, and Unauthenticated even where there is no repo: git signs in after that.
        """
        ...


@dataclass(frozen=True, slots=True)
class GitRequest:
    """A parsed request: `program` is git's name of the service, `advertise` the list of refs alone."""

    user: str
    repo: str
    program: str
    advertise: bool

    @property
    def service(self) -> Service:
        """Whether it reads or writes."""
        return SERVICES[self.program]


class Git:
    """The WSGI application for `/git/<user>/<repo>.git/…`; safe to call from many threads.

    A body is first written to a file, so that no git waits for a slow client or reads a body cut short. The
    answer is sent on as git gives it.
    """

    def __init__(
        self,
        repositories: GitRepositories,
        admit: Admit,
        hook_env: Mapping[str, str],
        largest: int = 4 << 30,
        at_once: int = 64,
        grace: float = 30.0,
    ) -> None:
        """`hook_env` is what the post-receive program gets beside what `_variables` tells of the push.

        `largest` bounds a request's body, `at_once` the gits at work. A push of who goes away has `grace`
        seconds to end and to be handed to the builder.
        """
        self._repositories = repositories
        self._admit = admit
        self._hook_env = dict(hook_env)
        self._largest = largest
        self._room = threading.BoundedSemaphore(at_once)
        self._grace = grace

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request (PEP 3333)."""
        try:
            ask = parse_request(environ)
            admitted = self._admit(ask.user, ask.repo, ask.service, environ.get("HTTP_AUTHORIZATION"))
            answer = self._ask_git(ask, admitted, environ)
            start_response(*answer.head())
            return answer
        except VfsError as error:
            body = _refuse(error, start_response)
            return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]

    def _ask_git(self, ask: GitRequest, admitted: Admitted, environ: Environ) -> GitAnswer:
        """Git at work on the request; what the request holds is released when the answer is closed."""
        with ExitStack() as held:
            if not self._room.acquire(blocking=False):
                raise Unavailable("Too many clones and pushes are under way; try again soon.", retry_after=2)
            held.callback(self._room.release)
            try:
                body = held.enter_context(tempfile.TemporaryFile(dir=self._repositories.folder))
                complaint = held.enter_context(tempfile.TemporaryFile())
                size = 0 if ask.advertise else spool(environ, body, self._largest)
            except OSError as error:
                raise unstored(error, "The request") from error
            body.seek(0)
            process = self._repositories.git.start(
                self._repositories.path(admitted.item),
                "http-backend",
                stdin=body,
                stderr=complaint,
                env=self._variables(ask, admitted, environ, size),
            )
            held.callback(kill, process)
            pushing = ask.program == RECEIVE and not ask.advertise
            return GitAnswer(process, complaint, held.pop_all(), self._grace if pushing else 0.0)

    def _variables(self, ask: GitRequest, admitted: Admitted, environ: Environ, size: int) -> dict[str, str]:
        """The CGI variables of git-http-backend (its manual page), and the hook's on a push."""
        repository = self._repositories.path(admitted.item)
        variables = {
            "GATEWAY_INTERFACE": "CGI/1.1",
            "GIT_PROJECT_ROOT": str(repository.parent),
            "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": "GET" if ask.advertise else "POST",
            "PATH_INFO": f"/{repository.name}/{'info/refs' if ask.advertise else ask.program}",
            "QUERY_STRING": f"service={ask.program}" if ask.advertise else "",
            "CONTENT_TYPE": str(environ.get("CONTENT_TYPE", "")),
            "CONTENT_LENGTH": str(size),
        }
        if environ.get("HTTP_CONTENT_ENCODING") in GZIP:
            variables["HTTP_CONTENT_ENCODING"] = "gzip"
        if PROTOCOL.fullmatch(protocol := str(environ.get("HTTP_GIT_PROTOCOL", ""))):
            variables["GIT_PROTOCOL"] = protocol
        if ask.program == RECEIVE:
            variables |= {**self._hook_env, "CURLEW_PUSHER": admitted.by or ""}
            variables |= {"CURLEW_REPO": str(admitted.item), "CURLEW_REPO_NAME": f"{ask.user}/{ask.repo}"}
        return variables


class GitAnswer:
    """The answer of a running git, in pieces; `close` ends git and releases what the request held."""

    def __init__(
        self, process: subprocess.Popen[bytes], complaint: IO[bytes], held: ExitStack, grace: float
    ) -> None:
        """`grace` is how many seconds git may go on when the client left before the end."""
        self.process = process
        self._stdout: Any = process.stdout
        self._complaint = complaint
        self._held = held
        self._grace = grace
        self._ended = False

    def head(self) -> tuple[str, list[tuple[str, str]]]:
        """Status line and headers, as soon as git has said them. Raises Unavailable when it says none."""
        status, headers = "200 OK", []
        while line := self._stdout.readline().decode("latin-1").strip():
            name, _, text = line.partition(": ")
            if name.lower() == "status":
                status = text
            else:
                headers.append((name, text))
        if not headers:
            self._ended = True
            self.close()
            raise Unavailable("git could not answer; the server's log says why.")
        return status, [*headers, ("X-Accel-Buffering", "no")]

    def __iter__(self) -> Iterator[bytes]:
        """The body, each piece when git writes it."""
        while piece := self._stdout.read1(PIECE):
            yield piece
        self._ended = True

    def close(self) -> None:
        """Let go of git: once it has ended, or killed because the client is gone (a push after its grace)."""
        with self._held:
            if self._grace and not self._ended:
                self._drain()
            if self._ended:
                self._report()

    def _drain(self) -> None:
        timer = threading.Timer(self._grace, end, [self.process])
        timer.start()
        while self._stdout.read1(PIECE):
            pass
        timer.cancel()

    def _report(self) -> None:
        try:
            code = self.process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            return
        if code:
            self._complaint.seek(0)
            said = self._complaint.read(PIECE).decode(errors="replace").strip()
            log.warning("git http-backend ended with exit code %s: %s", code, said)


def parse_request(environ: Environ) -> GitRequest:
    """Parse a request of git's. Raises NotFound, Invalid, Denied (git's dumb protocol), Unsupported."""
    match = ADDRESS.fullmatch(str(Path.parse(raw_path(environ))))
    if match is None:
        raise NotFound("There is no such repo: its address is /git/<user>/<repo>.git.")
    program, advertise = match["rest"], False
    if program == "info/refs":
        program, advertise = parse_qs(environ.get("QUERY_STRING", "")).get("service", [""])[-1], True
        if not program:
            raise Denied("This server speaks git's smart protocol alone; use git 1.6.6 or newer.")
    if program not in SERVICES:
        raise NotFound("There is no such file; clone, fetch and push with git.")
    method, wanted = environ["REQUEST_METHOD"], "GET" if advertise else "POST"
    if method != wanted:
        raise Unsupported(f"{method} means nothing here; git uses {wanted}.", allow=[wanted])
    return GitRequest(match["user"], match["repo"], program, advertise)


def spool(environ: Environ, file: IO[bytes], largest: int) -> int:
    """Write a request's body to a file; its size. Raises TooLarge, Invalid (cut short), OSError (no room)."""
    size = sum(map(file.write, _pieces(environ, largest)))
    file.flush()
    return size


def _pieces(environ: Environ, largest: int) -> Iterator[bytes]:
    said = str(environ.get("CONTENT_LENGTH") or "")
    if not said and environ.get("HTTP_TRANSFER_ENCODING", "").lower() != "chunked":
        return
    expected = int(said) if said.isdigit() else None
    size = 0
    while expected is None or size < expected:
        if max(size, expected or 0) > largest:
            raise TooLarge(f"One push may bring {largest >> 20} MiB; push fewer commits at a time.")
        try:
            piece = environ["wsgi.input"].read(PIECE if expected is None else min(PIECE, expected - size))
        except Exception as error:  # a lost client, and the server's own errors of malformed chunks
            raise Invalid("The request was cut short; try again.") from error
        if not piece:
            break
        size += len(piece)
        yield piece
    if expected is not None and size < expected:
        raise Invalid("The request was cut short; try again.")


def _refuse(error: VfsError, start_response: StartResponse) -> bytes:
    """The refusal as text, which git shows to its user line by line as `remote:`."""
    status = next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), HTTPStatus.BAD_REQUEST)
    body = f"{error.detail}\n".encode()
    headers = [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(body)))]
    if status is HTTPStatus.UNAUTHORIZED:
        headers.append(("WWW-Authenticate", 'Basic realm="curlew"'))
    if allowed := error.members.get("allow"):
        headers.append(("Allow", ", ".join(allowed)))
    if seconds := error.members.get("retry_after"):
        headers.append(("Retry-After", str(seconds)))
    start_response(f"{status.value} {status.phrase}", headers)
    return body
