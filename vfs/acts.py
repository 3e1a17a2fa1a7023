"""The verbs that change something, each implemented once for every kind of node."""

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
from vfs.ports.leaves import Kept, text_at
from vfs.ports.world import KernelWorld
from vfs.route import RoutedContext
from vfs.rules import MAKER, OWNER, W

LONGEST_NAME = KIB


class SentText(NamedTuple):
    """A text as it was sent, and in the form in which it is stored."""

    sent: str
    value: str


def take(context: RoutedContext[KernelWorld]) -> Any:
    """Return the content sent to a file, read and checked before a transaction begins.

    The result is a SentText, or the result of the hook `receive`. It is None if the body is only read when it
    is written.
    """
    node, holder = context.route.node, context.holder
    assert isinstance(node, File)
    if isinstance(holder, Each) and context.call.verb is Verb.CREATE and holder.create is not None:
        return None
    if node.receive is not None:
        return node.receive(context)
    if node.wants != "text" or (context.call.verb is Verb.CREATE and context.call.body.empty()):
        return None
    if context.absent:
        _hold_name_rule(context)
    sent = context.call.body.text(node.largest)
    return SentText(sent, sent if node.check is None else node.check(sent))


def write(context: RoutedContext[KernelWorld], taken: Any = None) -> Reply:
    """Write a value to a file, through its hook or as a leaf. `taken` is the result of `take`."""
    node = context.route.node
    assert isinstance(node, File)
    if born := context.absent:
        _hold_name_rule(context)
    taken = take(context) if taken is None else taken
    sent: Any
    value: Any
    if isinstance(taken, SentText):
        sent, value = taken
    elif node.wants == "raw":
        sent = value = context.call.body if taken is None else taken
    else:
        hold_charset(context.call.body.content_type, {*UTF_8, "binary"})
        sent = value = context.world.blobs.add(
            context.call.body.chunks(node.largest),
            context.call.body.media or "application/octet-stream",
            context.here.id,
        )
    if node.accept is not None:
        value = node.accept(context, value)
    emptied = _remark_on_emptying(context, node) if value == "" else ""
    if node.write is not None:
        return _with_remark(_reply(node.write(context, value), context, created=born), emptied)
    _keep(context, _rel(context, node), value)
    _derive(context)
    # A validator is returned only if the stored bytes are those that were sent.
    facts = node.read is None and not node.silent and (value == sent or context.call.verb is Verb.WRITE)
    remark = node.remark(context, value) if node.wants == "text" else ""
    return _reply(remark + emptied, context, created=born, written=value if facts else None)


def made_before(context: RoutedContext[KernelWorld]) -> Any:
    """Return the content of a new entry, if its folder has a hook that prepares it. This may take long."""
    holder = context.holder
    if not isinstance(holder, Each) or holder.prepare is None:
        return None
    _hold_name_rule(context)
    _hold_no_fields(context)
    return holder.prepare(context)


def create(context: RoutedContext[KernelWorld], taken: Any = None) -> Reply:
    """Create an entry. A plain file that exists is written if there is a body."""
    node, holder = context.route.node, context.holder
    if context.absent:
        _hold_name_rule(context)
    if isinstance(holder, Items):
        _hold_no_fields(context)
        return _create_item(context, holder)
    if isinstance(holder, Each) and holder.create is not None:
        _hold_no_fields(context)
        made = () if holder.prepare is None else (taken,)
        return _reply(holder.create(context, *made), context, created=context.absent)
    # A body of unknown length that was received before counts as empty now.
    if isinstance(node, File) and (taken is not None or not context.call.body.empty()):
        return write(context, taken)
    _hold_no_fields(context)
    if not context.absent:
        return _reply(f"{context.requested} is there already; nothing was changed\n", context)
    if isinstance(node, File) and node.wants != "text":
        raise Invalid(f"{context.requested} is made by sending its bytes: {context.advice.send_bytes}")
    _keep(context, context.rel, "")
    return _reply(None, context, created=True)


def requested_name(context: RoutedContext[KernelWorld]) -> NewName:
    """Return the requested new name, with the data that a copy or an update of references needs.

    Reading these may take long, so it happens before a transaction begins.
    """
    holder = context.holder
    if isinstance(holder, Each) and holder.prepare is not None:
        return NewName("", taken=holder.prepare(context))
    requested = context.call.new_name(LONGEST_NAME)
    if not isinstance(holder, Items) or not (requested.copy or requested.mend):
        return requested
    (_require_copy if requested.copy else _require_update)(context, holder)
    require_name(requested.name)
    hook = holder.taking if requested.copy else holder.mending
    return requested._replace(taken=hook(context, requested.name) if hook is not None else None)


