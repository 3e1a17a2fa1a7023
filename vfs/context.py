"""Contexts: the end of a path for a caller, as it is passed to rules and hooks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Protocol

from vfs.access import NOTHING, RUNNABLE, Access, Caller, Confers, EffectiveGrant, Verb
from vfs.call import Call, Reply, W_co
from vfs.param import Param, T
from vfs.path import Path
from vfs.ports.items import Item
from vfs.ports.leaves import Leaf


class Beside(Protocol):
    """Changes of other files, by the same caller and in the same transaction as a change."""

    def find(self, verb: Verb, path: Path, text: str = "") -> Context[Any]:
        """Return the context of a change. Raises as a separate call would if it is refused."""

    def take(self, context: Context[Any]) -> Any:
        """Read and check the sent content, for `change`. Called while no transaction is open."""

    def change(self, context: Context[Any], taken: Any = None) -> Reply:
        """Make the whole change, or none of it if VfsError is raised."""

    def write(self, path: Path, text: str) -> Reply:
        """Write a text to a path. Raises as `find` and `change`."""


class Context(Generic[W_co]):
    """The end of a path for one caller: the item that contains it, and the caller's access to that item.

    `requested`: the path as it was spelled. `rel`: the path inside the item. `matched`: the name that each
    parameter matched, and the value loaded for it. `confers`: the access by permission letters on the item.
    `absent`: nothing exists for this caller. `birth`: something could be created there, so the rules for that
    apply. `missing`: the length of the path up to the first name that was not found (0: unknown). `only`: the
    only verbs allowed (None: all). `memo`: shared by all contexts of a walk. `also`: changes other files in
    the transaction of a change (None: outside a change).
    """

    __slots__ = (
        "absent",
        "access",
        "also",
        "birth",
        "call",
        "confers",
        "effective_grants",
        "item",
        "matched",
        "memo",
        "missing",
        "only",
        "rel",
        "requested",
    )

    def __init__(self, call: Call[W_co], requested: Path) -> None:
        self.call = call
        self.requested = requested
        self.matched: dict[Param[Any], tuple[str, Any]] = {}
        self.memo: dict[str, Any] = {}
        self.item: Item | None = None
        self.access: Access = NOTHING
        self.confers: Confers = RUNNABLE
        self.effective_grants: tuple[EffectiveGrant, ...] = ()
        self.also: Beside | None = None
        self.rel = ""
        self.absent = False
        self.birth = False
        self.missing = 0
        self.only: frozenset[Verb] | None = None

    @property
    def caller(self) -> Caller:
        """The caller of the call."""
        return self.call.caller

    @property
    def world(self) -> W_co:
        """The world that hooks use; the kernel uses only the part in vfs.ports.world.KernelWorld."""
        return self.call.world

    @property
    def me(self) -> str:
        """The caller's name, if a rule has already ensured that there is one."""
        return self.call.caller.name or ""

    @property
    def name(self) -> str:
        """The last segment of the requested path."""
        return self.requested[-1] if self.requested else ""

    @property
    def here(self) -> Item:
        """The item that contains the path, if the declaration of the tree ensures that there is one."""
        if self.item is None:
            raise LookupError(f"{self.requested} is in no item")
        return self.item

    @property
    def owned(self) -> bool:
        """Whether the caller owns the item."""
        return self.item is not None and self.item.owner == self.call.caller.name

    def leaf(self, rel: str) -> Leaf | None:
        """Return the leaf of the item at a path."""
        return self.call.world.leaves.get(self.here.id, rel)

    def enter(
        self, item: Item, effective_grants: tuple[EffectiveGrant, ...], access: Access, confers: Confers
    ) -> None:
        """Enter an item: paths inside it begin here."""
        self.item, self.effective_grants = item, effective_grants
        self.access, self.confers, self.rel = access, confers, ""
        self.absent = self.birth = False
        self.missing = 0

    def match(self, param: Param[T], name: str, value: T | None) -> None:
        """Record the match of a parameter, without changing other contexts that share the earlier matches."""
        self.matched = {**self.matched, param: (name, value)}

    def __contains__(self, param: Param[Any]) -> bool:
        return param in self.matched

    def __getitem__(self, param: Param[T]) -> T:
        value = self.get(param)
        if value is None:
            raise LookupError(f"{self.requested} leads through no {param.name}")
        return value

    def get(self, param: Param[T]) -> T | None:
        """Return the value loaded for a parameter; None if the path does not contain it, or it is missing."""
        value: T | None = self.matched.get(param, ("", None))[1]
        return value

    def segment(self, param: Param[Any]) -> str:
        """Return the name that a parameter matched; empty if the path does not contain it."""
        return self.matched.get(param, ("", None))[0]

    def once(self, key: str, ask: Callable[[], T]) -> T:
        """Return the result of `ask`, called once for all contexts of a walk."""
        if key not in self.memo:
            self.memo[key] = ask()
        answer: T = self.memo[key]
        return answer
