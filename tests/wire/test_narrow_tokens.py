"""Attempts to get more from a token than its scopes give, besides what the matrix of rights asks."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from functools import partial
from typing import Any, cast

import pytest

from handlers.events.placed_events import PlacedEvent, may_read_event
from handlers.rules.scopes import KnownScopes
from handlers.services.happenings import Happening
from handlers.trees import KINDS
from tests.kit.client import Answer
from tests.kit.service import Application
from vfs.access import EVERYBODY, Caller

Ask = Callable[..., Answer]


def ask(service: Application, token: str, method: str, path: str, body: object = None) -> Answer:
    """The answer to a request with a token; all but bytes are sent as JSON."""
    headers = [("Authorization", f"Bearer {token}"), ("Accept", "application/json")]
    sent = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    if sent:
        kind = "text/plain" if isinstance(body, bytes) else "application/json"
        headers.append(("Content-Type", kind))
    return service.call(method, path, headers, sent)


def narrow(service: Application, *scopes: str, name: str = "narrow") -> str:
    """The value of a new token of alice's."""
    pair = base64.b64encode(f"alice:{service.password('alice')}".encode()).decode()
    headers = [("Authorization", f"Basic {pair}"), ("Content-Type", "application/json")]
    wanted = json.dumps({"token_name": name, "scopes": scopes}).encode()
    made = service.call("POST", "/v1/token", headers, wanted)
    assert made.status == 201, made.body
    return str(json.loads(made.body)["token"])


@pytest.fixture
def alice(service: Application) -> Ask:
    """alice with a thing of each kind, and some that no token is about."""
    asks = partial(ask, service, service.user("alice", "public"))
    for path in (
        "vis/plots/sales", "vis/plots/secret", "vis/grids/board", "vis/docs/letter", "code/repos/count",
        "code/repos/kept", "code/jobs/report", "code/jobs/kept",
    ):  # fmt: skip
        assert asks("PUT", f"/v1/{path}").status == 201
    return asks


@pytest.mark.parametrize(
    ("scopes", "whole"),
    [
        (["/u/alice/g/board"], False),
        (["/u/alice/g/board", "read:/u/alice/p/sales", "code"], False),
        (["/u/alice/g/board", "read"], True),
        (["vis"], True),
    ],
)
def test_a_text_shows_no_more_than_its_writer_may_read(
    service: Application, alice: Ask, scopes: list[str], whole: bool
) -> None:
    token, board = partial(ask, service, narrow(service, *scopes)), "/v1/vis/grids/board"
    alice("POST", "/v1/vis/plots/secret/data", b"k,v\nhidden,4711\n")
    assert token("POST", f"{board}/layout", b"+---+\n|{A}|\n+---+\n").status == 200
    assert token("POST", f"{board}/mapping", b"A => /p/secret").status == 200
    leaf = service.world.leaves.get(service.item("grid", "alice/board").id, "mapping")
    assert leaf is not None and leaf.author == ("alice" if whole else f"{EVERYBODY} alice")
    assert (b"4711" in alice("GET", f"{board}/files/grid.html").body) is whole
    tried = token("POST", f"{board}/preview", {"mapping": "A => /p/secret"})
    assert tried.status == 200 and (b"4711" in tried.body) is whole


def test_git_takes_a_token_for_what_it_may(service: Application, alice: Ask) -> None:
    said = {}
    for number, scope in enumerate(("read", "code", "vis", "jobs:run", "/u/alice/r/count", "read:/r/count")):
        pair = base64.b64encode(f"alice:{narrow(service, scope, name=f't{number}')}".encode()).decode()
        for repo in ("count", "kept"):
            for program in ("upload", "receive"):
                path = f"/git/alice/{repo}.git/info/refs?service=git-{program}-pack"
                said[scope, repo, program] = service.call(
                    "GET", path, [("Authorization", f"Basic {pair}")], b""
                )
    admitted = {key for key, answer in said.items() if answer.status == 200}
    assert admitted == {
        *(("read", repo, "upload") for repo in ("count", "kept")),
        *(("code", repo, program) for repo in ("count", "kept") for program in ("upload", "receive")),
        *(("/u/alice/r/count", "count", program) for program in ("upload", "receive")),
        ("read:/r/count", "count", "upload"),
    }
    assert {said["vis", "count", "upload"].status, said["/u/alice/r/count", "kept", "upload"].status} == {404}


def test_graphql_shows_what_listings_show(service: Application, alice: Ask) -> None:
    token = partial(ask, service, narrow(service, "/u/alice/p/sales", "jobs:run:/u/alice/j/report"))
    query = """{ a: plots { name } b: plots(author: "alice") { name } docs { name } jobs { name }
        repos { name } me { username } users { username } groups { id } tags { id } }"""
    answer = token("POST", "/gql", {"query": query})
    found = json.loads(answer.body)["data"]
    assert {tuple(one["name"] for one in found[name]) for name in ("a", "b")} == {("sales",)}
    assert ([one["name"] for one in found["jobs"]], found["docs"], found["repos"]) == (["report"], [], [])
    assert found["groups"] == []
    assert [one["username"] for one in found["users"]] in ([], ["alice"])


