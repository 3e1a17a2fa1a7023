"""The official client of the Model Context Protocol registers itself, and a person lets it act for them."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import anyio
import httpx2
import pytest
from mcp.client.auth import OAuthClientProvider
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

from tests.clients.browser import Browser
from tests.clients.conftest import Person


class Kept:
    """What a client keeps between its starts."""

    def __init__(self) -> None:
        self.tokens: Any = None
        self.client: Any = None

    async def get_tokens(self) -> Any:
        return self.tokens

    async def set_tokens(self, tokens: Any) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> Any:
        return self.client

    async def set_client_info(self, client_info: Any) -> None:
        self.client = client_info


async def ask_who(alice: Person, kept: Kept, port: int, **more: Any) -> str:
    """Who the client is, after its way through the browser where it needs one."""
    back: list[AuthorizationCodeResult] = []

    async def opens(address: str) -> None:
        location, shown = Browser(alice).approve(address)
        assert location, shown
        query = {name: one[0] for name, one in parse_qs(urlsplit(location).query).items()}
        back.append(AuthorizationCodeResult(**query))

    async def comes_back() -> AuthorizationCodeResult:
        return back.pop()

    about = OAuthClientMetadata(
        client_name="Robin's agent", redirect_uris=[f"http://127.0.0.1:{port}/callback"], **more
    )
    address = f"{alice.server.origin}/mcp"
    auth = OAuthClientProvider(address, about, kept, opens, comes_back)
    async with (
        httpx2.AsyncClient(auth=auth, timeout=60) as wire,
        Client(streamable_http_client(address, http_client=wire)) as client,
    ):
        done = await client.call_tool("read", {"path": "/v1/whoami"})
        await client.call_tool("write", {"path": "/v1/vis/plots/agents", "verb": "PUT"})
        refused = await client.call_tool("read", {"path": "/v1/admin/tokens"})
        assert refused.is_error
        return str(done.content[1].text)  # type: ignore[union-attr]


def test_it_connects_without_any_step_by_hand_and_comes_back(alice: Person) -> None:
    kept = Kept()
    assert anyio.run(ask_who, alice, kept, 40_001) == alice.name
    assert kept.tokens.scope == "read vis code"
    first = kept.tokens.access_token
    kept.tokens = kept.tokens.model_copy(update={"expires_in": -1})
    assert anyio.run(ask_who, alice, kept, 40_001) == alice.name
    # Another start with another port is the same application, among those of the person.
    assert anyio.run(ask_who, alice, Kept(), 40_002) == alice.name
    own = alice.ask("GET", "admin/applications")
    assert [one["name"].rpartition("-")[0] for one in own] == ["robin-s-agent"]
    assert [one["name"] for one in alice.ask("GET", "vis/plots")] == ["agents"]
    alice.ask("DELETE", f"admin/applications/{own[0]['name']}")
    with pytest.raises(BaseExceptionGroup):
        anyio.run(call_with, alice, first)


async def call_with(alice: Person, token: str) -> None:
    transport = streamable_http_client(
        f"{alice.server.origin}/mcp",
        http_client=httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}),
    )
    async with Client(transport) as client:
        await client.list_tools()
