"""JSON bodies at every place that takes one: a key that is not understood is 400, and nothing is changed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handlers.trees import ADVICE, ROOT
from tests.kit.client import Answer
from tests.kit.service import Application
from vfs.access import Verb
from vfs.nodes import File
from vfs.tree import Tree

NAME, NEW = "alice", "another eleven birds"
PROOF = {"username": NAME, "password": f"a password of {NAME}"}
PKCE = {"code_challenge": "x" * 43, "code_challenge_method": "S256"}
RENAMES = {"name": "other"}

# What is right but for the key that comes along, by method and template.
BODIES: Mapping[tuple[str, str], Mapping[str, Any]] = {
    ("POST", "/v1/register"): {
        "username": "zoe",
        "password": NEW,
        "email": "zoe@birds.example",
        "name": "Zoe",
        "account_type": "regular",
        "public": False,
    },
    ("POST", "/v1/invited"): {"key": "x", "username": "zoe", "password": NEW, "email": "zoe@birds.example"},
    ("POST", "/v1/auth"): PROOF,
    ("POST", "/v1/token"): {**PROOF, "token_name": "t", "token_description": "", "expires_in": 60},
    ("POST", "/v1/admin/authorize"): {
        "client_id": "novem-cli",
        "response_type": "code",
        "scope": "read",
        "state": "s",
        "redirect_uri": "http://localhost:1/callback",
        **PKCE,
    },
    ("POST", "/v1/admin/challenge"): {"uid": "x", "code": "1"},
    ("POST", "/v1/admin/forgotten"): {"email": "alice@birds.example"},
    ("POST", "/v1/admin/profile/password"): {
        "password": PROOF["password"],
        "new_password": NEW,
        "revoke_tokens": False,
    },
    ("POST", "/v1/admin/second_factor/add"): {"name": "phone", "secret": "JBSWY3DPEHPK3PXP", "code": "1"},
    ("POST", "/v1/admin/reset"): {"code": "x", "new_password": NEW, "revoke_tokens": False},
    **{
        ("PATCH", f"/v1/users/:user/{kind}/:{one}"): {**RENAMES, "copy": True}
        for kind, one in (
            *(("vis/plots", "plot"), ("vis/grids", "grid"), ("vis/docs", "doc"), ("vis/mails", "mail")),
            *(("code/jobs", "job"), ("code/repos", "repo"), ("code/spaces", "space")),
        )
    },
    **{
        ("PATCH", f"/v1/users/:user/{kind}/:{one}/vars/:var"): {**RENAMES, "copy": False}
        for kind, one in (
            *(("vis/plots", "plot"), ("vis/grids", "grid"), ("vis/docs", "doc"), ("vis/mails", "mail")),
            *(("code/jobs", "job"), ("code/repos", "repo")),
        )
    },
    ("PATCH", "/v1/trash/:entry"): {**RENAMES, "shares": True},
    ("PATCH", "/v1/users/:user/code/spaces/:space/content"): {"to": "folder/b.txt"},
    ("POST", "/v1/users/:user/code/repos/:repo/commit"): {
        "message": "Say hello",
        "branch": "main",
        "changes": [{"path": "main.py", "text": "print(1)"}],
    },
}
VISUALS = ("vis/plots/:plot", "vis/grids/:grid", "vis/docs/:doc", "vis/mails/:mail")
# Here the keys are a user's own, or the paths of texts.
DATA_OF_USERS = {
    ("POST", "/v1/draw"),
    ("POST", "/v1/users/:user/code/jobs/:job/data"),
    *(("POST", f"/v1/users/:user/{one}/preview") for one in VISUALS),
    *(
        ("POST", f"/v1/users/:user/{one}/texts")
        for one in (*VISUALS, "code/jobs/:job", "code/repos/:repo", "code/spaces/:space")
    ),
}
# It needs a run that failed: tests/wire/going_on.txt has its keys.
OF_RUNS = {("POST", "/v1/users/:user/code/jobs/:job/runs/:run/rerun")}
# It is absent as soon as there is an account, such as the one that asks here.
BEFORE_ACCOUNTS = {("POST", "/v1/setup")}

ODD = st.sampled_from(
    ["scope", "scopes", "expires", "expires_at", "Copy", "public ", "permissions", "ttl", ""]
)
KEYS = ODD | st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
TURNS = st.sampled_from([str.upper, str.title, str.capitalize, "{} ".format, " {}".format, "_{}".format])
VALUES = st.none() | st.booleans() | st.integers(-9, 9) | st.just("read") | st.just({"a": [1]})


class Caller:
    """Requests of alice, who has one of each, and what there is of hers."""

    def __init__(self, service: Application) -> None:
        self.service = service
        self.token, self.entry = service.user(NAME), "0"
        begun = self.ask("POST", "/v1/auth", PROOF, "")
        self.session = json.loads(begun.body)["token"]
        for method, template in BODIES:
            if method == "PATCH":
                self.put(template)
        for method in ("PUT", "DELETE"):
            self.ask(method, f"/v1/users/{NAME}/vis/docs/gone")
        (entry,) = json.loads(self.ask("GET", "/v1/trash").body)
        self.entry = str(entry["name"])

    def put(self, template: str) -> None:
        steps = template.replace(":user", NAME).split("/")
        for end in range(len(steps)):
            if steps[end].startswith(":"):
                self.ask("PUT", self.at("/".join(steps[: end + 1])))
        if template.endswith("content"):
            headers = [("Authorization", f"Bearer {self.token}"), ("Content-Type", "text/plain")]
            self.service.call("PUT", self.at(template), headers, b"bees")

    def at(self, template: str) -> str:
        """The path of hers that a template spells."""
        words = template.replace(":user", NAME).replace("/content", "/content/a.txt").split("/")
        words = [self.entry if word == ":entry" else word for word in words]
        return "/".join("one" if word.startswith(":") else word for word in words)

    def ask(self, method: str, path: str, body: Any = None, token: str | None = None) -> Answer:
        headers = [("Content-Type", "application/json")] if body is not None else []
        bearer = self.token if token is None else token
        if bearer:
            headers.append(("Authorization", f"Bearer {bearer}"))
        raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        return self.service.call(method, path, [*headers, ("Accept", "application/json")], raw)

    def send(self, method: str, template: str, body: Any, query: str = "") -> Answer:
        """Send a body to a place with the credential that it wants."""
        if template.endswith("authorize") or "second_factor" in template:
            cookie = [("Cookie", f"curlew_session={self.session}"), ("Content-Type", "application/json")]
            raw = body if isinstance(body, bytes) else json.dumps(body).encode()
            return self.service.call(method, self.at(template) + query, cookie, raw)
        open_to_all = method == "POST" and not template.endswith(("password", "commit"))
        return self.ask(method, self.at(template) + query, body, "" if open_to_all else None)

    def state(self) -> list[bytes]:
        """What could have been changed: all items, tokens, people, and mails that left."""
        world = self.service.world
        folders = sorted({template.rpartition("/")[0] for method, template in BODIES if method == "PATCH"})
        paths = [self.at(folder) for folder in folders]
        tokens = " ".join(sorted(one.name for one in world.people.tokens.of(NAME))).encode()
        people = [f"{one.name} {one.email} {one.public}".encode() for one in world.people.users.all()]
        mails = sorted((world.service.settings.folder / "outbox").glob("*"))
        secret = str(world.people.users.password(NAME)).encode()
        return [
            *(self.ask("GET", path).body for path in paths),
            *people,
            secret,
            tokens,
            str(len(mails)).encode(),
        ]


def known(method: str, template: str) -> set[str]:
    """The keys that are understood, as the description of the service tells them."""
    if method == "PATCH":
        if template.startswith("/v1/trash/"):
            return {"name", "shares"}
        return {"to", "replace"} if template.endswith("content") else {"name", "copy"}
    (route,) = (route for route in Tree(ROOT, ADVICE).routes() if route.template == template)
    assert isinstance(route.node, File) and route.node.schema is not None
    return set(route.node.schema["properties"])


KNOWN = {place: known(*place) for place in BODIES}


def test_every_place_that_takes_json_is_here() -> None:
    found = set()
    for route in Tree(ROOT, ADVICE).routes():
        if Verb.RENAME in {**route.birth, **route.rules}:
            found.add(("PATCH", route.template))
        if (
            isinstance(route.node, File)
            and route.node.wants == "raw"
            and "application/json" in route.node.media
        ):
            found.add(("POST", route.template))
    assert found == BODIES.keys() | DATA_OF_USERS | OF_RUNS | BEFORE_ACCOUNTS


def test_a_key_that_is_not_understood_is_refused_everywhere(service: Application) -> None:
    caller = Caller(service)
    before = caller.state()

    @given(st.data())
    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    def refuse(data: st.DataObject) -> None:
        for place, right in BODIES.items():
            turned = st.builds(lambda word, turn: turn(word), st.sampled_from(sorted(KNOWN[place])), TURNS)
            key = data.draw((KEYS | turned).filter(lambda word, place=place: word not in KNOWN[place]))
            sent = {**right, key: data.draw(VALUES)}
            answer = caller.send(*place, sent)
            assert answer.status == 400, (place, sent, answer.body)
            problem = json.loads(answer.body)
            assert all(f'"{one}"' in problem["detail"] for one in KNOWN[place]), problem
            assert [one["field"] for one in problem["rejected"]] == [key[:80]]

    refuse()
    assert caller.state() == before


def test_a_key_that_stands_twice_or_in_the_address_is_refused_everywhere(service: Application) -> None:
    caller = Caller(service)
    before = caller.state()
    for place, right in BODIES.items():
        for key in right:
            twice = json.dumps(right)[:-1] + f", {json.dumps(key)}: null}}"
            answer = caller.send(*place, twice.encode())
            assert (answer.status, b"is repeated in one JSON object" in answer.body) == (400, True), (
                place,
                key,
                answer.body,
            )
        for key in KNOWN[place]:
            answer = caller.send(*place, right, f"?{quote(key)}=60")
            assert (answer.status, b"in the address" in answer.body) == (400, True), (place, key, answer.body)
        for odd in ([], [right], "name", 7, None):
            assert caller.send(*place, json.dumps(odd).encode()).status == 400, (place, odd)
    assert caller.state() == before


@pytest.mark.parametrize("unread", ["", "?cols=80&rows=20"])
def test_every_key_that_is_understood_is_taken(service: Application, unread: str) -> None:
    caller = Caller(service)
    for place, right in BODIES.items():
        wanted = 404 if place[1].endswith(("challenge", "reset", "invited")) else (200, 201)
        answer = caller.send(*place, right, unread)
        assert answer.status in (wanted if isinstance(wanted, tuple) else (wanted,)), (place, answer.body)
        if place[1].endswith("password"):
            return  # it ends the token that the rest would need


@pytest.mark.parametrize(
    "path",
    [
        *(f"vis/{kind}/two" for kind in ("plots", "grids", "docs", "mails")),
        *(f"code/{kind}/two" for kind in ("jobs", "repos", "spaces")),
        *("vis/plots/one/shared/@bob", "vis/plots/one/tags/fav", "admin/groups/two", "admin/keys/two"),
        *("vis/plots/one/vars/two", "admin/profile/emails/two@birds.example", "admin/applications/two"),
    ],
)
def test_an_entry_is_made_by_its_name_and_no_fields_beside_it(service: Application, path: str) -> None:
    caller = Caller(service)
    service.user("bob", "public")
    before, where = caller.state(), f"/v1/{path}"
    answer = caller.ask("PUT", where, {"public": True, "permissions": "r"})
    assert answer.status in (400, 404), answer.body
    assert answer.status == 404 or b"no key is understood here" in answer.body
    assert caller.state() == before
    assert caller.ask("PUT", where, {}).status in (200, 201, 404)
