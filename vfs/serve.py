"""The steps of every request: resolve the path, check the rule, act, update derived files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vfs.access import Verb
from vfs.body import TextBody
from vfs.call import Call, Data, Form, Reply
from vfs.context import Context
from vfs.find import find
from vfs.history import answer, folder, is_asked, require_none
from vfs.listing import reply_at, row_of
from vfs.path import Path
from vfs.permission import absent, require
from vfs.ports.world import KernelWorld
from vfs.preconditions import hold_precondition
from vfs.route import RoutedContext
from vfs.texts import texts
from vfs.tree import Tree


def serve(tree: Tree, call: Call[KernelWorld]) -> Reply:
    """Answer a call. Raises vfs.errors, or the error of a hook."""
    context = find(tree, call)
    if call.verb is None:
        return _describe(context)
    if is_asked(call) and context.route.keeps:
        return answer(context)
    require(context, call.verb)
    if is_asked(call):
        require_none(context)
    open_ended = context.route.node.open_ended
    if open_ended is not None and open_ended(context):
        call.ongoing.begin()
    if call.verb is Verb.READ:
        tree.read(context)
        return read(context)
    return _change(tree, context, call.verb)


def admit(tree: Tree, call: Call[KernelWorld]) -> RoutedContext[KernelWorld]:
    """Return the context of a call, without acting. Raises as `serve` does if it would be refused."""
    context = find(tree, call)
    require(context, call.verb or Verb.READ)
    return context


def _change(tree: Tree, context: RoutedContext[KernelWorld], verb: Verb) -> Reply:
    """Act inside a transaction, after checking the precondition there.

    The transaction begins after the body has arrived: others would wait for it during a slow upload. Of
    several equal calls at the same moment one acts, and the others are answered as if they had come later.
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
    """Further changes within the transaction of a call, by the same caller."""

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
    """Return the context inside the transaction, because an entry may have been created or removed."""
    again = find(tree, context.call)
    require(again, verb)
    if again.item is not None and (context.item is None or context.item.id != again.item.id):
        _stamp(again, verb)  # another item has this name now
    return again


def _stamp(context: RoutedContext[KernelWorld], verb: Verb) -> None:
    """Set the time stamp of the item that changes. Raise NotFound if it was removed meanwhile.

    If the route leaves the item unchanged, only lock it against removal.
    """
    if context.item is None:
        return
    items = context.world.items
    if not (items.hold if context.route.is_still(verb) else items.touch)(context.item):
        raise absent(context)


def read(context: RoutedContext[KernelWorld]) -> Reply:
    """Return the content of a context in the requested form, or the files with a history below it."""
    if context.call.history:
        return folder(context)
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
