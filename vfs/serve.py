"""The one road of every request: find the place, ask its rule, act, remake what was derived."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vfs.access import Verb
from vfs.body import TextBody
from vfs.call import Call, Data, Form, Reply
from vfs.context import Context
from vfs.find import find
from vfs.listing import reply_at, row_of
from vfs.path import Path
from vfs.permission import absent, require
from vfs.ports.world import KernelWorld
from vfs.preconditions import hold_precondition
from vfs.route import RoutedContext
from vfs.texts import texts
from vfs.tree import Tree


def serve(tree: Tree, call: Call[KernelWorld]) -> Reply:
    """Answer a call. Raises vfs.errors only, or what a hook failed with."""
    context = find(tree, call)
    if call.verb is None:
        return _describe(context)
    require(context, call.verb)
    open_ended = context.route.node.open_ended
    if open_ended is not None and open_ended(context):
        call.ongoing.begin()
    if call.verb is Verb.READ:
        tree.read(context)
        return read(context)
    return _change(tree, context, call.verb)


def admit(tree: Tree, call: Call[KernelWorld]) -> None:
    """Ask whether a call would be answered, and do nothing. Raises as `serve` does."""
    require(find(tree, call), call.verb or Verb.READ)


def _change(tree: Tree, context: RoutedContext[KernelWorld], verb: Verb) -> Reply:
    """Act inside a transaction, after the precondition was held against what is there now.

    It begins once the body is there, as others would wait for it while a slow one arrives. Of several equal
    calls at the same moment one does it, and the others are answered as if they had come later.
    """
    route = context.route
    if (tried := route.trial(context, verb)) is not None:
        hold_precondition(context, context)
        return tried
    if route.long:
        hold_precondition(context, context)
        return _act(tree, context, verb, None)
    context.also = _Beside(tree, context.call)
    sent = route.receive(context, verb)
    with context.world.atomic():
        return _change_now(tree, context, verb, sent)


def _change_now(tree: Tree, context: RoutedContext[KernelWorld], verb: Verb, sent: Any) -> Reply:
    """Act, within a transaction."""
    route = context.route
    _stamp(context, verb)
    if not route.look_again(context, verb):
        context = _find_again(tree, context, verb)
    if context.call.expect is not None:
        hold_precondition(context, route.destination(context, verb, sent))
    context.also = _Beside(tree, context.call)
    return _act(tree, context, verb, sent)


def _act(tree: Tree, context: RoutedContext[KernelWorld], verb: Verb, sent: Any) -> Reply:
    reply = context.route.act(context, verb, sent)
    tree.changed(context, verb, reply)
    return reply


@dataclass(frozen=True, slots=True)
class _Beside:
    """Changes beside that of a call, within its transaction and as its caller."""

    tree: Tree
    call: Call[KernelWorld]

    def find(self, verb: Verb, path: Path, text: str = "") -> RoutedContext[KernelWorld]:
        by = self.call
        call = Call(verb, path, by.caller, by.world, TextBody(text), by.id, hints=by.hints, tags=by.tags)
        context = find(self.tree, call)
        require(context, verb)
        return context

    def take(self, context: Context[Any]) -> Any:
        assert isinstance(context, RoutedContext)
        assert context.call.verb is not None
        return context.route.receive(context, context.call.verb)

    def change(self, context: Context[Any], taken: Any = None) -> Reply:
        assert isinstance(context, RoutedContext)
        assert context.call.verb is not None
        with context.world.atomic():
            _stamp(context, context.call.verb)
            return _act(self.tree, context, context.call.verb, taken)

    def write(self, path: Path, text: str) -> Reply:
        return self.change(self.find(Verb.WRITE, path, text))


def _find_again(tree: Tree, context: RoutedContext[KernelWorld], verb: Verb) -> RoutedContext[KernelWorld]:
    """The place as it is within the transaction, where an entry may have come or gone since it was found."""
    again = find(tree, context.call)
    require(again, verb)
    if again.item is not None and (context.item is None or context.item.id != again.item.id):
        _stamp(again, verb)  # another of that name has come
    return again


def _stamp(context: RoutedContext[KernelWorld], verb: Verb) -> None:
    """Stamp the item that changes. One that was removed since the path was found is absent.

    Where the route leaves the item as it is, it is held instead.
    """
    if context.item is None:
        return
    items = context.world.items
    if not (items.hold if context.route.is_still(verb) else items.touch)(context.item):
        raise absent(context)


def read(context: RoutedContext[KernelWorld]) -> Reply:
    """The content of a place, in the form asked for; its history is kept by no node."""
    if context.call.history:
        return reply_at(context, Data([]))
    if context.call.want is Form.TEXTS and context.route.folder:
        return reply_at(context, Data(texts(context)))
    return context.route.read(context)


def _describe(context: RoutedContext[KernelWorld]) -> Reply:
    entry = row_of(context)
    if not entry.verbs:
        require(
            context, Verb.READ if context.absent else next(iter(context.route.rules_at(context)), Verb.READ)
        )
    about = context.route.about(entry, absent=context.absent)
    return Reply(
        Data(about),
        permissions=entry.permissions,
        folder=entry.type == "dir",
        allow=entry.verbs,
    )
