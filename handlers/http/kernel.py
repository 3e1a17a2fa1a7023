"""The neighbours of the WSGI application: the kernel, and everything outside of the API."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import NamedTuple

from handlers.http.problems import refusal
from handlers.http.request_head import VERBS, RequestHead
from handlers.http.response import Answer
from handlers.identity.identify import Credentials
from handlers.services.world import World
from vfs.access import Caller, Verb
from vfs.call import Call, Reply
from vfs.errors import Unsupported, VfsError
from vfs.path import Path
from vfs.ports.disk import DiskSpace, UnlimitedDisk


class InnerRequest(NamedTuple):
    """A request to the API that is part of another request.

    `target`: its path and query as they would be sent. `headers`: its headers, by their CGI names.
    """

    method: str
    target: str
    headers: Mapping[str, str] = {}
    body: bytes = b""


Within = Callable[[InnerRequest], Answer]
"""Answers a request that is part of the present one, with the credential of that one."""
ReadAs = Callable[[Path, Callable[[], Caller]], Answer]
"""Answers a read of a path for a caller, who is looked up again while a long response is sent."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """The kernel below the HTTP edge.

    `admit` raises as `serve` would, `credentials` are those of its files.
    """

    serve: Callable[[Call[World]], Reply]
    admit: Callable[[Call[World]], object] = lambda call: None
    credentials: Credentials = field(default_factory=dict)


class InnerCalls(NamedTuple):
    """The calls of the API that a part outside of it makes for a request."""

    read_as: ReadAs
    within: Within


@dataclass(frozen=True, slots=True)
class Outside:
    """The parts that answer outside of the API.

    `git`: paths below `/git/`. `hooks`: those below `/h/`. `doors`: those with other first names; they get
    the calls of the API that they may make (None: not this path). `pages`: read-only pages. `oauth`: posts of
    applications. `graphql`: queries. `events`: listeners, whose connections `stop` ends. `site`: all other
    paths (None: not this one). `astray`: errors. `disk`: while it is full, requests that need space are
    refused.
    """

    git: Callable[[RequestHead], Answer] | None = None
    hooks: Callable[[RequestHead], Answer] | None = None
    doors: Mapping[str, Callable[[RequestHead, InnerCalls], Answer | None]] = field(default_factory=dict)
    pages: Mapping[Path, Callable[[RequestHead], Answer]] = field(default_factory=dict)
    site: Callable[[RequestHead, Path], Answer | None] = lambda head, path: None
    oauth: Callable[[RequestHead, Path], Answer | None] = lambda head, path: None
    graphql: Callable[[RequestHead, Path], Answer | None] = lambda head, path: None
    events: Callable[[RequestHead, Path], Answer | None] = lambda head, path: None
    stop: Callable[[], object] = lambda: None
    astray: Callable[[VfsError, RequestHead], Answer] = refusal
    disk: DiskSpace = field(default_factory=UnlimitedDisk)


def read_page(head: RequestHead, page: Callable[[RequestHead], Answer]) -> Answer:
    """Return the response of a read-only page outside of the API. Raises Unsupported."""
    verb = VERBS[head.method]
    if verb is None:
        return Answer(HTTPStatus.NO_CONTENT, [("Allow", "GET, HEAD, OPTIONS")])
    if verb is not Verb.READ:
        raise Unsupported(f"{head.instance} can only be read", allow=(Verb.READ,))
    return page(head)
