"""The drive: all requests below `/dav/`, by the methods of WebDAV (RFC 4918)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from http import HTTPStatus

from handlers.dav import changes, locking
from handlers.dav.members import member_at, members_in
from handlers.dav.properties import listing, xml_answer
from handlers.dav.request import HERE, INFINITE, DriveRequest, Serve, address
from handlers.dav.xml_bodies import asked_properties, read_xml
from handlers.http.admission import admit_growth, refuse_partial_write
from handlers.http.bodies.body import RequestBody
from handlers.http.kernel import InnerCalls, ReadAs
from handlers.http.negotiation import EITHER
from handlers.http.problems import refusal
from handlers.http.request_head import RequestHead, caller_of
from handlers.http.response import PLAIN, Answer
from handlers.identity.identify import Identify, basic_pair
from handlers.rules.addresses import API
from handlers.services.run_people import with_people
from handlers.services.world import World
from vfs.access import Caller, Verb
from vfs.errors import Unauthenticated, Unsupported, VfsError
from vfs.ports.disk import DiskSpace
from vfs.tree import Tree

READS = frozenset({"GET", "HEAD"})
ALLOW = "OPTIONS, GET, HEAD, PUT, DELETE, PROPFIND, PROPPATCH, MKCOL, COPY, MOVE, LOCK, UNLOCK"
TOKEN = "a drive is opened with your user name, and a token as the password: make one at /settings/tokens"
"""The advice for requests without a token."""


def _list(request: DriveRequest) -> Answer:
    """Return the properties of a place and, with Depth 1, of the members of its folder."""
    depth = request.header("Depth", INFINITE).lower()
    if depth not in ("0", "1"):
        return xml_answer(
            HTTPStatus.FORBIDDEN, '<D:error xmlns:D="DAV:"><D:propfind-finite-depth/></D:error>'
        )
    asked = asked_properties(read_xml(RequestBody(request.head.environ)))
    member = member_at(request, request.place)
    inside = members_in(request, request.place) if depth == "1" and member.folder else []
    return listing(request, [member, *inside], asked)


ACTS: Mapping[str, Callable[[DriveRequest], Answer]] = {
    "PROPFIND": _list,
    "PROPPATCH": changes.change_properties,
    "PUT": changes.put,
    "MKCOL": changes.make_folder,
    "DELETE": changes.delete,
    "COPY": partial(changes.transfer, moves=False),
    "MOVE": partial(changes.transfer, moves=True),
    "LOCK": locking.lock,
    "UNLOCK": locking.unlock,
}


class DriveDoor:
    """Answers all requests below `/dav/`. Cookies are ignored, as pages of other sites could send them."""

    def __init__(self, tree: Tree, world: World, serve: Serve, identify: Identify, disk: DiskSpace) -> None:
        self._tree = tree
        self._world = world
        self._serve = serve
        self._identify = identify
        self._disk = disk

    def __call__(self, head: RequestHead, calls: InnerCalls) -> Answer:
        """Return the response."""
        head.by_password, head.face = True, EITHER
        try:
            if head.method == "OPTIONS":
                facts = [("DAV", "1, 2"), ("MS-Author-Via", "DAV"), ("Allow", ALLOW)]
                return Answer(HTTPStatus.OK, [*facts, ("Content-Type", PLAIN)])
            with self._world.session():
                return self._answer(head, calls.read_as)
        except VfsError as refused:
            answer = refusal(refused, head)
            if isinstance(refused, Unsupported):
                answer.headers = [one for one in answer.headers if one[0] != "Allow"]
                answer.add("Allow", ALLOW)
            return answer

    def _answer(self, head: RequestHead, serve_as: ReadAs) -> Answer:
        refuse_partial_write(head.method, head.raw, head.environ)
        caller = self._caller(head)
        head.user = caller.name
        request = DriveRequest(self._tree, self._world, self._serve, head, caller)
        if head.method in READS:
            path = request.place.path
            return _names(request) if not path else serve_as(path, partial(self._caller, head, again=True))
        if head.method not in ACTS:
            raise Unsupported(f"a drive takes no {head.method[:40]}", allow=())
        if head.method != "PROPFIND":
            admit_growth(head, API, self._disk, {})
        return ACTS[head.method](request)

    def _caller(self, head: RequestHead, *, again: bool = False) -> Caller:
        """Return the owner of the token that was sent, as a password or a bearer. Raises Unauthenticated."""
        sent = str(head.environ.get("HTTP_AUTHORIZATION", ""))
        if not sent:
            raise Unauthenticated(TOKEN)
        scheme, _, rest = sent.partition(" ")
        if scheme.lower() == "basic":
            self._identify.by_basic_token(sent)
            sent = f"Bearer {basic_pair(rest)[1]}"
        as_bearer = replace(head, environ={**head.environ, "HTTP_AUTHORIZATION": sent})
        return with_people(self._world, caller_of(self._identify, as_bearer, Verb.READ, HERE, again=again))


def _names(request: DriveRequest) -> Answer:
    """Return the addresses of the members of a folder of the drive itself, one on each line."""
    lines = [f"{address(one.names, folder=True)}\n" for one in members_in(request, request.place)]
    return Answer(HTTPStatus.OK, [("Content-Type", PLAIN)], "".join(lines).encode())
