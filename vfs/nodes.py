"""The kinds of nodes of the tree, as immutable values with functions in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic

from vfs.access import RUNNABLE, Confers, Credential, Kind, Verb
from vfs.call import Reply, Signs
from vfs.context import Context
from vfs.param import USER, Param, T
from vfs.path import NAME, NAME_RULE
from vfs.ports.items import Found, Item
from vfs.rules import ANYONE, PRESENT, R, Rule

Rules = Mapping[Verb, Rule]
Read = Callable[[Context[Any]], Any]
Write = Callable[[Context[Any], Any], Reply | str | None]
Check = Callable[[str], str]

AT, HISTORY = "at", "history"
PAST: Mapping[str, str] = {
    AT: "an ETag, a time or a day: the content that it had then, for callers who may write it",
    HISTORY: "with DELETE: removes its former contents, for the owner",
}
"""The query parameters of files that keep their former contents."""

KIB = 1024
MIB = 1024 * KIB


@dataclass(frozen=True, slots=True)
class Named:
    """An entry that a hook lists.

    `fact` is the value that a look-up of the entry would load; `extra` holds further fields of its row. A
    `link` is not a folder.
    """

    name: str
    created_on: str
    last_modified: str
    fact: Any = True
    folder: bool | None = None
    target: str | None = None
    extra: Mapping[str, Any] | None = None
    link: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class Node:
    """The fields that all nodes have.

    `rules`: replace inherited rules, verb by verb. `listed`: decides whether the node is listed. `about`: one
    line of help. `hidden`: callers without any allowed verb get NotFound (a rule: only if it holds). `query`:
    the query parameters that hooks read, each with one line of help. `shown`: makes the row of the entry
    itself, if the row has more than name and rules. `still`: writes here and below do not change the item's
    time stamp, because they only describe the item or use it. `open_ended`: whether the reply to a call
    may take long; an edge limits the number of such replies.
    """

    rules: Rules = field(default_factory=dict)
    listed: Rule = ANYONE
    hidden: bool | Rule = False
    about: str = ""
    query: Mapping[str, str] = field(default_factory=dict)
    shown: Callable[[Context[Any]], Named] | None = None
    open_ended: Callable[[Context[Any]], bool] | None = None
    still: bool = False


@dataclass(frozen=True, eq=False)
class Dir(Node):
    """A fixed folder. Its children inherit its rules.

    `read`: answers a read of the folder itself instead of the listing. `enter`: returns an item that belongs
    to the folder (a profile, a group); with None it is absent. `confers`: the access by grants on that item.
    """

    children: Mapping[str, Node] = field(default_factory=dict)
    read: Read | None = field(default=None, kw_only=True)
    enter: Callable[[Context[Any]], Found | None] | None = field(default=None, kw_only=True)
    confers: Confers = field(default_factory=lambda: RUNNABLE, kw_only=True)


@dataclass(frozen=True, kw_only=True, eq=False)
class Entries(Node):
    """The fields of all folders with an entry per name.

    `name`: the pattern of names. `name_rule`: the pattern in words. `again`: creating an existing entry calls
    `create` again (a rule: only if it holds; else the name is taken). `candid`: a refused creation is
    answered with Denied, even if the entry is missing (a rule: only if it holds). `fixed`: callers create no
    entries. `read`: answers a read of the folder itself instead of the listing.
    """

    name: re.Pattern[str] = NAME
    name_rule: str = NAME_RULE
    kind: Kind | None = None
    fixed: bool = False
    again: bool | Rule = False
    candid: bool | Rule = False
    read: Read | None = None


@dataclass(frozen=True, eq=False)
class Items(Entries):
    """A folder of items of one kind, each shaped `of`.

    A kind may be in several folders; one of them is its home. `owner`: the parameter that holds the owner
    (None: items of all owners). `copies`: the leaves that a copy takes (None: no copies); `copier`: the rule
    for copying. The hooks `made`, `renamed`, `copied` and `gone` run inside the transaction, `gone` before
    the item is discarded. `taking` and `mending` run before it. `taking` gets the name of a copy, and its
    result is passed to `copied`. `mending` gets the new name for references to the item, and its result is
    passed to `renamed` (None: references cannot be updated). The texts that `renamed` and `copied` return are
    added to the reply. `among` chooses the items, by id, of a folder that is not a home (None: all).
    """

    kind: Kind = field(kw_only=False)
    of: Node = field(kw_only=False)
    owner: Param[str] | None = field(default=USER, kw_only=True)
    canonical: bool = field(default=False, kw_only=True)
    copies: tuple[str, ...] | None = field(default=None, kw_only=True)
    made: Callable[[Context[Any]], None] | None = field(default=None, kw_only=True)
    mending: Callable[[Context[Any], str], Any] | None = field(default=None, kw_only=True)
    renamed: Callable[[Context[Any], Item, Any], str | None] | None = field(default=None, kw_only=True)
    copier: Rule = field(default=R, kw_only=True)
    taking: Callable[[Context[Any], str], Any] | None = field(default=None, kw_only=True)
    copied: Callable[[Context[Any], Item, Any], str | None] | None = field(default=None, kw_only=True)
    gone: Callable[[Context[Any]], None] | None = field(default=None, kw_only=True)
    among: Callable[[Any, Sequence[int]], Collection[int]] | None = field(default=None, kw_only=True)


@dataclass(frozen=True, eq=False)
class Each(Entries, Generic[T]):
    """A folder with one entry per name, each shaped `of`. Without hooks the entries are leaves of the item.

    `names`: lists the names. `has`: loads the value of one name (None: missing). `create`, `rename` and
    `remove`: act on the context of the entry. `prepare`: runs before the transaction of a creation or a
    renaming. `create` also gets its result; `rename` gets it instead of a new name, and returns the reply.
    `upsert`: writing a missing entry creates it. `again`: creating an existing entry calls `create` again (a
    rule: only if it holds; else the name is taken). `loose`: items below a missing entry are not hidden.
    `also`: entries with another shape in the same folder, whose names match its `name`. `candid`: a refused
    creation is answered with Denied, even if the entry is missing (a rule: only if it holds). `name_rule`:
    completes "a name is …". `emptied`: answers a removal of the folder itself, which removes all entries.
    """

    param: Param[T]
    of: Node
    names: Callable[[Context[Any]], Iterable[Named]] | None = field(default=None, kw_only=True)
    has: Callable[[Context[Any], str], T | None] | None = field(default=None, kw_only=True)
    create: Callable[..., Reply | str | None] | None = field(default=None, kw_only=True)
    prepare: Callable[[Context[Any]], Any] | None = field(default=None, kw_only=True)
    rename: Callable[[Context[Any], Any], Reply | None] | None = field(default=None, kw_only=True)
    remove: Callable[[Context[Any]], str | None] | None = field(default=None, kw_only=True)
    emptied: Callable[[Context[Any]], str] | None = field(default=None, kw_only=True)
    upsert: bool = field(default=False, kw_only=True)
    loose: bool = field(default=False, kw_only=True)
    also: Each[Any] | None = field(default=None, kw_only=True)


@dataclass(frozen=True, eq=False)
class File(Node):
    """A file: stored as a leaf unless hooks store it.

    `read`: returns text, a Ref, a Stream, or plain data. `text`: makes the plain text of data. `data`: makes
    the JSON value of stored text. `view`: returns the view that a query requests (None: no view). `check`:
    converts sent text to stored text, or raises Invalid, before a transaction begins. `write`: stores the
    value (None: as a leaf). `receive`: reads a raw body before the transaction, and returns the value for
    `write`. `wants`: the decoding of the body: `text`; `blob`, bytes into blobs, where `media` lists the
    accepted types; or `raw`, which the hook reads itself. `schema`: the JSON Schema of a raw body. `fixed`:
    never written; then `media` lists the possible types. `long`: no transaction is open while the hook runs.
    `credential`: the credential for a write. `mine`: one value per caller. `clear`: replaces the clearing of
    the leaf (False: it cannot be cleared). `remark`: a fact about the stored text for its writer ("": none).
    `signs`: the control characters that are kept in its text (None: all if it can be written, else none).
    `trial`: answers a write whose query requests a trial, outside every transaction (None: it is a real
    write). `kept`: whether a stored text keeps its former contents.
    """

    read: Read | None = None
    write: Write | None = None
    check: Check | None = field(default=None, kw_only=True)
    receive: Callable[[Context[Any]], Any] | None = field(default=None, kw_only=True)
    default: str | Callable[[Context[Any]], str] = field(default="", kw_only=True)
    wants: str = field(default="text", kw_only=True)
    media: tuple[str, ...] = field(default=("text/plain",), kw_only=True)
    schema: Mapping[str, Any] | None = field(default=None, kw_only=True)
    text: Callable[[Any], str] | None = field(default=None, kw_only=True)
    data: Callable[[Context[Any], str], Any] | None = field(default=None, kw_only=True)
    view: Callable[[Context[Any]], Reply | None] | None = field(default=None, kw_only=True)
    largest: int = field(default=256 * KIB, kw_only=True)
    values: tuple[str, ...] = field(default=(), kw_only=True)
    fixed: bool = field(default=False, kw_only=True)
    silent: bool = field(default=False, kw_only=True)
    long: bool = field(default=False, kw_only=True)
    credential: Credential = field(default=Credential.TOKEN, kw_only=True)
    mine: bool = field(default=False, kw_only=True)
    clear: Callable[[Context[Any]], None] | bool = field(default=True, kw_only=True)
    accept: Callable[[Context[Any], Any], Any] | None = field(default=None, kw_only=True)
    remark: Callable[[Context[Any], str], str] = field(default=lambda context, text: "", kw_only=True)
    signs: Signs | None = field(default=None, kw_only=True)
    trial: Callable[[Context[Any]], Reply | None] | None = field(default=None, kw_only=True)
    kept: bool = field(default=True, kw_only=True)


@dataclass(frozen=True, eq=False)
class Derived(Node):
    """A file computed from other leaves of its item whenever one of them changes.

    `of`: their paths relative to the folder of the file, `..` being the folder above. `default`: the content
    until the first change.
    """

    make: Callable[[Context[Any], Mapping[str, str]], str] = field(default=lambda context, sources: "")
    of: tuple[str, ...] = field(default=(), kw_only=True)
    media: str = field(default="text/plain", kw_only=True)
    data: Callable[[Context[Any], str], Any] | None = field(default=None, kw_only=True)
    default: str = field(default="", kw_only=True)


@dataclass(frozen=True, eq=False)
class Link(Node):
    """A link to a subtree.

    `/users/{me}/vis` is a path from the root, `files/doc.pdf` a path from the home of the item.
    """

    to: str = ""
    only: frozenset[Verb] | None = field(default=None, kw_only=True)


@dataclass(frozen=True, eq=False)
class Loop(Node):
    """A repetition of the folder `up` levels above: a recursive tree, which outlines show once."""

    up: int = 1


@dataclass(frozen=True, kw_only=True, eq=False)
class Ghost(Node):
    """An entry that is listed but never exists. If its item is hidden, it is handled as any other name."""

    hidden: bool | Rule = PRESENT


@dataclass(frozen=True, eq=False)
class Subtree(Node, Generic[T]):
    """A tree of folders and files kept by hooks; `param` is the rest of the path ("" at its top).

    `look`: loads the value of a path (None: missing). `names`: lists a folder. `read`: answers a file.
    `folder`: whether a value is a folder. `link`: whether it is a link, which is read like a file. `receive`:
    reads the sent content, before a transaction begins, for `write`. `create`: makes a folder, for a path
    with a final slash; every other path is written. `rename`: gets the new path, and whether to replace an
    existing file.
    """

    param: Param[T]
    look: Callable[[Context[Any]], T | None] = field(kw_only=True)
    folder: Callable[[T], bool] = field(kw_only=True)
    names: Callable[[Context[Any]], Iterable[Named]] = field(kw_only=True)
    read: Read = field(kw_only=True)
    link: Callable[[T], bool] = field(default=lambda fact: False, kw_only=True)
    receive: Callable[[Context[Any]], Any] = field(default=lambda context: None, kw_only=True)
    write: Callable[[Context[Any], Any], str | None] | None = field(default=None, kw_only=True)
    create: Callable[[Context[Any]], str | None] | None = field(default=None, kw_only=True)
    rename: Callable[[Context[Any], str, bool], str | None] | None = field(default=None, kw_only=True)
    remove: Callable[[Context[Any]], str | None] | None = field(default=None, kw_only=True)
