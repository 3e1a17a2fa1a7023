"""Logs that are followed while the run goes on: as text, as JSON, as events (issue 4, logs live)."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from chains.runs.records import Run
from handlers.words.sse import HEARTBEAT_SECONDS
from tests.kit.client import Answer
from tests.kit.service import Application
from tests.wire.listener import PATIENCE, Listener
from vfs.ports.clock import stamp

JOB = "/v1/code/jobs/slow"
TEXT, DATA, EVENTS = "text/plain", "application/json", "text/event-stream"


class Site:
    """alice's job that takes its time, and one run of it."""

    def __init__(self, service: Application) -> None:
        self.service = service
        service.arrange("image", ["alice/slow", "SLEEP=60"], [])
        self.token = service.user("alice")
        self.ask("PUT", JOB)
        self.ask("POST", f"{JOB}/config/chains", b"slow")
        self.path, self.run = self.triggered()

    def ask(self, method: str, path: str, body: bytes = b"", media: str = TEXT, token: str = "") -> Answer:
        headers = [("Authorization", f"Bearer {token or self.token}"), ("Prefer", "respond-async")]
        return self.service.call(method, path, [*headers, ("Content-Type", media)], body)

    def triggered(self) -> tuple[str, Run]:
        """The path of a new run, and the run, once its step runs and its log says so."""
        path = self.ask("POST", f"{JOB}/data", b"{}", DATA).headers["location"]
        runs = self.service.world.code.runs
        run = runs.reader.get(self.service.item("job", "alice/slow").id, path.rpartition("/")[2])
        assert run is not None
        while len(runs.reader.lines(run.key)) < 2 or "slow" not in self.service.engine.given:
            runs.waits.follow(run.key, len(runs.reader.lines(run.key)), 0.05)
        return path, run

    def say(self, *messages: str) -> None:
        """Lines are added to the log of the run."""
        now = stamp(self.service.world.clock.now())
        self.service.world.code.runs.states.record(
            self.run.key, lines=[(now, "info", each) for each in messages]
        )

    def cancel(self) -> None:
        assert self.ask("POST", f"{self.path}/status", b"canceled").status == 202

    def second_token(self) -> str:
        """Another token of alice's."""
        pair = base64.b64encode(f"alice:{self.service.password('alice')}".encode()).decode()
        headers = [("Authorization", f"Basic {pair}"), ("Content-Type", DATA)]
        made = self.service.call("POST", "/v1/token", headers, b'{"token_name": "second"}')
        return str(json.loads(made.body)["token"])

    def listen(self, path: str, accept: str = "*/*", token: str = "", **headers: str) -> Listener:
        return Listener(self.service.application, path, token or self.token, accept, **headers)


@pytest.fixture
def site(service: Application) -> Iterator[Site]:
    site = Site(service)
    yield site
    site.ask("POST", f"{site.path}/status", b"canceled")


