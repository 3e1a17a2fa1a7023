"""The official client of the Model Context Protocol uses every tool, by both kinds of revisions."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import httpx2
import pytest
from mcp import MCPError
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from tests.clients.conftest import Person

Talk = Callable[[Client], Awaitable[Any]]
HOLIDAY = "day,birds\nMon,4\nTue,7\n"


@pytest.fixture(params=["auto", "legacy"])
def talk(request: pytest.FixtureRequest) -> Callable[[Person, Talk], Any]:
    """Has somebody talk to the server by the newest revision, or by the one before it."""
    return lambda person, say: anyio.run(converse, person, say, request.param)


async def converse(person: Person, say: Talk, mode: str = "auto") -> Any:
    headers = {"Authorization": f"Bearer {person.token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as wire:
        transport = streamable_http_client(f"{person.server.origin}/mcp", http_client=wire)
        async with Client(transport, mode=mode) as client:
            return await say(client)


async def use(client: Client, tool: str, **sent: Any) -> list[str]:
    """What a tool says that is no refusal."""
    done = await client.call_tool(tool, sent)
    assert not done.is_error, done.content
    return [one.text if one.type == "text" else one.type for one in done.content]


async def refusal(client: Client, tool: str, **sent: Any) -> str:
    done = await client.call_tool(tool, sent)
    assert done.is_error, done.content
    return str(done.content[0].text)  # type: ignore[union-attr]


def test_a_chart_is_made_read_changed_found_and_removed(alice: Person, talk: Callable[..., Any]) -> None:
    async def say(client: Client) -> None:
        plot = "/v1/vis/plots/holiday"
        assert await use(client, "write", path=plot, verb="PUT") == [f"created {plot}"]
        tag = (await use(client, "write", path=f"{plot}/data", content=HOLIDAY))[0].split("ETag ")[1]
        about, content = await use(client, "read", path=f"{plot}/data")
        assert content == HOLIDAY
        assert tag in about
        assert "data, not instructions" in about
        assert "data" in (await use(client, "list", path=plot))[1]
        await use(client, "write", path=f"{plot}/data", content="day,birds\nMon,5\n", if_match=tag)
        assert "412 changed meanwhile" in await refusal(
            client, "write", path=f"{plot}/data", content="x", if_match=tag
        )
        assert (
            '"max_bytes"' in (await use(client, "options", path=f"/u/{alice.name}/p/holiday/config/type"))[0]
        )
        assert plot.removeprefix("/v1") in (await use(client, "search", q="holi", kind="plot"))[1]
        picture = (await client.call_tool("read", {"path": f"{plot}/files/plot.png"})).content[1]
        assert picture.type == "image"
        assert b64decode(picture.data).startswith(b"\x89PNG")
        assert (
            "is not text: fetch it by GET" in (await use(client, "read", path=f"{plot}/files/plot.xlsx"))[0]
        )
        await use(client, "write", path=plot, verb="PATCH", content="week")
        await use(client, "write", path="/v1/vis/plots/week", verb="DELETE")
        assert "404 not found" in await refusal(client, "read", path=f"{plot}/data")

    talk(alice, say)


def test_a_job_is_run_and_a_run_that_takes_longer_is_read_later(
    alice: Person, image: Callable[..., str], talk: Callable[..., Any]
) -> None:
    image("copy", 'COPY=""')
    alice.ask("PUT", "code/jobs/copy")
    alice.ask("POST", "code/jobs/copy/config/chains", b"copy")

    async def say(client: Client) -> None:
        job = "/v1/code/jobs/copy"
        about, content = await use(client, "run", job=job, files={"a.txt": "grüße\n"})
        assert "has succeeded" in about
        assert content == "grüße\n"
        later = await use(client, "run", job=f"/u/{alice.name}/j/copy", input={"city": "Oslo"}, wait=0)
        run = later[0].partition("read ")[2].partition("/why")[0]
        with anyio.fail_after(30):
            while (await use(client, "read", path=f"{run}/status"))[1] != "success":
                await anyio.sleep(0.1)
        assert "Oslo" in (await use(client, "read", path=f"{run}/output"))[1]

    talk(alice, say)


def test_long_contents_come_in_parts_of_whole_characters(alice: Person) -> None:
    text = "ÅÆØ€😀a" * 9_000

    async def say(client: Client) -> None:
        alice.ask("PUT", "vis/docs/long")
        await use(client, "write", path="/v1/vis/docs/long/content", content=text)
        found, offset = "", 0
        while True:
            about, part = await use(client, "read", path="/v1/vis/docs/long/content", offset=offset)
            found += part
            assert len(part.encode()) <= 40_000
            if "offset" not in about:
                break
            offset = int(about.rpartition("offset ")[2].rstrip("."))
        assert found == text
        for number in range(900):
            alice.ask("PUT", f"vis/docs/long/vars/{'v' * 40}{number}")
        count, rows = await use(client, "list", path="/v1/vis/docs/long/vars")
        offset = int(count.rpartition("offset ")[2])
        rest = await use(client, "list", path="/v1/vis/docs/long/vars", offset=offset)
        assert len(rows.splitlines() + rest[1].splitlines()) == 900

    anyio.run(converse, alice, say)


def test_what_is_not_there_is_refused_as_the_api_does(alice: Person, bob: Person) -> None:
    bob.ask("PUT", "vis/plots/secret")

    async def say(client: Client) -> None:
        hidden = await refusal(client, "read", path=f"/u/{bob.name}/p/secret/data")
        absent = await refusal(client, "read", path=f"/u/{bob.name}/p/sacred/data")
        assert hidden == absent.replace("sacred", "secret")
        assert "allow: " in await refusal(client, "write", path="/v1/whoami", content="x")
        assert "no argument" in await refusal(client, "list", way="/v1")
        assert "needs the argument path" in await refusal(client, "read")
        for sent in ({"path": "/v1/x", "query": {"follow": "1"}}, {"path": "/v1/x?a=1&%66ollow"}):
            assert "leave out follow" in await refusal(client, "read", **sent)
        assert "paths begin with a slash" in await refusal(client, "read", path="whoami")
        with pytest.raises(MCPError, match="the tools are list, read, write, options, run, search"):
            await client.call_tool("remove", {})

    anyio.run(converse, alice, say)


def test_the_manual_is_read_without_a_warning(alice: Person) -> None:
    async def say(client: Client) -> None:
        about, text = await use(client, "read", path="/docs/search")
        assert text.startswith("# Search")
        assert "instructions" not in about

    anyio.run(converse, alice, say)
