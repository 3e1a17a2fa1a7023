"""The answer to every caller at every path of a world: from the matrix, without code of the product."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.proof.permissions.leads import find, takes_back
from tests.proof.permissions.matrix import FAMILY, METHODS, Context, Matrix

RANKS = ("members", "superusers", "admins", "founders")
LETTERS = {"read": "r", "write": "w", "delete": "d", "execute": "x"}
IMPLIED = {"GET": "r", "POST": "w", "DELETE": "d"}
NONE: frozenset[str] = frozenset()
Said = dict[str, Any]


class Oracle:
    """Knows a world, which is plain data, and the matrix."""

    def __init__(self, world: Said, matrix: Matrix) -> None:
        self.matrix, self.said, self.left = matrix, matrix.said, matrix.left
        self.world, self.users = world, world["users"]
        self.groups, self.items = world["groups"], world["items"]

    def who(self, key: str | None) -> tuple[str | None, str | None] | None:
        """The name and the claim that a credential proves; None when it is dead."""
        one = self.world["credentials"][key] if key else {"user": None, "claim": None, "state": "live"}
        dead = one["state"] != "live" or (key and self.users[one["user"]]["locked"])
        return None if dead else (one["user"], one["claim"])

    def answer(self, key: str | None, method: str, path: str) -> int:
        """200 for what is admitted, else the refusal, in the order of R-1."""
        if (caller := self.who(key)) is None:
            return 401
        context = find(self, *caller, path)
        if method == "DELETE" and takes_back(self, context):
            return 200
        row, may, public = context.row, self.may(context), context.me is None
        veil = {"veil", "VEIL"} & row.flags and not may
        need, missing = row.needs.get(method.replace("HEAD", "GET"), "-"), "?" in row.flags
        if not context.there or (veil and not self.holds(context, need.replace("&covered", ""))):
            return 401 if public and "VEIL" not in row.flags else 404
        if method.replace("HEAD", "GET") in may or (method == "OPTIONS" and may):
            return 200
        if "409:" in need and (may or self.holds(context, need.replace("409:", ""))):
            return 409
        if missing and not public and self.holds(context, row.needs["GET"]):
            return 404 if need == "-" or self.holds(context, need) else 403
        if ("gone" in row.flags and not may) or (context.section[:3] == "new" and need == "-" and not public):
            return 404
        refused = 405 if need == "-" and method != "OPTIONS" and not missing else 403
        return 401 if public and (refused == 403 or not may) else refused

    def may(self, context: Context) -> list[str]:
        """The methods that the caller may use, in order."""
        making = ("POST", "PUT") if "?" in context.row.flags else METHODS
        return [one for one in making if context.there and self.holds(context, context.row.needs[one])]

    def holds(self, context: Context, need: str) -> bool:
        """Whether the caller has what a cell asks for."""
        return any(
            one[:4] != "409:"
            and all(
                self.has(context, word.strip("~!")) is not word.startswith("!") for word in one.split("&")
            )
            for one in need.split("|")
        )

    def has(self, at: Context, word: str) -> bool:
        """Whether the caller has what one word asks for."""
        if word in ("info", *LETTERS):
            return word in at.access
        me, group, org = at.me, self.groups.get(at.ref, {}), at.ref.partition("~")[0]
        if word in ("name", "description", "members"):
            whole = self.standing(me, None, at.ref)
            return "read" in whole or ("info" in whole and word in group["shows"])
        if word == "runner":
            alone = "execute" in self.reached(at.me, at.claim, at.item, public=False)
            return "execute" in at.access and (alone or at.item["runs"].get(at.args["run"]) == me is not None)
        slug, topic = at.args.get("group", ""), at.args.get("topic", "")
        conditions: dict[str, Callable[[], object]] = {
            "-": lambda: False, "never": lambda: False, "anybody": lambda: True, "login": lambda: me,
            "person": lambda: self.matrix.in_person(at.claim, at.item.get("kind", "group"), at.item),
            "firsthand": lambda: at.claim is None, "owner": lambda: me == at.item["owner"],
            "self": lambda: me == at.args["user"],
            "maker": lambda: "write" in self.left(at.claim, at.args["kind"]),
            "visible": lambda: self.visible(me, at.args["user"], at.claim),
            "confides": lambda: at.item["confides"], "norun": lambda: not self.matrix.is_run(at.claim),
            "covered": lambda: "write" in self.left(at.claim, at.args.get("kind", ""), at.item),
            "triggered": lambda: me and at.item["runs"].get(at.args["run"]) == me,
            "category": lambda: at.rel[-1].startswith("="), "author": lambda: topic.startswith(f"@{me}~"),
            "mine": lambda: "~" not in topic or topic.startswith(f"@{me}~"),
            "role": lambda: self.role(me, at.ref), "own": lambda: me and at.ref.startswith(f"@{me}~"),
            "bare": lambda: me and slug[0] != "@" and not at.ref.startswith(f"@{me}~"),
            "openly": lambda: group["public"], "mailed": lambda: group["kind"] == "org_group",
            "inside": lambda: self.inside(me, at.ref), "leading": lambda: self.role(me, org) in RANKS[2:],
            "paid": lambda: group["kind"] == "user_group" or self.groups[org]["plan"] != "free",
            "makesorg": lambda: self.users[me]["organisation"] and ("org", me) not in {
                (one["kind"], one["owner"]) for one in self.groups.values()},
            "pictured": lambda: (group or self.users[at.args["user"]])["public"],
            "partakes": lambda: {org} & {one.partition("~")[0] for one in self.groups if self.role(me, one)},
            "filled": lambda: any(one["kind"] == at.rel[2] and self.given(at, one) for one in self.items),
            "places": lambda: self.places(at), "drops": lambda: self.drops(at),
        }  # fmt: skip
        return bool(conditions[word]())

    def reached(self, me: str | None, claim: str | None, item: Said, public: bool = True) -> frozenset[str]:
        """What a caller has of a resource: all by owning it, else by name, by groups and by the public."""
        owner, held = item.get("owner"), set(self.left(None, "") if item and me == item["owner"] else ())
        for target, letters in item.get("shares", {}).items() if me != owner else ():
            mine = self.role(me, target) if self.role(owner, target) else None
            by_public = target == "public" and public and self.users[owner]["public"]
            if target == f"@{me}" or mine or by_public:
                confers = (self.said["confers", FAMILY[item["kind"]], letter] for letter in letters)
                got = frozenset().union(*confers)
                held |= got & self.said["through", mine] if mine else got
        return frozenset(held & self.left(claim, item.get("kind", ""), item))

    def role(self, me: str | None, ref: str) -> str | None:
        """The role that a user holds in a group; an invitation does not count."""
        member = self.groups.get(ref, {"members": {}})["members"].get(me, {"pending": True})
        return None if member["pending"] else member["role"]

    def standing(self, me: str | None, claim: str | None, ref: str) -> frozenset[str]:
        """What a caller has of a group itself."""
        org = ref.partition("~")[0]
        over = "overseer" if org != ref and self.role(me, org) in RANKS[2:] else None
        group = self.groups.get(ref, {"public": False, "members": {}})
        seen = group["public"] or me in group["members"] or self.inside(me, ref)
        what = self.role(me, ref) or (ref in self.groups and over) or ("seen" if seen else "")
        letters = self.said["standing", what] if what else ()
        confers = (self.said["confers", "group", letter] for letter in letters)
        return frozenset().union(*confers) & self.left(claim, "group")

    def inside(self, me: str | None, ref: str) -> bool:
        """Whether a user is in a group of an organisation, if only invited."""
        return any(me in one["members"] for other, one in self.groups.items() if other.startswith(f"{ref}~"))

    def visible(self, me: str | None, user: str, claim: str | None = None) -> bool:
        """Whether a caller sees a user: itself, public, connected, in a common group, sharing by name."""
        common = any(self.role(me, ref) and self.role(user, ref) for ref in self.groups)
        shares = any(one["owner"] == user and f"@{me}" in one["shares"] for one in self.items)
        row = self.users.get(user)
        known = row is not None and (row["public"] or {me, user} in self.world["connected"])
        return row is not None and (
            me == user or (self.matrix.sees_people(claim) and (known or common or shares))
        )

    def places(self, at: Context) -> bool:
        """Whether the caller may put a user into a role (interface, Role and rank rules)."""
        wanted, mine, over, present = self._ranks(at)
        stays = present is not None and present["role"] == wanted
        if at.ref[0] == "@" and "founders" in (wanted, present and present["role"]) and not stays:
            return False
        if at.args["member"] in (at.me, f"I-{at.me}") and not mine and at.ref[0] == "+" and over in RANKS[2:]:
            return RANKS.index(wanted) <= RANKS.index(over)
        effective_grant = mine in RANKS[1:] and RANKS.index(mine) >= max(
            RANKS.index(one) for one in (wanted, (present or {}).get("role", wanted))
        )
        return effective_grant and (stays or not self._last(at, present))

    def drops(self, at: Context) -> bool:
        """Whether the caller may take a user out of a role, or its invitation back."""
        wanted, mine, _, present = self._ranks(at)
        effective_grant = mine in RANKS[1:] and RANKS.index(mine) >= RANKS.index(wanted)
        if present["pending"]:
            return present["by"] == at.me or effective_grant
        return (
            not (at.ref[0] == "@" and wanted == "founders")
            and not self._last(at, present)
            and (effective_grant or at.args["member"] == at.me)
        )

    def _ranks(self, at: Context) -> tuple[str, str | None, str | None, Said]:
        """The role of the path, the caller's there and in the organisation above, and the user's place."""
        org, name = at.ref.partition("~")[0], at.args["member"].removeprefix("I-")
        over = self.role(at.me, org) if org != at.ref else None
        return at.args["role"], self.role(at.me, at.ref), over, self.groups[at.ref]["members"].get(name)

    def _last(self, at: Context, present: Said | None) -> bool:
        """Whether it is the only founder."""
        members = self.groups[at.ref]["members"].values()
        return [one for one in members if one["role"] == "founders" and not one["pending"]] == [present]

    def given(self, at: Context, item: Said) -> bool:
        """Whether a resource is shared with the group, by who is in it, and opens anything to the caller."""
        with_it = at.ref in item["shares"] and self.role(item["owner"], at.ref)
        return bool(with_it and self.reached(at.me, at.claim, item))

    def entry(self, key: str | None, path: str) -> tuple[str, tuple[str, ...]] | None:
        """The letters and the actions of a path in the listing of its folder; None where it is not listed."""
        at = find(self, *(self.who(key) or (None, None)), path)
        if not at.there or "?" in at.row.flags or (at.row.listed and not self.holds(at, at.row.listed)):
            return None
        may = self.may(at)
        held = {LETTERS.get(word, "") for word in at.access}
        if not at.item and not at.ref:
            held = {IMPLIED.get(one, "") for one in may}
        return "".join(sorted(held, key="rwdx".find)), (("OPTIONS", *may) if may else ())
