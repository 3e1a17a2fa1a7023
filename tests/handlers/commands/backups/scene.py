"""A small world with a bit of everything, whose answers can be compared with those of a copy."""

from __future__ import annotations

import hashlib
import json
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from chains.runs.records import Order
from handlers.processes.world import build
from handlers.settings.settings import Settings
from handlers.settings.sources import load
from tests.kit.clocks import AheadClock
from tests.kit.service import Application, WatchedEngine, with_fake_renderer

PEOPLE = ("alice", "bobby", "nobody")
MOST = 3000
# Files that a walk changes, and drawings that are not made from stored data.
MOVING = ("last_used", "/renders", "/admin/tokens/transcript/log")
MOVING_KEYS = {"last_used_on", "request_id", "duration", "last_time"}
WAITING = "code/jobs/letter/runs"
QUEUED = "queued-one"

Tokens = Mapping[str, str]
Answers = Mapping[tuple[str, str], tuple[int, str]]


def settings_of(folder: Path, url: str | None) -> Settings:
    return load(
        {}, data=str(folder), database_url=url, synchronous="normal", password_memory="8", registrations="99"
    )


@contextmanager
def web(settings: Settings) -> Iterator[Application]:
    """The service without a runner: nothing in it moves."""
    clock = AheadClock()
    live_world = with_fake_renderer(build(settings, clock))
    try:
        yield Application(settings, live_world, clock, WatchedEngine({}))
    finally:
        live_world.close()


class Hand:
    """Writes as one person, and wants good answers."""

    def __init__(self, app: Application, name: str, *traits: str) -> None:
        self.app = app
        self.token = app.user(name, *traits)

    def do(self, method: str, path: str, body: bytes = b"", media: str = "text/plain") -> bytes:
        heads = [("Authorization", f"Bearer {self.token}"), ("Content-Type", media)]
        answer = self.app.call(method, f"/v1/{path}", heads, body)
        assert answer.status < 300, (method, path, answer.status, answer.body)
        return answer.body


def populate(app: Application) -> Tokens:
    """People, documents with pictures and comments, a group, spaces, images, and runs in all states."""
    alice, bobby = Hand(app, "alice", "public", "verified"), Hand(app, "bobby", "public")
    nobody = Hand(app, "nobody")
    alice.do("PUT", "vis/docs/birds")
    alice.do("POST", "vis/docs/birds/content", b"what it said before")
    alice.do("POST", "vis/docs/birds/assets/gone.png", b"\x89PNG\r\n\x1a\n" + bytes(20), "image/png")
    alice.do("DELETE", "vis/docs/birds/assets/gone.png")
    for text in (b"one", b"two"):
        alice.do("POST", "admin/profile/bio", text)
    alice.do("POST", "vis/docs/birds/content", b"# \xf0\x9f\x90\xa6 Birds, and 'quotes' \\ \"too\"")
    alice.do("PUT", "vis/docs/birds/shared/@bobby~rw")
    alice.do("PUT", "admin/groups/team")
    alice.do("PUT", "code/spaces/field")
    alice.do(
        "PUT", "code/spaces/field/content/a/large.bin", bytes(range(256)) * 3000, "application/octet-stream"
    )
    alice.do("PUT", "code/spaces/field/content/b.txt", b"b")
    app.push("alice/first", {"Containerfile": "FROM scratch\nENV WRITE=draft.txt=draft"})
    app.push("alice/then", {"Containerfile": "FROM scratch\nENV COPY=SENT"})
    alice.do("PUT", "code/repos/empty")
    alice.do("PUT", "code/jobs/letter")
    alice.do("POST", "code/jobs/letter/config/chains", b"first -> !then")
    alice.do("PUT", "code/jobs/letter/config/env/SECRET", b"a secret")
    alice.do("POST", "code/jobs/letter/data", b"{}", "application/json")
    alice.do("PUT", "code/jobs/plain")
    alice.do("POST", "code/jobs/plain/config/chains", b"then")
    alice.do("POST", "code/jobs/plain/data", b"{}", "application/json")
    app.push("alice/former", {"Containerfile": "FROM scratch\nENV COPY=SENT"})
    alice.do("PUT", "code/spaces/field/content/old.txt", b"what was deleted")
    for deleted in ("code/spaces/field/content/old.txt", "code/repos/former"):
        alice.do("DELETE", deleted)
    return {"alice": alice.token, "bobby": bobby.token, "nobody": nobody.token}


def queue_run(app: Application) -> None:
    """A run of the job plain that nobody has taken yet, with a file for its input."""
    folders = app.world.code.folders
    name = folders.new()
    (folders.path(name) / "sent.txt").write_text("what was sent")
    folders.settle(name)
    job = app.item("job", "alice/plain").id
    (newest,) = app.world.code.runs.reader.newest(job, 1)
    before = app.world.code.runs.reader.by_key(newest.key)
    assert before is not None
    tally, stored = folders.tally(name), None
    if app.world.code.run_files is not None:  # hosts that share it take it from the file store
        stored = app.world.code.run_files.store(folders.path(name), job)
        folders.discard(name)
    order = Order(job, QUEUED, "api", "api", "alice", before.plan, name, tally=tally, files=stored)
    app.world.code.runs.queue.submit(order)


def walk(app: Application, tokens: Tokens) -> Answers:
    """Return the response to each person of every GET that listings name."""
    found: dict[tuple[str, str], tuple[int, str]] = {}
    for name in PEOPLE:
        waiting = ["/v1", "/v1/users/alice", "/v1/users/bobby", "/v1/code", "/v1/vis", "/v1/admin"]
        while waiting and len(found) < MOST:
            path = waiting.pop()
            if (name, path) in found or any(word in path for word in MOVING):
                continue
            heads = [("Authorization", f"Bearer {tokens[name]}"), ("Accept", "application/json")]
            answer = app.call("GET", path, heads, b"")
            said = read(answer.body)
            if answer.headers.get("x-nvm-type") == "dir" and isinstance(said, list):
                waiting += [f"{path}/{quote(str(row['name']), safe='@~:.')}" for row in said]
            body = json.dumps(steady(said)).encode()
            found[name, path] = answer.status, hashlib.sha256(body).hexdigest() + body[:300].decode("latin-1")
    assert len(found) < MOST
    return found


def read(body: bytes) -> object:
    """An answer as JSON, or as text."""
    try:
        return json.loads(body)
    except ValueError:
        return body.decode("latin-1")


def steady(said: object) -> object:
    """An answer without what each request changes."""
    if isinstance(said, dict):
        left = MOVING_KEYS | ({"last_modified"} if "token_description" in said else set())
        return {key: steady(value) for key, value in said.items() if key not in left}
    return [steady(one) for one in said] if isinstance(said, list) else said


def rows_in(backup: Path) -> Mapping[str, bytes]:
    """All rows of a backup, and its bytes, by the names of its files."""
    with tarfile.open(backup) as opened:
        files = {member.name: opened.extractfile(member) for member in opened}
        skipped = ("backup.json", "manifest.jsonl", "end.json")
        return {name: file.read() for name, file in files.items() if file is not None and name not in skipped}


def rows_of(backup: Path, name: str) -> bytes:
    """One file of a backup."""
    with tarfile.open(backup) as opened:
        file = opened.extractfile(name)
        assert file is not None
        return file.read()
