"""Routes: nodes at their positions in the tree, and contexts: callers at a route."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple

from vfs.access import Verb
from vfs.call import About, Call, Entry, Reply, W_co
from vfs.context import Context
from vfs.errors import Advice
from vfs.nodes import MIB, Entries, Items, Named, Node
from vfs.path import ANY_NAME, Path
from vfs.ports.world import KernelWorld
from vfs.rules import Rule, holds

NO_RULES: Mapping[Verb, Rule] = {}
Rights = tuple[tuple[Verb, ...], tuple[str, ...]]
"""The verbs that a caller may use in a context, and its permission letters there."""


class Facts(NamedTuple):
    """The facts about a caller in an item that rules depend on, apart from the path within the item."""

    access: int
    owned: bool
    signed_in: bool
    via: str


class Route:
    """A node at its position in the tree, with its children, rules and the files derived from it.

    Each kind of node has its own subclass (vfs.shapes). `rules`: for existing entries. `birth`: for a name
    that could be created. `holder`: the folder of the entry, if its entries are not fixed; `entries`: the
    node of that folder. `also`: the folder of entries with another shape in this one. `ways`: the children
    that a walk reaches without a look-up. `still`: writes here do not change the item's time stamp. `dated`:
    this route or the nearest one above that has its own time stamps. `alike`: whether all of its rules have
    vfs.rules.Rule.alike; then `rights` caches verbs and letters of callers by their facts.
    """

    folder = False  # whether it has entries

    __slots__ = (
        "alike",
        "also",
        "birth",
        "children",
        "dated",
        "derives",
        "entries",
        "entry",
        "holder",
        "inside",
        "item",
        "loops",
        "name",
        "node",
        "parent",
        "pattern",
        "rights",
        "rules",
        "still",
        "template",
        "ways",
    )

    def __init__(self, node: Node, parent: Route | None, name: str) -> None:
        self.node = node
        self.parent = parent
        self.name = name
        self.template: str = f"{parent.template}/{name}" if parent is not None else ""
        self.children: dict[str, Route] = {}
        self.ways: dict[str, Route] = {}
        self.loops: set[str] = set()
        self.entry: Route | None = None
        self.also: Route | None = None
        self.pattern: re.Pattern[str] = ANY_NAME
        self.holder: Route | None = None
        self.entries: Entries | None = None
        self.rules: dict[Verb, Rule] = {}
        self.alike = False
        self.rights: dict[Facts, Rights] = {}
        self.birth: dict[Verb, Rule] = {}
        self.derives: list[Making] = []
        self.inside = False
        self.dated: Route | None = self if node.shown is not None else parent and parent.dated
        self.still: bool = node.still or (parent is not None and parent.still)
        self.item: Route | None = parent.item if parent is not None else None

    def walk(self) -> Iterator[Route]:
        """Yield this route and all routes below it once, in the order of declaration."""
        yield self
        for name, child in self.children.items():
            if name not in self.loops:
                yield from child.walk()
        for entry in (self.entry, self.also and self.also.entry):
            if entry is not None:
                yield from entry.walk()

    def entry_named(self, name: str) -> Route | None:
        """Return the route of entries with such a name; None if no entry has one."""
        if self.also is not None and self.also.pattern.fullmatch(name):
            return self.also.entry
        return self.entry if self.pattern.fullmatch(name) else None

    def rules_at(self, context: Context[Any]) -> Mapping[Verb, Rule]:
        """Return the rules for a context: those for an existing entry, or those for creating it."""
        if context.absent:
            return self.birth if context.birth else NO_RULES
        return self.rules

    def is_folder(self, context: Context[Any]) -> bool:
        """Return whether the context has entries."""
        return self.folder

    def is_link(self, context: Context[Any]) -> bool:
        """Return whether the context is a link and is listed as one."""
        return False

    def birth_denial(self, context: Context[Any], verb: Verb, rule: Rule | None) -> str | None:
        """Return the reason why a caller may not create a name; None if the name is hidden from it."""
        folder, entries, known = self.holder, self.entries, rule or self.rules.get(verb)
        if entries is not None and holds(entries.candid, context) and known and not known.test(context):
            return f"you may not do this to {context.requested}: it needs {known.lack(context)}"
        return folder.blindness(context) if folder is not None and context.item is not None else None

    def blindness(self, context: Context[Any]) -> str | None:
        """Return the reason why a caller may not see the names of this folder; None if it may."""
        reads = self.rules[Verb.READ]
        if reads.test(context):
            return None
        return f"you may not look at the names beside {context.requested}: this needs {reads.lack(context)}"

    @property
    def is_way(self) -> bool:
        """Whether a walk reaches this route by the name alone: `step_in` does nothing."""
        return True

    def step_in(self, context: RoutedContext[KernelWorld]) -> None:
        """Enter the item that belongs to the node, if there is one."""

    def as_listed(self, folder: RoutedContext[KernelWorld], name: str) -> RoutedContext[KernelWorld]:
        """Return the context that a row of a folder describes."""
        return folder.child(name, self)

    def own_row(self, context: RoutedContext[KernelWorld]) -> Named | None:
        """Return the row from the hook of a node, if it has more than name and rules."""
        return None if self.node.shown is None or context.absent else self.node.shown(context)

    def trial(self, context: RoutedContext[KernelWorld], verb: Verb) -> Reply | None:
        """Return the reply to a trial of a change; None if the change is to be made."""
        return None

    def is_still(self, verb: Verb) -> bool:
        """Return whether a verb does not change the item's time stamp. A rename sets it if needed."""
        return self.still or (verb is Verb.RENAME and isinstance(self.entries, Items))

    def times(self, context: RoutedContext[KernelWorld]) -> tuple[str, str] | None:
        """Return the time stamps of the entry that contains this, such as a run; None if that is the item."""
        if self.dated is None or context.absent:
            return None
        shown = self.dated.node.shown
        assert shown is not None
        named = shown(context)
        return named.created_on, named.last_modified

    @property
    def keeps(self) -> bool:
        """Whether it keeps its former contents."""
        return False

    @property
    def query(self) -> Mapping[str, str]:
        """The query parameters that it accepts, each with one line of help."""
        return self.node.query

    @property
    def largest(self) -> int:
        """The limit of a body in bytes, if no file sets its own."""
        return MIB

    @property
    def long(self) -> bool:
        """Whether a change is made outside every transaction."""
        return False

    def read(self, context: RoutedContext[KernelWorld]) -> Reply:
        """Return the content of a context, in the requested form."""
        return Reply(None)

    def receive(self, context: RoutedContext[KernelWorld], verb: Verb) -> Any:
        """Read the sent content while no transaction is open, so that others need not wait for it."""
        context.call.body.arrive(self.largest, context.world.idle)

    def look_again(self, context: RoutedContext[KernelWorld], verb: Verb) -> bool:
        """Check again inside the transaction; return False if the whole path must be resolved again."""
        # Such a context depends only on its item, whose time stamp has just been set.
        return not context.absent and all(value is None for _, value in context.matched.values())

    def destination(
        self, context: RoutedContext[KernelWorld], verb: Verb, sent: Any
    ) -> RoutedContext[KernelWorld]:
        """Return the context that a change replaces: a different one for a move."""
        return context

    def act(self, context: RoutedContext[KernelWorld], verb: Verb, sent: Any) -> Reply:
        """Make the change."""
        return Reply(None)

    def about(self, entry: Entry, *, absent: bool) -> About:
        """Return the description of a path, which begins with its row."""
        return About(entry, (), (), None, None, self.node.about, absent, self.query)


