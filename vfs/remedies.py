"""Advice for refused calls: an entry with a similar name, or a verb that would work."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from vfs.access import Verb
from vfs.call import Call
from vfs.errors import NotFound, Unsupported, VfsError
from vfs.find import find
from vfs.nodes import Dir, Each
from vfs.path import Path
from vfs.permission import absent_at, allowed_verbs
from vfs.ports.world import KernelWorld
from vfs.route import RoutedContext
from vfs.shapes.folders import FolderRoute
from vfs.shapes.items import ItemsRoute
from vfs.shapes.subtrees import SubtreeRoute
from vfs.tree import Tree

# Limits that make advice cost the same in a folder of 10,000 entries as in one of ten: folders tried above
# the path, names compared in a folder, items compared on each side of the name, and letters of a name.
LEVELS = 4
MOST_NAMES = 64
EITHER_SIDE = 4
LONGEST_NAME = 100
# Smallest part of the longer name's letters that must match before and after the difference.
ALIKE = 0.6
# If no name is similar, all names of a fixed folder are listed, if they are at most this many.
FEW = 8
ANY_NAMES = ("name", "@name")


def advise(tree: Tree, call: Call[KernelWorld], refusal: VfsError) -> VfsError:
    """Return the refusal of a call with advice, or unchanged if there is none.

    The advice on an absent path uses only the folder above it, as its listing shows it to the caller. So it
    is the same for missing and for hidden entries.
    """
    if isinstance(refusal, NotFound):
        return _advise_absent(tree, call, refusal)
    if isinstance(refusal, Unsupported) and call.verb is not None:
        return _advise_unsupported(find(tree, call), call.verb, refusal)
    return refusal


def _advise_absent(tree: Tree, call: Call[KernelWorld], refusal: NotFound) -> NotFound:
    if refusal.detail != absent_at(call.path).detail:
        return refusal
    folder = _folder_above(tree, call, refusal.missing or len(call.path))
    if folder is None or call.path[len(folder.requested)] in folder.route.children:
        return refusal  # a fixed name that always exists was not misspelled
    missing = Path(call.path[: len(folder.requested) + 1])
    alike, birth = _guess(folder, missing[-1]), _birth(folder, missing)
    if birth:
        birth = f"{birth} makes it" if missing == call.path else f"{birth} {missing} makes it"
    if alike.endswith("?") and birth:
        alike, birth = f"{alike} If not, {birth}", ""
    return NotFound("; ".join(part for part in (refusal.detail, alike, birth) if part), **refusal.members)


def _folder_above(tree: Tree, call: Call[KernelWorld], missing: int) -> RoutedContext[KernelWorld] | None:
    """Return the lowest folder on the path above the `missing` name, if the caller may list it.

    A folder in which no verb is allowed counts as absent, because a call there would be refused.
    """
    end, highest = missing - 1, max(len(call.path) - LEVELS, 0)
    while end >= highest:
        above = find(tree, replace(call, verb=Verb.READ, path=Path(call.path[:end]), query={}, history=False))
        may = allowed_verbs(above)
        if not above.absent and may:
            return above if Verb.READ in may and above.route.is_folder(above) else None
        end = (above.missing or end) - 1
    return None


def _guess(folder: RoutedContext[KernelWorld], name: str) -> str:
    """Return a question with the most similar name; else all names of a small fixed folder."""
    wanted = name[:LONGEST_NAME]
    entries = _entries(folder, wanted)
    alike, likest = max(((likeness(wanted, one), one) for one in entries), default=(0.0, ""))
    if alike >= ALIKE:
        return f"did you mean {entries[likest]}?"
    if isinstance(folder.route.node, Dir) and 0 < len(entries) <= FEW:
        return f"{folder.requested} has {_either(sorted(entries), 'and')}"
    return ""


def likeness(one: str, other: str) -> float:
    """Return the fraction of two names' letters that match before and after one difference, from 0 to 1.

    A typing mistake is one difference: an added, missing or wrong letter, or two letters swapped.
    """
    ahead = _alike_ahead(one, other)
    behind = _alike_ahead(one[ahead:][::-1], other[ahead:][::-1])
    return (ahead + behind) / max(len(one), len(other))


def _alike_ahead(one: str, other: str) -> int:
    """Return the number of equal letters before the first difference."""
    alike = 0
    for letter, its in zip(one, other, strict=False):
        if letter != its:
            break
        alike += 1
    return alike


def _entries(folder: RoutedContext[KernelWorld], name: str) -> dict[str, str]:
    """Return the paths of a folder's entries by name, for at most the number of names that are compared."""
    route = folder.route
    assert isinstance(route, FolderRoute | SubtreeRoute)
    try:
        if isinstance(route, ItemsRoute):
            entries = {
                one: f"{folder.requested}/{one}" for one in route.names_near(folder, name, EITHER_SIDE)
            }
        else:
            entries = {row.name: row.uri for row in islice(route.rows(folder), MOST_NAMES) if row.verbs}
    except VfsError:
        return {}
    return {one: path for one, path in entries.items() if len(one) <= LONGEST_NAME}


