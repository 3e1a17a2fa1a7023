"""Git over smart HTTP: clone, fetch and push at the edge, through git's own backend."""

from __future__ import annotations

import logging
import re
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from http import HTTPStatus
from io import BufferedReader
from typing import IO, Any, Literal, NamedTuple, Protocol, cast
from urllib.parse import parse_qs

from handlers.http.long_calls import holder_of
from handlers.http.problems import problem_type_of
from handlers.http.request_head import RequestHead
from handlers.http.response import PLAIN, Answer
from handlers.rules.shared_room import GIT, SharedRoom, room_of
from storage.git.command import end, kill
from storage.git.repositories import GitRepositories
from vfs.errors import (
    Denied,
    Invalid,
    NotFound,
    TooLarge,
    Unauthenticated,
    Unavailable,
    Unsupported,
    VfsError,
    storage_error,
)
from vfs.path import Path

Service = Literal["read", "write"]
Environ = Mapping[str, Any]

UPLOAD, RECEIVE = "git-upload-pack", "git-receive-pack"
SERVICES: dict[str, Service] = {UPLOAD: "read", RECEIVE: "write"}
ADDRESS = re.compile(
    r"/git/(?P<user>[a-z0-9][a-z0-9_-]{0,199})/(?P<repo>[a-z0-9][a-z0-9_-]{0,199}?)(?:\.git)?/(?P<rest>.+)"
)
PROTOCOL = re.compile(r"[a-z0-9=:._-]{1,200}")
GZIP = ("gzip", "x-gzip")
PIECE = 1 << 16
SECONDS_TO_END = 5
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
    """Answers requests below `/git/<user>/<repo>.git/`; safe to call from many threads.

    A body is first written to a file, so that no git waits for a slow client or reads a body cut short. The
    answer is sent on as git gives it.
    """

    def __init__(
        self,
        repositories: GitRepositories,
        admit: Admit,
        hook_env: Mapping[str, str],
        largest: int = 4 << 30,
        room: SharedRoom | None = None,
        grace: float = 30.0,
    ) -> None:
        """`hook_env` is what the post-receive program gets beside what `_variables` tells of the push.

        `largest` bounds a request's body, `room` the gits at work. A push of who goes away has `grace`
        seconds to end and to be handed to the builder.
        """
        self._repositories = repositories
        self._admit = admit
        self._hook_env = dict(hook_env)
        self._largest = largest
        self._room = room or room_of(64)
        self._grace = grace

    def __call__(self, head: RequestHead) -> Answer:
        """Answer one request; the pieces of the answer come from git as it gives them."""
        try:
            request = parse_request(head)
            admitted = self._admit(
                request.user, request.repo, request.service, head.environ.get("HTTP_AUTHORIZATION")
            )
            head.user = admitted.by
            return self._ask_git(request, admitted, head).answer()
        except VfsError as error:
            return refusal(error)

    def _ask_git(self, request: GitRequest, admitted: Admitted, head: RequestHead) -> Backend:
        """Git at work on the request; what the request holds is released when the answer is closed."""
        environ = head.environ
        with ExitStack() as held:
            held.callback(self._room.leave, self._room.enter(holder_of(admitted.by, head.source), GIT))
            try:
                body = held.enter_context(tempfile.TemporaryFile(dir=self._repositories.folder))
                complaint = held.enter_context(tempfile.TemporaryFile())
                size = 0 if request.advertise else spool(environ, body, self._largest)
            except OSError as error:
                raise storage_error(error, "The request") from error
            body.seek(0)
            process = self._repositories.git.start(
                self._repositories.path(admitted.item),
                "http-backend",
                stdin=body,
                stderr=complaint,
                env=self._variables(request, admitted, environ, size),
            )
            held.callback(kill, process)
            pushing = request.program == RECEIVE and not request.advertise
            return Backend(process, complaint, held.pop_all(), self._grace if pushing else 0.0)

    def _variables(
        self, request: GitRequest, admitted: Admitted, environ: Environ, size: int
    ) -> dict[str, str]:
        """The CGI variables of git-http-backend (its manual page), and the hook's on a push."""
        repository = self._repositories.path(admitted.item)
        variables = {
            "GATEWAY_INTERFACE": "CGI/1.1",
            "GIT_PROJECT_ROOT": str(repository.parent),
            "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": "GET" if request.advertise else "POST",
            "PATH_INFO": f"/{repository.name}/{'info/refs' if request.advertise else request.program}",
            "QUERY_STRING": f"service={request.program}" if request.advertise else "",
            "CONTENT_TYPE": str(environ.get("CONTENT_TYPE", "")),
            "CONTENT_LENGTH": str(size),
        }
        if environ.get("HTTP_CONTENT_ENCODING") in GZIP:
            variables["HTTP_CONTENT_ENCODING"] = "gzip"
        if PROTOCOL.fullmatch(protocol := str(environ.get("HTTP_GIT_PROTOCOL", ""))):
            variables["GIT_PROTOCOL"] = protocol
        if request.program == RECEIVE:
            variables |= {**self._hook_env, "CURLEW_PUSHER": admitted.by or ""}
            variables |= {
                "CURLEW_REPO": str(admitted.item),
                "CURLEW_REPO_NAME": f"{request.user}/{request.repo}",
            }
        return variables


