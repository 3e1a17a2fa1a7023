"""Messages at the endpoint of agents: revisions, malformed ones, other sites, and credentials."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from handlers.mcp.door import McpDoor
from handlers.mcp.messages import HANDSHAKE, MODERN
from tests.handlers.small_kernel import Anyone, Kernel, Lines, SealedStage, edge
from tests.kit.client import call
from tests.kit.server import Server, web
from vfs.access import Caller

META = "io.modelcontextprotocol"
ENVELOPE = {f"{META}/protocolVersion": MODERN, f"{META}/clientCapabilities": {}}
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
TOOL = st.sampled_from(["list", "read", "write", "options", "run", "search"])
FIELD = st.sampled_from(
    ["path", "verb", "content", "offset", "query", "job", "files", "wait", "q", "if_match"]
)


class Said(NamedTuple):
    """An answer."""

    status: int
    headers: Any
    body: Any


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with web(tmp_path_factory.mktemp("mcp"), CURLEW_CORS_ORIGINS="https://inspector.example") as server:
        server.add("alice")
        yield server


def send(server: Server, body: Any, method: str = "POST", **headers: str | None) -> Said:
    """The answer to a message, with alice's token unless another is given."""
    wire = HTTPConnection(server.origin.removeprefix("http://"), timeout=60)
    usual = {"Content-Type": "application/json", "Authorization": f"Bearer {server.tokens['alice']}"}
    named = {**usual, **{name.replace("_", "-"): value for name, value in headers.items()}}
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    try:
        wire.request(method, "/mcp", raw, {name: value for name, value in named.items() if value is not None})
        answer = wire.getresponse()
        content = answer.read()
        return Said(answer.status, answer.headers, json.loads(content) if content else None)
    finally:
        wire.close()


def request(method: str, id: Any = 1, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def modern(server: Server, method: str, params: dict[str, Any], **headers: str | None) -> Said:
    usual = {"MCP_Protocol_Version": MODERN, "Mcp_Method": method}
    return send(server, request(method, **{"_meta": ENVELOPE, **params}), **{**usual, **headers})


def test_the_revisions_are_those_of_the_official_client() -> None:
    assert set(MODERN_PROTOCOL_VERSIONS) == {MODERN}
    assert tuple(reversed(HANDSHAKE_PROTOCOL_VERSIONS))[: len(HANDSHAKE)] == HANDSHAKE


@pytest.mark.parametrize(
    ("wanted", "agreed"),
    [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2024-11-05", "2025-11-25"),
        (7, "2025-11-25"),
    ],
)
def test_a_revision_is_agreed_on(server: Server, wanted: Any, agreed: str) -> None:
    said = send(server, request("initialize", protocolVersion=wanted, capabilities={}))
    assert said.body["result"]["protocolVersion"] == agreed
    assert send(server, {"jsonrpc": "2.0", "method": "notifications/initialized"}).status == 202
    assert (
        send(server, request("ping"), MCP_Protocol_Version=agreed).body["result"]["resultType"] == "complete"
    )
    lost = send(server, request("tasks/list"), MCP_Protocol_Version=agreed)
    assert (lost.status, lost.body["error"]["code"]) == (200, -32601)


def test_the_newest_revision_has_its_statuses_and_headers(server: Server) -> None:
    found = modern(server, "server/discover", {})
    assert found.body["result"]["supportedVersions"] == [MODERN, *HANDSHAKE]
    assert modern(server, "ping", {}).status == 404
    for wrong in ({"Mcp_Method": "ping"}, {"Mcp_Method": None}, {"MCP_Protocol_Version": "2025-11-25"}):
        said = modern(server, "tools/list", {}, **wrong)
        assert (said.status, said.body["error"]["code"]) == (400, -32020)
    call = {"name": "list", "arguments": {}}
    assert modern(server, "tools/call", call).status == 400
    assert modern(server, "tools/call", call, Mcp_Name="read").status == 400
    assert modern(server, "tools/call", call, Mcp_Name="list").status == 200
    assert modern(server, "tools/list", {"_meta": {f"{META}/protocolVersion": MODERN}}).status == 400
    later = {**ENVELOPE, f"{META}/protocolVersion": "2030-01-01"}
    said = modern(server, "tools/list", {"_meta": later}, MCP_Protocol_Version="2030-01-01")
    assert (said.status, said.body["error"]["code"]) == (400, -32022)
    assert said.body["error"]["data"] == {"supported": [MODERN, *HANDSHAKE], "requested": "2030-01-01"}


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"", 400, -32700),
        (b"{", 400, -32700),
        (b"[" * 100_000, 400, -32700),
        (b'{"jsonrpc": "2.0", "jsonrpc": "2.0"}', 400, -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\\ud800"}}', 400, -32700),
        ([request("ping")], 400, -32600),
        (request("ping", None), 400, -32600),
        (request("ping", True), 400, -32600),
        (request("ping", 1.5), 400, -32600),
        (request("ping", []), 400, -32600),
        ({"jsonrpc": "2.0", "id": 1, "result": {}}, 400, -32600),
        ({"id": 1, "method": "ping"}, 400, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}, 400, -32600),
        (request("tools/call", name="remove"), 200, -32602),
    ],
)
def test_what_is_no_message_is_refused(server: Server, body: Any, status: int, code: int) -> None:
    said = send(server, body)
    assert (said.status, said.body["error"]["code"]) == (status, code)
    assert said.body["id"] == (1 if status == 200 else None)


