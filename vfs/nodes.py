"""The shapes that a path can end at, as frozen values with functions in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
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

READ_ONLY = frozenset({Verb.READ})
KIB = 1024
MIB = 1024 * KIB


@dataclass(frozen=True, slots=True)
class Named:
    """An entry that a hook lists.

    `fact` is the value that a look-up of it would load; `extra` holds further fields of its row. A `link` is
    no folder.
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
    """The common part of all nodes.

    `rules`: replace inherited rules, verb by verb. `listed`: decides whether the node is listed. `about`: one
    line of help. `hidden`: answers NotFound to callers who may do nothing there (a rule: where it holds).
    `query`: the query parameters that hooks read, each with one line of help.
    `shown`: makes the row of an entry that is asked for itself, if the row has more than name and rules.
    `still`: what is done here and below says something about the item or does something with it, but does not
    change it: its time of change stays.
    `open_ended`: whether the answer to a call may go on for long, so that an edge limits their number.
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
    """A fixed folder. What it holds inherits its rules.

    `read`: answers a read, beside the listing. `enter`: steps into an item that belongs to the place (a
    profile, a group); None makes the place absent. `confers`: what reaches of that item give.
    """

    children: Mapping[str, Node] = field(default_factory=dict)
    read: Read | None = field(default=None, kw_only=True)
    enter: Callable[[Context[Any]], Found | None] | None = field(default=None, kw_only=True)
    confers: Confers = field(default_factory=lambda: RUNNABLE, kw_only=True)


@dataclass(frozen=True, kw_only=True, eq=False)
class Entries(Node):
    """The common part of folders with an entry per name.

    `name`: the pattern of names. `name_rule`: the pattern in words.
    `again`: creating an existing entry calls `create` once more (a rule: only where the rule holds; elsewhere
    the name is taken). `candid`: a refused creation is answered with Denied, even if the name is absent (a
    rule: where it holds). `fixed`: nobody makes entries. `read`: answers a read, beside the listing.
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

    Several places may show a kind; one of them is its home. `owner`: the parameter that holds the owner
    (None: everybody's). `copies`: the leaves that a copy takes (None: no copies); `copier`: who may copy.
    The hooks `made`, `renamed`, `copied` and `gone` run inside the transaction, `gone` before the rows go.
    `taking` and `mending` run before it. `taking` gets the name of a copy, and its answer is passed to
    `copied`. `mending` gets a new name that references are to follow, and its answer is passed to `renamed`
    (None: mend nothing). The answers of `renamed` and `copied` are added to the reply.
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


@dataclass(frozen=True, eq=False)
class Each(Entries, Generic[T]):
    """A folder with one entry per name, each shaped `of`. Without hooks the entries are leaves of the item.

    `names`: lists the names. `has`: loads the fact of one name (None: absent). `create`, `rename` and
    `remove`: act on the place of the entry. `upsert`: writing an absent entry makes it.
    `again`: creating an existing entry calls `create` once more (a rule: only where the rule holds; elsewhere
    the name is taken). `loose`: items below an absent entry are not hidden.
    `candid`: a refused creation is answered with Denied, even if the name is absent (a rule: where it holds).
    `name_rule`: completes "a name is …".
    """

    param: Param[T]
    of: Node
    names: Callable[[Context[Any]], Iterable[Named]] | None = field(default=None, kw_only=True)
    has: Callable[[Context[Any], str], T | None] | None = field(default=None, kw_only=True)
    create: Callable[[Context[Any]], Reply | str | None] | None = field(default=None, kw_only=True)
    rename: Callable[[Context[Any], str], None] | None = field(default=None, kw_only=True)
    remove: Callable[[Context[Any]], str | None] | None = field(default=None, kw_only=True)
    upsert: bool = field(default=False, kw_only=True)
    loose: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, eq=False)
class File(Node):
    """A file: stored as a leaf unless hooks keep it.

    `read`: gives text, a Ref, a Stream, or plain data. `text`: makes the plain face of data. `data`: makes
    the JSON face of stored text. `view`: gives what a query asks for instead (None: nothing).
    `check`: turns what was sent into what is stored, or raises Invalid, before a transaction begins. `write`:
    None keeps a leaf. `receive`: takes in a raw body before that, and gives what `write` gets.
    `wants`: how the body is decoded: `text`; `blob`, bytes into blobs; `media` lists the accepted
    types; or `raw`, which the hook reads itself. `schema` is the JSON Schema of a raw body.
    `fixed`: never written; then `media` lists what it may be. `long`: no transaction is held while the hook
    runs. `credential`: what a write is signed in with. `mine`: one value per caller.
    `clear`: replaces the clearing of the leaf (False: it cannot be cleared).
    `remark`: what a writer should know of the text that was kept ("": nothing).
    `signs`: the signs that its text hands on (None: all if it can be written, else none).
    `trial`: answers a write whose query asks to try it only, in its place and outside of every transaction
    (None: it is a write).
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


@dataclass(frozen=True, eq=False)
class Derived(Node):
    """A file made of other leaves of its item, remade whenever one of them changes.

    `of` names them relative to the folder that holds it, `..` being the folder above; `default` is what it
    holds until then.
    """

    make: Callable[[Context[Any], Mapping[str, str]], str] = field(default=lambda context, sources: "")
    of: tuple[str, ...] = field(default=(), kw_only=True)
    media: str = field(default="text/plain", kw_only=True)
    data: Callable[[Context[Any], str], Any] | None = field(default=None, kw_only=True)
    default: str = field(default="", kw_only=True)


@dataclass(frozen=True, eq=False)
class Link(Node):
    """Another spelling of a subtree.

    `/users/{me}/vis` leads on from the root, `files/doc.pdf` from the home of the item.
    """

    to: str = ""
    only: frozenset[Verb] | None = field(default=None, kw_only=True)


@dataclass(frozen=True, eq=False)
class Loop(Node):
    """The folder `up` levels above, once more: a shape that holds itself, told once by outlines."""

    up: int = 1


@dataclass(frozen=True, kw_only=True, eq=False)
class Ghost(Node):
    """Listed, never there; as anything else where its item is hidden."""

    hidden: bool | Rule = PRESENT


@dataclass(frozen=True, eq=False)
class Subtree(Node, Generic[T]):
    """A tree of folders and files kept by hooks; `param` is the rest of the path ("" at its top).

    `look`: loads the value of a path (None: absent). `names`: lists a folder. `read`: answers a file.
    `folder`: whether a value is a folder. `link`: whether it is a link, which is read as a file is.
    `receive`: takes what was sent, before a transaction begins, for `write`. `create`: makes a folder, for a
    path with a final slash; every other path is written. `rename`: gets the new path,
    and whether a file that is there is to be replaced.
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