def _birth(folder: RoutedContext[KernelWorld], missing: Path) -> str:
    """Return the method that would create the missing entry, if this caller may create it; else ""."""
    there = _unmade(folder, missing[-1])
    may = allowed_verbs(there) if there is not None else ()
    return next((_method(folder, verb) for verb in (Verb.CREATE, Verb.WRITE) if verb in may), "")


def _unmade(folder: RoutedContext[KernelWorld], name: str) -> RoutedContext[KernelWorld] | None:
    """Return the context of an entry as if it did not exist; None if the folder's entries are fixed."""
    route = folder.route
    if isinstance(route, SubtreeRoute):
        entry = folder.child(name, route)
        rest = folder.segment(route.node.param)
        entry.match(route.node.param, f"{rest}/{name}" if rest else name, None)
    elif (named := route.entry_named(name)) is not None:
        entry = folder.child(name, named)
        if isinstance(named.entries, Each):
            entry.match(named.entries.param, name, None)
    else:
        return None
    entry.absent = entry.birth = True
    return entry


def _advise_unsupported(context: RoutedContext[KernelWorld], verb: Verb, refusal: Unsupported) -> Unsupported:
    if context.absent or verb in context.route.rules_at(context):
        return refusal
    may = allowed_verbs(context)
    able = _either([_method(context, one) for one in Verb if one in may], "or")
    facts = [
        f"{context.requested} never takes {_method(context, verb)}{f': you may {able} it' if able else ''}"
    ]
    return Unsupported("; ".join((*facts, *_intents(context, verb, may))), **refusal.members)


def _intents(context: RoutedContext[KernelWorld], verb: Verb, may: frozenset[Verb]) -> Iterator[str]:
    """Yield suggestions for what the caller may do instead."""
    if verb is Verb.READ and Verb.WRITE in may:
        yield "it is written, and never read"
    if verb not in (Verb.WRITE, Verb.CREATE):
        return
    if not context.route.is_folder(context):
        if verb is Verb.CREATE and Verb.WRITE in may:
            yield f"{_method(context, Verb.WRITE)} writes it"
        return
    places = (_unmade(context, name) for name in ANY_NAMES)
    if any(there is not None and Verb.CREATE in allowed_verbs(there) for there in places):
        yield f"a name is missing: {_method(context, Verb.CREATE)} {context.requested}/<name> makes an entry"
    for name in context.advice.contents:
        child = context.route.children.get(name)
        if child is not None and Verb.WRITE in allowed_verbs(child.as_listed(context, name)):
            yield f"what is sent goes to {context.requested}/{name}: {_method(context, Verb.WRITE)} it there"
            return


def _method(context: RoutedContext[KernelWorld], verb: Verb) -> str:
    """Return the name of a verb in the protocol that serves the tree."""
    return context.advice.methods.get(verb.value, verb.value)


def _either(names: list[str], word: str) -> str:
    """Return the names as a list in words: `a, b and c`."""
    return f" {word} ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)
