"""Calls and replies: a request below the edge, and what answers it."""

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
    """The face of a value that the caller asked for; TEXTS are those of all files below a folder."""

    TEXT = auto()
    DATA = auto()
    TEXTS = auto()


class Signs(Enum):
    """The control signs besides newline and tab that a text hands on; a terminal would obey them.

    Texts that the service makes hand on NONE, or COLORS if that is their form. What people stored keeps ALL.
    """

    NONE = auto()
    COLORS = auto()
    ALL = auto()


class Outcome(Enum):
    """Good ends of a call."""

    DONE = auto()
    CREATED = auto()
    ACCEPTED = auto()
    EMPTY = auto()

    __hash__ = object.__hash__  # as Verb's


@dataclass(frozen=True, slots=True)
class Data:
    """A value with two faces.

    `value` is the JSON one, `text` makes the plain one (None: JSON is its only face).
    """

    value: Any
    text: Callable[[Any], str] | None = None


@dataclass(frozen=True, slots=True)
class Stream:
    """Content made while it is sent.

    `size` and `tag`, which names its version, are set where they are known.
    """

    pieces: Iterable[bytes]
    media: str
    size: int | None = None
    tag: str | None = None


@dataclass(frozen=True, slots=True)
class KeptBytes:
    """Bytes that were made before: `tag` names their version, `open` opens them, seekable.

    A browser runs the scripts of an `is_scripted` document, and frames an `is_framed` one in its page here.
    An `is_passing` one stands in for another for a while.
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

    `value`: text, a Ref (stored bytes), KeptBytes, Data, a Stream, or None.
    `written`: what a file holds from now on, for a validator beside a confirmation. `heeded`: the hint that
    the reply follows. `session`: the token of a session that began; empty if one ended.
    `filename`: the file is to be kept; `inline`: it is to be looked at. `canonical`: the address of the page
    that shows it. `signs`: the control signs that stay in a text, in the text of Data, and in a Stream.
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
    """Supervision of an answer that goes on for long, asked from the thread that makes it."""

    def begin(self, *, spare: bool = False) -> None:
        """Take a place among the answers that may go on for long. Raises Unavailable when there is none.

        A `spare` answer takes none of the half that is left to others.
        """
        ...

    def is_allowed(self) -> bool:
        """Whether the caller may still have the answer and is there to take it: asked before each piece."""
        ...

    def check(self) -> None:
        """Raise VfsError as the call would be refused now."""
        ...

    def is_over(self) -> bool:
        """Whether the answer ends now, as the service stops or the right to it was lost; cheap."""
        ...

    def is_lost(self) -> bool:
        """Whether the right to the answer was lost meanwhile; cheap enough for a loop that waits."""
        ...


class Unsupervised:
    """Supervision of calls of the same process: they go on for as long as they like."""

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
    """The name that a renaming asks for, of a `copy` if it is one, or to `mend` what names the item.

    `taken` is what was looked up for either while no transaction was open.
    """

    name: str
    copy: bool = False
    mend: bool = False
    taken: Any = None


@dataclass(slots=True)
class Call(Generic[W_co]):
    """One request, without any protocol. `verb` None asks which verbs there are.

    `expect` is called before a write. It gets the present reply (None: nothing is there) and the reply that
    the write would replace (another one if something moves), and raises Outdated if a precondition fails.
    `folder`: the path had a final slash. `hints`: from the edge, for hooks; the kernel passes them on.
    `ongoing`: what a reply that goes on for long has to ask. `tags`: the validators of every face of a reply,
    as the edge tells them to readers, that of its text last.
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
    hints: object = None
    ongoing: Ongoing = field(default_factory=Unsupervised)
    tags: Callable[[Reply], tuple[str, ...]] = lambda reply: ()

    def fields(self, largest: int, known: Collection[str], *, optional: bool = False) -> Mapping[str, Any]:
        """The fields of the JSON object in the body; none if the body is `optional` and empty.

        Raises Invalid if the body is no object, has a key that is not `known`, or if such a key is in the
        query; and whatever Body.data raises.
        """
        refuse_in_address(self.query, known)
        return known_fields({} if optional and self.body.empty() else self.body.data(largest), known)

    def line(self, largest: int, known: Collection[str]) -> str:
        """The text of a body that a JSON object with `known` fields may stand for. Raises as `fields`."""
        refuse_in_address(self.query, known)
        return self.body.text(largest)

    def new_name(self, largest: int) -> NewName:
        """The wish of a renaming, a line or JSON. Raises as `line` and `fields`."""
        if self.body.media != JSON:
            return NewName(self.line(largest, RENAMING).strip())
        wish = NewName(**{"name": None, **self.fields(largest, RENAMING)})
        if [type(one) for one in wish[:3]] != [str, bool, bool]:
            raise Invalid(
                'send JSON such as {"name": "other", "copy": true}, or the new name alone as text/plain'
            )
        if wish.copy and wish.mend:
            raise Invalid(
                "send copy or mend, not both: a copy leaves the name as it is, so nothing has to be mended"
            )
        return wish


class Entry(NamedTuple):
    """A row of a listing (interface, What the service does, 8).

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


@dataclass(frozen=True, slots=True)
class About:
    """Description of a place: its row, what it takes and may hold, whether it is yet to be."""

    entry: Entry
    accepts: tuple[str, ...]
    values: tuple[str, ...]
    default: str | None
    largest: int | None
    about: str
    absent: bool