def events(text: str) -> list[dict[str, Any]]:
    """The events of a stream: name, id, data; comments and retries are left out."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if "data" in fields:
            found.append({**fields, "data": json.loads(fields["data"])})
    return found


@pytest.mark.parametrize("at", ["run", "job"])
def test_lines_come_as_text_until_the_run_ends(site: Site, at: str) -> None:
    listener = site.listen(f"{site.path if at == 'run' else JOB}/log?follow=1")
    assert listener.until("slow:").startswith("Chain: slow\nslow: @alice/slow:latest")
    assert (listener.status, listener.headers["content-type"]) == ("200 OK", "text/plain; charset=utf-8")
    site.say("slow: a curlew")
    assert listener.until("curlew").endswith("slow: a curlew\n")
    site.cancel()
    heard = listener.whole()
    assert heard.endswith("The run was canceled.\n")
    assert site.ask("GET", f"{site.path}/log").body.decode() == heard


def test_following_goes_on_after_a_number(site: Site) -> None:
    site.say("one", "two")
    listener = site.listen(f"{site.path}/log?follow=1&after=3")
    assert listener.until("two") == "two\n"
    site.say("three")
    assert listener.until("three") == "two\nthree\n"
    assert site.ask("GET", f"{site.path}/log?after=4").body == b"three\n"
    assert site.ask("GET", f"{site.path}/log?after=-1").status == 400
    assert site.ask("GET", f"{site.path}/log?follow=no&after=5").body == b""


def test_json_is_an_array_that_grows(site: Site) -> None:
    listener = site.listen(f"{site.path}/log?follow=1&after=2", DATA)
    site.say("one", "two")
    listener.until("two")
    site.cancel()
    assert [row["message"] for row in json.loads(listener.whole())][:2] == ["one", "two"]


def test_events_carry_ids_and_the_end(site: Site) -> None:
    listener = site.listen(f"{site.path}/log", EVENTS)
    listener.until('"Chain: slow"')
    assert listener.headers["content-type"].startswith(EVENTS)
    assert listener.headers["x-accel-buffering"] == "no"
    site.say("slow: a\ncurlew")
    listener.until("curlew")
    site.cancel()
    found = events(listener.whole())
    assert [event["id"] for event in found[:-1]] == [str(number) for number in range(1, len(found))]
    assert set(found[0]["data"]) == {"log_time", "severity", "message"}
    assert [event["data"]["message"] for event in found[2:3]] == ["slow: a\ncurlew"]
    assert found[-1] == {"event": "end", "id": "end", "data": {"run": site.run.id, "status": "canceled"}}


def test_events_go_on_after_the_last_one_that_is_known(site: Site) -> None:
    site.say("one", "two")
    listener = site.listen(f"{site.path}/log", EVENTS, Last_Event_ID="3")
    assert [event["data"]["message"] for event in events(listener.until("two"))] == ["two"]
    site.cancel()
    listener.whole()
    ended = site.listen(f"{site.path}/log", EVENTS, Last_Event_ID="end")
    assert (ended.whole(), ended.status) == ("", "204 No Content")


def test_events_of_the_latest_run_stay_with_their_run(site: Site) -> None:
    first, run = site.listen(f"{JOB}/log", EVENTS), site.run
    found = events(first.until('"Chain: slow"'))
    assert found[0]["id"] == f"{run.id}/1"
    site.cancel()
    first.whole()
    site.path, site.run = site.triggered()
    again = events(site.listen(f"{JOB}/log", EVENTS, Last_Event_ID=f"{run.id}/1").whole())
    assert again[0]["id"] == f"{run.id}/2"
    assert again[-1]["data"]["run"] == run.id
    newest = events(site.listen(f"{JOB}/log", EVENTS).until('"Chain: slow"'))
    assert newest[0]["id"] == f"{site.run.id}/1"


def test_a_revoked_token_hears_no_more(site: Site) -> None:
    second = site.second_token()
    listener = site.listen(f"{site.path}/log?follow=1", token=second)
    listener.until("slow:")
    assert site.ask("DELETE", "/v1/admin/tokens/second").status == 200
    site.say("a secret")
    assert "secret" not in listener.whole()


def test_who_loses_access_hears_no_more(site: Site) -> None:
    token = site.service.user("bob", "public")
    site.ask("PUT", f"{JOB}/shared/@bob~r")
    listener = site.listen(f"/v1/users/alice{site.path.removeprefix('/v1')}/log", EVENTS, token)
    listener.until('"Chain: slow"')
    assert site.ask("DELETE", f"{JOB}/shared/@bob~r").status == 200
    site.say("a secret")
    assert "secret" not in listener.whole()


def test_followers_hold_no_connection_to_the_database(site: Site) -> None:
    many = site.service.world.service.settings.pool + 8
    listeners = [site.listen(f"{site.path}/log", EVENTS) for _ in range(many)]
    for listener in listeners:
        listener.until('"Chain: slow"')
    site.say("to everybody")
    assert site.ask("POST", f"{JOB}/summary", b"there is room").status == 200
    for listener in listeners:
        listener.until("to everybody")
    site.cancel()
    assert {events(listener.whole())[-1]["event"] for listener in listeners} == {"end"}


def test_a_history_tells_how_long_a_run_goes_on_and_has_no_version_then(site: Site) -> None:
    headers = [("Authorization", f"Bearer {site.token}"), ("Accept", DATA)]
    going = site.service.call("GET", f"{JOB}/stats/runs", headers, b"")
    (row,) = json.loads(going.body)
    assert (row["name"], row["status"]) == (site.run.id, "processing")
    assert 0 <= row["duration"] < 60
    assert "etag" not in going.headers
    assert site.ask("GET", f"{JOB}/stats/runs").body.decode().splitlines()[1].endswith("  processing")
    site.cancel()
    site.listen(f"{site.path}/log?follow=1").whole()
    ended = site.service.call("GET", f"{JOB}/stats/runs", headers, b"")
    assert json.loads(ended.body)[0]["status"] == "canceled"
    assert "etag" in ended.headers


def test_leaving_does_not_stop_the_run(site: Site) -> None:
    listener = site.listen(f"{site.path}/log", EVENTS)
    listener.until('"Chain: slow"')
    listener.gone.set()
    site.say("one more")
    listener.thread.join(PATIENCE)
    assert not listener.thread.is_alive()
    assert site.ask("GET", f"{site.path}/status").body == b"processing"


def test_the_log_of_a_child_run_ends_with_it(site: Site) -> None:
    site.service.arrange("image", ["alice/quick", "ECHO=quickly"], [])
    site.ask("PUT", "/v1/code/jobs/inner")
    site.ask("POST", "/v1/code/jobs/inner/config/chains", b"quick")
    site.ask("POST", f"{JOB}/config/chains", b"a <- /j/inner\na -> slow")
    site.cancel()
    site.path, site.run = site.triggered()
    (child,) = site.service.world.code.runs.reader.children(site.run.key)
    began = time.monotonic()
    found = events(site.listen(f"{JOB}/runs/{child.id}/log", EVENTS).whole())
    assert time.monotonic() - began < HEARTBEAT_SECONDS
    assert "a__quick: quickly" in [event["data"].get("message") for event in found]
    assert found[-1]["data"] == {"run": child.id, "status": "success"}
    assert site.ask("GET", f"{site.path}/status").body == b"processing"


def test_a_waiting_run_is_followed_until_it_is_answered(site: Site) -> None:
    site.ask("POST", f"{JOB}/config/chains", b"!slow")
    path = site.ask("POST", f"{JOB}/data", b"{}", DATA).headers["location"]
    listener = site.listen(f"{path}/log", EVENTS)
    listener.until("waits before slow")
    assert site.ask("POST", f"{path}/hold", b"decline").status == 202
    assert events(listener.whole())[-1]["data"]["status"] == "canceled"


def test_a_stopping_service_ends_streams_at_once(site: Site) -> None:
    listeners = [site.listen(f"{site.path}/log?follow=1", accept) for accept in (TEXT, DATA, EVENTS)]
    for listener in listeners:
        listener.until("Chain: slow")
    site.service.application.stop()
    for listener in listeners:
        assert "event: end" not in listener.whole()
    assert site.ask("GET", f"{site.path}/status").body == b"processing"


def test_a_removed_run_ends_its_streams(site: Site) -> None:
    listener = site.listen(f"{site.path}/log", EVENTS)
    listener.until('"Chain: slow"')
    assert site.ask("DELETE", JOB).status == 200
    assert "event: end" not in listener.whole().partition("canceled")[0]


def test_a_job_without_runs_has_nothing_to_follow(site: Site) -> None:
    site.ask("PUT", "/v1/code/jobs/idle")
    assert site.listen("/v1/code/jobs/idle/log?follow=1").whole() == ""
