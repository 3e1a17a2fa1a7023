"""Advice for calls that led nowhere: the entry that may have been meant, and the verb that would do."""

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

# Folders above the path that are tried, names of one that are compared, of items those on either side of the
# one asked for in their order, and letters of that: advice costs no more in a folder of 10,000 than of ten.
LEVELS = 4
MOST_NAMES = 64
EITHER_SIDE = 4
LONGEST_NAME = 100
# Of the letters of the longer of two names, the part that must be alike before and behind what is not.
ALIKE = 0.6
# A fixed folder of no more entries than this is told as a whole where none of them is alike.
FEW = 8
ANY_NAMES = ("name", "@name")


def advise(tree: Tree, call: Call[KernelWorld], refusal: VfsError) -> VfsError:
    """The refusal of a call with advice, or as it is where there is none.

    What is told of an absent place comes from the folder above it alone, as its listing shows it to the
    caller, so that it is the same for what is there and invisible.
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
        return refusal  # what is always there was not misspelled
    missing = Path(call.path[: len(folder.requested) + 1])
    alike, birth = _guess(folder, missing[-1]), _birth(folder, missing)
    if birth:
        birth = f"{birth} makes it" if missing == call.path else f"{birth} {missing} makes it"
    if alike.endswith("?") and birth:
        alike, birth = f"{alike} If not, {birth}", ""
    return NotFound("; ".join(part for part in (refusal.detail, alike, birth) if part), **refusal.members)


def _folder_above(tree: Tree, call: Call[KernelWorld], missing: int) -> RoutedContext[KernelWorld] | None:
    """The lowest folder on the path that the caller may list, above what is `missing`.

    One in which the caller may do nothing counts as absent, as it would be refused.
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
    """A question for the entry whose name is most like the one asked for; else all of a few fixed ones."""
    wanted = name[:LONGEST_NAME]
    entries = _entries(folder, wanted)
    alike, likest = max(((likeness(wanted, one), one) for one in entries), default=(0.0, ""))
    if alike >= ALIKE:
        return f"did you mean {entries[likest]}?"
    if isinstance(folder.route.node, Dir) and 0 < len(entries) <= FEW:
        return f"{folder.requested} has {_either(sorted(entries), 'and')}"
    return ""


def likeness(one: str, other: str) -> float:
    """The part of two names' letters that are alike before and behind one place, from 0 to 1.

    A slip of the fingers is one place: a letter more, less, wrong, or two that changed seats.
    """
    ahead = _alike_ahead(one, other)
    behind = _alike_ahead(one[ahead:][::-1], other[ahead:][::-1])
    return (ahead + behind) / max(len(one), len(other))


def _alike_ahead(one: str, other: str) -> int:
    """The number of letters that are alike before the first that is not."""
    alike = 0
    for letter, its in zip(one, other, strict=False):
        if letter != its:
            break
        alike += 1
    return alike


def _entries(folder: RoutedContext[KernelWorld], name: str) -> dict[str, str]:
    """The paths of a folder's entries by name, of those that may be there as many as are compared."""
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
    """The method that would make what is missing, when this caller may; else nothing."""
    there = _unmade(folder, missing[-1])
    may = allowed_verbs(there) if there is not None else ()
    return next((_method(folder, verb) for verb in (Verb.CREATE, Verb.WRITE) if verb in may), "")


def _unmade(folder: RoutedContext[KernelWorld], name: str) -> RoutedContext[KernelWorld] | None:
    """The place of an entry as if there were none of that name; None where a folder's entries are fixed."""
    route = folder.route
    if isinstance(route, SubtreeRoute):
        entry = folder.child(name, route)
        rest = folder.segment(route.node.param)
        entry.match(route.node.param, f"{rest}/{name}" if rest else name, None)
    elif route.entry is not None and route.pattern.fullmatch(name):
        entry = folder.child(name, route.entry)
        if isinstance(route.node, Each):
            entry.match(route.node.param, name, None)
    else:
        return None
    entry.absent = entry.birth = True
    return entry


def _advise_unsupported(context: RoutedContext[KernelWorld], verb: Verb, refusal: Unsupported) -> Unsupported:
    if context.absent or verb in context.route.rules_at(context):
        return refusal
    may = allowed_verbs(context)
    able = _either([_method(context, one) for one in Verb if one in may], "or")
    told = [
        f"{context.requested} never takes {_method(context, verb)}{f': you may {able} it' if able else ''}"
    ]
    return Unsupported("; ".join((*told, *_intents(context, verb, may))), **refusal.members)


def _intents(context: RoutedContext[KernelWorld], verb: Verb, may: frozenset[Verb]) -> Iterator[str]:
    """Guesses at what a call was meant to do, of what the caller may do."""
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
    """The name of a verb in the protocol that the tree is served by."""
    return context.advice.methods.get(verb.value, verb.value)


def _either(names: list[str], word: str) -> str:
    """Names in a row: `a, b and c`."""
    return f" {word} ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)
