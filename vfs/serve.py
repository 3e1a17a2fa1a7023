"""The one road of every request: find the place, ask its rule, act, remake what was derived."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vfs.access import Verb
from vfs.body import TextBody
from vfs.call import Call, Data, Form, Reply
from vfs.find import find
from vfs.listing import reply_at, row_of
from vfs.path import Path
from vfs.permission import absent, require
from vfs.place import Place
from vfs.ports.world import KernelWorld
from vfs.preconditions import hold_precondition
from vfs.spot import Visit
from vfs.texts import texts
from vfs.tree import Tree


def serve(tree: Tree, call: Call[KernelWorld]) -> Reply:
    """Answer a call. Raises vfs.errors only, or what a hook failed with."""
    place = find(tree, call)
    if call.verb is None:
        return _describe(place)
    require(place, call.verb)
    open_ended = place.spot.node.open_ended
    if open_ended is not None and open_ended(place):
        call.ongoing.begin()
    if call.verb is Verb.READ:
        tree.read(place)
        return read(place)
    return _change(tree, place, call.verb)


def admit(tree: Tree, call: Call[KernelWorld]) -> None:
    """Ask whether a call would be answered, and do nothing. Raises as `serve` does."""
    require(find(tree, call), call.verb or Verb.READ)


def _change(tree: Tree, place: Visit[KernelWorld], verb: Verb) -> Reply:
    """Act inside a transaction, after the precondition was held against what is there now.

    It begins once the body is there, as others would wait for it while a slow one arrives. Of several equal
    calls at the same moment one does it, and the others are answered as if they had come later.
    """
    spot = place.spot
    if (tried := spot.trial(place, verb)) is not None:
        hold_precondition(place, place)
        return tried
    if spot.long:
        hold_precondition(place, place)
        return _act(tree, place, verb, None)
    place.also = _Beside(tree, place.call)
    sent = spot.receive(place, verb)
    with place.world.atomic():
        return _change_now(tree, place, verb, sent)


def _change_now(tree: Tree, place: Visit[KernelWorld], verb: Verb, sent: Any) -> Reply:
    """Act, within a transaction."""
    spot = place.spot
    _stamp(place, verb)
    if not spot.look_again(place, verb):
        place = _find_again(tree, place, verb)
    if place.call.expect is not None:
        hold_precondition(place, spot.destination(place, verb, sent))
    place.also = _Beside(tree, place.call)
    return _act(tree, place, verb, sent)


def _act(tree: Tree, place: Visit[KernelWorld], verb: Verb, sent: Any) -> Reply:
    reply = place.spot.act(place, verb, sent)
    tree.changed(place, verb, reply)
    return reply


@dataclass(frozen=True, slots=True)
class _Beside:
    """Changes beside that of a call, within its transaction and as its caller."""

    tree: Tree
    call: Call[KernelWorld]

    def find(self, verb: Verb, path: Path, text: str = "") -> Visit[KernelWorld]:
        by = self.call
        call = Call(verb, path, by.caller, by.world, TextBody(text), by.id, hints=by.hints, tags=by.tags)
        place = find(self.tree, call)
        require(place, verb)
        return place

    def take(self, place: Place[Any]) -> Any:
        assert isinstance(place, Visit)
        assert place.call.verb is not None
        return place.spot.receive(place, place.call.verb)

    def change(self, place: Place[Any], taken: Any = None) -> Reply:
        assert isinstance(place, Visit)
        assert place.call.verb is not None
        with place.world.atomic():
            _stamp(place, place.call.verb)
            return _act(self.tree, place, place.call.verb, taken)

    def write(self, path: Path, text: str) -> Reply:
        return self.change(self.find(Verb.WRITE, path, text))


def _find_again(tree: Tree, place: Visit[KernelWorld], verb: Verb) -> Visit[KernelWorld]:
    """The place as it is within the transaction, where an entry may have come or gone since it was found."""
    again = find(tree, place.call)
    require(again, verb)
    if again.item is not None and (place.item is None or place.item.id != again.item.id):
        _stamp(again, verb)  # another of that name has come
    return again


def _stamp(place: Visit[KernelWorld], verb: Verb) -> None:
    """Stamp the item that changes. One that was removed since the path was found is absent.

    Where the spot leaves the item as it is, it is held instead.
    """
    if place.item is None:
        return
    items = place.world.items
    if not (items.hold if place.spot.is_still(verb) else items.touch)(place.item):
        raise absent(place)


def read(place: Visit[KernelWorld]) -> Reply:
    """The content of a place, in the form asked for; its history is kept by no node."""
    if place.call.history:
        return reply_at(place, Data([]))
    if place.call.want is Form.TEXTS and place.spot.folder:
        return reply_at(place, Data(texts(place)))
    return place.spot.read(place)


def _describe(place: Visit[KernelWorld]) -> Reply:
    entry = row_of(place)
    if not entry.verbs:
        require(place, Verb.READ if place.vacant else next(iter(place.spot.rules_at(place)), Verb.READ))
    about = place.spot.about(entry, vacant=place.vacant)
    return Reply(
        Data(about),
        permissions=entry.permissions,
        folder=entry.type == "dir",
        allow=entry.verbs,
    )
