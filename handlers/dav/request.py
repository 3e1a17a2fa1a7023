"""Requests of the drive: their paths, their `If` header, and their calls of the kernel."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from handlers.http.request_head import RequestHead, hints_about
from handlers.http.response import tags
from handlers.rules.addresses import API, DRIVE
from handlers.services.world import World
from vfs.access import Caller, Verb
from vfs.body import Body, NoBody
from vfs.call import Call, Reply
from vfs.errors import Denied, Invalid, NotFound
from vfs.find import find
from vfs.path import Path
from vfs.permission import require
from vfs.route import RoutedContext
from vfs.tree import Tree

SPACES, SHARED, TREE = "spaces", "shared", API[0]
"""Folders of the drive: the caller's spaces, those that others share by owner, and the tree, read-only."""
HERE = Path((DRIVE,))
TOP = (SPACES, SHARED, TREE)


class Place(NamedTuple):
    """An address: its names below `/dav`, and the path in the tree (empty: a folder of the drive itself)."""

    names: Path
    path: Path

    @property
    def depth(self) -> int:
        """The number of names from the space's name on; 0 if the address is not in a space."""
        above = {SPACES: 1, SHARED: 2}.get(self.names[0]) if self.names else None
        return 0 if above is None else max(len(self.names) - above, 0)

    @property
    def item(self) -> Path:
        """The path of the space itself."""
        return Path(self.path[:6])

    @property
    def rest(self) -> str:
        """The path inside the space."""
        return "/".join(self.names[len(self.names) - self.depth + 1 :])


def place_of(path: Path, me: str) -> Place:
    """Return the place of an address of the drive. Raises NotFound for a folder that no drive has."""
    names = Path(path[1:])
    if not names or names == (SHARED,):
        return Place(names, Path())
    if names[0] == TREE:
        return Place(names, API / names[1:])
    if names[0] not in TOP:
        raise NotFound(f"there is no {path}: a drive has the folders {', '.join(TOP)}")
    owner, rest = (me, names[1:]) if names[0] == SPACES else (names[1], names[2:])
    spaces = API / ("users", owner, "code", "spaces")
    return Place(names, spaces / (rest[0], "content", *rest[1:]) if rest else spaces)


def address(names: Path, *, folder: bool) -> str:
    """Return the address of names below `/dav`; that of a folder ends with a slash."""
    return f"{HERE / names}{'/' * folder}"


_ONE = r"(?:Not[ \t]*+)?+(?:<[^<> ]++>|\[[^\[\]]++\])"
_LIST = re.compile(rf"[ \t]*+(?:<([^<> ]++)>[ \t]*+)?+\(((?:[ \t]*+{_ONE})++)[ \t]*+\)", re.IGNORECASE)
_CONDITION = re.compile(r"(Not[ \t]*+)?+(?:<([^<> ]++)>|\[([^\[\]]++)\])", re.IGNORECASE)
MOST = 32
"""Most conditions in a header, because each may need a database query."""


class Condition(NamedTuple):
    """A condition that an address (None: that of the request) has a token or an ETag, or has not."""

    address: str | None
    negated: bool
    token: str | None
    tag: str | None


def condition_lists(header: str | None) -> list[list[Condition]]:
    """Return the lists of conditions of an `If` header; all of one list must be met. Raises Invalid."""
    lists: list[list[Condition]] = []
    if header is None:
        return lists
    address, at = None, 0
    while found := _LIST.match(header, at):
        at, address = found.end(), found[1] or address
        each = _CONDITION.finditer(found[2])
        lists.append([Condition(address, bool(one[1]), one[2], one[3]) for one in each])
    if header[at:].strip() or not lists or sum(map(len, lists)) > MOST:
        raise Invalid(f'the If header is malformed: it is like  (<token> ["etag"]), {MOST} in all')
    return lists


INFINITE = "infinity"
Serve = Callable[[Call[World]], Reply]


class DriveRequest:
    """A request of a drive, whose calls of the kernel are checked there, by the rules of access."""

    def __init__(self, tree: Tree, world: World, serve: Serve, head: RequestHead, caller: Caller) -> None:
        self._tree = tree
        self._serve = serve
        self.world = world
        self.head = head
        self.caller = caller
        self.me = caller.name or ""
        self.place = place_of(Path.parse(head.raw), self.me)
        self.conditions = condition_lists(head.environ.get("HTTP_IF"))
        self.tokens = {one.token for each in self.conditions for one in each}

    def header(self, name: str, default: str = "") -> str:
        """Return a header of the request."""
        return str(self.head.environ.get(f"HTTP_{name.upper().replace('-', '_')}", default)).strip()

    def depth(self, default: str, *allowed: str) -> str:
        """Return the Depth header. Raises Invalid for values that are not allowed."""
        sent = self.header("Depth", default).lower()
        if sent not in allowed:
            raise Invalid(f"the Depth here is {' or '.join(allowed)}")
        return sent

    def place_at(self, address: str) -> Place:
        """Return the place of an address in a header. Raises Invalid, Denied, NotFound."""
        try:
            target = urlsplit(address)
        except ValueError:
            target = urlsplit("")
        if not target.path or target.query or target.fragment:
            raise Invalid("send the new address in the header Destination, such as /dav/spaces/desk/b.txt")
        own = {urlsplit(self.head.origin or "").netloc.lower(), self.header("Host").lower()}
        path = Path.parse(target.path)
        if (target.netloc and target.netloc.lower() not in own) or path[:1] != (DRIVE,):
            raise Denied(
                "the Destination is outside of this drive: copy it with your program, by GET and PUT"
            )
        return place_of(path, self.me)

    def _call(self, verb: Verb, path: Path, body: Body | None = None, **more: Any) -> Call[World]:
        more = {"id": self.head.id, "tags": tags, "hints": hints_about(self.head), **more}
        return Call(verb, path, self.caller, self.world, body or NoBody(), **more)

    def serve(self, verb: Verb, path: Path, body: Body | None = None, **more: Any) -> Reply:
        """Answer a call. Raises as the kernel does."""
        return self._serve(self._call(verb, path, body, **more))

    def look(self, path: Path) -> RoutedContext[Any]:
        """Return the context of a path, which is absent if the caller may not see it."""
        return find(self._tree, self._call(Verb.READ, path))

    def find(self, verb: Verb, path: Path) -> RoutedContext[Any]:
        """Return the context of a call. Raises as the call would if it were refused."""
        context = find(self._tree, self._call(verb, path))
        require(context, verb)
        return context
