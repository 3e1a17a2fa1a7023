"""Calls and replies: a request without its protocol, and the answer to it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, BinaryIO, Generic, NamedTuple, Protocol, TypeVar

from vfs.access import Caller, Verb
from vfs.body import Body, NoBody, known_fields, refuse_in_address
from vfs.errors import Invalid
from vfs.path import Path
from vfs.ports.blobs import Ref
from vfs.ports.world import KernelWorld

JSON = "application/json"
RENAMING = ("name", "copy", "mend")

W_co = TypeVar("W_co", bound=KernelWorld, covariant=True)


class Form(Enum):
    """The representation that the caller requested. TEXTS: the texts of all files below a folder."""

    TEXT = auto()
    DATA = auto()
    TEXTS = auto()


class Signs(Enum):
    """The control characters, besides newline and tab, that are kept in a text; terminals interpret them.

    Texts that the service generates keep NONE, or COLORS if that is their format. Stored texts keep ALL.
    """

    NONE = auto()
    COLORS = auto()
    ALL = auto()


class Outcome(Enum):
    """The successful results of a call."""

    DONE = auto()
    CREATED = auto()
    ACCEPTED = auto()
    EMPTY = auto()

    __hash__ = object.__hash__  # as in Verb


@dataclass(frozen=True, slots=True)
class Data:
    """A value with two representations.

    `value` is the JSON value, `text` makes the plain text of it (None: there is only JSON).
    """

    value: Any
    text: Callable[[Any], str] | None = None


@dataclass(frozen=True, slots=True)
class Stream:
    """Content that is generated while it is sent.

    `size`, and `tag` (the name of its version), are set if they are known.
    """

    pieces: Iterable[bytes]
    media: str
    size: int | None = None
    tag: str | None = None


@dataclass(frozen=True, slots=True)
class KeptBytes:
    """Existing bytes: `tag` names their version, `open` returns a seekable file of them.

    A browser runs the scripts of an `is_scripted` document, and shows an `is_framed` one in a frame of its
    page. An `is_passing` document temporarily replaces another.
    """

    media: str
    size: int
    tag: str
    open: Callable[[], BinaryIO]
    is_scripted: bool = False
    is_framed: bool = False
    is_passing: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a call.

    `value`: text, a Ref (stored bytes), KeptBytes, Data, a Stream, or None. `written`: the content of the
    file after the call, from which a validator is made. `heeded`: the hint that the reply follows. `session`:
    the token of a session that began; empty if one ended. `filename`: its name as a download. `inline`: it is
    to be displayed. `canonical`: the address of the page that shows it. `signs`: the control characters that
    are kept in a text, in the text of Data, and in a Stream.
    """

    value: str | Ref | KeptBytes | Data | Stream | None
    outcome: Outcome = Outcome.DONE
    media: str = "text/plain"
    folder: bool = False
    permissions: tuple[str, ...] = ()
    default: bool = False
    filename: str | None = None
    inline: bool = False
    canonical: str | None = None
    location: str | None = None
    allow: tuple[Verb, ...] | None = None
    heeded: str | None = None
    written: str | Ref | None = None
    session: str | None = None
    signs: Signs = Signs.NONE


class Ongoing(Protocol):
    """Supervision of a reply that may take long, called from the thread that generates it."""

    def begin(self, *, spare: bool = False) -> None:
        """Count this reply as one of the long replies. Raises Unavailable when there are too many.

        A `spare` reply may use only half of the limit; the other half is reserved for others.
        """

    def is_allowed(self) -> bool:
        """Return whether the caller still has permission and is connected. Called before each piece."""

    def check(self) -> None:
        """Raise the VfsError with which the call would be refused now."""

    def is_over(self) -> bool:
        """Return whether the reply ends now: the service stops, or the permission was lost. Cheap."""

    def is_lost(self) -> bool:
        """Return whether the permission was lost meanwhile. Cheap enough for a loop that waits."""


class Unsupervised:
    """Supervision of calls from inside the process: they have no limit."""

    def begin(self, *, spare: bool = False) -> None:
        pass

    def is_allowed(self) -> bool:
        return True

    def check(self) -> None:
        pass

    def is_over(self) -> bool:
        return False

    def is_lost(self) -> bool:
        return False


class NewName(NamedTuple):
    """The new name of a rename: of a `copy`, or with references to the item updated (`mend`).

    `taken` is the data that was read for either before the transaction began.
    """

    name: str
    copy: bool = False
    mend: bool = False
    taken: Any = None


@dataclass(slots=True)
class Call(Generic[W_co]):
    """One request, independent of the protocol. With `verb` None it requests the allowed verbs.

    `history` requests the list of former contents. An `autosave` may be replaced without becoming one.
    `expect` is called before a write, with the current reply (None: nothing exists) and the reply that the
    write would replace (a different one for a move). It raises Outdated if a precondition fails. `folder`:
    the path had a final slash. `hints`: passed by the edge to hooks, unused by the kernel. `ongoing`:
    supervision of a long reply. `tags`: returns the validators of all representations of a reply, as sent to
    readers, that of the text last.
    """

    verb: Verb | None
    path: Path
    caller: Caller
    world: W_co
    body: Body = field(default_factory=NoBody)
    id: str = ""
    want: Form = Form.TEXT
    history: bool = False
    autosave: bool = False
    folder: bool = False
    expect: Callable[[Reply | None, Reply | None], None] | None = None
    query: Mapping[str, str] = field(default_factory=dict)
    hints: object = None
    ongoing: Ongoing = field(default_factory=Unsupervised)
    tags: Callable[[Reply], tuple[str, ...]] = lambda reply: ()

    def fields(self, largest: int, known: Collection[str], *, optional: bool = False) -> Mapping[str, Any]:
        """Return the fields of the JSON object in the body; none if the body is `optional` and empty.

        Raises Invalid if the body is not an object or has a key that is not `known`, or if a known key is in
        the query; and as Body.data does.
        """
        refuse_in_address(self.query, known)
        return known_fields({} if optional and self.body.empty() else self.body.data(largest), known)

    def line(self, largest: int, known: Collection[str]) -> str:
        """Return the text of a body that may also be sent as JSON with `known` fields. Raises as `fields`."""
        refuse_in_address(self.query, known)
        return self.body.text(largest)

    def new_name(self, largest: int) -> NewName:
        """Return the new name that a rename requests, as a line or JSON. Raises as `line` and `fields`."""
        if self.body.media != JSON:
            return NewName(self.line(largest, RENAMING).strip())
        requested = NewName(**{"name": None, **self.fields(largest, RENAMING)})
        if [type(one) for one in requested[:3]] != [str, bool, bool]:
            raise Invalid(
                'send JSON such as {"name": "other", "copy": true}, or the new name alone as text/plain'
            )
        if requested.copy and requested.mend:
            raise Invalid(
                "send copy or mend, not both: a copy leaves the name as it is, so nothing has to be mended"
            )
        return requested


class Entry(NamedTuple):
    """A row of a listing (interface, What the service does, 8).

    `extra` holds fields that only entries of its kind have.
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


@dataclass(frozen=True, slots=True)
class About:
    """The description of a path: its row, the content that it accepts, and whether it does not exist yet."""

    entry: Entry
    accepts: tuple[str, ...]
    values: tuple[str, ...]
    default: str | None
    largest: int | None
    about: str
    absent: bool
    query: Mapping[str, str] = field(default_factory=dict)
