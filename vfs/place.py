"""What a request is below the edge: a call, the place it ends at, and the reply."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from vfs.access import NOTHING, Access, Caller, Reach, Verb
from vfs.body import Body, NoBody, TextBody
from vfs.ongoing import Ongoing, Unasked
from vfs.param import Param, T
from vfs.path import Path
from vfs.ports.world import Found, Item, Leaf, Ref, World

if TYPE_CHECKING:
    from vfs.tree import Spot

__all__ = [
    "Body", "Call", "Data", "Entry", "Form", "NoBody", "Outcome", "Place", "Reply", "Stream", "TextBody",
]  # fmt: skip


W_co = TypeVar("W_co", bound=World, covariant=True)


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
class Call(Generic[W_co]):
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
    world: W_co
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


class Place(Generic[W_co]):
    """Where a path ends for a caller: the node, the item it lies in, and what the caller has of that item.

    `asked` is the path as it was spelled; `matched` holds for each parameter on the way the name and the
    value that was loaded for it; `rel` is the path inside the item. A `vacant` place holds nothing for this
    caller; at its `birth` it could be created. `only` limits the verbs (None: all). `memo` is shared by all
    places of a walk.
    """

    __slots__ = (
        "access",
        "ahead",
        "asked",
        "birth",
        "call",
        "item",
        "matched",
        "memo",
        "only",
        "reaches",
        "rel",
        "spot",
        "vacant",
    )

    def __init__(self, call: Call[W_co], spot: Spot | None, asked: Path) -> None:
        self.call = call
        self.spot = spot
        self.asked = asked
        self.matched: dict[Param[Any], tuple[str, Any]] = {}
        self.memo: dict[str, Any] = {}
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
    def world(self) -> W_co:
        """The world that hooks reach; the kernel uses no more of it than vfs.ports.world.World."""
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
        return self.call.world.leaves.get(self.here.id, rel)

    def enter(self, item: Item, reaches: tuple[Reach, ...], access: Access) -> None:
        """Step into an item: paths inside it begin here."""
        self.item, self.reaches, self.access, self.rel = item, reaches, access, ""
        self.ahead = None
        self.vacant = self.birth = False

    def child(self, name: str, spot: Spot) -> Place[W_co]:
        """The place of an entry of this folder."""
        place = Place(self.call, spot, self.asked / name)
        place.matched, place.memo = self.matched, self.memo
        place.item, place.access, place.reaches, place.only = self.item, self.access, self.reaches, self.only
        if self.item is not None:
            place.rel = f"{self.rel}/{name}" if self.rel else name
        return place

    def match(self, param: Param[T], name: str, value: T | None) -> None:
        """Note what a parameter matched, without touching the places that share the earlier ones."""
        self.matched = {**self.matched, param: (name, value)}

    def __contains__(self, param: Param[Any]) -> bool:
        return param in self.matched

    def __getitem__(self, param: Param[T]) -> T:
        value = self.get(param)
        if value is None:
            raise LookupError(f"{self.asked} leads through no {param.name}")
        return value

    def get(self, param: Param[T]) -> T | None:
        """The value loaded for a parameter; None where the path leads through none, or to an absent one."""
        value: T | None = self.matched.get(param, ("", None))[1]
        return value

    def segment(self, param: Param[Any]) -> str:
        """The name that a parameter matched; empty where the path leads through none."""
        return self.matched.get(param, ("", None))[0]

    def once(self, key: str, ask: Callable[[], T]) -> T:
        """The answer of `ask`, asked once for all places of a walk."""
        if key not in self.memo:
            self.memo[key] = ask()
        answer: T = self.memo[key]
        return answer


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
