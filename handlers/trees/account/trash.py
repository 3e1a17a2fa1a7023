"""The caller's trash: deleted items and files, to be restored or ended."""

from __future__ import annotations

import re
from collections.abc import Iterator

from handlers.services.trash import end, end_all, home, restore, until
from handlers.services.world import World
from vfs.access import Verb
from vfs.call import Data, Reply
from vfs.context import Context
from vfs.errors import Invalid
from vfs.nodes import KIB, Each, Named
from vfs.param import Param
from vfs.parts import value
from vfs.path import require_name
from vfs.permission import absent
from vfs.ports.trash import TrashEntry
from vfs.rules import IN_PERSON, SIGNED_IN, hide_unless

OWN = SIGNED_IN & IN_PERSON
ENTRY: Param[TrashEntry] = Param("entry")
NAME = re.compile(r"[1-9][0-9]{0,17}")
LARGEST = 16 * KIB
FIELDS = ("name", "shares")


def list_entries(context: Context[World]) -> Iterator[Named]:
    """Yield the entries of the caller's trash, newest first."""
    yield from (entry_row(context.world, entry) for entry in context.world.trash.of(context.me))


def entry_row(world: World, entry: TrashEntry) -> Named:
    """Return the row of an entry: what it was, where it comes from, until when it is kept, and its size."""
    path, kept = home(world, entry, entry.name), until(world, entry)
    said = f"{entry.kind} {path}, {entry.size:,} bytes, kept until {kept[:16].replace('T', ' ')}"
    facts = {
        "kind": entry.kind,
        "former_name": entry.name,
        "former_path": path,
        "deleted_on": entry.deleted_on,
        "until": kept,
        "size": entry.size,
        "text": said,
    }
    return Named(str(entry.id), entry.deleted_on, entry.deleted_on, entry, extra=facts)


def find_entry(context: Context[World], name: str) -> TrashEntry | None:
    """Return the entry of the caller's trash with that number."""
    if not context.me or not NAME.fullmatch(name):
        return None
    return context.world.trash.find(context.me, int(name))


def entry_data(context: Context[World]) -> Data:
    """Return the facts of an entry."""
    row = entry_row(context.world, context[ENTRY])
    said = {"name": row.name, **(row.extra or {})}
    return Data(said, lambda said: f"{said['text']}\nPATCH restores it, DELETE removes it permanently\n")


def read_target(context: Context[World]) -> tuple[str, bool]:
    """Return the name or path, sent as text or JSON (else the former one), and whether with shares."""
    call, entry, sent = context.call, context[ENTRY], dict[str, object]()
    if not call.body.empty():
        is_json = call.body.media == "application/json"
        sent = dict(call.fields(LARGEST, FIELDS)) if is_json else {"name": call.line(LARGEST, FIELDS).strip()}
    name, shares = sent.get("name", ""), sent.get("shares", False)
    if not isinstance(name, str) or not isinstance(shares, bool):
        raise Invalid('send JSON such as {"name": "other", "shares": true}, or the new name as text/plain')
    if name and entry.is_item:
        require_name(name)
    return name or entry.name, shares


def move_back(context: Context[World], target: tuple[str, bool]) -> Reply:
    """Restore the entry."""
    name, shares = target
    there = restore(context.world, context[ENTRY], name, ways=shares, cause=context.call.id)
    return Reply(f"restored {there}\n", location=there)


def end_entry(context: Context[World]) -> str:
    """End the entry permanently."""
    if not end(context.world, context[ENTRY]):
        raise absent(context)
    return f"{context[ENTRY].name or 'content'} is removed permanently\n"


def empty(context: Context[World]) -> str:
    """End all entries of the caller."""
    count = end_all(context.world, context.me)
    return f"ended {count} {'entry' if count == 1 else 'entries'}\n"


TRASH = Each(
    ENTRY,
    value(
        entry_data,
        shown=lambda context: entry_row(context.world, context[ENTRY]),
        about="what was deleted; PATCH restores it (a new name as text, or JSON with name and shares), "
        "DELETE removes it permanently",
    ),
    names=list_entries,
    has=hide_unless(OWN, find_entry),
    prepare=read_target,
    rename=move_back,
    remove=end_entry,
    emptied=empty,
    name=NAME,
    name_rule="the number of an entry",
    rules={Verb.READ: OWN, Verb.RENAME: OWN, Verb.REMOVE: OWN},
    about="the caller's deleted items and files, newest first; DELETE empties it",
)