def rename(context: RoutedContext[KernelWorld], requested: NewName | None = None) -> Reply:
    """Rename an entry. With `{name, copy: true}`, copy an item into the caller's own space instead."""
    holder = context.holder
    name, copy, mend, taken = requested or requested_name(context)
    if isinstance(holder, Each):
        assert holder.rename is not None
        if holder.prepare is not None:
            return _reply(holder.rename(context, taken), context)
        if copy or mend:
            raise (_copy_refusal if copy else _mend_refusal)(context)
        holder.rename(context, require_name(name, holder.name, holder.name_rule))
        return _moved_reply(context, name)
    assert isinstance(holder, Items)
    require_name(name)
    if copy:
        return _copy(context, holder, name, taken)
    _hold_owner(context)
    item = context.world.items.rename(context.here, name)
    context.world.items.touch(item)
    remark = holder.renamed(context, item, taken) if holder.renamed is not None else None
    return _moved_reply(context, name, remark or "")


def remove(context: RoutedContext[KernelWorld]) -> Reply:
    """Remove an entry. A file that always exists is reset to its default instead."""
    node, holder = context.route.node, context.holder
    if isinstance(holder, Items):
        if holder.gone is not None:
            holder.gone(context)
        context.world.items.discard(context.here)
        return _reply(f"removed {context.requested}\n", context)
    if isinstance(holder, Each):
        if holder.remove is not None:
            return _reply(holder.remove(context) or f"removed {context.requested}\n", context)
        context.world.leaves.clear(context.here.id, context.rel)
        _derive(context)
        return _reply(f"removed {context.requested}\n", context)
    if isinstance(node, Each):
        assert node.emptied is not None
        return _reply(node.emptied(context), context)
    assert isinstance(node, File)
    return clear(context, node)


def clear(context: RoutedContext[KernelWorld], node: File) -> Reply:
    """Reset a file to its default."""
    if callable(node.clear):
        node.clear(context)
    else:
        context.world.leaves.clear(context.here.id, _rel(context, node))
        _derive(context)
    return Reply("")


def _derive(context: RoutedContext[KernelWorld]) -> None:
    """Compute every file derived from the leaf at `context` from the current text of all its sources."""
    item, leaves = context.here, context.world.leaves
    for making in context.route.derives:
        node = making.route.node
        assert isinstance(node, Derived)
        folder = context.rel[: len(context.rel) - len(making.source)]
        sources = {name: text_at(leaves, item.id, folder + path) for name, path in making.sources.items()}
        leaves.put(
            item.id, folder + making.rel, node.make(context, sources), context.caller.author_in(item.kind)
        )


def _hold_name_rule(context: RoutedContext[KernelWorld]) -> None:
    """Raise Invalid if the name of a new entry breaks the name rule of its folder."""
    holder = context.holder
    assert holder is not None
    require_name(context.name, holder.name, holder.name_rule)


def _hold_no_fields(context: RoutedContext[KernelWorld]) -> None:
    """Raise Invalid if JSON with any field is sent for an entry that has only a name."""
    if (context.call.body.media or "").endswith(("/json", "+json")) and not context.call.body.empty():
        context.call.fields(LONGEST_NAME, ())


def _copy_refusal(context: RoutedContext[KernelWorld]) -> Invalid:
    return Invalid(f"{context.requested} cannot be copied; send the new name alone to rename it")


def _mend_refusal(context: RoutedContext[KernelWorld]) -> Invalid:
    return Invalid(
        f"references to {context.requested} cannot be updated; send the new name alone to rename it"
    )


def _create_item(context: RoutedContext[KernelWorld], holder: Items) -> Reply:
    owner = context.segment(holder.owner) if holder.owner is not None else context.me
    item = context.world.items.create(holder.kind.name, owner, context.name)
    context.enter(item, (), context.access, holder.kind.confers)
    if holder.made is not None:
        holder.made(context)
    return _reply(None, context, created=True)


def _hold_owner(context: RoutedContext[KernelWorld]) -> None:
    if not (OWNER & W).test(context):
        raise Denied(
            f"only its owner may rename {context.requested}; "
            "for a copy of your own send JSON with name and copy: true"
        )


def _require_update(context: RoutedContext[KernelWorld], holder: Items) -> None:
    """Raise unless references can be updated and the caller may rename the item."""
    if holder.mending is None:
        raise _mend_refusal(context)
    _hold_owner(context)


