"""DriveRequest: a request of a drive, with its caller and the calls that it makes of the kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from handlers.dav.if_header import IfHeader
from handlers.dav.places import Place, place_of
from handlers.http.request_head import RequestHead
from handlers.http.response import tags
from handlers.rules.addresses import DRIVE
from handlers.services.hints import Hints
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

INFINITE = "infinity"


@dataclass(frozen=True, slots=True)
class DriveKernel:
    """The tree, its world, and the function that answers calls."""

    tree: Tree
    world: World
    serve: Callable[[Call[World]], Reply]


class DriveRequest:
    """A request. What it asks of the kernel is checked there; nothing here knows a rule of access."""

    def __init__(self, kernel: DriveKernel, head: RequestHead, caller: Caller) -> None:
        self.kernel = kernel
        self.world = kernel.world
        self.head = head
        self.caller = caller
        self.me = caller.name or ""
        self.place = place_of(Path.parse(head.raw), self.me)
        self.condition = IfHeader(head.environ.get("HTTP_IF"))

    def header(self, name: str, default: str = "") -> str:
        """Return a header of the request."""
        return str(self.head.environ.get(f"HTTP_{name.upper().replace('-', '_')}", default)).strip()

    def depth(self, default: str, *allowed: str) -> str:
        """Return the Depth header. Raises Invalid for others than those allowed."""
        sent = self.header("Depth", default).lower()
        if sent not in allowed:
            raise Invalid(f"the Depth here is {' or '.join(allowed)}")
        return sent

    def destination(self) -> Place:
        """Return the place that the Destination header names. Raises Invalid, Denied."""
        sent = self.header("Destination")
        try:
            target = urlsplit(sent)
        except ValueError:
            target = urlsplit("")
        if not target.path or target.query or target.fragment:
            raise Invalid("send the new address in the header Destination, such as /dav/spaces/work/b.txt")
        own = {urlsplit(self.head.origin or "").netloc.lower(), self.header("Host").lower()}
        path = Path.parse(target.path)
        if (target.netloc and target.netloc.lower() not in own) or path[:1] != (DRIVE,):
            raise Denied(
                "the Destination is outside of this drive: copy it with your program, by GET and PUT"
            )
        return place_of(path, self.me)

    def place_at(self, address: str) -> Place | None:
        """Return the place of an address in a header; None if it is not one of this drive."""
        try:
            return place_of(Path.parse(urlsplit(address).path), self.me)
        except (ValueError, Invalid, NotFound):
            return None

    def call(self, verb: Verb | None, path: Path, body: Body | None = None, **more: Any) -> Call[World]:
        """Return a call of the caller."""
        head = self.head
        hints = Hints(
            client=head.client,
            address=head.address,
            source=head.source,
            local=head.local,
            origin=head.origin or "",
            notes=head.notes,
        )
        more = {"id": head.id, "tags": tags, "hints": hints, **more}
        return Call(verb, path, self.caller, self.world, body or NoBody(), **more)

    def serve(self, verb: Verb, path: Path, body: Body | None = None, **more: Any) -> Reply:
        """Answer a call. Raises as the kernel does."""
        return self.kernel.serve(self.call(verb, path, body, **more))

    def look(self, path: Path) -> RoutedContext[Any]:
        """Return what is at a path, or that nothing is there for this caller."""
        return find(self.kernel.tree, self.call(Verb.READ, path))

    def find(self, verb: Verb, path: Path) -> RoutedContext[Any]:
        """Return the context of a call. Raises as the call would if it is refused."""
        context = find(self.kernel.tree, self.call(verb, path))
        require(context, verb)
        return context