class Backend:
    """Git at work: its output in pieces as it comes; `close` ends it and releases what the request held."""

    def __init__(
        self, process: subprocess.Popen[bytes], complaint: IO[bytes], held: ExitStack, grace: float
    ) -> None:
        """`grace` is how many seconds git may go on when the client left before the end."""
        self.process = process
        self._stdout = cast(BufferedReader, process.stdout)
        self._complaint = complaint
        self._held = held
        self._grace = grace
        self._ended = False

    def answer(self) -> Answer:
        """The answer, as soon as git has said its head. Raises Unavailable when it says none."""
        answer = Answer(HTTPStatus.OK, pieces=self)
        while line := self._stdout.readline().decode("latin-1").strip():
            name, _, text = line.partition(": ")
            if name.lower() == "status":
                answer.status = HTTPStatus(int(text[:3]))
            else:
                answer.add(name, text)
        if not answer.headers:
            self._ended = True
            self.close()
            raise Unavailable("git could not answer; the server's log says why.")
        answer.add("X-Accel-Buffering", "no")
        return answer

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


def parse_request(head: RequestHead) -> GitRequest:
    """Parse a request of git's. Raises NotFound, Invalid, Denied (git's dumb protocol), Unsupported."""
    match = ADDRESS.fullmatch(str(Path.parse(head.raw)))
    if match is None:
        raise NotFound("There is no such repo: its address is /git/<user>/<repo>.git.")
    program, advertise = match["rest"], False
    if program == "info/refs":
        query = head.environ.get("QUERY_STRING", "")
        program, advertise = parse_qs(query).get("service", [""])[-1], True
        if not program:
            raise Denied("This server speaks git's smart protocol alone; use git 1.6.6 or newer.")
    if program not in SERVICES:
        raise NotFound("There is no such file; clone, fetch and push with git.")
    wanted = "GET" if advertise else "POST"
    if head.method != wanted:
        raise Unsupported(f"{head.method} means nothing here; git uses {wanted}.", allow=[wanted])
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


def refusal(error: VfsError) -> Answer:
    """The refusal as text, which git shows to its user line by line as `remote:`."""
    answer = Answer(problem_type_of(error).status, [("Content-Type", PLAIN)], f"{error.detail}\n".encode())
    if isinstance(error, Unauthenticated):
        answer.add("WWW-Authenticate", 'Basic realm="curlew"')
    if allowed := error.members.get("allow"):
        answer.add("Allow", ", ".join(allowed))
    if seconds := error.members.get("retry_after"):
        answer.add("Retry-After", str(seconds))
    return answer
