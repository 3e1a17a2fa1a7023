"""Programs register themselves; what they say of themselves is worth nothing until a person approves."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from typing import Any

import pytest

from handlers.processes.world import open_world
from tests.handlers.oauth.program import BACK, Program, back
from tests.handlers.pages.web_user import Owner
from tests.handlers.pages.wire import Wire
from tests.kit.server import Server, web

ABOUT = {"client_name": "Robin's agent", "redirect_uris": [BACK]}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with web(tmp_path_factory.mktemp("registration")) as server:
        yield server


@pytest.fixture
def program(server: Server, tmp_path: Any) -> Program:
    owner = Owner(server, tmp_path)
    return Program(owner, Wire(owner))


def register(program: Program, **about: Any) -> tuple[int, Any]:
    sent = json.dumps({**ABOUT, **about})
    status, said, _ = program.post("/oauth/register", sent, Content_Type="application/json")
    return status, said


def client_of(program: Program, **about: Any) -> str:
    status, said = register(program, **about)
    assert status == 201, said
    return str(said["client_id"])


def test_it_is_stored_for_the_user_only_once_it_connects(program: Program) -> None:
    client = client_of(program)
    assert client_of(program, redirect_uris=["http://localhost:9/callback"]) == client
    with open_world(program.server.settings) as world:
        before = len(world.people.applications.of(None))
    query = back(program.answer(client_id=client, scope="read vis"))
    issued = program.exchange(query["code"], client_id=client)[1]
    assert issued["scope"] == "read vis"
    assert program.ask(issued["access_token"], "whoami") == (200, program.owner.name)
    own = program.server.ask("GET", "admin/applications", who=program.owner.name)
    assert len(own) == 1
    with open_world(program.server.settings) as world:
        assert len(world.people.applications.of(None)) == before
    more = {"grant_type": "refresh_token", "refresh_token": issued["refresh_token"], "client_id": client}
    issued = program.post("/oauth/token", more)[1]
    program.post("/oauth/revoke", {"client_id": client, "token": issued["access_token"]})
    assert program.ask(issued["access_token"], "whoami")[0] == 401


def test_its_name_is_shown_as_what_it_says(program: Program) -> None:
    client = client_of(program, client_name="The operator of this service")
    page = program.wire.ask("GET", program.page(client_id=client)).body
    assert "calls itself “The operator of this service”" in page
    assert "This service has not verified it" in page
    assert "registered by the operator" not in page
    assert BACK in page


def test_nobody_is_sent_on_before_a_person_has_seen_the_address(program: Program) -> None:
    evil = "https://evil.example/take"
    client = client_of(program, redirect_uris=[evil])
    for wrong in ({"response_type": "token"}, {"scope": "all"}, {"resource": "https://other.example"}):
        answer = program.wire.ask("GET", program.page(client_id=client, redirect_uri=evil, **wrong))
        assert answer.status == 200
        assert "Nothing was connected" in answer.body


@pytest.mark.parametrize("change", ["mark", "name", "redirect", "cut", "empty", "long"])
def test_an_id_cannot_be_made_up(program: Program, change: str) -> None:
    client = client_of(program)
    payload, _, mark = client.removeprefix("self~").partition(".")
    name, address = {"name": ("Curlew", BACK), "redirect": ("Robin's agent", "https://evil.example/")}.get(
        change, ("Robin's agent", "http://localhost/callback")
    )
    if change in ("name", "redirect"):
        payload = urlsafe_b64encode(json.dumps([name, address]).encode()).rstrip(b"=").decode()
    made = {
        "mark": f"self~{payload}.{mark[::-1]}",
        "cut": f"self~{payload[:-1]}.{mark}",
        "empty": "self~.",
        "long": f"self~{payload * 90}.{mark}",
    }.get(change, f"self~{payload}.{mark}")
    answer = program.wire.ask("GET", program.page(client_id=made, redirect_uri=address))
    assert "is not registered here" in answer.body
    assert program.exchange("x", client_id=made)[1]["error"] == "invalid_client"


def test_a_code_is_exchanged_by_the_application_that_it_is_for(program: Program) -> None:
    client, other = client_of(program), client_of(program, client_name="Another")
    code = back(program.answer(client_id=client))["code"]
    assert program.exchange(code, client_id=other)[1]["error"] == "invalid_grant"
    stored = program.server.ask("GET", "admin/applications", who=program.owner.name)[0]["name"]
    taken = program.exchange(code, client_id=f"@{program.owner.name}~{stored}")
    assert taken[0] == 200, "the stored application is the same one"


@pytest.mark.parametrize(
    ("about", "error"),
    [
        ({"redirect_uris": []}, "invalid_redirect_uri"),
        ({"redirect_uris": "http://localhost/"}, "invalid_redirect_uri"),
        ({"redirect_uris": [7]}, "invalid_redirect_uri"),
        ({"redirect_uris": ["http://other.example/"]}, "invalid_redirect_uri"),
        ({"redirect_uris": ["javascript:alert(1)"]}, "invalid_redirect_uri"),
        ({"redirect_uris": ["urn:ietf:wg:oauth:2.0:oob"]}, "invalid_redirect_uri"),
        ({"redirect_uris": [f"https://a.example/{'x' * 400}" for _ in range(3)]}, "invalid_redirect_uri"),
        ({"redirect_uris": [BACK] * 6}, "invalid_redirect_uri"),
        ({"client_name": "x" * 61}, "invalid_client_metadata"),
        ({"client_name": "a\nb"}, "invalid_client_metadata"),
        ({"client_name": "safe\u202eelif"}, "invalid_client_metadata"),
        ({"client_name": ["x"]}, "invalid_client_metadata"),
    ],
)
def test_what_cannot_be_registered(program: Program, about: dict[str, Any], error: str) -> None:
    status, said = register(program, **about)
    assert (status, said["error"]) == (400, error)


def test_a_token_is_for_this_service(program: Program) -> None:
    origin = program.server.origin
    client = client_of(program)
    query = back(program.answer(client_id=client, resource=f"{origin}/mcp"))
    assert program.exchange(query["code"], client_id=client, resource="https://x.example")[1]["error"] == (
        "invalid_target"
    )
    assert program.exchange(query["code"], client_id=client, resource=f"{origin}/mcp")[0] == 200
    for path, resource in (("", ""), ("/mcp", "/mcp")):
        said = json.loads(program.wire.ask("GET", f"/.well-known/oauth-protected-resource{path}").body)
        assert said["resource"] == origin + resource
        assert said["authorization_servers"] == [origin]
    said = json.loads(program.wire.ask("GET", "/.well-known/oauth-authorization-server").body)
    assert said["registration_endpoint"] == f"{origin}/oauth/register"
