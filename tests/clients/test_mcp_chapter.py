"""The calls of the chapter about agents, in order, by the official client."""

from __future__ import annotations

import json
import re
from importlib.resources import files

import anyio
from mcp.client.client import Client

from tests.clients.conftest import Person
from tests.clients.test_mcp import converse

BLOCK = re.compile(r"^```tools\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# The runner of these tests has scripted steps: this is what the program of the chapter leaves.
RECIPE = "FROM scratch\nENV WRITE=chart.csv=species,count;report.md=# The week\n"


def test_the_monday_report_is_made_as_the_chapter_says(alice: Person) -> None:
    text = files("handlers.reference").joinpath("text", "agents.md").read_text()
    calls = [one for block in BLOCK.findall(text) for one in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    assert {call.partition(" ")[0] for call in calls} == {"write", "run", "read"}

    async def say(client: Client) -> None:
        for call in calls:
            typed, _, shown = call.partition("\n")
            tool, _, sent = typed.replace("alice", alice.name).partition(" ")
            arguments = json.loads(sent)
            if arguments.get("path", "").endswith("/commit"):
                arguments["content"]["changes"].append({"path": "Containerfile", "text": RECIPE})
            done = await client.call_tool(tool, arguments)
            said = "\n".join(one.text for one in done.content if one.type == "text")
            assert not done.is_error, said
            pattern = ".*".join(map(re.escape, shown.rstrip("…\n").split("…")))
            assert re.match(pattern, said.replace(alice.name, "alice"), re.DOTALL), (typed, said)

    anyio.run(converse, alice, say)
    alice.ask("DELETE", "code/jobs/weekly/config/schedule")
    assert "species,count" in alice.ask("GET", "vis/plots/seen/data")
