"""Groups as rows: their members and fields, as far as the rules of their folders show them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from handlers.graphql.asking import Ask, date
from handlers.graphql.comments import topics_of
from handlers.graphql.selection import Row, Selection
from handlers.graphql.sight import PROFILES, VIEWS, below
from handlers.services.world import World
from handlers.trees.people.group_admin import is_listed_below
from handlers.trees.people.group_profile import SHOWS
from handlers.trees.people.group_views import shown_name
from handlers.trees.people.roles import is_visible
from vfs.access import Role
from vfs.nodes import File
from vfs.parts import boolean
from vfs.ports.groups import GroupKind, GroupRelation, Member
from vfs.route import RoutedContext

OPTIONS = ("is_open", "enable_subdomain", "allow_inbound_mail", "mail_verify_spf", "mail_verify_dkim")
IMAGES = "images"
ROSTERS = tuple(role.value for role in Role)


class SeenGroup(NamedTuple):
    """A group that the caller sees, and its folder."""

    relation: GroupRelation
    context: RoutedContext[World]

    @property
    def ref(self) -> str:
        """The group's reference."""
        return self.relation.group.ref


def group_rows(ask: Ask, relations: Sequence[GroupRelation], wanted: Selection) -> list[Row]:
    """Return a row for each of these groups; the caller must be able to see all of them."""
    ask.admit(len(relations))
    seen = [SeenGroup(one, ask.sight.group(one, VIEWS[one.group.kind])) for one in relations]
    rows = {one.ref: _own_fields(one) for one in seen}
    if seen:
        texts = _note_options(ask, seen)
        _add_profiles(ask, seen, rows, texts)
        for fields, add in FACETS.items():
            if wanted.any_of(fields):
                add(ask, seen, rows, wanted)
        if wanted.any_of((IMAGES, *(kind.folder for kind in ask.world.service.kinds.values()))):
            _add_shared(ask, seen, rows, wanted)
    return [rows[one.ref] for one in seen]


def _own_fields(one: SeenGroup) -> Row:
    group = one.relation.group
    return {
        "id": group.name,
        "type": group.kind.value,
        "owner": group.owner if group.kind is GroupKind.USER_GROUP else None,
        "parent": {"id": group.owner, "type": "org"} if group.kind is GroupKind.ORG_GROUP else None,
        "created": date(group.created_on),
    }


def _note_options(ask: Ask, seen: Sequence[SeenGroup]) -> Mapping[int, Mapping[str, str]]:
    """Return the texts of the groups' profiles. Keep their visibility options for the rules."""
    rels = ["name", *(f"options/{option}" for option in (*SHOWS, *OPTIONS))]
    texts = ask.world.leaves.texts_of([one.relation.group.item.id for one in seen], rels)
    for one in seen:
        said = texts.get(one.relation.group.item.id, {})
        for option in SHOWS:
            ask.sight.note_option(one.ref, option, boolean(said.get(f"options/{option}", "no")))
    return texts


def _add_profiles(
    ask: Ask, seen: Sequence[SeenGroup], rows: Mapping[str, Row], texts: Mapping[int, Mapping[str, str]]
) -> None:
    """Add the name, the public flag and the options, as far as the caller may read them."""
    for one in seen:
        group, row = one.relation.group, rows[one.ref]
        said = texts.get(group.item.id, {})
        if ask.sight.may_read(one.context, "name"):
            row["name"] = shown_name(one.context, _kept_name(said))
        if ask.sight.may_read(one.context, "profile"):
            row["public"] = group.public
        options = below(ask.sight.group(one.relation, PROFILES[group.kind]), "profile", "options")
        for option in OPTIONS:
            node = options.route.children[option].node if option in options.route.children else None
            if isinstance(node, File) and ask.sight.may_read(options, option):
                usual = node.default if isinstance(node.default, str) else "no"
                row[option] = boolean(said.get(f"options/{option}", usual))


def _kept_name(said: Mapping[str, str]) -> Callable[[], str]:
    return lambda: said.get("name", "")