class Making(NamedTuple):
    """The derivation of a file from a source.

    All paths are relative to the lowest folder that contains the file and its sources. `sources` are theirs,
    by the names that the file uses for them.
    """

    route: Route
    rel: str
    source: str
    sources: Mapping[str, str]


NOWHERE = Route(Node(), None, "")


class RoutedContext(Context[W_co]):
    """A caller at a route. For a path outside the tree it is NOWHERE, which has no entries and no rules."""

    __slots__ = ("advice", "route")

    def __init__(self, advice: Advice, call: Call[W_co], route: Route, requested: Path) -> None:
        super().__init__(call, requested)
        self.advice = advice
        self.route = route

    @property
    def holder(self) -> Entries | None:
        """The node of the folder of this entry, if the entries are not fixed."""
        return self.route.entries

    def facts(self) -> Facts | None:
        """Return the facts about the caller in an item; None outside items, and for a caller with a claim."""
        caller = self.call.caller
        if self.item is None or caller.claim is not None:
            return None
        return Facts(self.access.value, self.owned, caller.name is not None, caller.via.value)

    def beside(self, route: Route, requested: Path) -> RoutedContext[W_co]:
        """Return another context in the same item."""
        context = RoutedContext(self.advice, self.call, route, requested)
        context.matched, context.memo, context.only = self.matched, self.memo, self.only
        context.item, context.access, context.effective_grants, context.confers = (
            self.item, self.access, self.effective_grants, self.confers,
        )  # fmt: skip
        return context

    def itself(self) -> RoutedContext[W_co]:
        """Return the same context without query and history, which could select other content."""
        context = copy(self)
        context.call = replace(self.call, query={}, history=False)
        return context

    def child(self, name: str, route: Route) -> RoutedContext[W_co]:
        """Return the context of an entry of this folder."""
        context = self.beside(route, self.requested / name)
        if self.item is not None:
            context.rel = f"{self.rel}/{name}" if self.rel else name
        return context
