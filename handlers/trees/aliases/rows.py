"""Entries of short paths: profile pictures, and rows of resources by kind letter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from handlers.rules.kinds import Kinds, ResourceKind, kinds_by_letter
from handlers.services.hints import hints_of
from handlers.services.rights import item_access
from handlers.services.world import World
from vfs.access import Access, Verb
from vfs.call import Data
from vfs.context import Context
from vfs.nodes import File, Node
from vfs.parts import value
from vfs.ports.blobs import Ref
from vfs.ports.items import Found
from vfs.rules import PRESENT, Rule

MARKS = {"fav": "*", "like": "+"}


def rows(context: Context[World], found: Sequence[Found], kind: ResourceKind) -> Data:
    """Return a row for each item that the caller has any access to; summary and type only for readers.

    For the owner, `shared` has the targets of the item's shares; for others, the targets through which they
    have access. `fav` has the marks of the caller's own tags.
    """
    marks = {f"tags/@{context.me}/{tag}": mark for tag, mark in MARKS.items()}
    ids = [one.item.id for one in found]
    texts = context.world.leaves.texts_of(ids, ("name", "summary", "config/type", *marks))
    own = context.world.grants.targets(
        [one.item.id for one in found if one.item.owner == context.caller.name]
    )
    listed = []
    for one in found:
        may = item_access(context.world, one, context.caller)
        if may:
            said = texts.get(one.item.id, {})
            read = said if Access.READ in may else {"name": said.get("name", "")}
            shared = own.get(one.item.id) or sorted(
                {effective_grant.target for effective_grant in one.effective_grants}
            )
            fav = "".join(mark for rel, mark in marks.items() if rel in said)
            listed.append(_row(context, kind, one, read) | {"shared": shared, "fav": fav})
    return Data(listed)


def _row(
    context: Context[World], kind: ResourceKind, found: Found, said: Mapping[str, str]
) -> dict[str, object]:
    item = found.item
    return {
        "id": item.name,
        "name": said.get("name") or item.name,
        "author": item.owner,
        "shortname": item.shortname,
        "summary": said.get("summary", ""),
        "type": said.get("config/type") or kind.default_type,
        "vis_type": kind.name,
        "uri": kind.page(hints_of(context.call).origin, item),
        "path": f"/v1/u/{item.owner}/{kind.letter}/{item.name}",
        "created": item.created_on,
        "updated": item.last_modified,
    }


def letters(kinds: Kinds, entry: Callable[[ResourceKind], Node], rule: Rule) -> dict[str, Node]:
    """Return an entry for each kind by its letter, and `v` for views, which is always empty."""
    views = value(lambda context: Data([]), rules={Verb.READ: rule}, about="views: none")
    return {**{kind.letter: entry(kind) for kind in kinds_by_letter(kinds)}, "v": views}


def picture(which: str, profile: Callable[[Context[World]], int], rule: Rule, about: str) -> File:
    """Return the file of a picture of the profile whose item `profile` returns; hidden while none is set."""

    def find(context: Context[World]) -> Ref | None:
        def ask() -> Ref | None:
            leaf = context.world.leaves.get(profile(context), f"picture/{which}")
            return leaf.blob if leaf is not None else None

        return context.once(f"picture {context.requested}", ask)

    seen = rule & PRESENT & Rule("it is set", lambda p: find(p) is not None, "a picture that was set")
    return value(find, rules={Verb.READ: seen}, hidden=PRESENT, about=about)
