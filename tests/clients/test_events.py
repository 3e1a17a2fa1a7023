"""Both published clients listen to events, as they are, while a real server is written to."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import novem_cli
import pytest
from novem.events import EventMessage, Events

from tests.clients.conftest import Person
from tests.kit.server import environment

PATIENCE = 60.0
PROGRAMS = {"python": [sys.executable, "-P", "-m", "novem"], "native": [novem_cli.find_binary()]}


@pytest.fixture(params=list(PROGRAMS))
def program(request: pytest.FixtureRequest) -> list[str]:
    """One of the clients."""
    return PROGRAMS[request.param]


@contextmanager
def listening(program: list[str], who: Person, folder: Path, *words: str) -> Iterator[Any]:
    """A client that listens, as a separate process."""
    (config := folder / ".config" / "novem").mkdir(parents=True)
    (config / "novem.conf").write_text(
        f"[general]\nprofile = me\napi_root = {who.server.root}\n[profile:me]\n"
        f"username = {who.name}\ntoken_name = t\ntoken = {who.token}\napi_root = {who.server.root}\n"
    )
    env = environment(HOME=str(folder), NOVEM_PYTHON_CLI="1" if len(program) > 1 else "")
    with subprocess.Popen(
        [*program, *words], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            yield process
        finally:
            process.terminate()


def write_until_heard(who: Person, process: Any) -> dict[str, Any]:
    """Write until the client prints an event: nothing tells when it has subscribed."""
    stop = threading.Event()

    def write() -> None:
        until = time.monotonic() + PATIENCE
        while not stop.wait(0.5) and time.monotonic() < until:
            who.ask("POST", "vis/plots/terns/data", b"a,b\n1,2\n")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        while line := process.stdout.readline():
            if line.startswith("{"):
                return dict(json.loads(line))
    finally:
        stop.set()
        writer.join()
    raise AssertionError("the client has ended")


def test_the_command_line_prints_events(alice: Person, program: list[str], tmp_path: Path) -> None:
    alice.ask("PUT", "vis/plots/terns")
    pattern = f"/u/{alice.name}/p/*/e/update"
    with listening(program, alice, tmp_path, "--events", pattern, "--json") as process:
        event = write_until_heard(alice, process)
    assert event["subscription"] == pattern
    assert (event["event_type"], event["target_fqnp"]) == ("data_update", f"/u/{alice.name}/p/terns")
    assert (event["actor"], event["event_class"]) == (alice.name, "content")


def test_the_native_client_says_why_a_pattern_is_invalid(alice: Person, tmp_path: Path) -> None:
    with listening(PROGRAMS["native"], alice, tmp_path, "--events", "/v1/x", "--json") as process:
        said = process.communicate(timeout=PATIENCE)[0]
    assert process.returncode == 1
    assert "a pattern begins with /u/ or /o/" in said


def test_the_library_hears_a_mention_and_answers_where_it_stands(alice: Person, bob: Person) -> None:
    alice.ask("PUT", "vis/plots/terns")
    alice.ask("PUT", f"vis/plots/terns/shared/@{bob.name}~r")

    async def first() -> EventMessage:
        heard = Events([f"/u/{alice.name}/p/*/e/mention"], **bob.connection).__aiter__()
        waiting = asyncio.ensure_future(heard.__anext__())
        for number in range(120):
            said = f"look here, @{bob.name}".encode()
            path = f"vis/plots/terns/threads/number{number}"
            await asyncio.to_thread(alice.ask, "PUT", path, said)
            await asyncio.wait([waiting], timeout=0.5)
            if waiting.done():
                break
        event = waiting.result()
        await heard.aclose()
        return event

    event = asyncio.run(asyncio.wait_for(first(), PATIENCE))
    assert event.fqnp.startswith(f"/u/{alice.name}/p/terns/c/@{alice.name}~number")
    assert (event.event_type, event.actor) == ("mention", alice.name)
