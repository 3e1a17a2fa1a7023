"""The one road of every request: find the place, ask its rule, act, remake what was derived."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from vfs.access import Verb, letters
from vfs.acts import clear, create, remove, rename, write
from vfs.call import Call, Data, Entry, Form, Reply, Stream
from vfs.errors import Denied
from vfs.find import find
from vfs.listing import row, row_of
from vfs.nodes import MIB, Derived, Dir, File, Ghost, Node, Subtree
from vfs.permission import absent, allowed_verbs, require
from vfs.ports.world import KernelWorld, Ref
from vfs.shapes.subtrees import SubtreeSpot
from vfs.spot import Visit
from vfs.texts import texts
from vfs.tree import Tree


@dataclass(frozen=True, slots=True)
class About:
    """Description of a place: its row, what it takes and may hold, whether it is yet to be."""

    entry: Entry
    accepts: tuple[str, ...]
    values: tuple[str, ...]
    default: str | None
    largest: int | None
    about: str
    vacant: bool


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
        return read(place)
    return _change(tree, place, call.verb)


def admit(tree: Tree, call: Call[KernelWorld]) -> None:
    """Ask whether a call would be answered, and do nothing. Raises as `serve` does."""
    require(find(tree, call), call.verb or Verb.READ)


LARGEST = MIB  # of what comes along where no file says how much may

ACTS: dict[Verb, Callable[[Visit[KernelWorld]], Reply]] = {
    Verb.WRITE: write,
    Verb.CREATE: create,
    Verb.RENAME: rename,
    Verb.REMOVE: remove,
}


def _change(tree: Tree, place: Visit[KernelWorld], verb: Verb) -> Reply:
    """Act inside a transaction, after the precondition was held against what is there now.

    It begins once the body is there, as others would wait for it while a slow one arrives. Of several equal
    calls at the same moment one does it, and the others are answered as if they had come later.
    """
    if isinstance(place.spot, SubtreeSpot):
        return _change_subtree(place, place.spot, verb)
    node = place.spot.node
    if isinstance(node, File) and node.long:
        return ACTS[verb](place)
    place.call.body.arrive(node.largest if isinstance(node, File) else LARGEST, place.world.idle)
    with place.world.atomic():
        _stamp(place)
        place = _find_again(tree, place, verb)
        if place.call.expect is not None:
            present = _present(place)
            place.call.expect(present, present)
        return ACTS[verb](place)


def _change_subtree(place: Visit[KernelWorld], spot: SubtreeSpot, verb: Verb) -> Reply:
    """The same where what is sent may take long to arrive: the path is found again once it has."""
    sent = spot.receive(place, verb)
    with place.world.atomic():
        _stamp(place)
        spot.look_again(place)
        require(place, verb)
        if place.call.expect is not None:
            present = _present(place)
            moves = verb is Verb.RENAME
            place.call.expect(present, _present(spot.target(place, sent)) if moves else present)
        return spot.act(place, verb, sent)


def _find_again(tree: Tree, place: Visit[KernelWorld], verb: Verb) -> Visit[KernelWorld]:
    """The place as it is within the transaction, where an entry may have come or gone since it was found."""
    if not place.vacant and all(value is None for _, value in place.matched.values()):
        return place  # there is no more to it than its item, which was stamped
    again = find(tree, place.call)
    require(again, verb)
    if again.item is not None and (place.item is None or place.item.id != again.item.id):
        _stamp(again)  # another of that name has come
    return again


def _stamp(place: Visit[KernelWorld]) -> None:
    """Stamp the item that changes. One that was removed since the path was found is absent."""
    if place.item is not None and not place.world.items.touch(place.item):
        raise absent(place)


def _present(place: Visit[KernelWorld]) -> Reply | None:
    """The present reply, with which a precondition is compared; None where nothing is."""
    if place.vacant:
        return None
    if Verb.READ not in allowed_verbs(place):
        raise Denied("a precondition compares with what is there, and that needs read access (r)")
    return read(place)


def read(place: Visit[KernelWorld]) -> Reply:
    """The content of a place, in the form asked for."""
    node = place.spot.node
    if place.call.history:
        return _with_letters(place, Data([]))
    if isinstance(node, File):
        return _with_letters(place, *_content(place, node))
    if isinstance(node, Derived):
        return _with_letters(place, *_leaf_content(place, node, place.rel, node.default))
    if place.call.want is Form.TEXTS:
        return _with_letters(place, Data(texts(place)))
    face = None if isinstance(node, Subtree | Ghost) else _face(node)
    if face is not None:
        return replace(_with_letters(place, face(place)), folder=True)
    if isinstance(node, Subtree) and not place.spot.is_folder(place):
        return _with_letters(place, node.read(place))
    return replace(_with_letters(place, Data(list(place.spot.rows(place)))), folder=True)


def _face(node: Node) -> Callable[[Visit[KernelWorld]], Any] | None:
    return getattr(node, "read", None)


def _content(place: Visit[KernelWorld], node: File) -> tuple[Any, bool]:
    if node.read is not None:
        value = node.read(place)
        if isinstance(value, str) and node.data is not None and place.call.want is Form.DATA:
            value = Data(node.data(place, value))
        elif not isinstance(value, str | Ref | Data | Stream | Reply) and value is not None:
            value = Data(value, node.text)
        return value, False
    rel = f"{place.rel}/@{place.me}" if node.mine else place.rel
    default = node.default(place) if callable(node.default) else node.default
    return _leaf_content(place, node, rel, default)


def _leaf_content(
    place: Visit[KernelWorld], node: File | Derived, rel: str, default: str
) -> tuple[Any, bool]:
    leaf = place.leaf(rel)
    if leaf is not None and leaf.blob is not None:
        return leaf.blob, False
    text = default if leaf is None else leaf.text or ""
    if node.data is not None and place.call.want is Form.DATA:
        return Data(node.data(place, text)), leaf is None
    if isinstance(node, Derived) and node.media != "text/plain":
        return Reply(text, media=node.media), leaf is None
    return text, leaf is None


def _with_letters(place: Visit[KernelWorld], value: Any, default: bool = False) -> Reply:
    if isinstance(value, Reply):
        return replace(value, permissions=_letters(place), default=value.default or default)
    return Reply(value, permissions=_letters(place), default=default)


def _letters(place: Visit[KernelWorld]) -> tuple[str, ...]:
    if place.item is not None:
        return letters(place.access)
    return row(place, "", "").permissions


def _describe(place: Visit[KernelWorld]) -> Reply:
    entry = row_of(place)
    if not entry.verbs:
        require(place, Verb.READ if place.vacant else next(iter(place.spot.rules_at(place)), Verb.READ))
    node = place.spot.node
    file = node if isinstance(node, File) else None
    default = file.default if file is not None and isinstance(file.default, str) else None
    stored = file is not None and not file.fixed
    about = About(
        entry=entry,
        accepts=file.media if file is not None and stored else (),
        values=file.values if file is not None else (),
        default=default if stored else None,
        largest=file.largest if file is not None and stored else None,
        about=node.about,
        vacant=place.vacant,
    )
    return Reply(
        Data(about),
        permissions=entry.permissions,
        folder=entry.type == "dir",
        allow=entry.verbs,
    )


__all__ = ["About", "Dir", "admit", "clear", "read", "serve"]
