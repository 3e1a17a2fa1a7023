"""DriveRequest: a request of a drive, with its caller and the calls that it makes of the kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from handlers.dav.if_header import condition_lists
from handlers.dav.places import Place, place_of
from handlers.http.callers import hints_about
from handlers.http.request_head import RequestHead
from handlers.http.response import tags
from handlers.rules.addresses import DRIVE
from handlers.services.world import World
from vfs.access import Caller, Verb
from vfs.body import Body, NoBody
from vfs.call import Call, Reply
from vfs.errors import Denied, Invalid
from vfs.find import find
from vfs.path import Path
from vfs.permission import require
from vfs.route import RoutedContext
from vfs.tree import Tree

INFINITE = "infinity"
Serve = Callable[[Call[World]], Reply]


class DriveRequest:
    """A request. What it asks of the kernel is checked there; nothing here knows a rule of access."""

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
        """Return the Depth header. Raises Invalid for others than those allowed."""
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
        """Return what is at a path, or that nothing is there for this caller."""
        return find(self._tree, self._call(Verb.READ, path))

    def find(self, verb: Verb, path: Path) -> RoutedContext[Any]:
        """Return the context of a call. Raises as the call would if it is refused."""
        context = find(self._tree, self._call(verb, path))
        require(context, verb)
        return context
