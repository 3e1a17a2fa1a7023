"""What a request is below the edge: a call, the place it ends at, and the reply."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, Any

from vfs.access import NOTHING, Access, Caller, Reach, Verb
from vfs.body import Body, NoBody, TextBody
from vfs.ongoing import Ongoing, Unasked
from vfs.path import Path
from vfs.ports.world import Found, Item, Leaf, Ref

if TYPE_CHECKING:
    from vfs.tree import Spot

__all__ = [
    "Body", "Call", "Data", "Entry", "Form", "NoBody", "Outcome", "Place", "Reply", "Stream", "TextBody",
]  # fmt: skip


class Form(Enum):
    """The face of a value that the caller asked for."""

    TEXT = auto()
    DATA = auto()


class Outcome(Enum):
    """How a call ended well."""

    DONE = auto()
    CREATED = auto()
    ACCEPTED = auto()
    EMPTY = auto()


@dataclass(frozen=True, slots=True)
class Data:
    """A value with two faces: `value` is the JSON one,
    `text` makes the plain one (None: JSON is its only face).
    """

    value: Any
    text: Callable[[Any], str] | None = None


@dataclass(frozen=True, slots=True)
class Stream:
    """Content made while it is sent: its pieces, media type and,
    when known, its size and what names its version.
    """

    pieces: Iterable[bytes]
    media: str
    size: int | None = None
    tag: str | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What a call answers. `value` is text, a Ref (stored bytes), Data, a Stream, or None.

    `written` is what a file holds from now on, for a validator beside a confirmation.
    """

    value: str | Ref | Data | Stream | None
    outcome: Outcome = Outcome.DONE
    media: str = "text/plain"
    folder: bool = False
    permissions: tuple[str, ...] = ()
    default: bool = False
    filename: str | None = None
    location: str | None = None
    allow: tuple[Verb, ...] | None = None
    prefer: str | None = None
    written: str | Ref | None = None


@dataclass(slots=True)
class Call:
    """One request, without any protocol. `verb` None asks which verbs there are.

    `expect` is given, before a write happens, the present reply (None when nothing is there) and the one that
    it would replace (another where something moves), and raises Outdated when a precondition fails. `folder`
    tells that the path was spelled with a final slash. `origin` is the public address of the service,
    `client` names the client program, `address` where it is, as a line in a log tells it; `source` is that
    address where it is certain to be the client's own (empty: somebody stands between), `local` tells that
    it is this very host and nobody stands between. `prefer` holds the preferences of RFC 7240. `events`
    tells that news are wanted as they come, from after the one that is named `since`; a reply that goes on
    asks `ongoing`.
    """

    verb: Verb | None
    path: Path
    caller: Caller
    world: Any
    body: Body = field(default_factory=NoBody)
    id: str = ""
    want: Form = Form.TEXT
    history: bool = False
    folder: bool = False
    expect: Callable[[Reply | None, Reply | None], None] | None = None
    query: Mapping[str, str] = field(default_factory=dict)
    prefer: Mapping[str, str] = field(default_factory=dict)
    client: str = ""
    address: str = ""
    source: str = ""
    local: bool = False
    origin: str = ""
    events: bool = False
    since: str = ""
    ongoing: Ongoing = field(default_factory=Unasked)


class Place:
    """Where a path ends for a caller: the node, the item it lies in, and what the caller has of that item.

    `asked` is the path as it was spelled; `args` the names that parameters matched; `facts` what hooks
    loaded on the way, by parameter; `rel` the path inside the item. A `vacant` place holds nothing for this
    caller; at its `birth` it could be created. `only` limits the verbs (None: all).
    """

    __slots__ = (
        "access",
        "ahead",
        "args",
        "asked",
        "birth",
        "call",
        "facts",
        "item",
        "only",
        "reaches",
        "rel",
        "spot",
        "vacant",
    )

    def __init__(self, call: Call, spot: Spot | None, asked: Path) -> None:
        self.call = call
        self.spot = spot
        self.asked = asked
        self.args: dict[str, str] = {}
        self.facts: dict[str, Any] = {}
        self.item: Item | None = None
        self.access: Access = NOTHING
        self.reaches: tuple[Reach, ...] = ()
        self.ahead: Found | None = None
        self.rel = ""
        self.vacant = False
        self.birth = False
        self.only: frozenset[Verb] | None = None

    @property
    def caller(self) -> Caller:
        """Who asks."""
        return self.call.caller

    @property
    def world(self) -> Any:
        """The world that hooks reach; the kernel uses it as vfs.ports.world.World."""
        return self.call.world

    @property
    def me(self) -> str:
        """The caller's name, where a rule has already made sure that there is one."""
        return self.call.caller.name or ""

    @property
    def name(self) -> str:
        """The last segment of the path as it was asked."""
        return self.asked[-1] if self.asked else ""

    @property
    def here(self) -> Item:
        """The item that the place lies in, where the declaration makes sure that there is one."""
        if self.item is None:
            raise LookupError(f"{self.asked} lies in no item")
        return self.item

    @property
    def owned(self) -> bool:
        """True when the caller owns the item."""
        return self.item is not None and self.item.owner == self.call.caller.name

    def leaf(self, rel: str) -> Leaf | None:
        """The leaf of the item at a path, which may have been read along with the item."""
        if self.ahead is not None and self.ahead.ahead == rel:
            return self.ahead.leaf
        found: Leaf | None = self.world.leaves.get(self.here.id, rel)
        return found

    def enter(self, item: Item, reaches: tuple[Reach, ...], access: Access) -> None:
        """Step into an item: paths inside it begin here."""
        self.item, self.reaches, self.access, self.rel = item, reaches, access, ""
        self.ahead = None
        self.vacant = self.birth = False

    def child(self, name: str, spot: Spot) -> Place:
        """The place of an entry of this folder."""
        place = Place(self.call, spot, self.asked / name)
        place.args, place.facts = self.args, self.facts
        place.item, place.access, place.reaches, place.only = self.item, self.access, self.reaches, self.only
        if self.item is not None:
            place.rel = f"{self.rel}/{name}" if self.rel else name
        return place

    def parameter(self, param: str, name: str, fact: Any) -> None:
        """Note what a parameter matched, without touching the places that share the earlier names."""
        self.args = {**self.args, param: name}
        self.facts = {**self.facts, param: fact}


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of a listing (interface, What the service does, 8);
    `extra` holds the fields that only its kind of entry has.
    """

    name: str
    uri: str
    type: str
    permissions: tuple[str, ...]
    verbs: tuple[Verb, ...]
    created_on: str
    last_modified: str
    target: str | None = None
    extra: Mapping[str, Any] | None = None
