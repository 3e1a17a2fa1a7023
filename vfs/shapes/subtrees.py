"""Trees kept by hooks: the body is read first, then the path is checked again and the change made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from vfs.access import Verb
from vfs.call import Data, Entry, Outcome, Reply, Signs
from vfs.context import Context
from vfs.errors import Invalid
from vfs.listing import reply_at, row_named
from vfs.nodes import KIB, Named, Node, Subtree
from vfs.path import Path
from vfs.permission import require
from vfs.ports.blobs import Ref
from vfs.ports.world import KernelWorld
from vfs.route import Route, RoutedContext
from vfs.rules import Rule

# Enough for a path of a few KiB, even if each of its characters is escaped in JSON.
LONGEST_TARGET = 32 * KIB


class MoveRequest(NamedTuple):
    """A requested move: the new path, and whether to replace an existing file."""

    to: str
    replace: bool = False


class SubtreeRoute(Route):
    """A route for every path below it. Folders in it cannot be written, and its top cannot be moved."""

    __slots__ = ("folders", "top")
    folder = True
    node: Subtree[Any]

    def __init__(self, node: Node, parent: Route | None, name: str) -> None:
        super().__init__(node, parent, name)
        self.folders: dict[Verb, Rule] = {}
        self.top: dict[Verb, Rule] = {}

    def rules_at(self, context: Context[Any]) -> Mapping[Verb, Rule]:
        """Return the rules of a path, which depend on the entry there."""
        if context.absent or not self.is_folder(context):
            return super().rules_at(context)
        return self.folders if self._rest(context) else self.top

    def is_folder(self, context: Context[Any]) -> bool:
        """Return whether a folder is at a path. The top is always one."""
        return not context.absent and (not self._rest(context) or self.node.folder(context[self.node.param]))

    def is_link(self, context: Context[Any]) -> bool:
        """Return whether a link is at a path."""
        return not context.absent and not self.is_folder(context) and self.node.link(context[self.node.param])

    def birth_denial(self, context: Context[Any], verb: Verb, rule: Rule | None) -> str | None:
        """Return the need of the rule, to callers who may see the names beside the path."""
        denial = self.blindness(context)
        if denial is None and rule is not None:
            return f"you may see what is beside {context.requested}, but this needs {rule.lack(context)}"
        return denial

    def own_row(self, context: RoutedContext[KernelWorld]) -> Named | None:
        """Return the row of a path below the top."""
        return super().own_row(context) if self._rest(context) else None

    def read(self, context: RoutedContext[KernelWorld]) -> Reply:
        """Return the rows of a folder, or a file from its hook."""
        if self.is_folder(context):
            return reply_at(context, Data(list(self.rows(context))), folder=True)
        return reply_at(context, self.node.read(context), signs=Signs.ALL)

    def rows(self, context: RoutedContext[KernelWorld]) -> Iterator[Entry]:
        """Yield rows as the hook lists them; folders share verbs and letters, and so do files."""
        known: dict[tuple[bool, bool], Entry] = {}
        base = str(context.requested)
        for named in self.node.names(context):
            folder = self.node.folder(named.fact) if named.folder is None else named.folder
            like = known.get((folder, named.link))
            if like is None:
                like = known[folder, named.link] = row_named(self._below(context, named), named)
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

    def look(self, context: RoutedContext[KernelWorld], rest: str) -> None:
        """Load the value at a path below the node. If there is none, the context becomes absent."""
        context.match(self.node.param, rest, None)
        fact = None if context.absent else self.node.look(context)
        if fact is None:
            context.birth = not context.absent
            context.absent = True
        else:
            context.match(self.node.param, rest, fact)

    def look_again(self, context: RoutedContext[KernelWorld], verb: Verb) -> bool:
        """Check only the path again, because it may have been created or removed."""
        if context.birth:
            context.absent = context.birth = False
        self.look(context, self._rest(context))
        require(context, verb)
        return True

    def destination(
        self, context: RoutedContext[KernelWorld], verb: Verb, sent: Any
    ) -> RoutedContext[KernelWorld]:
        """Return the context that a move leads to."""
        if verb is not Verb.RENAME:
            return context
        there = context.beside(self, self._target_path(context, sent.to))
        self.look(there, sent.to)
        return there

    def receive(self, context: RoutedContext[KernelWorld], verb: Verb) -> Any:
        """Return the content of the body, read before a transaction: the move, or the content to write."""
        if verb is Verb.RENAME:
            return _move(context)
        if verb is Verb.CREATE and context.call.folder:
            if not context.call.body.empty():
                raise Invalid(f"{context.requested}/ is a folder: leave out the final slash to write a file")
            return None
        return self.node.receive(context) if verb in (Verb.CREATE, Verb.WRITE) else None

    def act(self, context: RoutedContext[KernelWorld], verb: Verb, sent: Any) -> Reply:
        """Make the change with the hook of the verb."""
        node = self.node
        if verb is Verb.RENAME:
            assert node.rename is not None
            there = str(self._target_path(context, sent.to))
            return Reply(
                node.rename(context, *sent) or f"moved {context.requested} to {there}\n", location=there
            )
        if verb is Verb.REMOVE:
            assert node.remove is not None
            return Reply(node.remove(context) or f"removed {context.requested}\n")
        if verb is Verb.CREATE and context.call.folder:
            assert node.create is not None
            said = node.create(context)
        else:
            assert node.write is not None
            said = node.write(context, sent)
        written = sent if isinstance(sent, Ref) else None
        if context.absent:
            said = said or f"created {context.requested}\n"
            return Reply(said, Outcome.CREATED, location=str(context.requested), written=written)
        return Reply(said or "", written=written)

    def _rest(self, context: Context[Any]) -> str:
        return context.segment(self.node.param)

    def _below(self, context: RoutedContext[KernelWorld], named: Named) -> RoutedContext[KernelWorld]:
        shown = context.child(named.name, self)
        rest = self._rest(context)
        shown.match(self.node.param, f"{rest}/{named.name}" if rest else named.name, named.fact)
        return shown

    def _target_path(self, context: RoutedContext[KernelWorld], to: str) -> Path:
        """Return the path whose part below the node is `to`."""
        levels = self._rest(context).count("/") + 1
        return Path(context.requested[:-levels]) / to.split("/")


def _move(context: RoutedContext[KernelWorld]) -> MoveRequest:
    requested = MoveRequest(**{"to": None, **context.call.fields(LONGEST_TARGET, MoveRequest._fields)})
    if not isinstance(requested.to, str) or not (to := requested.to.strip("/")):
        raise Invalid('send the new path as JSON, for example {"to": "folder/name.csv"}')
    if not isinstance(requested.replace, bool):
        raise Invalid('"replace" is true or false: with true, a file that is there is replaced')
    return MoveRequest(to, requested.replace)
