"""Resources by short paths: a JSON document that describes one, rows of many, and profile pictures."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence

import orjson

from handlers.rules.kinds import Kinds, QuotedFile, ResourceKind, kinds_by_letter
from handlers.services.rights import item_access
from handlers.services.viewer import hints_of
from handlers.services.world import World
from handlers.trees.aliases.renders import PICTURE
from handlers.trees.facets.found_rows import seen_items
from vfs.access import Access, Verb
from vfs.call import Data
from vfs.context import Context
from vfs.nodes import MIB, File, Node
from vfs.parts import boolean, value
from vfs.ports.blobs import Ref
from vfs.ports.items import Found, Item
from vfs.rules import PRESENT, Rule

MARKS = {"fav": "*", "like": "+"}


def rows(context: Context[World], found: Sequence[Found], kind: ResourceKind) -> Data:
    """Return a row for each item that the caller has any access to; summary and type only for readers.

    `fav` has the marks of the caller's own tags.
    """
    return Data(
        [
            _row(context, kind, one.found, one.texts)
            | {"shared": one.shared, "fav": "".join(MARKS[tag] for tag in one.tags)}
            for one in seen_items(context, found, list(MARKS))
            if one.access
        ]
    )


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


LARGEST_QUOTED = MIB
"""The longest text that an envelope quotes, in characters; a longer one is null."""

SHOWN = Access.READ | Access.EXECUTE

Texts = Mapping[str, str | None]


def envelope(context: Context[World], kind: ResourceKind, found: Found, renders: Container[str]) -> Data:
    """Return the envelope of an item; its texts, data and settings only for callers who may read it.

    `renders` has the names of its renders by short paths.
    """
    item, world = found.item, context.world
    may = item_access(world, found, context.caller)
    readable = Access.READ in may and (kind.candid or context.caller.name is not None)
    texts: Texts = {}
    if readable:
        leaves = world.leaves.texts(item.id, "", LARGEST_QUOTED)
        texts = {leaf.rel: leaf.text for leaf in leaves if leaf.blob is None}
    return Data(
        {
            "data": _quote(kind.data, texts) if readable else None,
            "metadata": _quote(kind.metadata, texts) if readable else None,
            "config": _settings(kind, texts) if readable else {},
            "creator": _creator(context, item.owner),
            "references": list(_references(context, kind, item)) if readable else [],
            "about": {
                **_about(context, kind, item, texts),
                "uri_data": _address_of_data(context, kind, item) if readable else None,
                **_pictures(context, kind, item, renders if may & SHOWN else ()),
            },
            "recipients": _recipients(kind, texts) if readable and Access.WRITE in may else None,
        }
    )


def _quote(file: QuotedFile | None, texts: Texts) -> str | orjson.Fragment | None:
    """Return the content of a file; JSON is inserted as it is, since it may nest too deep for encoders."""
    text = texts.get(file.rel, file.default) if file is not None else None
    return orjson.Fragment(text) if text is not None and file is not None and file.is_json else text


def _settings(kind: ResourceKind, texts: Texts) -> Mapping[str, object]:
    """Return settings by their paths below `config`, with the item's type and the schema of its inputs."""
    config: dict[str, object] = {"type": kind.default_type} if kind.default_type else {}
    for rel, text in texts.items():
        if rel.startswith("config/") and not rel.startswith(kind.secrets):
            config[rel.removeprefix("config/")] = text
    if kind.schema is not None:
        config["json_schema"] = kind.schema({rel: text for rel, text in texts.items() if text is not None})
    return config


def _recipients(kind: ResourceKind, texts: Texts) -> Mapping[str, list[str]] | None:
    """Return the lists of an item's recipients; None for kinds without recipients."""
    if kind.recipients is None:
        return None
    return {name: (texts.get(rel) or "").splitlines() for name, rel in kind.recipients.items()}


def _about(context: Context[World], kind: ResourceKind, item: Item, texts: Texts) -> Mapping[str, object]:
    """Return the names, dates and page of an item."""
    name = context.world.leaves.get(item.id, "name")
    return {
        "shortname": item.shortname,
        "name": (name.text if name is not None else "") or item.name,
        "created": item.created_on,
        "updated": item.last_modified,
        "uri_vis": kind.page(hints_of(context.call).origin, item),
        "vis_type": kind.name,
        "description": texts.get("description", ""),
        "summary": texts.get("summary", ""),
    }


def _address_of_data(context: Context[World], kind: ResourceKind, item: Item) -> str | None:
    """Return the address of an item's complete data."""
    canonical = (
        f"{hints_of(context.call).origin}/v1/users/{item.owner}/{kind.family}/{kind.folder}/{item.name}"
    )
    return f"{canonical}/{kind.data.rel}" if kind.data is not None else None


def _pictures(
    context: Context[World], kind: ResourceKind, item: Item, renders: Container[str]
) -> Mapping[str, str | None]:
    """Return the addresses of the renders that an envelope names."""
    canonical = f"{hints_of(context.call).origin}/v1/u/{item.owner}/{kind.letter}/{item.name}"
    return {f"uri_{name}": f"{canonical}/{name}" if name in renders else None for name in (PICTURE, "pdf")}


def _references(context: Context[World], kind: ResourceKind, item: Item) -> Iterator[Mapping[str, object]]:
    """Yield the items that an item shows, if the caller may see them."""
    world, origin = context.world, hints_of(context.call).origin
    shown = kind.references(context, item) if kind.references is not None else {}
    found = world.items.all_at({one.id for one in shown.values()}, context.caller.name)
    for label, one in shown.items():
        if one.id in found and item_access(world, found[one.id], context.caller):
            theirs = world.service.kinds[one.kind]
            yield {
                "label": label,
                "shortname": one.shortname,
                "author": one.owner,
                "id": one.name,
                "vis_type": one.kind,
                "uri_vis": theirs.page(origin, one),
                "path": f"/v1/u/{one.owner}/{theirs.letter}/{one.name}",
            }


def _creator(context: Context[World], owner: str) -> Mapping[str, object]:
    """Return the owner of an item, as far as its profile options and privacy let the caller see it."""
    world = context.world
    user = world.people.users.find(owner)
    leaves = world.leaves.texts(user.item, "") if user is not None else ()
    said = {leaf.rel: leaf.text or "" for leaf in leaves}
    named = owner == context.caller.name or boolean(said.get("options/show_name", "no"))
    pictured = any(leaf.rel == "picture/image" for leaf in leaves)
    visible = pictured and world.people.users.sees(context.caller.name, owner)
    return {
        "username": owner,
        "name": (said.get("name") if named else None) or owner,
        "avatar": f"{hints_of(context.call).origin}/v1/u/{owner}/img" if visible else None,
    }
