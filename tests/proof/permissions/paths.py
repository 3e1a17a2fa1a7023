"""Every path of a world that the matrix knows, with the names of the world put in and some others."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from tests.proof.permissions.matrix import ALIAS, FAMILY, Matrix, Row
from tests.proof.permissions.worlds import PEOPLE, ROLES, RUNS, World

ABSENT_RUN = "20260101-120000-0000cccc"
ABSENT_NOTICE = "20260101-120000-999999"
SOME = {
    "plots": ("config/title", "config/axis/ticks", "config/table/cell/text"),
    "docs": ("config/theme", "config/type", "config/custom/custom.css"),
    "grids": ("config/theme",),
    "mails": ("config/subject", "recipients/to", "recipients/bcc"),
    "jobs": ("config/options/comments", "config/options/stdin"),
}


def paths(world: World, matrix: Matrix) -> dict[str, list[str]]:
    """All paths, by what they are about."""
    found: dict[str, list[str]] = {
        "all": [_below("/v1", row) for row in matrix.rows["all"]],
        "profile": [_below("/v1/admin/profile", row) for row in matrix.rows["profile"]],
        "new": ["/v1/admin/orgs/none", "/v1/admin/orgs/acme/groups/none", "/v1/admin/groups/@ann~none"],
    }
    found["notices"] = [f"/v1/admin/notifications/{name}" for name in (*world["notices"], ABSENT_NOTICE)]
    found["trash"] = [f"/v1/trash/{name}" for name in (*world["trash"], "999999")]
    found["short"] = [f"/v1/i/{name}" for name in (*(one["shortname"] for one in world["items"]), "none5")]
    invites = [f"/v1/admin/invites/{name}" for name in (*world["groups"], "@bob", "@bob~none")]
    found["invites"] = [*invites, *(f"{invite}/accept" for invite in invites)]
    for one in world["items"]:
        found[f"{one['owner']}/{one['name']}"] = _item(one, matrix)
    for user in (*PEOPLE, "nobody"):
        found[user] = [_below(f"/v1/users/{user}", row) for row in matrix.rows["user"]]
        found[user] += [f"/v1/u/{user}", f"/v1/u/{user}/d", f"/v1/u/{user}/img"]
    for ref, group in world["groups"].items():
        found[ref] = [path for base in bases(ref) for path in _group(matrix, base, group)]
    return found


def bases(ref: str) -> list[tuple[str, str]]:
    """Where a group is found, each with the section that is about it."""
    owner, tilde, name = ref[1:].partition("~")
    if ref[0] == "@":
        theirs = f"users/{owner}/groups/{name}", "theirs/user_group"
        return [(f"admin/groups/{ref}", "admin/user_group"), (f"groups/{ref}", "refs/user_group"), theirs]
    if tilde:
        view = f"orgs/{owner}/groups/{name}", "view/org_group"
        return [(f"admin/{view[0]}", "admin/org_group"), view, (f"groups/{ref}", "refs/org_group")]
    return [(f"admin/orgs/{owner}", "admin/org"), (f"orgs/{owner}", "view/org"), (f"o/{owner}", "card/org")]


def _below(base: str, row: Row) -> str:
    return "/".join((base, *row.parts))


def _item(one: World, matrix: Matrix) -> list[str]:
    kind, name = one["kind"], one["name"]
    base = f"/v1/users/{one['owner']}/{FAMILY[kind]}/{kind}/{name}"
    found = [base, f"{base}x", f"{base}x/name", f"/v1/{FAMILY[kind]}/{kind}/{name}"]
    found += [f"{base}/{rel}" for row in matrix.rows[kind] for rel in _rels(row, one)]
    found += [f"{base}/{rel}" for rel in SOME.get(kind, ())]
    if kind == "repos":
        image = f"/v1/users/{one['owner']}/code/images/{name}"
        found += [
            f"{image}x",
            *(f"{image}/{rel}".rstrip("/") for row in matrix.rows["image"] for rel in _rels(row, one)),
        ]
    if kind in ALIAS.values():
        brief = f"/v1/u/{one['owner']}/{kind[0]}/{name}"
        found += [brief, *(f"{brief}/{rel}" for rel in ("v", "v/total", "v/none", "v/total/txt"))]
        renders = [
            "/".join(row.parts) for row in matrix.rows.get(f"alias/{kind}", ()) if row.parts[:1] != ("v",)
        ]
        found += [f"{brief}/{rel}" for rel in (*filter(None, renders), "none")]
    return list(dict.fromkeys(found))


def _rels(row: Row, one: World) -> list[str]:
    """The paths that a row is about; below names that are not there nothing is asked."""
    names = _names(one)
    if row.parts[:1] == ("vars",):
        names[":var"] = ["total", "none"]
    rels = [""] if row.parts and row.parts[-1] != "**" else []
    for context, part in enumerate(row.parts):
        said = names.get(part, [part])
        rels = [
            f"{rel}/{name}".lstrip("/")
            for rel in rels
            for name in said[: None if context == len(row.parts) - 1 else 1]
        ]
    return rels


def _names(one: World) -> dict[str, list[str]]:
    shares = [f"{target}~{letters}" for target, letters in one["shares"].items()]
    others = [f"{target}~x" for target in ("@eve", "+acme~ops") if target not in one["shares"]]
    return {
        ":target": [*shares, *others],
        ":waiting": others,
        ":shared_link": ["link~press", "link~none"],
        ":tag": ["fav", "+mine", "=kind"],
        ":topic": [f"@{one['owner']}~first", "@eve~none", "mine"],
        ":var": ["KEY", "NONE"],
        ":step": ["fetch", "none"],
        ":hook": ["shop", "none"],
        ":asset": ["logo.svg", "none.svg"],
        ":snapshot": ["q1", "none"],
        ":picture": ["sales.svg"],
        ":sheet": ["sales.csv"],
        ":path": ["a.txt", "none.txt"],
        ":run": [RUNS[0], *list(one["runs"])[1:], ABSENT_RUN],
        ":sha": ["0" * 40],
    }


def _group(matrix: Matrix, base: tuple[str, str], group: World) -> list[str]:
    found: list[str] = []
    for row in matrix.rows[base[1]]:
        path = _below(f"/v1/{base[0]}", row)
        names: dict[str, Sequence[str]] = {
            ":role": ROLES,
            ":member": _people(group),
            ":shelf": ("plots", "docs") if "/vis/" in path else ("jobs",),
            ":entry": ("@ann~thing0",),
            ":topic": (f"@{group['founder']}~first", "@eve~none", "mine"),
            ":theme": ("dusk", "none"),
            ":inbound": (group.get("inbound", ABSENT_NOTICE), ABSENT_NOTICE),
        }
        found += map("/".join, product(*(names.get(part, (part,)) for part in path.split("/"))))
    return list(dict.fromkeys(found))


def _people(group: World) -> list[str]:
    """Those in a group, with I- before the names of who is invited, and somebody who may not be."""
    marked = [f"I-{name}" if member["pending"] else name for name, member in group["members"].items()]
    return [*marked, *({"eve"} - group["members"].keys())]
