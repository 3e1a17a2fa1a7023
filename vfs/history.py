"""The history of stored files: their former contents, for callers who may write them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, time

from vfs.access import Verb
from vfs.call import Call, Data, Form, Reply, Signs
from vfs.errors import Denied, Invalid, NotFound
from vfs.listing import reply_at
from vfs.nodes import AT, HISTORY, PAST, Each, File
from vfs.permission import absent, allowed_verbs, require
from vfs.ports.blobs import Ref
from vfs.ports.clock import stamp
from vfs.ports.leaves import TAG, Version, VersionedFile
from vfs.ports.world import KernelWorld
from vfs.preconditions import hold_precondition
from vfs.route import NOWHERE, RoutedContext
from vfs.rules import FIRST_HAND, IN_PERSON, OWNER, Rule

DIGEST = re.compile(r'(?:W/)?"?([0-9a-f]{32}|[0-9a-f]{64})"?')
DAY = re.compile(r"\d{4}-\d\d-\d\d")
MOST_FILES = 200
HEADS = ("since", "until", "author", "size", "etag")


def is_asked(call: Call[KernelWorld]) -> bool:
    """Return whether a call is about former contents."""
    if call.verb is Verb.READ:
        return call.history or AT in call.query
    return call.verb is Verb.REMOVE and not call.query.keys().isdisjoint(PAST)


def answer(context: RoutedContext[KernelWorld]) -> Reply:
    """Answer a call about the former contents of a file that keeps them. Raises as a write is refused."""
    _require(context)
    if context.call.verb is Verb.REMOVE:
        return _forget(context)
    return _list(context) if context.call.history else _former(context)


def require_none(context: RoutedContext[KernelWorld]) -> None:
    """Raise Invalid for a call about former contents of an entry that keeps none."""
    call = context.call
    if call.verb is Verb.REMOVE or AT in call.query:
        done = "removed" if call.verb is Verb.REMOVE else "read"
        raise Invalid(
            f"{context.requested} keeps no former contents, so nothing was {done}; "
            f"leave ?{HISTORY} and ?{AT} out for the current content"
        )


def _require(context: RoutedContext[KernelWorld]) -> None:
    """Raise unless the caller may read and write the file, in person."""
    rules = context.route.rules
    # A removed file has versions, and is absent otherwise.
    if not context.absent or not all(rules[verb].test(context) for verb in (Verb.READ, Verb.WRITE)):
        require(context, Verb.READ)
        require(context, Verb.WRITE)
    _hold(context, IN_PERSON)


def _hold(context: RoutedContext[KernelWorld], rule: Rule) -> None:
    if not rule.test(context):
        raise Denied(f"the former contents of {context.requested} need {rule.lack(context)}")


def _list(context: RoutedContext[KernelWorld]) -> Reply:
    found = context.world.leaves.versions.of(context.here.id, context.rel)
    if context.absent and not found:
        raise absent(context)
    return reply_at(context, Data([_row(one) for one in found], lambda rows: _columns(HEADS, rows)))


def folder(context: RoutedContext[KernelWorld]) -> Reply:
    """Return the files below a folder with former contents that the caller may read, and their numbers."""
    if context.item is None or not context.route.folder or not IN_PERSON.test(context):
        return reply_at(context, Data([]))
    found = context.world.leaves.versions.below(context.item.id, context.rel, MOST_FILES)
    rows = [
        {"path": rel, "uri": str(shown.requested), "versions": number, "until": until}
        for (_, number, until), rel, shown in _files(context, found)
    ]
    return reply_at(context, Data(rows, lambda rows: _columns(("versions", "until", "path"), rows)))


def _files(
    context: RoutedContext[KernelWorld], found: Sequence[VersionedFile]
) -> Iterator[tuple[VersionedFile, str, RoutedContext[KernelWorld]]]:
    for one in found:
        rel = one.rel[len(context.rel) :].lstrip("/")
        shown = context
        for name in rel.split("/"):
            shown = _below(shown, name)
        if shown.route.keeps and {Verb.READ, Verb.WRITE} <= allowed_verbs(shown):
            yield one, rel, shown


def _below(context: RoutedContext[KernelWorld], name: str) -> RoutedContext[KernelWorld]:
    """Return the context of an entry, without checking that it exists."""
    route = context.route
    shown = context.child(name, route.children.get(name) or route.entry or NOWHERE)
    if name not in route.children and isinstance(route.node, Each):
        shown.match(route.node.param, name, None)
    return shown


def _row(version: Version) -> dict[str, object]:
    tag = version.digest[:TAG] if version.is_text else version.digest
    return dict(
        zip(HEADS, (version.since, version.until, version.author, version.size, f'"{tag}"'), strict=True)
    )


def _columns(heads: Sequence[str], rows: Sequence[Mapping[str, object]]) -> str:
    """Return rows in columns, with bare ETags."""
    cells = [heads, *([str(row[head] or "").strip('"') for head in heads] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in cells)
    return "".join(f"{line}\n" for line in lines)


def _former(context: RoutedContext[KernelWorld]) -> Reply:
    content = _content(context, context.call.query[AT].strip())
    if content is None:
        if context.absent:
            raise absent(context)
        raise NotFound(
            f"{context.requested} had no such content, or it is not kept any more: "
            "send X-History: list for what is kept"
        )
    node = context.route.node
    assert isinstance(node, File)
    if isinstance(content, Ref):
        return reply_at(context, content)
    if node.data is not None and context.call.want is Form.DATA:
        return reply_at(context, Data(node.data(context, content), lambda data: content), signs=Signs.ALL)
    return reply_at(context, content, signs=Signs.ALL)


def _content(context: RoutedContext[KernelWorld], asked: str) -> str | Ref | None:
    versions, item = context.world.leaves.versions, context.here.id
    if (tag := DIGEST.fullmatch(asked)) is not None:
        return versions.with_digest(item, context.rel, tag[1])
    return versions.at_time(item, context.rel, _moment(asked))


def _moment(asked: str) -> str:
    """Return the time stamp that a text names; for a day, that of its end. Raises Invalid."""
    try:
        if DAY.fullmatch(asked):
            return stamp(datetime.combine(datetime.fromisoformat(asked), time.max, UTC))
        if DAY.fullmatch(asked[:10]):
            # In an address a plus sign means a blank.
            moment = datetime.fromisoformat(f"{asked[:11]}{asked[11:].replace(' ', '+')}".upper())
            return stamp(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        pass
    raise Invalid(
        f'"{asked[:80]}" is no version: {AT} takes an ETag of the list (X-History: list), '
        "a time such as 2026-11-30T09:00:00Z, or a day such as 2026-11-30"
    )


def _forget(context: RoutedContext[KernelWorld]) -> Reply:
    _hold(context, OWNER & FIRST_HAND)
    if AT in context.call.query:
        raise Invalid(
            f"single former contents cannot be removed, so nothing was: DELETE {context.requested}?{HISTORY} "
            "removes all of them"
        )
    with context.world.atomic():
        hold_precondition(context, context)
        ended = context.world.leaves.versions.forget(context.here.id, context.rel)
    return Reply(f"removed {ended:,} former contents of {context.requested}\n")