def test_a_long_message_is_refused_as_the_api_does(server: Server) -> None:
    said = send(server, b" " * (4 << 20) + b"{}")
    assert (said.status, said.body["type"].partition("#")[2]) == (413, "too-large")


@pytest.mark.parametrize("id", ["a", "", "x" * 5_000, 0, -7, 2**63])
def test_an_id_comes_back_as_it_was(server: Server, id: Any) -> None:
    assert send(server, request("ping", id)).body["id"] == id


@given(
    sent=JSON | st.dictionaries(st.sampled_from(["jsonrpc", "id", "method", "params"]), JSON | st.just("2.0"))
)
@settings(deadline=None)
def test_made_up_messages_get_an_error_or_nothing(server: Server, sent: Any) -> None:
    said = send(server, sent)
    assert said.status in (200, 202, 400)
    assert said.status == 202 or said.body["error"]["message"]


@given(
    tool=TOOL,
    arguments=st.dictionaries(FIELD, JSON | st.sampled_from(["/v1", "/", "/v1/../x", "PUT", "/u/é%"])),
)
@settings(deadline=None)
def test_made_up_arguments_get_a_result_or_a_refusal(server: Server, tool: str, arguments: Any) -> None:
    said = send(server, request("tools/call", name=tool, arguments=arguments))
    assert said.status == 200
    assert said.body["result"]["content"][0]["text"]
    assert "500 " not in said.body["result"]["content"][0]["text"][:4]


def test_without_a_token_the_answer_says_where_to_get_one(server: Server) -> None:
    for credential in (None, "Bearer clw_no", "Basic YTpi"):
        said = send(server, request("tools/list"), Authorization=credential)
        assert said.status == 401
        challenge = said.headers["WWW-Authenticate"]
        assert f'resource_metadata="{server.origin}/.well-known/oauth-protected-resource/mcp"' in challenge
        assert said.headers["Content-Type"] == "application/problem+json"


def test_cookies_and_pages_of_other_sites_do_nothing(server: Server) -> None:
    login = {"username": "alice", "password": server.password("alice")}
    wire = HTTPConnection(server.origin.removeprefix("http://"), timeout=60)
    wire.request("POST", "/v1/auth", json.dumps(login), {"Content-Type": "application/json"})
    cookie = wire.getresponse().headers["Set-Cookie"].partition(";")[0]
    wire.close()
    assert send(server, request("tools/list"), Authorization=None, Cookie=cookie).status == 401
    for origin, status in (
        ("https://evil.example", 403),
        ("null", 403),
        (server.origin, 200),
        ("https://inspector.example", 200),
    ):
        assert send(server, request("tools/list"), Origin=origin).status == status, origin


@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE", "PUT", "PATCH"])
def test_only_posts_are_taken(server: Server, method: str) -> None:
    said = send(server, b"", method)
    assert (said.status, said.headers["Allow"]) == (405, "POST, OPTIONS")


def test_a_call_cannot_leave_the_api_and_the_manual(server: Server) -> None:
    for path in (
        "/login",
        "/mcp",
        "/healthz",
        "/oauth/token",
        "/git/a/b",
        "/docs/../v1/whoami",
        "/%2e%2e/login",
        f"/v1/vis?{'a=b&' * 2_000}",
    ):
        said = send(server, request("tools/call", name="read", arguments={"path": path}))
        assert said.body["result"]["isError"], path[:80]
    body = request("tools/call", name="write", arguments={"path": "/docs/tour", "content": "x"})
    assert send(server, body).body["result"]["isError"]


def test_a_call_is_logged_as_the_request_that_it_is(tmp_path: Path) -> None:
    lines, alice = Lines(), Anyone(Caller("alice"))
    kernel = Kernel(SealedStage(), tmp_path)
    app = edge(kernel, lines, identify=alice, doors={"mcp": McpDoor(kernel.world, alice)})
    body = json.dumps(request("tools/call", name="read", arguments={"path": "/v1/x/text"})).encode()
    sent = [("Content-Type", "application/json"), ("Authorization", "Bearer x"), ("If-Match", '"another"')]
    said = call(app, "POST", "/mcp", [*sent, ("Cookie", "a=b"), ("Range", "bytes=0-1")], body)
    assert json.loads(said.body)["result"]["content"][1]["text"] == "as it was"
    assert [(one["user"], one["method"], one["path"], one["status"]) for one in lines.written] == [
        ("alice", "GET", "/v1/x/text", 200),
        ("alice", "POST", "/mcp", 200),
    ]
