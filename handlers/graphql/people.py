"""Users as rows: their profiles, their ties to the caller, and their resources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from handlers.graphql.asking import Ask
from handlers.graphql.selection import Row, Selection
from handlers.rules.kinds import ResourceKind
from handlers.trees.people.users import card_of
from vfs.access import Role
from vfs.ports.groups import GroupKind, TieKind
from vfs.ports.people import Account, User

CARD = ("name", "bio", "type", "public")
CARD_TEXTS = ("name", "bio", "options/show_name")
TIED = ("follower", "connected", "following", "ignoring")
ROLES: Mapping[str, Role] = {
    "founder": Role.FOUNDERS,
    "admin": Role.ADMINS,
    "superuser": Role.SUPERUSERS,
    "member": Role.MEMBERS,
}
TYPES: Mapping[Account, str] = {Account.REGULAR: "user", Account.ORGANISATION: "org"}
FLAGS = ("f_jobs", "f_repos", "f_spaces", "f_images")
SOCIAL, TIMEZONE = "/v1/admin/social", "timezone"
USUAL_ZONE = "UTC"


def people_rows(ask: Ask, names: Sequence[str], wanted: Selection) -> Mapping[str, Row]:
    """Return a row for each of these users by name. Users that the caller does not see have only a name."""
    ask.admit(len(names))
    rows: dict[str, Row] = {name: {"username": name} for name in names}
    if rows and wanted.fields.keys() - {"username"}:
        _add_cards(ask, rows, wanted)
        if "relationship" in wanted:
            _add_relationships(ask, rows, wanted["relationship"])
        _add_resources(ask, rows, wanted)
        if ask.me in rows:
            _add_own(ask, rows[ask.me], wanted)
    return rows


def _add_cards(ask: Ask, rows: Mapping[str, Row], wanted: Selection) -> None:
    if not wanted.any_of(CARD):
        return
    seen = {name: user for name, user in ask.people().items() if name in rows}
    texts = ask.world.leaves.texts_of([user.item for user in seen.values()], CARD_TEXTS)
    for name, user in seen.items():
        rows[name] |= _card(user, texts.get(user.item, {}))


def _card(user: User, texts: Mapping[str, str]) -> Row:
    said = card_of(user, texts)
    return {"name": said["name"], "bio": said["bio"], "public": said["public"], "type": TYPES[user.account]}


def _add_relationships(ask: Ask, rows: Mapping[str, Row], wanted: Selection) -> None:
    """Add the relationship of the caller and each user, as the caller's own folders show it."""
    ties = _ties(ask) if wanted.any_of(TIED) else {}
    common = _common_groups(ask) if wanted.any_of(("orgs", "groups")) else {}
    for name, row in rows.items():
        facts: Row = {tie: name in ties[tie] for tie in ties}
        if common or wanted.any_of(("orgs", "groups")):
            orgs, groups = common.get(name, (0, 0))
            facts |= {"orgs": orgs, "groups": groups}
        row["relationship"] = facts


def _ties(ask: Ask) -> Mapping[str, frozenset[str]]:
    """Return the users tied to the caller, by kind of tie; nothing if the caller may not read that."""

    def look_up() -> Mapping[str, frozenset[str]]:
        if ask.me is None or not ask.sight.may_read(ask.sight.at(SOCIAL)):
            return {}
        ties, me = ask.world.people.ties, ask.me
        requested = [tie.other for tie in ties.of(TieKind.CONNECTION, me) if not tie.pending]
        accepted = [tie.name for tie in ties.to(TieKind.CONNECTION, me) if not tie.pending]
        return {
            "connected": frozenset([*requested, *accepted]),
            "following": frozenset(tie.other for tie in ties.of(TieKind.FOLLOWING, me)),
            "follower": frozenset(tie.name for tie in ties.to(TieKind.FOLLOWING, me)),
            "ignoring": frozenset(tie.other for tie in ties.of(TieKind.IGNORE, me)),
        }

    return ask.once(("ties",), look_up)


def _common_groups(ask: Ask) -> Mapping[str, tuple[int, int]]:
    """Return the numbers of organisations and groups that users share with the caller, from the rosters."""

    def look_up() -> Mapping[str, tuple[int, int]]:
        found: dict[str, tuple[int, int]] = {}
        wanted = Selection({field: Selection({"username": Selection()}) for field in ROSTERS})
        mine = [one for one in ask.relations() if one.role is not None]
        for one, row in zip(mine, ask.load.groups(ask, mine, wanted), strict=True):
            is_org = one.group.kind is GroupKind.ORG
            for name in {user["username"] for field in ROSTERS for user in row.get(field) or ()}:
                orgs, groups = found.get(name, (0, 0))
                found[name] = (orgs + is_org, groups + (not is_org))
        return found

    return ask.once(("common groups",), look_up)


ROSTERS = tuple(role.value for role in Role)


def _add_resources(ask: Ask, rows: Mapping[str, Row], wanted: Selection) -> None:
    """Add the users' resources of each kind that is asked for and that the caller has access to."""
    owner = ask.me if list(rows) == [ask.me] else None
    for kind in ask.world.service.kinds.values():
        if kind.folder in wanted:
            _add_of_kind(ask, rows, kind, owner, wanted[kind.folder])
    if "images" in wanted:
        found = [one for one in ask.visible("repo", owner) if one.item.owner in rows]
        images = ask.load.images(ask, found, wanted["images"])
        for row in rows.values():
            row["images"] = [one for one in images if one["repo"].partition("/")[0] == row["username"]]
    if "computers" in wanted:
        for row in rows.values():
            row["computers"] = []


def _add_of_kind(
    ask: Ask, rows: Mapping[str, Row], kind: ResourceKind, owner: str | None, wanted: Selection
) -> None:
    for row in rows.values():
        row[kind.folder] = []
    found = [one for one in ask.visible(kind.name, owner) if one.item.owner in rows]
    for one, row in zip(found, ask.load.items(ask, kind, found, wanted), strict=True):
        rows[one.item.owner][kind.folder].append(row)


def _add_own(ask: Ask, row: Row, wanted: Selection) -> None:
    """Add the fields that only the user itself may see."""
    row["feature_flags"] = list(FLAGS)
    if TIMEZONE in wanted:
        row[TIMEZONE] = _own_zone(ask)
    if "social" in wanted and (ties := _ties(ask)):
        facts = {"followers": "follower", "following": "following", "connections": "connected"}
        row["social"] = {field: len(ties[tie]) for field, tie in facts.items()}
    held = {field: role for field, role in ROLES.items() if field in wanted}
    if held:
        _add_groups(ask, row, wanted, held)


def _own_zone(ask: Ask) -> str | None:
    """Return the time zone of the caller's profile, if its credential may read it."""
    context = ask.sight.at("/v1/admin/profile")
    context.route.step_in(context)
    if context.item is None or not ask.sight.may_read(context, TIMEZONE):
        return None
    return (
        ask.world.leaves.texts_of([context.item.id], (TIMEZONE,))
        .get(context.item.id, {})
        .get(TIMEZONE, USUAL_ZONE)
    )


def _add_groups(ask: Ask, row: Row, wanted: Selection, held: Mapping[str, Role]) -> None:
    below = wanted.below(held)
    relations = [one for one in ask.relations() if one.role in held.values()]
    groups = ask.load.groups(ask, relations, below)
    for field, role in held.items():
        row[field] = [group for one, group in zip(relations, groups, strict=True) if one.role is role]
