"""Places: where a path ends for a caller, as rules and hooks are handed it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Protocol

from vfs.access import NOTHING, RUNNABLE, Access, Caller, Confers, EffectiveGrant, Verb
from vfs.call import Call, Reply, W_co
from vfs.param import Param, T
from vfs.path import Path
from vfs.ports.items import Found, Item
from vfs.ports.leaves import Leaf


class Beside(Protocol):
    """Changes of other files in the transaction of a change, by the same caller."""

    def find(self, verb: Verb, path: Path, text: str = "") -> Context[Any]:
        """The place of a change that the caller may make. Raises as a call of its own would be refused."""
        ...

    def take(self, context: Context[Any]) -> Any:
        """Read and check what is sent to a place, for `change`; asked while no transaction is open."""
        ...

    def change(self, context: Context[Any], taken: Any = None) -> Reply:
        """Make the change: all of it, or nothing where it raises VfsError."""
        ...

    def write(self, path: Path, text: str) -> Reply:
        """Write a text to a path. Raises as `find` and `change`."""
        ...


class Context(Generic[W_co]):
    """The end of a path for one caller: the item it lies in, and what the caller has of that item.

    `requested`: the path as it was spelled. `rel`: the path inside the item. `matched`: by parameter, the
    names and what was loaded for them. `confers`: what letters give on the item.
    `absent`: there is nothing for this caller. `birth`: the rules by which something could be created there.
    `missing`: length of the path up to the first name that was not found (0: unknown).
    `only`: the verbs that are allowed at most (None: all). `memo`: shared by all places of a walk.
    `also`: changes other files in the transaction of a change (None: nothing is changed).
    """

    __slots__ = (
        "absent",
        "access",
        "ahead",
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
        self.ahead: Found | None = None
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
        """The world that hooks reach; the kernel uses no more of it than vfs.ports.world.KernelWorld."""
        return self.call.world

    @property
    def me(self) -> str:
        """The caller's name, where a rule has already made sure that there is one."""
        return self.call.caller.name or ""

    @property
    def name(self) -> str:
        """The last segment of the path as it was asked."""
        return self.requested[-1] if self.requested else ""

    @property
    def here(self) -> Item:
        """The item that the place lies in, where the declaration makes sure that there is one."""
        if self.item is None:
            raise LookupError(f"{self.requested} lies in no item")
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

    def enter(
        self, item: Item, effective_grants: tuple[EffectiveGrant, ...], access: Access, confers: Confers
    ) -> None:
        """Step into an item: paths inside it begin here."""
        self.item, self.effective_grants, self.access, self.confers, self.rel = (
            item,
            effective_grants,
            access,
            confers,
            "",
        )
        self.ahead = None
        self.absent = self.birth = False
        self.missing = 0

    def match(self, param: Param[T], name: str, value: T | None) -> None:
        """Note what a parameter matched, without touching the places that share the earlier ones."""
        self.matched = {**self.matched, param: (name, value)}

    def __contains__(self, param: Param[Any]) -> bool:
        return param in self.matched

    def __getitem__(self, param: Param[T]) -> T:
        value = self.get(param)
        if value is None:
            raise LookupError(f"{self.requested} leads through no {param.name}")
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
