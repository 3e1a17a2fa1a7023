"""Texts of many files below a folder that a caller may read, in few SQL statements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from vfs.access import Credential, Verb
from vfs.body import MOST_NAMED, Body, known_fields
from vfs.call import Data, Reply, Signs
from vfs.context import Beside, Context
from vfs.errors import Invalid, NotFound, Outdated, TooLarge, Unsupported, VfsError
from vfs.nodes import MIB, Derived, Dir, File
from vfs.path import Path, is_segment
from vfs.permission import allowed_verbs
from vfs.ports.world import KernelWorld
from vfs.preconditions import present_at
from vfs.route import RoutedContext


def texts(context: RoutedContext[KernelWorld]) -> Mapping[str, str]:
    """Return the texts of the fixed files below a folder of an item, by their paths from there.

    These are plain texts that the caller may read, and texts derived only from them. Files that a hook
    answers, and files of bytes, are left out.
    """
    files = list(_files(context))
    found = {shown.rel: _default(shown) for shown in files}
    found |= {rel: default for shown in files for rel, default in _derived_defaults(shown, found)}
    start = len(context.rel) + 1 if context.rel else 0
    return {rel[start:]: text for rel, text in _stored_texts(context, found).items()}


def written_texts(context: RoutedContext[KernelWorld], under: str) -> Mapping[str, str]:
    """Return the texts of an item's fixed files (or of those below a folder) that the caller may read."""
    files = {shown.rel: shown for shown in _files(context)}
    wanted = [rel for rel in files if not under or f"{rel}/".startswith(f"{under}/")]
    return _stored_texts(context, {rel: _default(files[rel]) for rel in wanted})


def _stored_texts(context: RoutedContext[KernelWorld], defaults: Mapping[str, str]) -> Mapping[str, str]:
    """Return the texts at these paths of an item, or the defaults; one statement."""
    if not defaults:
        return {}
    stored = context.world.leaves.texts_of([context.here.id], list(defaults)).get(context.here.id, {})
    return {rel: stored.get(rel, default) for rel, default in defaults.items()}


def _files(context: RoutedContext[KernelWorld]) -> Iterator[RoutedContext[KernelWorld]]:
    for name, child in context.route.children.items():
        node, shown = child.node, context.child(name, child)
        if isinstance(node, Dir) and node.enter is None:
            yield from _files(shown)
        elif isinstance(node, File) and _is_plain(node) and Verb.READ in allowed_verbs(shown):
            yield shown


def _is_plain(node: File) -> bool:
    return node.read is None and node.wants == "text" and not node.mine


def _default(context: RoutedContext[KernelWorld]) -> str:
    node = context.route.node
    assert isinstance(node, File)
    return node.default(context) if callable(node.default) else node.default


