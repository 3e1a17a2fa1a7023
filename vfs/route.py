"""Routes: nodes at their places in the tree, and the visits that callers pay them."""

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
"""The verbs that a caller may use at a place, and the letters that it has there."""


class Facts(NamedTuple):
    """The facts of a visit in an item that rules ask for, apart from the path within the item."""

    access: int
    owned: bool
    signed_in: bool
    via: str


class Route:
    """A node at its position in the tree: names that lead on, rules that decide, files derived from it.

    Each kind of node has a subclass of its own, which answers for the node (vfs.shapes).

    `rules`: for a place that is there. `birth`: for a name that could be created. `holder`: the folder whose
    entry it is, where entries are not fixed; `entries`: the node of that folder. `ways`: the children at
    which a walk asks nothing. `still`: what is done there does not change the item. `dated`: the route that
    tells its own times, this one or the nearest above. `alike`: all of its rules are (vfs.rules.Rule.alike);
    then `rights` are the verbs and letters of callers by their facts.
    """

    folder = False  # whether it has entries

    __slots__ = (
        "alike",
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
        """Itself and all below it once, in the order of their declaration."""
        yield self
        for name, child in self.children.items():
            if name not in self.loops:
                yield from child.walk()
        if self.entry is not None:
            yield from self.entry.walk()

    def rules_at(self, context: Context[Any]) -> Mapping[Verb, Rule]:
        """The rules that decide at a place: those of what is there, or those by which it could come to be."""
        if context.absent:
            return self.birth if context.birth else NO_RULES
        return self.rules

    def is_folder(self, context: Context[Any]) -> bool:
        """Whether what is at a place has entries."""
        return self.folder

    def is_link(self, context: Context[Any]) -> bool:
        """Whether what is at a place leads elsewhere, and is told as that."""
        return False

    def birth_denial(self, context: Context[Any], verb: Verb, rule: Rule | None) -> str | None:
        """The reason that denies a caller a new name; None where the name is absent to it."""
        folder, entries, known = self.holder, self.entries, rule or self.rules.get(verb)
        if entries is not None and holds(entries.candid, context) and known and not known.test(context):
            return f"you may not do this to {context.requested}: it needs {known.lack(context)}"
        return folder.blindness(context) if folder is not None and context.item is not None else None

    def blindness(self, context: Context[Any]) -> str | None:
        """The reason why a caller may not look at the names of this folder; None where it may."""
        reads = self.rules[Verb.READ]
        if reads.test(context):
            return None
        return f"you may not look at the names beside {context.requested}: this needs {reads.lack(context)}"

    @property
    def is_way(self) -> bool:
        """Whether a walk comes here by the name alone: `step_in` does nothing."""
        return True

    def step_in(self, context: RoutedContext[KernelWorld]) -> None:
        """Step into the item that belongs to the node, when it names one."""

    def as_listed(self, folder: RoutedContext[KernelWorld], name: str) -> RoutedContext[KernelWorld]:
        """The place that a row of a folder tells of."""
        return folder.child(name, self)

    def own_row(self, context: RoutedContext[KernelWorld]) -> Named | None:
        """The row that a place tells of itself, where it is more than its name and rules."""
        return None if self.node.shown is None or context.absent else self.node.shown(context)

    def trial(self, context: RoutedContext[KernelWorld], verb: Verb) -> Reply | None:
        """The answer to a change that is only to be tried; None where it is to be done."""
        return None

    def is_still(self, verb: Verb) -> bool:
        """Whether a verb leaves the item as it is. Who renames it stamps it, as that may be a copy."""
        return self.still or (verb is Verb.RENAME and isinstance(self.entries, Items))

    def times(self, context: RoutedContext[KernelWorld]) -> tuple[str, str] | None:
        """The times of what a place belongs to within its item, as its run; None where it is the item."""
        if self.dated is None or context.absent:
            return None
        shown = self.dated.node.shown
        assert shown is not None
        named = shown(context)
        return named.created_on, named.last_modified

    @property
    def largest(self) -> int:
        """The limit of what comes along, in bytes, where no file says how much may."""
        return MIB

    @property
    def long(self) -> bool:
        """Whether what is there is changed outside every transaction."""
        return False

    def read(self, context: RoutedContext[KernelWorld]) -> Reply:
        """The content of a place, in the form asked for."""
        return Reply(None)

    def receive(self, context: RoutedContext[KernelWorld], verb: Verb) -> Any:
        """Take in what is sent, while no transaction is open that others would wait for."""
        context.call.body.arrive(self.largest, context.world.idle)

    def look_again(self, context: RoutedContext[KernelWorld], verb: Verb) -> bool:
        """Look again in a transaction; False where the whole path is to be found again."""
        # There is no more to such a place than its item, which was stamped.
        return not context.absent and all(value is None for _, value in context.matched.values())

    def destination(
        self, context: RoutedContext[KernelWorld], verb: Verb, sent: Any
    ) -> RoutedContext[KernelWorld]:
        """The place that a change replaces: another where something moves."""
        return context

    def act(self, context: RoutedContext[KernelWorld], verb: Verb, sent: Any) -> Reply:
        """Change what is at a place."""
        return Reply(None)

    def about(self, entry: Entry, *, absent: bool) -> About:
        """The description of a place, beginning with its row."""
        return About(entry, (), (), None, None, self.node.about, absent)


class Making(NamedTuple):
    """Derivation of a file from a source.

    It holds the paths of both, and those of all its sources by the names that it has for them, from the
    lowest folder that holds them all.
    """

    route: Route
    rel: str
    source: str
    sources: Mapping[str, str]


NOWHERE = Route(Node(), None, "")


class RoutedContext(Context[W_co]):
    """A caller at a route; where a path leads out of the tree, at NOWHERE, which has no entries and rules."""

    __slots__ = ("advice", "route")

    def __init__(self, advice: Advice, call: Call[W_co], route: Route, requested: Path) -> None:
        super().__init__(call, requested)
        self.advice = advice
        self.route = route

    @property
    def holder(self) -> Entries | None:
        """The folder whose entry this is, where entries are not fixed."""
        return self.route.entries

    def facts(self) -> Facts | None:
        """The facts of a visit in an item; None outside, and where a claim narrows what the caller may."""
        caller = self.call.caller
        if self.item is None or caller.claim is not None:
            return None
        return Facts(self.access.value, self.owned, caller.name is not None, caller.via.value)

    def beside(self, route: Route, requested: Path) -> RoutedContext[W_co]:
        """Another place in the same item."""
        context = RoutedContext(self.advice, self.call, route, requested)
        context.matched, context.memo, context.only = self.matched, self.memo, self.only
        context.item, context.access, context.effective_grants, context.confers = (
            self.item, self.access, self.effective_grants, self.confers,
        )  # fmt: skip
        return context

    def itself(self) -> RoutedContext[W_co]:
        """The same place with nothing that asks to be shown something else there: no query and no history."""
        context = copy(self)
        context.call = replace(self.call, query={}, history=False)
        return context

    def child(self, name: str, route: Route) -> RoutedContext[W_co]:
        """The place of an entry of this folder."""
        context = self.beside(route, self.requested / name)
        if self.item is not None:
            context.rel = f"{self.rel}/{name}" if self.rel else name
        return context