def _require_copy(context: RoutedContext[KernelWorld], holder: Items) -> None:
    """Raise unless the item can be copied, and this caller may copy it."""
    if holder.copies is None:
        raise _copy_refusal(context)
    if context.caller.run is not None and not context.owned:
        raise Denied(f"a run copies what its owner owns, and {context.requested} is another's")
    copier = holder.copier & MAKER
    if not copier.test(context):
        raise Denied(f"to copy {context.requested} you need {copier.lack(context)}")


def _copy(context: RoutedContext[KernelWorld], holder: Items, name: str, taken: Any) -> Reply:
    _require_copy(context, holder)
    assert holder.copies is not None
    item = context.world.items.copy(context.here, context.me, name, holder.copies)
    said = holder.copied(context, item, taken) if holder.copied is not None else None
    # Content that the hook replaced is a former content of the other item.
    context.world.leaves.versions.forget(item.id)
    where = context.requested[:-1] if context.owned else _own_folder(context, holder)
    there = Path(where) / name
    return Reply(f"copied {context.requested} to {there}\n{said or ''}", Outcome.CREATED, location=str(there))


def _own_folder(context: RoutedContext[KernelWorld], holder: Items) -> Path:
    """Return the path of the folder with the caller's own items of that kind."""
    names = context.route.template.strip("/").split("/")[:-1]
    user = f":{holder.owner.name}" if holder.owner is not None else ""
    return Path(context.me if name == user else name for name in names)


def _keep(context: RoutedContext[KernelWorld], rel: str, value: str | Ref) -> None:
    """Store a leaf. Raise NotFound if its item was removed since it was found."""
    try:
        caller = context.caller
        # A run is the author of all of the text it writes. A person may have kept parts that others wrote.
        kept = Kept.AUTOSAVE if context.call.autosave else Kept.YES
        context.world.leaves.put(
            context.here.id, rel, value, caller.author_in(context.here.kind), whole=caller.behind is not None,
            kept=kept if context.route.keeps else Kept.NEVER,
        )  # fmt: skip
    except NotFound:
        raise absent(context) from None


def _rel(context: RoutedContext[KernelWorld], node: File) -> str:
    return f"{context.rel}/@{context.me}" if node.mine else context.rel


def _moved_reply(context: RoutedContext[KernelWorld], name: str, remark: str = "") -> Reply:
    there = Path(context.requested[:-1]) / name
    return Reply(f"renamed {context.requested} to {there}\n{remark}", location=str(there))


def _reply(
    value: Reply | str | None,
    context: RoutedContext[KernelWorld],
    *,
    created: bool = False,
    written: str | Ref | None = None,
) -> Reply:
    if isinstance(value, Reply):
        return value
    if created:
        text, location = value or f"created {context.requested}\n", str(context.requested)
        return Reply(text, Outcome.CREATED, location=location, written=written)
    return Reply(value if value is not None else "", written=written)


def _remark_on_emptying(context: RoutedContext[KernelWorld], node: File) -> str:
    """Return a remark if an empty text replaces a text, else "".

    It is computed before the write. A caller without read access gets none, as it would reveal the old text.
    """
    may = allowed_verbs(context)
    if context.absent or Verb.READ not in may or not _plain_text(context):
        return ""
    method = context.advice.methods.get(Verb.REMOVE.value, Verb.REMOVE.value)
    clears = "brings back what it says by default" if node.default else "clears it too"
    facts = [f"{method} {clears}"] if Verb.REMOVE in may and context.holder is None else []
    facts += [context.advice.emptied] if context.advice.emptied else []
    return f"{context.requested} is empty now{': ' * bool(facts)}{'; '.join(facts)}\n"


def _plain_text(context: RoutedContext[KernelWorld]) -> str:
    """Return the text of the file; "" if it is not a text."""
    itself = context.itself()
    value = itself.route.read(itself).value
    if isinstance(value, Data):
        return value.text(value.value) if value.text is not None else ""
    return value if isinstance(value, str) else ""


def _with_remark(reply: Reply, remark: str) -> Reply:
    """Return the reply of a hook with a remark added, if the reply is text."""
    is_text = reply.value is None or isinstance(reply.value, str)
    return replace(reply, value=f"{reply.value or ''}{remark}") if remark and is_text else reply


ACTS: Mapping[Verb, Callable[..., Reply]] = {
    Verb.WRITE: write,
    Verb.CREATE: create,
    Verb.RENAME: rename,
    Verb.REMOVE: remove,
}
