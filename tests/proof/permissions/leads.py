"""Where a path leads in a world for one caller: to what, through which names, to which row of the matrix."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.proof.permissions.matrix import ALIAS, Context

if TYPE_CHECKING:
    from tests.proof.permissions.oracle import Oracle

GROUPS = ("admin", "view", "refs", "theirs", "card")


def find(oracle: Oracle, me: str | None, claim: str | None, path: str) -> Context:
    """The place of a path; one that is not `there` is absent or invisible to the caller, which is the "
    "same."""
    path = re.sub("^/v1/(vis|code)(?=/|$)", rf"/v1/users/{me}/\1", path)
    at = Context(me, claim, *oracle.matrix.at(path))
    if at.section in ("item", "alias", "image"):
        _item(oracle, at)
    elif at.section == "short":
        at.item = next((one for one in oracle.items if one.get("shortname") == at.args["short"]), {})
        at.access = oracle.reached(at.me, at.claim, at.item)
        at.there = bool(at.access)
    elif at.section in GROUPS:
        _group(oracle, at)
    elif at.section in ("user", "corner"):
        at.there = oracle.visible(me, at.args["user"], at.claim)
    elif at.section in ("notice", "trashed", "invite"):
        at.there = _is_shown(oracle, at)
    elif at.section == "profile":
        at.item, at.access, at.there = {"owner": me}, oracle.left(None, ""), me is not None
        at.there = at.there and not oracle.matrix.is_single(claim)
    for row, args, entry in (
        oracle.matrix.about(at.section, at.rel) if at.there or at.item or "kind" in at.args else ()
    ):
        if not at.access or not entry or known(oracle, at, entry) is not ("?" in row.flags):
            at.row, at.args = row, at.args | args
            return at
    at.there = False
    return at


def _item(oracle: Oracle, at: Context) -> None:
    """A resource; where the caller has nothing of one, another could be made."""
    image = at.section == "image"
    at.args["kind"] = "repos" if image else at.args.get("kind") or ALIAS.get(at.args["letter"], "")
    key = (at.args["user"], at.args["kind"], at.args["name"])
    at.item = next((one for one in oracle.items if (one["owner"], one["kind"], one["name"]) == key), {})
    at.access = oracle.reached(at.me, at.claim, at.item)
    new = not at.access and not at.rel and at.section == "item"
    context = f"alias/{at.args['kind']}" if at.section == "alias" else at.args["kind"]
    at.section = "new/item" if new else at.section if image else context
    at.there = bool(at.access) or new


def _is_shown(oracle: Oracle, at: Context) -> bool:
    """Whether a notice, a deleted item or an invitation is the caller's, and shown to its credential."""
    if at.section != "invite":
        mine = oracle.matrix.in_person(at.claim, "group") and at.me is not None
        world, (name,) = oracle.world, at.args.values()
        return mine and world["notices" if at.section == "notice" else "trash"].get(name) == at.me
    members = oracle.groups.get(at.args["invite"], {"members": {}})["members"]
    return at.claim is None and bool(members.get(at.me, {"pending": False})["pending"])


def _group(oracle: Oracle, at: Context) -> None:
    """A group or organisation; a user's groups are those that it founded and those that the caller is in "
    "too."""
    at.ref = _reference(oracle, at, at.args.get("org"), at.args.get("group", ""), at.args.get("user", at.me))
    at.access = oracle.standing(at.me, at.claim, at.ref)
    if at.section == "theirs" and not at.ref.startswith(f"@{at.args['user']}~"):
        both = oracle.role(at.args["user"], at.ref) and "read" in oracle.standing(at.me, None, at.ref)
        at.access = at.access if both else frozenset()
    kind = "user_group" if at.ref[0] == "@" else "org_group" if "~" in at.ref else "org"
    below = kind == "org_group" and at.section == "admin"
    above = at.access or not below or oracle.standing(at.me, at.claim, at.ref.partition("~")[0])
    new, at.section = not at.access and not at.rel and at.section == "admin", f"{at.section}/{kind}"
    hides = oracle.matrix.hides.get((at.section, at.rel[0] if at.rel else ""), "info")
    at.there = (
        bool(above)
        and (new or (oracle.holds(at, hides) and not oracle.matrix.is_single(at.claim)))
        and (bool(at.me) or at.section == "card/org")
    )
    at.section = f"new/{kind}" if new else at.section


def _reference(oracle: Oracle, at: Context, org: str | None, name: str, corner: str | None) -> str:
    """The reference of a group: a bare name is an own group of that user, or the one that it is in."""
    if org or name[0] in "@+":
        return f"+{org}~{name}".removesuffix("~") if org else name
    own, named = (
        f"@{corner}~{name}",
        [ref for ref in oracle.groups if ref[0] == "@" and ref.endswith(f"~{name}")],
    )
    alike = [ref for ref in named if oracle.role(at.me, ref) and oracle.role(corner, ref)]
    if corner == at.me:
        alike = [ref for ref in named if at.me in oracle.groups[ref]["members"]]
    return alike[0] if own not in oracle.groups and len(alike) == 1 else own


def known(oracle: Oracle, at: Context, entry: str) -> bool:
    """Whether the caller finds an entry there."""
    head, _, name = entry.partition("/")
    if at.ref and head == "shared":
        held = [one for one in oracle.items if one["kind"] == at.rel[2] and oracle.given(at, one)]
        return len(at.rel) == 3 or at.rel[3] in [f"@{one['owner']}~{one['name']}" for one in held]
    if at.ref and head == "threads":
        return name == f"@{oracle.groups[at.ref]['founder']}~first"
    if at.ref and head == "inbound":
        return name.partition("/")[0] == oracle.groups[at.ref]["inbound"]
    if at.ref and name.startswith("themes/"):
        return name == "themes/dusk"
    if at.ref and head == "roles" and "/" in name:
        return _member(oracle, at, *at.rel[1:3])
    if at.item and name.startswith("link~"):
        press = name.partition("/")[0] == "link~press" and "shared/link~press" in at.item.get("entries", ())
        return press and at.me == at.item["owner"] and at.claim is None
    if at.item and head == "shared":
        target = re.sub("(~[rwdx]+)?$", "", name)
        both = oracle.role(at.me, target) and oracle.role(at.item["owner"], target)
        mine = at.me == at.item["owner"] or target in ("public", f"@{at.me}") or bool(both)
        return target in at.item["shares"] and mine
    kept = at.item.get("entries", [entry])
    return entry in kept or (at.section.startswith("alias/") and f"vars/{name}" in kept)


def takes_back(oracle: Oracle, at: Context) -> bool:
    """Whether it takes back the caller's own invitation, which its sender may always (Group membership)."""
    if not at.me or not at.section.startswith("admin") or at.rel[:1] != ["roles"] or len(at.rel) != 3:
        return False
    member = oracle.groups.get(at.ref, {"members": {}})["members"].get(at.rel[2].removeprefix("I-"))
    if member is None or (member["pending"], member["by"], member["role"]) != (True, at.me, at.rel[1]):
        return False
    return bool(oracle.matrix.in_person(at.claim, "group"))


def _member(oracle: Oracle, at: Context, role: str, name: str) -> bool:
    """Whether a user is in a role; an invitation is shown to members, its sender and who is invited."""
    member = oracle.groups[at.ref]["members"].get(name.removeprefix("I-"))
    if member is None or member["role"] != role:
        return False
    admin, sign = at.section.startswith("admin"), name.startswith("I-")
    shown = "read" in at.access or (at.me and at.me in (name.removeprefix("I-"), member["by"]))
    return bool(shown and (admin or sign)) if member["pending"] else not sign
