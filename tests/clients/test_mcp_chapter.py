"""The calls of the chapter about agents, in order, by the official client."""

from __future__ import annotations

import json
import re
from importlib.resources import files

import anyio
from mcp.client.client import Client

from tests.clients.conftest import Person
from tests.clients.test_mcp import converse
from tests.console import commands

# The runner of these tests has scripted steps: this is what the program of the chapter leaves.
RECIPE = "FROM scratch\nENV WRITE=chart.csv=species,count;report.md=# The week\n"


def test_the_monday_report_is_made_as_the_chapter_says(alice: Person) -> None:
    text = files("handlers.reference").joinpath("text", "agents.md").read_text()
    typed = list(commands(re.sub("^```tools$", "```console", text, flags=re.MULTILINE)))

    async def say(client: Client) -> None:
        for command in typed:
            tool, _, sent = command.typed.replace("alice", alice.name).partition(" ")
            arguments = json.loads(sent)
            if arguments["path" if tool != "run" else "job"].endswith("/commit"):
                arguments["content"]["changes"].append({"path": "Containerfile", "text": RECIPE})
            done = await client.call_tool(tool, arguments)
            said = "\n".join(one.text for one in done.content if one.type == "text") + "\n"
            assert not done.is_error, said
            differs = command.differs(said.replace(alice.name, "alice"))
            assert differs is None, differs

    assert {command.typed.partition(" ")[0] for command in typed} == {"write", "run", "read"}
    anyio.run(converse, alice, say)
    alice.ask("DELETE", "code/jobs/weekly/config/schedule")
    assert "species,count" in alice.ask("GET", "vis/plots/seen/data")
