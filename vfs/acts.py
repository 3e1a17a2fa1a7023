"""The four verbs that change something, each written once for every node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from vfs.access import Verb
from vfs.body import UTF_8, hold_charset
from vfs.call import Data, NewName, Outcome, Reply
from vfs.errors import Denied, Invalid, NotFound
from vfs.nodes import KIB, Derived, Each, File, Items
from vfs.path import Path, require_name
from vfs.permission import absent, allowed_verbs
from vfs.ports.blobs import Ref
from vfs.ports.world import KernelWorld
from vfs.rules import OWNER, W
from vfs.spot import Visit

LONGEST_NAME = KIB


class SentText(NamedTuple):
    """A text as it was sent, and as it is to be stored."""

    sent: str
    value: str


def take(place: Visit[KernelWorld]) -> Any:
    """Return what is sent to a file, read and checked while no transaction is open that others wait for.

    It is a SentText, or what the hook `receive` makes of a body; None of what is taken in when it is written.
    """
    node, holder = place.spot.node, place.holder
    assert isinstance(node, File)
    if isinstance(holder, Each) and place.call.verb is Verb.CREATE and holder.create is not None:
        return None
    if node.receive is not None:
        return node.receive(place)
    if node.wants != "text" or (place.call.verb is Verb.CREATE and place.call.body.empty()):
        return None
    if place.vacant:
        _hold_name_rule(place)
    sent = place.call.body.text(node.largest)
    return SentText(sent, sent if node.check is None else node.check(sent))


def write(place: Visit[KernelWorld], taken: Any = None) -> Reply:
    """Put a value into a file, through its hook or as a leaf; `taken` is what was taken in before."""
    node = place.spot.node
    assert isinstance(node, File)
    if born := place.vacant:
        _hold_name_rule(place)
    taken = take(place) if taken is None else taken
    sent: Any
    value: Any
    if isinstance(taken, SentText):
        sent, value = taken
    elif node.wants == "raw":
        sent = value = place.call.body if taken is None else taken
    else:
        hold_charset(place.call.body.content_type, {*UTF_8, "binary"})
        sent = value = place.world.blobs.add(
            place.call.body.chunks(node.largest),
            place.call.body.media or "application/octet-stream",
            place.here.id,
        )
    if node.accept is not None:
        value = node.accept(place, value)
    emptied = _remark_on_emptying(place, node) if value == "" else ""
    if node.write is not None:
        return _with_remark(_reply(node.write(place, value), place, created=born), emptied)
    _keep(place, _rel(place, node), value)
    _derive(place)
    # No validator is told that is of other bytes than those sent.
    told = node.read is None and not node.silent and (value == sent or place.call.verb is Verb.WRITE)
    remark = node.remark(place, value) if node.wants == "text" else ""
    return _reply(remark + emptied, place, created=born, written=value if told else None)


def create(place: Visit[KernelWorld], taken: Any = None) -> Reply:
    """Bring an entry into being; on a plain file that is there, write it when a body came along."""
    node, holder = place.spot.node, place.holder
    if place.vacant:
        _hold_name_rule(place)
    if isinstance(holder, Items):
        _hold_no_fields(place)
        return _create_item(place, holder)
    if isinstance(holder, Each) and holder.create is not None:
        _hold_no_fields(place)
        return _reply(holder.create(place), place, created=place.vacant)
    # A body without a length that was taken in before is empty now.
    if isinstance(node, File) and (taken is not None or not place.call.body.empty()):
        return write(place, taken)
    _hold_no_fields(place)
    if not place.vacant:
        return _reply(f"{place.asked} is there already; nothing was changed\n", place)
    if isinstance(node, File) and node.wants != "text":
        raise Invalid(f"{place.asked} is made by sending its bytes: {place.advice.send_bytes}")
    _keep(place, place.rel, "")
    return _reply(None, place, created=True)


def wish_of(place: Visit[KernelWorld]) -> NewName:
    """The wish of a renaming, read while no transaction is open: what a copy takes along may take long."""
    wish, holder = place.call.new_name(LONGEST_NAME), place.holder
    if not isinstance(holder, Items) or not (wish.copy or wish.mend):
        return wish
    (_hold_copier if wish.copy else _hold_mender)(place, holder)
    require_name(wish.name)
    hook = holder.taking if wish.copy else holder.mending
    return wish._replace(taken=hook(place, wish.name) if hook is not None else None)


def rename(place: Visit[KernelWorld], wish: NewName | None = None) -> Reply:
    """Give an entry another name.

    With `{name, copy: true}` make a copy of an item in the caller's own space.
    """
    holder = place.holder
    name, copy, mend, taken = wish or wish_of(place)
    if isinstance(holder, Each):
        assert holder.rename is not None
        if copy or mend:
            raise (_copy_refusal if copy else _mend_refusal)(place)
        holder.rename(place, require_name(name, holder.name, holder.name_rule))
        return _moved_reply(place, name)
    assert isinstance(holder, Items)
    require_name(name)
    if copy:
        return _copy(place, holder, name, taken)
    _hold_owner(place)
    item = place.world.items.rename(place.here, name)
    place.world.items.touch(item)
    remark = holder.renamed(place, item, taken) if holder.renamed is not None else None
    return _moved_reply(place, name, remark or "")


def remove(place: Visit[KernelWorld]) -> Reply:
    """Remove an entry; clear a file that always stays."""
    node, holder = place.spot.node, place.holder
    if isinstance(holder, Items):
        if holder.gone is not None:
            holder.gone(place)
        place.world.items.remove(place.here)
        return _reply(f"removed {place.asked}\n", place)
    if isinstance(holder, Each):
        if holder.remove is not None:
            return _reply(holder.remove(place) or f"removed {place.asked}\n", place)
        place.world.leaves.clear(place.here.id, place.rel)
        _derive(place)
        return _reply(f"removed {place.asked}\n", place)
    assert isinstance(node, File)
    return clear(place, node)


def clear(place: Visit[KernelWorld], node: File) -> Reply:
    """Bring a file back to its default."""
    if callable(node.clear):
        node.clear(place)
    else:
        place.world.leaves.clear(place.here.id, _rel(place, node))
        _derive(place)
    return Reply("")


def _derive(place: Visit[KernelWorld]) -> None:
    """Make every file derived from the leaf at `place` again, out of the present text of all its sources."""
    item, leaves = place.here, place.world.leaves
    for making in place.spot.derives:
        node = making.spot.node
        assert isinstance(node, Derived)
        folder = place.rel[: len(place.rel) - len(making.source)]
        sources = {}
        for name, path in making.sources.items():
            leaf = leaves.get(item.id, folder + path)
            sources[name] = leaf.text or "" if leaf is not None else ""
        leaves.put(item.id, folder + making.rel, node.make(place, sources), place.caller.author)


def _hold_name_rule(place: Visit[KernelWorld]) -> None:
    """Refuse the name of a new entry that breaks the rule of its folder."""
    holder = place.holder
    assert holder is not None
    require_name(place.name, holder.name, holder.name_rule)


def _hold_no_fields(place: Visit[KernelWorld]) -> None:
    """Refuse a JSON document with an entry that has a name and nothing else to tell."""
    if (place.call.body.media or "").endswith(("/json", "+json")) and not place.call.body.empty():
        place.call.fields(LONGEST_NAME, ())


def _copy_refusal(place: Visit[KernelWorld]) -> Invalid:
    return Invalid(f"{place.asked} cannot be copied; send the new name alone to rename it")


def _mend_refusal(place: Visit[KernelWorld]) -> Invalid:
    return Invalid(
        f"what names {place.asked} cannot be changed to a new name; send the new name alone to rename it"
    )


def _create_item(place: Visit[KernelWorld], holder: Items) -> Reply:
    owner = place.segment(holder.owner) if holder.owner is not None else place.me
    item = place.world.items.create(holder.kind.name, owner, place.name)
    place.enter(item, (), place.access, holder.kind.confers)
    if holder.made is not None:
        holder.made(place)
    return _reply(None, place, created=True)


def _hold_owner(place: Visit[KernelWorld]) -> None:
    if not (OWNER & W).test(place):
        raise Denied(
            f"only its owner may rename {place.asked}; "
            "for a copy of your own send JSON with name and copy: true"
        )


def _hold_mender(place: Visit[KernelWorld], holder: Items) -> None:
    """Raise unless references can be updated and the caller may rename."""
    if holder.mending is None:
        raise _mend_refusal(place)
    _hold_owner(place)


def _hold_copier(place: Visit[KernelWorld], holder: Items) -> None:
    """Raise unless the item can be copied, and by this caller."""
    if holder.copies is None:
        raise _copy_refusal(place)
    if place.caller.run is not None and not place.owned:
        raise Denied(f"a run copies what its owner owns, and {place.asked} is another's")
    if not holder.copier.test(place):
        raise Denied(f"to copy {place.asked} you need {holder.copier.lack(place)}")


def _copy(place: Visit[KernelWorld], holder: Items, name: str, taken: Any) -> Reply:
    _hold_copier(place, holder)
    assert holder.copies is not None
    item = place.world.items.copy(place.here, place.me, name, holder.copies)
    said = holder.copied(place, item, taken) if holder.copied is not None else None
    where = place.asked[:-1] if place.owned else _own_folder(place, holder)
    there = Path(where) / name
    return Reply(f"copied {place.asked} to {there}\n{said or ''}", Outcome.CREATED, location=str(there))


def _own_folder(place: Visit[KernelWorld], holder: Items) -> Path:
    """The folder of the caller's own items of that kind, as the tree spells it."""
    names = place.spot.template.strip("/").split("/")[:-1]
    user = f":{holder.owner.name}" if holder.owner is not None else ""
    return Path(place.me if name == user else name for name in names)


