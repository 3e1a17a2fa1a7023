"""Trees kept by hooks: what is sent is taken in first, then the path is looked at again and acted on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from vfs.access import Verb
from vfs.call import Data, Entry, Outcome, Reply, Signs
from vfs.errors import Invalid
from vfs.listing import reply_at, row_named
from vfs.nodes import KIB, Named, Node, Subtree
from vfs.path import Path
from vfs.permission import require
from vfs.place import Place
from vfs.ports.blobs import Ref
from vfs.ports.world import KernelWorld
from vfs.rules import Rule
from vfs.spot import Spot, Visit

# A path of a few KiB, each of its characters escaped in JSON.
LONGEST_TARGET = 32 * KIB


class MoveWish(NamedTuple):
    """A wish to move: the new path, and whether a file that is there is to be replaced."""

    to: str
    replace: bool = False


class SubtreeSpot(Spot):
    """A spot for every path below it: a folder there is not written, and the top itself not moved."""

    __slots__ = ("folders", "top")
    folder = True
    node: Subtree[Any]

    def __init__(self, node: Node, parent: Spot | None, name: str) -> None:
        super().__init__(node, parent, name)
        self.folders: dict[Verb, Rule] = {}
        self.top: dict[Verb, Rule] = {}

    def rules_at(self, place: Place[Any]) -> Mapping[Verb, Rule]:
        """The rules of a path, by what is there."""
        if place.vacant or not self.is_folder(place):
            return super().rules_at(place)
        return self.folders if self._rest(place) else self.top

    def is_folder(self, place: Place[Any]) -> bool:
        """Whether a folder is at a path; at the top there is one."""
        return not place.vacant and (not self._rest(place) or self.node.folder(place[self.node.param]))

    def is_link(self, place: Place[Any]) -> bool:
        """Whether a link is at a path."""
        return not place.vacant and not self.is_folder(place) and self.node.link(place[self.node.param])

    def birth_denial(self, place: Place[Any], verb: Verb, rule: Rule | None) -> str | None:
        """The needs of its rule, to callers who see the names beside it."""
        denial = self.blindness(place)
        if denial is None and rule is not None:
            return f"you may see what is beside {place.asked}, but this needs {rule.lack(place)}"
        return denial

    def own_row(self, place: Visit[KernelWorld]) -> Named | None:
        """The row of a path below the top."""
        return super().own_row(place) if self._rest(place) else None

    def read(self, place: Visit[KernelWorld]) -> Reply:
        """The rows of a folder, or a file as its hook answers it."""
        if self.is_folder(place):
            return reply_at(place, Data(list(self.rows(place))), folder=True)
        return reply_at(place, self.node.read(place), signs=Signs.ALL)

    def rows(self, place: Visit[KernelWorld]) -> Iterator[Entry]:
        """Rows as the hook lists them, each like the other folders or files."""
        known: dict[tuple[bool, bool], Entry] = {}
        base = str(place.asked)
        for named in self.node.names(place):
            folder = self.node.folder(named.fact) if named.folder is None else named.folder
            like = known.get((folder, named.link))
            if like is None:
                like = known[folder, named.link] = row_named(self._below(place, named), named)
            yield Entry(
                named.name,
                base + str(Path((named.name,))),
                like.type,
                like.permissions,
                like.verbs,
                named.created_on,
                named.last_modified,
                named.target,
                named.extra,
            )

    def look(self, place: Visit[KernelWorld], rest: str) -> None:
        """Load what is at a path below the node; where nothing is the place becomes vacant."""
        place.match(self.node.param, rest, None)
        fact = None if place.vacant else self.node.look(place)
        if fact is None:
            place.birth = not place.vacant
            place.vacant = True
        else:
            place.match(self.node.param, rest, fact)

    def look_again(self, place: Visit[KernelWorld], verb: Verb) -> bool:
        """Look at the path alone, which may have come or gone since it was found."""
        if place.birth:
            place.vacant = place.birth = False
        self.look(place, self._rest(place))
        require(place, verb)
        return True

    def destination(self, place: Visit[KernelWorld], verb: Verb, sent: Any) -> Visit[KernelWorld]:
        """The place that a move leads to."""
        if verb is not Verb.RENAME:
            return place
        there = place.beside(self, self._target_path(place, sent.to))
        self.look(there, sent.to)
        return there

    def receive(self, place: Visit[KernelWorld], verb: Verb) -> Any:
        """The body's content, read while no transaction is open: where to move, or what to write."""
        if verb is Verb.RENAME:
            return _move(place)
        if verb is Verb.CREATE and place.call.folder:
            if not place.call.body.empty():
                raise Invalid(f"{place.asked}/ is a folder: leave out the final slash to write a file")
            return None
        return self.node.receive(place) if verb in (Verb.CREATE, Verb.WRITE) else None

    def act(self, place: Visit[KernelWorld], verb: Verb, sent: Any) -> Reply:
        """Do it, through the hook of the verb."""
        node = self.node
        if verb is Verb.RENAME:
            assert node.rename is not None
            there = str(self._target_path(place, sent.to))
            return Reply(node.rename(place, *sent) or f"moved {place.asked} to {there}\n", location=there)
        if verb is Verb.REMOVE:
            assert node.remove is not None
            return Reply(node.remove(place) or f"removed {place.asked}\n")
        if verb is Verb.CREATE and place.call.folder:
            assert node.create is not None
            said = node.create(place)
        else:
            assert node.write is not None
            said = node.write(place, sent)
        written = sent if isinstance(sent, Ref) else None
        if place.vacant:
            said = said or f"created {place.asked}\n"
            return Reply(said, Outcome.CREATED, location=str(place.asked), written=written)
        return Reply(said or "", written=written)

    def _rest(self, place: Place[Any]) -> str:
        return place.segment(self.node.param)

    def _below(self, place: Visit[KernelWorld], named: Named) -> Visit[KernelWorld]:
        shown = place.child(named.name, self)
        rest = self._rest(place)
        shown.match(self.node.param, f"{rest}/{named.name}" if rest else named.name, named.fact)
        return shown

    def _target_path(self, place: Visit[KernelWorld], to: str) -> Path:
        """The path as it is asked for when the rest below the node is `to`."""
        levels = self._rest(place).count("/") + 1
        return Path(place.asked[:-levels]) / to.split("/")


def _move(place: Visit[KernelWorld]) -> MoveWish:
    wish = MoveWish(**{"to": None, **place.call.fields(LONGEST_TARGET, MoveWish._fields)})
    if not isinstance(wish.to, str) or not (to := wish.to.strip("/")):
        raise Invalid('send the new path as JSON, for example {"to": "folder/name.csv"}')
    if not isinstance(wish.replace, bool):
        raise Invalid('"replace" is true or false: with true, a file that is there is replaced')
    return MoveWish(to, wish.replace)
