"""A kernel of a few paths for tests of the edge, a fixed clock, and an environment for one body."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path as Folder
from types import SimpleNamespace
from typing import Any

import orjson

from handlers.http import kernel as neighbours
from handlers.http import wsgi
from handlers.http.access_log import AccessLog
from handlers.http.bodies.body import RequestBody, body_of
from handlers.settings.settings import Settings
from storage.bytes.seal import AesSeal
from tests.kit.client import call
from tests.kit.suites.kernel import StillClock
from tests.kit.world import StoredWorld
from vfs import errors
from vfs.access import PUBLIC, Caller, Verb
from vfs.body import Body
from vfs.call import Call, Data, Outcome, Reply, Stream
from vfs.ports.blobs import Ref

BASE = "http://localhost:8000"
OUTSIDE = {"doors", "git", "pages", "site", "oauth", "astray", "disk"}
CONTENT = bytes(range(256)) * 1000
JOB = {"rejected": [{"line": 1, "reason": "no such step"}], "location": "/v1/code/jobs/j/runs/1", "run": "1"}

NOW = datetime(2026, 11, 21, 7, 44, 16, 123_000, tzinfo=UTC)


class Stage(StoredWorld):
    """A world that counts its sessions."""

    def __init__(self) -> None:
        super().__init__(clock=StillClock(NOW))
        self.entered = self.left = 0

    @contextmanager
    def session(self) -> Any:
        self.entered += 1
        try:
            yield
        finally:
            self.left += 1


class SealedStage(Stage):
    """A world that can mark forms."""

    def __init__(self) -> None:
        super().__init__()
        self.service = SimpleNamespace(seal=AesSeal(b"k" * 32), kinds={}, settings=Settings())


class Anyone:
    """Identifies everybody as the same caller."""

    def __init__(self, caller: Caller = PUBLIC, refusal: errors.VfsError | None = None) -> None:
        self._caller = caller
        self._refusal = refusal

    def caller(
        self, headers: Mapping[str, Any], verb: Verb | None, path: Any, *, address: str, source: str,
        origin: str, again: bool = False, notes: object = None,
    ) -> Caller:  # fmt: skip
        if self._refusal is not None:
            raise self._refusal
        return self._caller


class Kernel:
    """Answers /v1/<name> by the method of that name, and remembers the last call."""

    def __init__(self, world: Stage, folder: Folder | None = None) -> None:
        self.world = world
        self.folder = folder
        self.call: Call = Call(None, (), PUBLIC, world)  # type: ignore[arg-type]
        self.stored = "as it was"
        self.held = 0
        self.blob: Ref | None = None
        self.answer: Callable[[Call], Reply] | None = None

    def __call__(self, call: Call) -> Reply:
        self.call = call
        if self.answer is not None:
            return self.answer(call)
        return getattr(self, "on_" + call.path[-1], self.on_text)(call)  # type: ignore[no-any-return]

    def on_text(self, call: Call) -> Reply:
        """A small text file."""
        if call.verb is Verb.READ:
            return Reply(self.stored, permissions=("r", "w", "d"))
        if call.expect is not None:
            present = self._present(call)
            call.expect(present, present)
        self.stored = call.body.text(1000)
        return Reply("")

    def _present(self, call: Call) -> Reply | None:
        return Reply(self.stored) if call.path[-1] != "absent" else None

    def on_data(self, call: Call) -> Reply:
        """A JSON document, stored nowhere."""
        return Reply(Data(call.body.data(100_000)))

    def on_both(self, call: Call) -> Reply:
        """A value with two faces."""
        if call.expect is not None:
            present = Reply(Data({"status": "ready"}, lambda value: value["status"]))
            call.expect(present, present)
            return Reply("")
        return Reply(Data({"status": "ready"}, lambda value: value["status"]))

    def on_raw(self, call: Call) -> Reply:
        """The size of what came."""
        return Reply(str(sum(len(piece) for piece in call.body.chunks(64 << 20))))

    def on_files(self, call: Call) -> Reply:
        """The names of uploaded files."""
        assert self.folder is not None
        return Reply(Data(call.body.files(self.folder, 64 << 20, 20)))

    def on_blob(self, call: Call) -> Reply:
        """Half a megabyte of stored bytes."""
        return Reply(self.blob)

    def on_stream(self, call: Call) -> Reply:
        """Two pieces, made while they are sent."""
        return Reply(Stream(iter([b"one\n", b"two\n"]), "text/plain"))

    def on_torrent(self, call: Call) -> Reply:
        """Ten megabytes, made while they are sent."""
        return Reply(Stream((bytes(100_000) for _ in range(100)), "text/plain"))

    def on_endless(self, call: Call) -> Reply:
        """One piece, and then nothing for as long as it is wanted; its end is marked by a file."""

        def pieces() -> Iterator[bytes]:
            yield b"begun\n"
            while call.ongoing.is_allowed():
                time.sleep(0.01)
            Folder(call.query["ended"]).touch()

        return Reply(Stream(pieces(), "text/plain"))

    def on_hold(self, call: Call) -> Reply:
        """Stays open until it is released."""
        call.ongoing.begin()
        self.held += 1
        while not (Folder(call.query["until"])).exists():
            time.sleep(0.01)
        return Reply("let go", Outcome.ACCEPTED)

    def on_wait(self, call: Call) -> Reply:
        """Answers when it is released, without taking a place."""
        while "until" in call.query and not (Folder(call.query["until"])).exists():
            time.sleep(0.01)
        return Reply("let go")

    def on_held(self, call: Call) -> Reply:
        """Return the number of calls that were held."""
        return Reply(str(self.held))

    def on_oddity(self, call: Call) -> Reply:
        """A header that HTTP cannot carry."""
        return Reply("x", location="/v1/a\nSet-Cookie: x")

    def on_broken(self, call: Call) -> Reply:
        """A mistake of our own."""
        raise RuntimeError("the secret is 1234")


class Lines:
    """Keeps what the access log writes."""

    def __init__(self) -> None:
        self.written: list[dict[str, Any]] = []

    def __call__(self, line: bytes) -> None:
        self.written.append(orjson.loads(line))


def edge(kernel: Kernel, lines: Lines | None = None, **settings: Any) -> wsgi.App:
    """The edge in front of the small kernel."""
    clock = kernel.world.clock
    identify = settings.pop("identify", Anyone())
    below = neighbours.Kernel(
        kernel, settings.pop("admit", lambda call: None), settings.pop("credentials", {})
    )
    outside = neighbours.Outside(**{name: settings.pop(name) for name in OUTSIDE & settings.keys()})
    log = AccessLog(lines or Lines(), clock.now)
    return wsgi.App(below, kernel.world, identify, log, outside=outside, **settings)


def get(kernel: Kernel, reply: Reply, method: str = "GET", **headers: str) -> Any:
    """Return the response to a client if the kernel gives this reply."""
    kernel.answer = lambda _: reply
    named = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return call(edge(kernel), method, "/v1/x", named)


def blob(kernel: Kernel, content: bytes = CONTENT, media: str = "image/png") -> Reply:
    """A reply of stored bytes."""
    return Reply(kernel.world.blobs.add([content], media), permissions=("r",))


def raising(error: Exception) -> Callable[[Call], Reply]:
    """An answer that is a refusal."""

    def answer(call: Call) -> Reply:
        raise error

    return answer


def incoming(content: bytes = b"", media: str | None = "text/plain", **environ: Any) -> Body:
    """The body of a request with these bytes; `length=None` announces none, `chunked=True` sends it in
    chunks.
    """
    length = environ.pop("length", len(content))
    found: dict[str, Any] = {"wsgi.input": environ.pop("stream", io.BytesIO(content))}
    if media is not None:
        found["CONTENT_TYPE"] = media
    if environ.pop("chunked", False):
        found["HTTP_TRANSFER_ENCODING"] = "chunked"
    elif length is not None:
        found["CONTENT_LENGTH"] = str(length)
    body = body_of({**found, **environ})
    assert isinstance(body, RequestBody)
    return body
