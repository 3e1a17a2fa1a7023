"""Events over real sockets of two web processes, on both databases, by python-socketio's own client."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
import websocket

from chains.runs.records import KeptInput, Order
from chains.runs.states import Event
from handlers.identity.credentials import digest, fresh
from handlers.processes.world import open_world
from handlers.settings.sources import load
from tests.kit.server import Server, environment, web
from tests.kit.wire.event_clients import EventClient, bare, listening, refusal
from tests.kit.world import migrate

NUMBERS = itertools.count(1)
SOON = 9.0


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a database; the empty one is the default."""
    if request.param == "sqlite":
        yield ""
        return
    postgres = request.getfixturevalue("postgres")
    url = postgres.copy_of("tests.wire", migrate)
    yield url
    postgres.drop(url)


@pytest.fixture(scope="module")
def server(url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Two workers."""
    more = {"CURLEW_LISTENERS": "6", "CURLEW_LISTENERS_ACCOUNT": "3"}
    folder = tmp_path_factory.mktemp("server")
    with web(folder, CURLEW_WORKERS="2", CURLEW_DATABASE_URL=url, **more) as server:
        yield server


@pytest.fixture
def users(server: Server) -> tuple[str, str, str]:
    """Three users of a test's own."""
    number = next(NUMBERS)
    alice, bob, carol = (f"{name}{number}" for name in ("alice", "bob", "carol"))
    for name in (alice, bob, carol):
        server.add(name)
    return alice, bob, carol


@pytest.fixture
def held() -> Iterator[ExitStack]:
    """What is closed behind a test."""
    with ExitStack() as stack:
        yield stack


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def event_client_of(held: ExitStack, server: Server, name: str, *patterns: str) -> EventClient:
    """A listener of a user."""
    return held.enter_context(listening(server.origin, *patterns, headers=bearer(server.tokens[name])))


def brief(events: list[Any]) -> list[tuple[str, str, str]]:
    return [(one["event_type"], one["target_fqnp"], one["actor"]) for one in events]


def test_events_are_sent_to_users_who_may_see_them_then(
    server: Server, users: tuple[str, str, str], held: ExitStack
) -> None:
    alice, bob, carol = users
    listeners = [event_client_of(held, server, name, f"/u/{alice}/*") for name in (alice, bob)]
    listeners.append(event_client_of(held, server, carol, "/*"))
    plot = f"/u/{alice}/p/terns"

    def act(method: str, path: str, body: bytes | None = None, who: str = alice, *, hear: int = 1) -> None:
        """Do something that the first `hear` of alice, bob and carol receive."""
        server.ask(method, path, body, who)
        for one in range(hear):
            heard[one].append(listeners[one].event())

    heard: list[list[Any]] = [[], [], []]
    act("PUT", "vis/plots/terns")
    act("POST", "vis/plots/terns/data", b"a,b\n1,2\n")
    assert listeners[1].rest() == listeners[2].rest() == []
    act("PUT", f"vis/plots/terns/shared/@{bob}~r", hear=2)
    server.ask("PUT", f"vis/plots/terns/shared/@{carol}~r", None, alice)
    heard[0].append(listeners[0].event())
    heard[2].append(listeners[2].event())
    act("POST", "vis/plots/terns/name", b"Terns", hear=3)
    act("PUT", f"users/{alice}/vis/plots/terns/threads/first", f"see, @{bob}".encode(), bob, hear=3)
    act("DELETE", f"vis/plots/terns/shared/@{bob}")
    server.ask("POST", "vis/plots/terns/summary", b"seen by carol", alice)
    heard[0].append(listeners[0].event())
    heard[2].append(listeners[2].event())
    server.ask("PUT", "vis/plots/terns/tags/fav", None, alice)
    act("PATCH", "vis/plots/terns", b"gulls")
    assert [one["event_type"] for one in listeners[2].rest()] == ["renamed"]
    act("DELETE", "vis/plots/gulls")
    comment = f"{plot}/c/@{bob}~first"
    assert brief(heard[0]) == [
        ("created", plot, alice),
        ("data_update", plot, alice),
        ("share", plot, alice),
        ("share", plot, alice),
        ("name_update", plot, alice),
        ("comment", comment, bob),
        ("share_revoked", plot, alice),
        ("summary_update", plot, alice),
        ("renamed", f"/u/{alice}/p/gulls", alice),
        ("removed", f"/u/{alice}/p/gulls", alice),
    ]
    # What happened before its share, or after it, is nothing to bob, and nor are the shares of others.
    assert [one["event_type"] for one in heard[1]] == ["share", "name_update", "comment"]
    assert [one["event_type"] for one in heard[2]] == ["share", "name_update", "comment", "summary_update"]
    assert listeners[1].rest() == listeners[2].rest() == []


def test_a_mention_is_sent_to_the_user_it_names(
    server: Server, users: tuple[str, str, str], held: ExitStack
) -> None:
    alice, bob, carol = users
    server.ask("PUT", "vis/plots/terns", None, alice)
    for name in (bob, carol):
        server.ask("PUT", f"vis/plots/terns/shared/@{name}~r", None, alice)
    listeners = [event_client_of(held, server, name, "/u/*/p/*/e/mention") for name in users]
    server.ask("PUT", "vis/plots/terns/threads/first", f"look, @{bob}".encode(), alice)
    (event,) = listeners[1].until("mention")
    assert (event["target_fqnp"], event["event_class"]) == (f"/u/{alice}/p/terns/c/@{alice}~first", "comment")
    assert (event["subscription"], event["level"], event["seq"]) == ("/u/*/p/*/e/mention", "info", 1)
    assert event["ts"].endswith("Z")
    assert listeners[0].rest() == listeners[2].rest() == []


def test_a_reply_is_sent_to_the_user_it_answers(
    server: Server, users: tuple[str, str, str], held: ExitStack
) -> None:
    alice, bob, carol = users
    server.ask("PUT", "vis/plots/terns", None, alice)
    for name in (bob, carol):
        server.ask("PUT", f"vis/plots/terns/shared/@{name}~r", None, alice)
    patterns = ("/u/*/p/*/e/mention:me", "/u/*/p/*/e/comment_reply:me")
    listeners = [event_client_of(held, server, name, *patterns) for name in users]
    thread = f"users/{alice}/vis/plots/terns/threads/first"
    server.ask("PUT", thread, b"why?", bob)
    # The text may follow later. An answer to oneself, and an edited text, are sent to nobody.
    answer = thread.replace("/first", f"/@{bob}~first/comments/because")
    server.ask("PUT", answer, None, carol)
    server.ask("POST", answer.replace("/because", f"/@{carol}~because/msg"), f"so, @{alice}".encode(), carol)
    server.ask("PUT", answer.replace("/because", "/aha"), b"aha", bob)
    server.ask("POST", answer.replace("/because", f"/@{carol}~because/msg"), f"no, @{alice}".encode(), carol)
    target = f"/u/{alice}/p/terns/c/@{bob}~first/c/@{carol}~because"
    event = listeners[1].event()
    assert (event["event_class"], event["subscription"]) == ("comment", patterns[1])
    assert brief([event]) == [("comment_reply", target, carol)]
    assert brief([listeners[0].event()]) == [("mention", target, carol)]
    # After bob may no longer read the thread, answers to him are not sent.
    server.ask("DELETE", f"vis/plots/terns/shared/@{bob}", None, alice)
    server.ask("PUT", answer.replace("/because", "/more"), b"more", carol)
    assert [listener.rest() for listener in listeners] == [[], [], []]


def test_runs_tell_their_states_to_who_reads_them(
    server: Server, users: tuple[str, str, str], held: ExitStack, url: str
) -> None:
    alice, bob, _ = users
    server.ask("PUT", "code/jobs/daily", None, alice)
    server.ask("PUT", f"code/jobs/daily/shared/@{bob}~r", None, alice)
    listeners = [event_client_of(held, server, name, f"/u/{alice}/j/daily/e/run") for name in users]
    id = "20260101-120000-0000aaaa"
    # This process does what a runner does.
    with open_world(load({}, data=str(server.folder), database_url=url)) as world:
        found = world.items.find("job", alice, "daily", alice)
        assert found is not None
        order = Order(found.item.id, id, "api", "cli", alice, None, None, kept=KeptInput("{}"))
        run = world.code.runs.queue.submit(order)
        for event_client in listeners[:2]:
            event = event_client.event()
            assert (event["event_type"], event["event_class"]) == ("run_processing", "run")
            assert (event["target_fqnp"], event["actor"]) == (f"/u/{alice}/j/daily/{id}", alice)
        world.code.runs.states.event(run.key, Event.FAIL)
    assert [event_client.event()["event_type"] for event_client in listeners[:2]] == [
        "run_failed",
        "run_failed",
    ]
    assert listeners[2].rest() == []


def test_a_claim_narrows_what_is_heard(
    server: Server, users: tuple[str, str, str], held: ExitStack, url: str
) -> None:
    alice, token = users[0], fresh()
    with open_world(load({}, data=str(server.folder), database_url=url)) as world:
        world.people.tokens.mint(alice, "narrow", digest(token), claim="vis_ro")
    narrow = held.enter_context(listening(server.origin, f"/u/{alice}", headers=bearer(token)))
    whole = event_client_of(held, server, alice, f"/u/{alice}")
    job, plot = f"/u/{alice}/j/daily", f"/u/{alice}/p/terns"
    received, heard = [], []
    for path, file, text in (
        ("code/jobs/daily", "config/schedule", b"0 6 * * *"), ("vis/plots/terns", "data", b"a,b"),
    ):  # fmt: skip
        server.ask("PUT", path, None, alice)
        server.ask("POST", f"{path}/{file}", text, alice)
        # If an item is gone when an event would be sent, only its removal is sent.
        received += whole.until(f"{file.partition('/')[0]}_update")
        heard += narrow.until("data_update") if file == "data" else []
        server.ask("DELETE", path, None, alice)
        received += whole.until("removed")
    assert [one["target_fqnp"] for one in received] == [job] * 3 + [plot] * 3
    events = {(one["event_type"], one["target_fqnp"]) for one in (*heard, *narrow.rest())}
    assert {("data_update", plot), ("removed", plot)} <= events
    assert not {("config_update", job), ("removed", job)} & events


def test_it_ends_with_the_credential(
    server: Server, users: tuple[str, str, str], held: ExitStack, url: str
) -> None:
    alice, bob, carol = users
    signed_in = session_of(server, alice)
    cookie = held.enter_context(listening(server.origin, "/u/x", headers={"Cookie": signed_in}))
    revoked, locked, stays = (event_client_of(held, server, name, "/*") for name in (bob, carol, alice))
    server.ask("DELETE", "admin/tokens/made-by-hand", None, bob)
    words = [sys.executable, "-P", "-m", "handlers", "user", "lock", carol, "--data", str(server.folder)]
    env = environment(CURLEW_DATABASE_URL=url)
    subprocess.run(words, env=env, check=True, capture_output=True)
    page = {"Cookie": signed_in, "Origin": server.origin, "Content-Type": "text/plain"}
    assert post(server, "logout", b"", page) == 200
    for event_client in (revoked, locked, cookie):
        event_client.ended.get(timeout=SOON)
    server.ask("PUT", "vis/plots/terns", None, alice)
    assert brief([stays.event()]) == [("created", f"/u/{alice}/p/terns", alice)]
    assert refusal(server.origin, f"Authorization: Bearer {server.tokens[bob]}") == 401


def test_handshakes_that_are_refused(server: Server, users: tuple[str, str, str], held: ExitStack) -> None:
    alice = f"Authorization: Bearer {server.tokens[users[0]]}"
    assert refusal(server.origin) == 401
    assert refusal(server.origin, "Authorization: Bearer made-up") == 401
    assert refusal(server.origin, alice, query="EIO=4&transport=polling") == 400
    assert refusal(server.origin, alice, query="EIO=3&transport=websocket") == 400
    assert refusal(server.origin, query=f"EIO=4&transport=websocket&token={server.tokens[users[0]]}") == 401
    cookie = f"Cookie: {session_of(server, users[0])}"
    assert refusal(server.origin, cookie, "Origin: https://elsewhere.example") == 403
    assert refusal(server.origin, cookie, f"Origin: {server.origin}", "Sec-Fetch-Site: cross-site") == 403
    assert refusal(server.origin, cookie, f"Origin: {server.origin}") == 101
    assert refusal(server.origin, f"{cookie}-not", f"Origin: {server.origin}") == 401
    # Each of two processes has room for three of an account.
    statuses = []
    for _ in range(10):
        try:
            held.enter_context(bare(server.origin, alice))
            statuses.append(101)
        except websocket.WebSocketBadStatusException as refused:
            statuses.append(refused.status_code)
    assert set(statuses) == {101, 429}
    assert 3 <= statuses.count(101) <= 6


def test_the_service_says_that_it_stops(url: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    # A database that a server used belongs to the folder of that server.
    unused = request.getfixturevalue("postgres").copy_of("tests.wire", migrate) if url else ""
    with ExitStack() as held:
        with web(tmp_path, CURLEW_DATABASE_URL=unused) as server:
            token = server.add("zoe")
            wire = held.enter_context(bare(server.origin, f"Authorization: Bearer {token}"))
            assert json.loads(wire.recv()[1:])["sid"]
        opcode, said = wire.recv_data()
        assert (opcode, said[:2]) == (8, (1001).to_bytes(2, "big"))
        assert b"connect again" in said


def session_of(server: Server, name: str) -> str:
    """The cookie of a new session."""
    sent = json.dumps({"username": name, "password": server.password(name)}).encode()
    request = Request(f"{server.root}auth", sent, {"Content-Type": "application/json"}, method="POST")
    with urlopen(request) as answer:
        return str(answer.headers["Set-Cookie"]).partition(";")[0]


def post(server: Server, path: str, body: bytes, headers: dict[str, str]) -> int:
    with urlopen(Request(server.root + path, body, headers, method="POST")) as answer:
        return int(answer.status)
