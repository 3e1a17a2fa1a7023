"""What the tree's listings show a caller, and what the GraphQL view shows it, as plain data to compare."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tests.kit.client import Answer
from tests.proof.permissions.worlds import FAMILY, KINDS, REFS, World

Ask = Callable[[str, str, bytes], Answer]
LETTERS = {"plots": "p", "grids": "g", "docs": "d", "mails": "m", "repos": "r", "jobs": "j", "spaces": "s"}
ROLES = ("founders", "admins", "superusers", "members")
FIELDS = "id author { username } shared { id } public tags { id } topics { slug message } vars { id } summary"
PLACES = "username type public bio name"
OPTIONS = {
    "user_group": ("is_open",),
    "org": ("is_open", "enable_subdomain"),
    "org_group": ("is_open", "allow_inbound_mail", "mail_verify_spf", "mail_verify_dkim"),
}
IN_ROLES = " ".join(f"{role} {{ username }}" for role in ROLES)
GROUP = (
    "id type name public topics { slug } is_open enable_subdomain allow_inbound_mail mail_verify_spf"
    f" mail_verify_dkim {IN_ROLES} invited {{ {IN_ROLES} }}"
    + "".join(f" {kind} {{ id author {{ username }} }}" for kind in KINDS)
)


class Views:
    """The two views of one caller: `ask` asks for the graph, `tree` (None: the same) for files."""

    def __init__(self, ask: Ask, said: World, tree: Ask | None = None) -> None:
        self._graph = ask
        self._ask = tree or ask
        self._said = said

    def read(self, path: str) -> Any:
        """What a file or listing says; None where the caller may not read it."""
        answer = self._ask("GET", path, b"")
        assert answer.status in (200, 401, 403, 404, 409), (path, answer)
        return json.loads(answer.body) if answer.status == 200 else None

    def names(self, path: str) -> list[str] | None:
        """The names of a listing."""
        rows = self.read(path)
        return None if rows is None else [row["name"] for row in rows]

    def graph(self, query: str, **variables: object) -> Any:
        """The data that a query finds, which has no errors."""
        sent = json.dumps({"query": query, "variables": variables}).encode()
        body = json.loads(self._graph("POST", "/gql", sent).body)
        assert "errors" not in body, (query, body["errors"])
        return body["data"]

    def differences(self) -> Iterator[str]:
        """What one view shows and the other does not."""
        for what, tree, graph in self._pairs():
            if tree != graph:
                yield f"{what}: the tree shows {tree!r}, and GraphQL {graph!r}"

    def _pairs(self) -> Iterator[tuple[str, Any, Any]]:
        me = self.graph("{ me { username } }")["me"]
        name = self.read("/v1/whoami") if me else None
        yield "me", bool(name), bool(me)
        yield (
            "users",
            self.names("/v1/users") or [],
            [one["username"] for one in self.graph("{ users { username } }")["users"]],
        )
        yield from self._cards()
        for kind in KINDS:
            yield from self._of_kind(kind, signed_in=me is not None)
        if me is not None:
            yield from self._own_groups()
        for ref in REFS:
            yield from self._group(ref, me["username"] if me else None)

    def _cards(self) -> Iterator[tuple[str, Any, Any]]:
        for one in self.graph(f"{{ users {{ {PLACES} }} }}")["users"]:
            card = self.read(f"/v1/users/{one['username']}/profile")
            shown = {field: card[field] for field in ("username", "public", "bio", "name")}
            yield f"card of {one['username']}", shown, {field: one[field] for field in shown}

    def _of_kind(self, kind: str, *, signed_in: bool) -> Iterator[tuple[str, Any, Any]]:
        every: list[tuple[str, str]] = []
        for author in self._said["users"]:
            if signed_in:
                names = self.names(f"/v1/users/{author}/{FAMILY[kind]}/{kind}") or []
            else:
                rows = self.read(f"/v1/u/{author}/{LETTERS[kind]}") or []
                names = [row["id"] for row in rows]
            every += [(author, name) for name in names]
            query = f"query($a: String) {{ {kind}(author: $a) {{ {FIELDS} }} }}"
            found = self.graph(query, a=author)[kind]
            yield f"{kind} of {author}", names, [one["id"] for one in found]
            for one in found:
                yield from self._item(kind, author, one, signed_in=signed_in)
        of_all = [(one["author"]["username"], one["id"]) for one in
                  self.graph(f"{{ {kind} {{ id author {{ username }} }} }}")[kind]]  # fmt: skip
        yield f"all {kind}", sorted(every) if signed_in else [], sorted(of_all)

    def _item(
        self, kind: str, author: str, one: Mapping[str, Any], *, signed_in: bool
    ) -> Iterator[tuple[str, Any, Any]]:
        home, what = f"/v1/users/{author}/{FAMILY[kind]}/{kind}/{one['id']}", f"{kind} {author}/{one['id']}"
        shares = [row for row in self.read(f"{home}/shared") or [] if not row["name"].startswith("link~")]
        targets = [target_of(row) for row in shares]
        yield (
            f"{what} shared",
            sorted(targets),
            sorted([row["id"] for row in one["shared"] or []] + ["public"] * bool(one["public"])),
        )
        yield f"{what} tags", self.names(f"{home}/tags") or [], [row["id"] for row in one["tags"] or []]
        threads = [row["slug"] for row in self.read(f"{home}/threads") or []]
        yield f"{what} topics", threads, [row["slug"] for row in one["topics"]]
        yield f"{what} vars", self.names(f"{home}/vars") or [], [row["id"] for row in one["vars"]]
        if kind == "jobs":
            query = "query($a: String, $i: ID) { jobs(author: $a, id: $i) { run_count triggers } }"
            facts = self.graph(query, a=author, i=one["id"])["jobs"][0]
            runs = self.read(f"{home}/stats/runs")
            yield f"{what} runs", None if runs is None else len(runs), facts["run_count"]
            reads = self._ask("GET", f"{home}/config/schedule", b"").status == 200
            yield f"{what} triggers", reads, facts["triggers"] is not None

    def _own_groups(self) -> Iterator[tuple[str, Any, Any]]:
        fields = " ".join(f"{role} {{ id type owner parent {{ id }} }}" for role in
                          ("founder", "admin", "superuser", "member"))  # fmt: skip
        mine = self.graph(f"{{ me {{ {fields} }} }}")["me"]
        yield (
            "own groups",
            sorted(self.names("/v1/groups") or []),
            sorted(reference(one) for found in mine.values() for one in found),
        )

    def _group(self, ref: str, me: str | None) -> Iterator[tuple[str, Any, Any]]:
        kind = self._said["groups"][ref]["kind"]
        owner, _, name = ref[1:].rpartition("~")
        meant = {"name": ref if kind == "user_group" else name, "type": kind}
        found = self.graph(
            f"query($name: String, $type: GroupType, $parent: String) {{"
            f" groups(name: $name, type: $type, parent_group: $parent) {{ {GROUP} groups {{ id }} }} }}",
            **meant,
            parent=owner if kind == "org_group" else None,
        )["groups"]
        home = f"/v1/orgs/{name}" if kind == "org" else f"/v1/groups/{ref}"
        shows = self.read(home) is not None
        # Anyone who has nothing but the name of a group, as a run's credential, finds that alone.
        assert found or not shows, (ref, home)
        for one in found:
            yield from self._shown_group(ref, kind, home, one)
            if kind == "org":
                below = self.names(f"{home}/groups") or []
                yield f"groups of {ref}", sorted(below), sorted(row["id"] for row in one["groups"] or [])

    def _shown_group(
        self, ref: str, kind: str, home: str, one: Mapping[str, Any]
    ) -> Iterator[tuple[str, Any, Any]]:
        card = self.read(f"{home}/profile")
        yield f"{ref} public", card["public"] if card else None, one["public"]
        name = self._ask("GET", f"{home}/name", b"")
        yield f"{ref} name", name.status == 200, one["name"] is not None
        for role in ROLES:
            rows = self.names(f"{home}/roles/{role}") or []
            members = [row["username"] for row in one[role] or []]
            members += [f"I-{row['username']}" for row in (one["invited"] or {}).get(role) or []]
            yield f"{ref} {role}", sorted(rows), sorted(members)
        threads = [row["slug"] for row in self.read(f"{home}/threads") or []]
        yield f"{ref} topics", threads, [row["slug"] for row in one["topics"] or []]
        admin = {
            "user_group": f"/v1/admin/groups/{ref}",
            "org": f"/v1/admin/orgs/{ref[1:]}",
            "org_group": "/v1/admin/orgs/{}/groups/{}".format(*ref[1:].partition("~")[::2]),
        }[kind]
        for option in OPTIONS[kind]:
            answer = self._ask("GET", f"{admin}/profile/options/{option}", b"")
            yield f"{ref} {option}", answer.status == 200, one[option] is not None
        for shelf in KINDS if kind != "org" else ():
            rows = self.names(f"{home}/shared/{FAMILY[shelf]}/{shelf}") or []
            shared = [f"@{row['author']['username']}~{row['id']}" for row in one[shelf] or []]
            yield f"{ref} {shelf}", sorted(rows), sorted(shared)


def target_of(row: Mapping[str, Any]) -> str:
    """The target that the row of a share is about."""
    name = row["name"]
    if name.startswith("public"):
        return "public"
    parts = name.split("~")
    return "~".join(parts[:-1]) if set(parts[-1]) <= set("rwdx") else name


def reference(group: Mapping[str, Any]) -> str:
    """The reference of a group as the view tells it."""
    if group["type"] == "org":
        return f"+{group['id']}"
    if group["type"] == "org_group":
        return f"+{group['parent']['id']}~{group['id']}"
    return f"@{group['owner']}~{group['id']}"
