"""Tags: the definitions of the caller's tags, and the items that have a tag."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from handlers.rules.kinds import Kinds, ResourceKind, shelves
from handlers.rules.profile_values import colour
from handlers.services.accounts import account_of
from handlers.services.rights import item_access
from handlers.services.world import World
from handlers.trees.facets.tags import OWN, SYSTEM, is_tag
from handlers.trees.people.group_shared import ENTRY, ENTRY_NAME, link, link_row
from vfs.access import Verb
from vfs.context import Context
from vfs.errors import Conflict
from vfs.nodes import KIB, Check, Dir, Each, File, Named
from vfs.param import Param
from vfs.path import ANY_NAME
from vfs.permission import absent
from vfs.ports.items import Found
from vfs.ports.leaves import Leaf
from vfs.rules import IN_PERSON, SIGNED_IN, Rule

PERSON = SIGNED_IN & IN_PERSON
FOLDER = "tags"
FIELDS = ("name", "description", "color")
NAME_RULE = 'one of fav, like, ignore, wip and archived, or "+" or "=" and a lowercase name'


@dataclass(frozen=True, slots=True)
class Label:
    """A tag as its user knows it: its fields, and when it was made and last changed."""

    tag: str
    fields: Mapping[str, str]
    created_on: str
    last_modified: str


LABEL: Param[Label] = Param("tag")
CARRIED: Param[list[Found]] = Param("tag")


def labels(context: Context[World]) -> dict[str, Label]:
    """Return the caller's tags by name: system tags, and those that it defined or put on items.

    A credential that may not read all kinds gets only the system tags: others would reveal hidden items.
    """
    born = context.world.epoch
    known = {tag: Label(tag, {"name": name}, born, born) for tag, name in SYSTEM.items()}
    if context.caller.claim is not None and not context.caller.claim.reads_all():
        return dict(sorted(known.items()))
    for mark in context.world.social.tags.of(context.me):
        if mark.rel not in known:
            known[mark.rel] = Label(mark.rel, {}, mark.created_on, mark.last_modified)
    for leaf in context.world.leaves.texts(_account(context), FOLDER):
        _note(known, leaf)
    return dict(sorted(known.items(), key=lambda item: (item[0] not in SYSTEM, item[0])))


def _note(known: dict[str, Label], leaf: Leaf) -> None:
    _, tag, *field = leaf.rel.split("/")
    label = known.get(tag, Label(tag, {}, leaf.created_on, leaf.last_modified))
    fields = {**label.fields, field[0]: leaf.text or ""} if field else label.fields
    last = max(label.last_modified, leaf.last_modified)
    known[tag] = Label(tag, fields, min(label.created_on, leaf.created_on), last)


def _account(context: Context[World]) -> int:
    """Return the item of the caller's account, which holds the definitions of its tags."""
    return account_of(context.world, context.me).item


def _list_labels(context: Context[World]) -> Iterator[Named]:
    for label in labels(context).values():
        yield Named(label.tag, label.created_on, label.last_modified, label)


def _label(context: Context[World]) -> Label:
    return context[LABEL]


def _rel(context: Context[World]) -> str:
    return f"{FOLDER}/{context.segment(LABEL)}"


def define(context: Context[World]) -> None:
    """Define a tag of the caller's before any item has it."""
    if not context.world.leaves.put(_account(context), _rel(context), "", context.me):
        raise Conflict(f'there is already something named "{context.name}" here')


def forget(context: Context[World]) -> str:
    """Remove a tag, also from all items that have it."""
    is_used = context.world.leaves.clear(_account(context), _rel(context))
    if not context.world.social.tags.forget(context.name, context.me) and not is_used:
        raise absent(context)
    return f"removed {context.name}, also from all that had it\n"


def _field(name: str, about: str, largest: int, check: Check | None = None) -> File:
    def write(context: Context[World], text: str) -> None:
        context.world.leaves.put(_account(context), f"{_rel(context)}/{name}", text, context.me)

    def clear(context: Context[World]) -> None:
        context.world.leaves.clear(_account(context), f"{_rel(context)}/{name}")

    return File(
        lambda context: _label(context).fields.get(name, ""),
        write,
        clear=clear,
        rules={Verb.WRITE: PERSON & CHANGEABLE},
        about=about,
        largest=largest,
        check=check,
    )


def optional_colour(sent: str) -> str:
    """Return a colour, or empty text. Raises Invalid."""
    return colour(sent) if sent.strip() else ""


CHANGEABLE = Rule(
    "a tag of your own",
    lambda p: p.segment(LABEL) not in SYSTEM,
    "a tag of your own: system tags are fixed",
)

# Definitions of the caller's tags.
DEFINITIONS = Each(
    LABEL,
    Dir(
        {
            "name": _field("name", "display name", largest=KIB),
            "description": _field("description", "what it means", largest=64 * KIB),
            "color": _field("color", "#RRGGBB", largest=KIB, check=optional_colour),
        },
        about="a tag",
    ),
    names=_list_labels,
    has=lambda context, name: labels(context).get(name) if context.me else None,
    create=define,
    remove=forget,
    name=OWN,
    name_rule=NAME_RULE,
    rules={Verb.READ: PERSON, Verb.CREATE: PERSON, Verb.REMOVE: PERSON & CHANGEABLE},
    about="the caller's tags: of the system, its own (+name), and categories (=name)",
)


def _find_carriers(context: Context[World], name: str) -> list[Found] | None:
    """Return the items with a tag that the caller may see; None for a tag that it does not know."""
    if not context.me or not is_tag(name):
        return None
    carriers: Iterable[Found] = context.world.social.tags.carriers(name, context.me)
    found = [one for one in carriers if item_access(context.world, one, context.caller)]
    return found if found or name in SYSTEM or name in labels(context) else None


def _shelf(kind: ResourceKind) -> Each[Named]:
    def entries(context: Context[World]) -> Iterator[Named]:
        for found in context[CARRIED]:
            if found.item.kind == kind.name and (row := link_row(context, found, kind)):
                yield row

    return Each(
        ENTRY,
        link("a link: the path of what has the tag"),
        names=entries,
        has=lambda context, name: next((one for one in entries(context) if one.name == name), None),
        fixed=True,
        name=ENTRY_NAME,
        about=f"each {kind.name} with the tag as @<user>~<name>, a link to where it is",
    )


def carriers(kinds: Kinds) -> Each[list[Found]]:
    """Return the node `/v1/tags`: for each tag, the items with it that the caller may see."""
    return Each(
        CARRIED,
        Dir(
            {
                family: Dir({kind.folder: _shelf(kind) for kind in shelved}, about="by kind")
                for family, shelved in shelves(kinds)
            },
            about="what has the tag",
        ),
        names=_list_labels,
        has=_find_carriers,
        fixed=True,
        name=ANY_NAME,
        rules={Verb.READ: SIGNED_IN},
        about="what has a tag, by tag",
    )
