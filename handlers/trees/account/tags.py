"""Tags by themselves: the meaning of each of the caller's, and the items that carry it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from handlers.rules.colours import colour
from handlers.rules.kinds import Kinds, ResourceKind, shelves
from handlers.services.accounts import account_of
from handlers.services.world import World
from handlers.trees.facets.tags import OWN, SYSTEM, is_tag
from handlers.trees.people.group_shared import ENTRY, ENTRY_NAME, link, link_row
from vfs.access import Verb
from vfs.errors import Conflict
from vfs.nodes import KIB, Check, Dir, Each, File, Named
from vfs.param import Param
from vfs.path import ANY_NAME
from vfs.permission import absent
from vfs.place import Place
from vfs.ports.items import Found
from vfs.ports.leaves import Leaf
from vfs.rules import IN_PERSON, SIGNED_IN, Rule

PERSON = SIGNED_IN & IN_PERSON
FOLDER = "tags"
FIELDS = ("name", "description", "color")
NAME_RULE = 'one of fav, like, ignore, wip and archived, or "+" or "=" and a lowercase name'


@dataclass(frozen=True, slots=True)
class Label:
    """A tag as its user knows it: its fields, and since when."""

    tag: str
    fields: Mapping[str, str]
    created_on: str
    last_modified: str


LABEL: Param[Label] = Param("tag")
CARRIED: Param[list[Found]] = Param("tag")


def labels(place: Place[World]) -> dict[str, Label]:
    """The tags that the caller has: those of the system, and those it told or gave, by name."""
    born = place.world.epoch
    known = {tag: Label(tag, {"name": name}, born, born) for tag, name in SYSTEM.items()}
    for mark in place.world.social.tags.of(place.me):
        if mark.rel not in known:
            known[mark.rel] = Label(mark.rel, {}, mark.created_on, mark.last_modified)
    for leaf in place.world.leaves.texts(_account(place), FOLDER):
        _note(known, leaf)
    return dict(sorted(known.items(), key=lambda item: (item[0] not in SYSTEM, item[0])))


def _note(known: dict[str, Label], leaf: Leaf) -> None:
    _, tag, *field = leaf.rel.split("/")
    label = known.get(tag, Label(tag, {}, leaf.created_on, leaf.last_modified))
    fields = {**label.fields, field[0]: leaf.text or ""} if field else label.fields
    last = max(label.last_modified, leaf.last_modified)
    known[tag] = Label(tag, fields, min(label.created_on, leaf.created_on), last)


def _account(place: Place[World]) -> int:
    """The item of the caller's account, where its own tags are told."""
    return account_of(place.world, place.me).item


def _list_labels(place: Place[World]) -> Iterator[Named]:
    for label in labels(place).values():
        yield Named(label.tag, label.created_on, label.last_modified, label)


def _label(place: Place[World]) -> Label:
    return place[LABEL]


def _rel(place: Place[World]) -> str:
    return f"{FOLDER}/{place.segment(LABEL)}"


def define(place: Place[World]) -> None:
    """Make a tag of the caller's known before anything has it."""
    if not place.world.leaves.put(_account(place), _rel(place), "", place.me):
        raise Conflict(f'there is already something named "{place.name}" here')


def forget(place: Place[World]) -> str:
    """Take a tag away, and off everything that has it."""
    told_of = place.world.leaves.clear(_account(place), _rel(place))
    if not place.world.social.tags.forget(place.name, place.me) and not told_of:
        raise absent(place)
    return f"removed {place.name}, and took it off what had it\n"


def _field(name: str, about: str, largest: int, check: Check | None = None) -> File:
    def write(place: Place[World], text: str) -> None:
        place.world.leaves.put(_account(place), f"{_rel(place)}/{name}", text, place.me)

    def clear(place: Place[World]) -> None:
        place.world.leaves.clear(_account(place), f"{_rel(place)}/{name}")

    return File(
        lambda place: _label(place).fields.get(name, ""),
        write,
        clear=clear,
        rules={Verb.WRITE: PERSON & CHANGEABLE},
        about=about,
        largest=largest,
        check=check,
    )


def optional_colour(sent: str) -> str:
    """A colour, or nothing. Raises Invalid."""
    return colour(sent) if sent.strip() else ""


CHANGEABLE = Rule(
    "a tag of one's own",
    lambda p: p.segment(LABEL) not in SYSTEM,
    "a tag of your own: system tags are fixed",
)

# What the caller calls its tags.
DEFINITIONS = Each(
    LABEL,
    Dir(
        {
            "name": _field("name", "display name", largest=KIB),
            "description": _field("description", "what it stands for", largest=64 * KIB),
            "color": _field("color", "#RRGGBB", largest=KIB, check=optional_colour),
        },
        about="a tag",
    ),
    names=_list_labels,
    has=lambda place, name: labels(place).get(name) if place.me else None,
    create=define,
    remove=forget,
    name=OWN,
    name_rule=NAME_RULE,
    rules={Verb.READ: PERSON, Verb.CREATE: PERSON, Verb.REMOVE: PERSON & CHANGEABLE},
    about="the caller's tags: of the system, its own (+name), and categories (=name)",
)


def _find_carriers(place: Place[World], name: str) -> list[Found] | None:
    """The items with a tag that reach the caller; None for a tag that means nothing to it."""
    if not place.me or not is_tag(name):
        return None
    found: list[Found] = list(place.world.social.tags.carriers(name, place.me))
    told_of = name in SYSTEM or place.world.leaves.get(_account(place), f"{FOLDER}/{name}") is not None
    return found if found or told_of or name in labels(place) else None


def _shelf(kind: ResourceKind) -> Each[Named]:
    def entries(place: Place[World]) -> Iterator[Named]:
        for found in place[CARRIED]:
            if found.item.kind == kind.name and (row := link_row(place, found, kind)):
                yield row

    return Each(
        ENTRY,
        link("a link: the path of what has the tag"),
        names=entries,
        has=lambda place, name: next((one for one in entries(place) if one.name == name), None),
        fixed=True,
        name=ENTRY_NAME,
        about=f"each {kind.name} with the tag as @<user>~<name>, a link to where it is",
    )


def carriers(kinds: Kinds) -> Each[list[Found]]:
    """The node `/v1/tags`: by tag, what has it of all that the caller may see."""
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