def _add_members(ask: Ask, seen: Sequence[SeenGroup], rows: Mapping[str, Row], wanted: Selection) -> None:
    """Add the members and the invited users, as the folders of roles list them."""
    open_ = {one.ref: below(one.context, "roles") for one in seen if ask.sight.may_read(one.context, "roles")}
    rosters = ask.world.people.members.rosters(list(open_))
    shown = {
        ref: [member for member in rosters.get(ref, ()) if is_visible(context, member)]
        for ref, context in open_.items()
    }
    selected = wanted.below(ROSTERS)
    selected.add(wanted.below(("invited",)).below(ROSTERS))
    names = dict.fromkeys(member.name for members in shown.values() for member in members)
    people = ask.load.people(ask, list(names), selected)
    for ref, members in shown.items():
        rows[ref] |= {role: _in_role(people, members, role, pending=False) for role in ROSTERS}
        rows[ref]["invited"] = {role: _in_role(people, members, role, pending=True) for role in ROSTERS}


def _in_role(people: Mapping[str, Row], members: Sequence[Member], role: str, *, pending: bool) -> list[Row]:
    return [people[one.name] for one in members if one.role == role and one.pending is pending]


def _add_groups(ask: Ask, seen: Sequence[SeenGroup], rows: Mapping[str, Row], wanted: Selection) -> None:
    """Add the groups of organisations that their folders list."""
    orgs = [one for one in seen if one.relation.group.kind is GroupKind.ORG]
    orgs = [one for one in orgs if ask.sight.may_read(one.context, "groups")]
    refs = [one.ref for one in orgs]
    found = ask.once(("under", *refs), lambda: ask.world.people.groups.all_under(refs, ask.me))
    listed = [one for one in found if is_listed_below(one)]
    made = ask.load.groups(ask, listed, wanted["groups"])
    for one in orgs:
        pairs = zip(listed, made, strict=True)
        rows[one.ref]["groups"] = [row for group, row in pairs if group.group.parent == one.ref]


def _add_topics(ask: Ask, seen: Sequence[SeenGroup], rows: Mapping[str, Row], wanted: Selection) -> None:
    open_ = {one.relation.group.item.id: one for one in seen if ask.sight.may_read(one.context, "threads")}
    found = topics_of(ask, list(open_), wanted["topics"])
    for item, one in open_.items():
        rows[one.ref]["topics"] = found.get(item, [])


def _add_shared(ask: Ask, seen: Sequence[SeenGroup], rows: Mapping[str, Row], wanted: Selection) -> None:
    """Add the resources that are shared with the groups, for callers who are members."""
    refs = [
        one.ref
        for one in seen
        if "shared" in one.context.route.children and ask.sight.may_read(one.context, "shared")
    ]
    for kind in ask.world.service.kinds.values():
        for ref in refs if kind.folder in wanted else ():
            rows[ref][kind.folder] = []
        if kind.folder in wanted and kind.aliased:
            found = ask.through(kind.name, refs)
            made = ask.load.items(ask, kind, [one for one, _ in found], wanted[kind.folder])
            for (_, targets), row in zip(found, made, strict=True):
                for ref in targets:
                    rows[ref][kind.folder].append(row)
    if IMAGES in wanted:
        found = ask.through("repo", refs)
        images = ask.load.images(ask, [one for one, _ in found], wanted[IMAGES])
        by_repo = {image["repo"]: image for image in images}
        for ref in refs:
            rows[ref][IMAGES] = []
        for one, targets in found:
            image = by_repo.get(f"{one.item.owner}/{one.item.name}")
            for ref in targets if image is not None else ():
                rows[ref][IMAGES].append(image)


Facet = Callable[[Ask, Sequence[SeenGroup], Mapping[str, Row], Selection], None]
FACETS: Mapping[tuple[str, ...], Facet] = {
    (*ROSTERS, "invited"): _add_members,
    ("groups",): _add_groups,
    ("topics",): _add_topics,
}
