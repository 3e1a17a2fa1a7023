"""Git over smart HTTP: clone, fetch and push at the edge, through git's own backend."""

from __future__ import annotations

import os
import re
import subprocess
from contextlib import ExitStack
from dataclasses import dataclass
from typing import IO
from urllib.parse import parse_qs

from handlers.git.backend import Backend
from handlers.git.request_body import Environ, receive_fetch, receive_push
from handlers.http.long_calls import holder_of
from handlers.http.problems import problem_type_of, reason, retry_after
from handlers.http.problems import refusal as problem
from handlers.http.request_head import RequestHead
from handlers.http.response import PLAIN, Answer
from handlers.rules.plain_lines import one_line
from handlers.rules.shared_limit import GIT, SharedLimit, room_of
from handlers.services.pushes import PROTOCOL, Admit, Admitted, PushTerms, Service
from storage.git.command import kill
from storage.git.repositories import GitRepositories
from vfs.errors import (
    Denied,
    NotFound,
    Unauthenticated,
    Unsupported,
    VfsError,
    storage_error,
)
from vfs.path import Path
from vfs.ports.disk import DiskSpace, UnlimitedDisk, require_disk_space

UPLOAD, RECEIVE = "git-upload-pack", "git-receive-pack"
SERVICES: dict[str, Service] = {UPLOAD: "read", RECEIVE: "write"}
ADDRESS = re.compile(
    r"/git/(?P<user>[a-z0-9][a-z0-9_-]{0,199})/(?P<repo>[a-z0-9][a-z0-9_-]{0,199}?)(?:\.git)?/(?P<rest>.+)"
)
AMPLE = UnlimitedDisk()


@dataclass(frozen=True, slots=True)
class GitRequest:
    """A parsed request: `program` is git's name of the service, `advertise` requests the refs only."""

    user: str
    repo: str
    program: str
    advertise: bool

    @property
    def name(self) -> str:
        """The name of the repo with its owner."""
        return f"{self.user}/{self.repo}"

    @property
    def service(self) -> Service:
        """Whether it reads or writes."""
        return SERVICES[self.program]


class Git:
    """Answers requests below `/git/<user>/<repo>.git/`; safe to call from many threads.

    A body is read completely first, so that no git process waits for a slow client or reads an incomplete
    body: a push's into a file on disk, a fetch's, which may be anonymous, into memory. The response is sent
    on as git writes it.
    """

    def __init__(
        self,
        repositories: GitRepositories,
        admit: Admit,
        pushes: PushTerms,
        room: SharedLimit | None = None,
        grace: float = 30.0,
        disk: DiskSpace = AMPLE,
    ) -> None:
        """Make the service; `pushes` are the terms of every push.

        `room` limits the git processes and the bodies being received. A push whose client has left has
        `grace` seconds to end and to reach the builder. While the `disk` is full, pushes are refused.
        """
        self._repositories = repositories
        self._admit = admit
        self._room = room or room_of(64)
        self._grace = grace
        self._pushes = pushes
        self._disk = disk

    def __call__(self, head: RequestHead) -> Answer:
        """Answer one request; the pieces of the response come from git."""
        try:
            request = parse_request(head)
            admitted = self._admit(
                request.user, request.repo, request.service, head.environ.get("HTTP_AUTHORIZATION")
            )
            head.user = admitted.by
            if request.program == RECEIVE:
                require_disk_space(self._disk)
            return self._ask_git(request, admitted, head).answer()
        except VfsError as error:
            return (
                refusal(error) if "json" not in head.environ.get("HTTP_ACCEPT", "") else problem(error, head)
            )

    def _receive(
        self, request: GitRequest, admitted: Admitted, environ: Environ, held: ExitStack
    ) -> tuple[IO[bytes] | int, int]:
        """Return the body for git, and its size. Raises TooLarge, Invalid and OSError."""
        if request.advertise:
            return subprocess.DEVNULL, 0
        if request.program == UPLOAD:
            return receive_fetch(environ, held)
        return receive_push(environ, held, self._repositories.folder, admitted.push, admitted.commands)

    def _ask_git(self, request: GitRequest, admitted: Admitted, head: RequestHead) -> Backend:
        """Start git for the request; closing the response releases the resources of the request."""
        environ = head.environ
        with ExitStack() as held:
            held.callback(self._room.leave, self._room.enter(holder_of(admitted.by, head.source), GIT))
            try:
                body, size = self._receive(request, admitted, environ, held)
                complaint = held.enter_context(os.fdopen(os.memfd_create("complaint"), "w+b"))
            except OSError as error:
                raise storage_error(error, "The request") from error
            pushing = request.program == RECEIVE and not request.advertise
            variables = self._variables(request, admitted, environ, size)
            if pushing:
                variables |= self._hold_last_question(request, admitted, environ, held)
            process = self._repositories.git.start(
                self._repositories.path(admitted.item),
                "http-backend",
                stdin=body,
                stderr=complaint,
                env=variables,
            )
            held.callback(kill, process)
            return Backend(process, complaint, held.pop_all(), self._grace if pushing else 0.0)

    def _hold_last_question(
        self, request: GitRequest, admitted: Admitted, environ: Environ, held: ExitStack
    ) -> dict[str, str]:
        """Make the hook check again before references change: a permission may have ended by then."""

        def again() -> Admitted:
            return self._admit(request.user, request.repo, request.service, environ.get("HTTP_AUTHORIZATION"))

        return held.enter_context(self._pushes.last_question(admitted, request.name, again))

    def _variables(
        self, request: GitRequest, admitted: Admitted, environ: Environ, size: int
    ) -> dict[str, str]:
        """Return the CGI variables of git-http-backend (its manual page), and the hook's for a push."""
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
        if PROTOCOL.fullmatch(protocol := str(environ.get("HTTP_GIT_PROTOCOL", ""))):
            variables["GIT_PROTOCOL"] = protocol
        if request.program == RECEIVE:
            variables |= self._pushes.variables(admitted, request.name)
        return variables


def parse_request(head: RequestHead) -> GitRequest:
    """Parse a request of git. Raises NotFound, Invalid, Denied (git's dumb protocol), Unsupported."""
    match = ADDRESS.fullmatch(str(Path.parse(head.raw)))
    if match is None:
        raise NotFound("There is no such repo: its address is /git/<user>/<repo>.git.")
    program, advertise = match["rest"], False
    if program == "info/refs":
        query = head.environ.get("QUERY_STRING", "")
        program, advertise = parse_qs(query).get("service", [""])[-1], True
        if not program:
            raise Denied("This server supports only git's smart protocol; use git 1.6.6 or newer.")
    if program not in SERVICES:
        raise NotFound("There is no such file; clone, fetch and push with git.")
    wanted = "GET" if advertise else "POST"
    if head.method != wanted:
        raise Unsupported(f"{head.method} is not supported here; git uses {wanted}.", allow=[wanted])
    return GitRequest(match["user"], match["repo"], program, advertise)


def refusal(error: VfsError) -> Answer:
    """Return the refusal as a line of text, which git shows to its user after `remote:`."""
    said = f"{one_line(error.detail)}\n".encode()
    kind = problem_type_of(error)
    answer = Answer(kind.status, [("Content-Type", PLAIN)], said, why=reason(kind, error.detail))
    if isinstance(error, Unauthenticated):
        answer.add("WWW-Authenticate", 'Basic realm="curlew"')
    if allowed := error.members.get("allow"):
        answer.add("Allow", ", ".join(allowed))
    if (seconds := retry_after(error)) is not None:
        answer.add("Retry-After", str(seconds))
    return answer