def _keep(place: Visit[KernelWorld], rel: str, value: str | Ref) -> None:
    """Put a leaf. Where its item was removed since it was found, the place is absent."""
    try:
        caller = place.caller
        # A run wrote all of a text that it writes. A person may have kept what others wrote.
        place.world.leaves.put(place.here.id, rel, value, caller.author, whole=caller.behind is not None)
    except NotFound:
        raise absent(place) from None


def _rel(place: Visit[KernelWorld], node: File) -> str:
    return f"{place.rel}/@{place.me}" if node.mine else place.rel


def _moved_reply(place: Visit[KernelWorld], name: str, remark: str = "") -> Reply:
    there = Path(place.asked[:-1]) / name
    return Reply(f"renamed {place.asked} to {there}\n{remark}", location=str(there))


def _reply(
    value: Reply | str | None,
    place: Visit[KernelWorld],
    *,
    created: bool = False,
    written: str | Ref | None = None,
) -> Reply:
    if isinstance(value, Reply):
        return value
    if created:
        text, location = value or f"created {place.asked}\n", str(place.asked)
        return Reply(text, Outcome.CREATED, location=location, written=written)
    return Reply(value if value is not None else "", written=written)


def _remark_on_emptying(place: Visit[KernelWorld], node: File) -> str:
    """A remark on nothing being written over a text; "" where nothing is there to be lost.

    It is asked before the write, and tells nothing to who may not read what was there.
    """
    may = allowed_verbs(place)
    if place.vacant or Verb.READ not in may or not _plain_text(place):
        return ""
    method = place.advice.methods.get(Verb.REMOVE.value, Verb.REMOVE.value)
    clears = "brings back what it says by default" if node.default else "clears it too"
    told = [f"{method} {clears}"] if Verb.REMOVE in may and place.holder is None else []
    told += [place.advice.emptied] if place.advice.emptied else []
    return f"{place.asked} is empty now{': ' * bool(told)}{'; '.join(told)}\n"


def _plain_text(place: Visit[KernelWorld]) -> str:
    """The text that is read at a place; "" where it is something else."""
    itself = place.itself()
    value = itself.spot.read(itself).value
    if isinstance(value, Data):
        return value.text(value.value) if value.text is not None else ""
    return value if isinstance(value, str) else ""


def _with_remark(reply: Reply, remark: str) -> Reply:
    """The reply of a hook, and what else there is to say, where it is text."""
    is_text = reply.value is None or isinstance(reply.value, str)
    return replace(reply, value=f"{reply.value or ''}{remark}") if remark and is_text else reply


ACTS: Mapping[Verb, Callable[..., Reply]] = {
    Verb.WRITE: write,
    Verb.CREATE: create,
    Verb.RENAME: rename,
    Verb.REMOVE: remove,
}