def test_it_learns_and_brings_back_nothing_beside_its_thing(service: Application, alice: Ask) -> None:
    service.user("bob", "public")
    alice("PUT", "/v1/vis/plots/secret/tags/+hers")
    token = partial(ask, service, narrow(service, "/u/alice/p/sales"))
    assert b"hers" not in token("GET", "/v1/tags").body
    alice("POST", "/v1/vis/docs/letter/content", b"![](/p/sales)\n")
    assert b"letter" not in token("GET", "/v1/vis/plots/sales/used_by").body
    renamed = token("PATCH", "/v1/vis/plots/sales", {"name": "turnover", "mend": True})
    assert renamed.status == 200 and b"letter" not in renamed.body
    assert alice("GET", "/v1/vis/docs/letter/content").body == b"![](/p/sales)\n"
    assert alice("DELETE", "/v1/vis/plots/secret").status == 200
    entry = json.loads(alice("GET", "/v1/trash").body)[0]["name"]
    for path in (
        "trash", f"trash/{entry}", "admin/quota", "admin/notifications", "admin/profile", "admin/social",
        "tags/+hers", "groups", "orgs", "admin/groups", "users/bob", "i/none1",
    ):  # fmt: skip
        answer = token("GET", f"/v1/{path}")
        assert answer.status in (403, 404) or json.loads(answer.body) == [], (path, answer.body)
    for method, path, body in (
        ("PATCH", f"trash/{entry}", b"secret"), ("PUT", "vis/plots/more", None), ("PUT", "tags/fav", None),
        ("PATCH", "vis/plots/turnover", {"name": "copy", "copy": True}), ("PUT", "admin/groups/club", None),
        ("PUT", "vis/plots/turnover/shared/link~press", None), ("POST", "admin/profile/bio", b"x"),
    ):  # fmt: skip
        assert token(method, f"/v1/{path}", body).status in (403, 404, 405), path
    assert [row["name"] for row in json.loads(token("GET", "/v1/users").body)] == ["alice"]


def test_the_end_of_an_item_is_sent_to_its_tokens() -> None:
    caller = Caller("alice", claim=KnownScopes(KINDS).find("jobs:run read:plot/7"))
    heard = [
        may_read_event(
            cast(Any, None),
            print,
            caller,
            PlacedEvent(Happening("x", "removed", "alice", id, gone=("alice", kind, "x")), (), None),
        )
        for id, kind in ((7, "plot"), (8, "plot"), (9, "job"), (10, "doc"))
    ]
    assert heard == [True, False, True, False]


def test_it_starts_a_run_and_cancels_runs_of_its_user_alone(service: Application, alice: Ask) -> None:
    service.push("alice/count", {"Containerfile": "FROM scratch"})
    assert alice(
        "POST", "/v1/code/jobs/report/config/chains", b"a <- count\na -> a2\na2 <- count\na2!"
    ).status
    bob = partial(ask, service, service.user("bob", "public"))
    alice("PUT", "/v1/code/jobs/report/shared/@bob~rx")
    token = partial(ask, service, narrow(service, "jobs:run"))
    for who, status in ((token, {200, 202, 409}), (bob, {403})):
        run = who("POST", "/v1/users/alice/code/jobs/report/data", {}).headers["location"]
        assert token("GET", f"{run}/stats").status == 200
        assert token("POST", f"{run}/status", b"canceled").status in status, run
        assert token("POST", f"{run}/description", b"mine").status == 403
        assert token("POST", f"{run}/hold", b"continue").status == 403
    assert token("POST", f"{run}/rerun", None).headers["location"] != run


def test_pages_and_the_drive_show_the_same(service: Application, alice: Ask) -> None:
    assert (
        alice("PUT", "/v1/code/spaces/files").status == alice("PUT", "/v1/code/spaces/hidden").status == 201
    )
    value = narrow(service, "/u/alice/p/sales", "read:/u/alice/s/files")
    token = partial(ask, service, value)
    assert [token("GET", f"/u/alice/p/{name}").status for name in ("sales", "secret")] == [200, 404]
    assert b"secret" not in token("GET", "/plots").body
    basic = [
        ("Authorization", f"Basic {base64.b64encode(f'alice:{value}'.encode()).decode()}"),
        ("Depth", "1"),
    ]
    listed = service.call("PROPFIND", "/dav/spaces/", basic, b"")
    assert listed.status == 207 and b"files" in listed.body and b"hidden" not in listed.body
    assert service.call("PUT", "/dav/spaces/files/a.txt", basic, b"x").status == 403