def _derived_defaults(
    context: RoutedContext[KernelWorld], known: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield the files derived only from this one and other known ones, with their defaults."""
    for making in context.route.derives:
        node = making.route.node
        assert isinstance(node, Derived)
        folder = context.rel[: len(context.rel) - len(making.source)]
        if all(folder + path in known for path in making.sources.values()):
            yield folder + making.rel, node.default


LARGEST = 4 * MIB
MOST = 100
TEXT, ETAG = "text", "etag"
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "maxProperties": MOST,
    "additionalProperties": {
        "type": "object",
        "properties": {
            TEXT: {"type": ["string", "null"], "description": "what to write; null clears the file"},
            ETAG: {"type": "string", "description": "write only while this is its present ETag"},
        },
        "required": [TEXT],
        "additionalProperties": False,
    },
}
UNDER = "under"
EXAMPLE = '{"config/type": {"text": "bar", "etag": "\\"…\\""}}'


class TextChange(NamedTuple):
    """A change of one file of an item: a text, or None to clear it, if its validator is still `etag`."""

    rel: str
    text: str | None
    etag: str | None

    @property
    def verb(self) -> Verb:
        """The verb of a separate call that changes only this file."""
        return Verb.REMOVE if self.text is None else Verb.WRITE


def several_texts() -> File:
    """Return the file `texts` of an item: its small files with their validators.

    Sent texts are written as by separate calls, in their order, within one transaction: all or none.
    """
    return File(
        read_texts,
        write_texts,
        receive=receive_texts,
        wants="raw",
        media=("application/json",),
        schema=SCHEMA,
        largest=LARGEST,
        clear=False,
        query={UNDER: "only the texts below this folder of it, such as config"},
        about="its texts with their ETags, by path; texts sent back are written, all or none",
    )


def read_texts(context: Context[Any]) -> Data:
    """Return the texts that the caller may read, by path inside the item, each with its validator."""
    under = context.call.query.get(UNDER, "").strip("/")
    texts = written_texts(_item_of(context), under)
    return Data({rel: {TEXT: text, ETAG: _tag(context, text)} for rel, text in texts.items()})


def receive_texts(context: Context[Any]) -> Mapping[TextChange, Any]:
    """Return the sent changes, each with its checked text or its refusal."""
    assert context.also is not None
    taken: dict[TextChange, Any] = {}
    for change in changes_of(context.call.body):
        try:
            taken[change] = context.also.take(_find(context, context.also, change))
        except VfsError as refusal:
            taken[change] = refusal
    return taken


def write_texts(context: Context[Any], changes: Mapping[TextChange, Any]) -> Reply:
    """Write all of the changes or none. Raises VfsError that names the files that cannot be written."""
    assert context.also is not None
    _hold_preconditions(context, changes)
    replies, refused = {}, {}
    for change, taken in changes.items():
        try:
            if isinstance(taken, VfsError):
                raise taken
            replies[change.rel] = context.also.change(_find(context, context.also, change), taken)
        except VfsError as refusal:
            refused[change.rel] = refusal
    if refused:
        raise refusal_of(refused)
    return Reply(Data({rel: _answer_of(context, reply) for rel, reply in replies.items()}, _lines))


def changes_of(body: Body) -> Sequence[TextChange]:
    """Return the changes that a body requests. Raises Invalid, TooLarge, WrongMedia."""
    sent = body.data(LARGEST)
    if not isinstance(sent, Mapping) or not sent:
        raise Invalid(f"send an object of files by their paths, such as {EXAMPLE}")
    if len(sent) > MOST:
        raise TooLarge(f"these are {len(sent):,} files, and {MOST} may be written at once")
    return [_change(rel, one) for rel, one in sent.items()]


def refusal_of(refused: Mapping[str, VfsError]) -> VfsError:
    """Return one refusal for several: of the class of the first, with every reason."""
    first = next(iter(refused.values()))
    kind = next(one for one in type(first).__mro__ if one.__init__ is VfsError.__init__)  # type: ignore[misc]
    reasons = "; ".join(f"{rel}: {refusal.detail}" for rel, refusal in refused.items())
    rejected = [entry for rel, refusal in refused.items() for entry in _rejected_entries(rel, refusal)]
    return kind(f"{reasons}; nothing was written", **{**first.members, "rejected": rejected})  # type: ignore[no-any-return]


def _rejected_entries(rel: str, refusal: VfsError) -> Iterator[Mapping[str, Any]]:
    """Yield the reasons for the refusal of one file, each with its path."""
    for entry in refusal.members.get("rejected") or [{"reason": refusal.detail}]:
        yield {**entry, "field": rel}


def _change(rel: str, sent: object) -> TextChange:
    if not isinstance(sent, Mapping):
        raise Invalid(f'"{rel[:80]}": send an object with text, and etag where it has one: {EXAMPLE}')
    fields = known_fields(sent, (TEXT, ETAG))
    if not all(map(is_segment, rel.split("/"))):
        raise Invalid(f'"{rel[:80]}" is no path of a file: write it as in config/type')
    text, tag = fields.get(TEXT, 0), fields.get(ETAG)
    if not isinstance(text, str | None) or not isinstance(tag, str | None):
        raise Invalid(f'"{rel[:80]}": text is a string, or null to clear the file, and etag is a string')
    if "\0" in (text or ""):
        raise Invalid(f'"{rel[:80]}": the text contains a NUL character: only text can be stored here')
    return TextChange(rel, text, tag)


def _hold_preconditions(context: Context[Any], changes: Iterable[TextChange]) -> None:
    """Check permission for every change, then all validators. Raises Outdated with the changed files."""
    assert context.also is not None
    changed: list[Mapping[str, str | None]] = []
    for change in changes:
        there = _find(context, context.also, change)
        if change.etag is not None:
            present = present_at(there)
            tags = context.call.tags(present) if present is not None else ()
            if change.etag not in tags:
                changed.append({"path": change.rel, ETAG: tags[-1] if tags else None, **_author(there)})
    if changed:
        names = ", ".join(str(one["path"]) for one in changed[:MOST_NAMED])
        raise Outdated(
            f"changed since you read it: {names}; nothing was written: read it again, then write",
            changed=changed,
        )


def _find(context: Context[Any], also: Beside, change: TextChange) -> RoutedContext[Any]:
    """Return the context of one change, after checking that it is a text of this item."""
    path = Path(context.requested[:-1]) / change.rel.split("/")
    try:
        there = also.find(change.verb, path, change.text or "")
    except Unsupported as refusal:
        raise refusal_of({change.rel: Invalid(refusal.detail)}) from None
    assert isinstance(there, RoutedContext)
    if there.item is None or there.item.id != context.here.id:
        raise NotFound(f"there is no {path} in {Path(context.requested[:-1])}: nothing was written")
    node = there.route.node
    if not isinstance(node, File) or not _is_kept(node):
        raise refusal_of(
            {change.rel: Invalid(f"{path} is no text that is kept as it is sent: write it alone")}
        )
    return there


def _is_kept(node: File) -> bool:
    """Return whether a file only stores a text, so that a change can be undone, and runs no action."""
    is_text = node.wants == "text" and not node.long and node.credential is Credential.TOKEN
    return is_text and (node.write is None or node.clear is not False)


def _author(there: RoutedContext[Any]) -> Mapping[str, str | None]:
    """Return the author and time of the last write of a file, if they are known."""
    leaf = there.world.leaves.get(there.here.id, there.rel)
    return {} if leaf is None else {"author": leaf.author, "last_modified": leaf.last_modified}


def _item_of(context: Context[Any]) -> RoutedContext[Any]:
    """Return the context of the item, given one of its files."""
    assert isinstance(context, RoutedContext)
    assert context.route.parent is not None
    return context.beside(context.route.parent, Path(context.requested[:-1]))


def _answer_of(context: Context[Any], reply: Reply) -> Mapping[str, str]:
    """Return the answer to one change: the new validator, and the message."""
    facts = {}
    if isinstance(reply.written, str):
        facts[ETAG] = _tag(context, reply.written)
    if isinstance(reply.value, str) and reply.value:
        facts["said"] = reply.value
    return facts


def _tag(context: Context[Any], text: str) -> str:
    """Return the validator of a text; empty if the server makes none."""
    return ("", *context.call.tags(Reply(text, signs=Signs.ALL)))[-1]


def _lines(facts: Mapping[str, Mapping[str, str]]) -> str:
    return "".join(f"{rel}: {one['said']}" for rel, one in facts.items() if "said" in one)
