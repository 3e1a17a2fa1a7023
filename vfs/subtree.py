"""Trees kept by hooks: what is sent is taken in first, then the path is looked at again and acted on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vfs.access import Verb
from vfs.call import Outcome, Reply
from vfs.errors import Invalid
from vfs.nodes import KIB, Subtree
from vfs.path import Path
from vfs.ports.world import KernelWorld, Ref
from vfs.visit import Visit

# A path of a few KiB, each of its characters escaped in JSON.
LONGEST_TARGET = 32 * KIB


def look(place: Visit[KernelWorld], node: Subtree[Any], rest: str) -> None:
    """Load what is at a path below the node; where nothing is the place becomes vacant."""
    place.match(node.param, rest, None)
    fact = None if place.vacant else node.look(place)
    if fact is None:
        place.birth = not place.vacant
        place.vacant = True
    else:
        place.match(node.param, rest, fact)


def look_again(place: Visit[KernelWorld], node: Subtree[Any]) -> None:
    """The same within a transaction: the path may have come or gone since it was found."""
    if place.birth:
        place.vacant = place.birth = False
    look(place, node, place.segment(node.param))


def target(place: Visit[KernelWorld], node: Subtree[Any], to: str) -> Visit[KernelWorld]:
    """The place that a move leads to."""
    there = place.beside(place.spot, _target_path(place, node, to))
    look(there, node, to)
    return there


def receive(place: Visit[KernelWorld], node: Subtree[Any], verb: Verb) -> Any:
    """The body's content, read while no transaction is open: the path to move to, or what to write."""
    if verb is Verb.RENAME:
        return _new_path(place)
    if verb is Verb.CREATE and place.call.folder:
        if not place.call.body.empty():
            raise Invalid(f"{place.asked}/ is a folder: leave out the final slash to write a file")
        return None
    return node.receive(place) if verb in (Verb.CREATE, Verb.WRITE) else None


def act(place: Visit[KernelWorld], node: Subtree[Any], verb: Verb, sent: Any) -> Reply:
    """Do it, through the hook of the verb."""
    if verb is Verb.RENAME:
        assert node.rename is not None
        there = str(_target_path(place, node, sent))
        return Reply(node.rename(place, sent) or f"moved {place.asked} to {there}\n", location=there)
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


def _new_path(place: Visit[KernelWorld]) -> str:
    wish = place.call.body.data(LONGEST_TARGET)
    if not isinstance(wish, Mapping) or not isinstance(wish.get("to"), str) or not wish["to"].strip("/"):
        raise Invalid('send the new path as JSON, for example {"to": "folder/name.csv"}')
    to: str = wish["to"]
    return to.strip("/")


def _target_path(place: Visit[KernelWorld], node: Subtree[Any], to: str) -> Path:
    """The path as it is asked for when the rest below the node is `to`."""
    levels = place.segment(node.param).count("/") + 1
    return Path(place.asked[:-levels]) / to.split("/")
