"""A whole service in this process: people at its door, and a runner that is killed and started again."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from chains.engine.port import Network
from chains.runner.policy import RunnerSettings, StepPolicy
from chains.runner.runner import Runner
from handlers.identity.credentials import digest, fresh
from handlers.processes.background import timer_of
from handlers.processes.runner import ports_of
from handlers.processes.web import application
from handlers.processes.world import LiveWorld, build
from handlers.settings.sources import load
from storage.runs.rows import WORK
from tests.kit.client import Answer, call
from tests.kit.clocks import AheadClock
from tests.kit.postgres import in_memory_folder
from tests.proof.shapes import IMAGE
from tests.proof.stage import Life, Stage, mortals, quiet_deaths
from vfs.ports.people import Account

PEOPLE = ("alice", "bob", "carol", "dave", "erin")
QUICK = {"password_memory": "8", "password_time": "1", "synchronous": "normal", "registrations": "1000"}
PATIENCE = 120.0
JOBS = "/v1/code/jobs"
POLICY = StepPolicy(network=Network.NONE, stop_grace=1.0)
LIVE_TOKENS = "SELECT run FROM token WHERE run IS NOT NULL AND revoked_on IS NULL"


class EmptyWorld:
    """A service and its people: alice owns all; what others may do is said by shares."""

    LIFE: ClassVar[type[Life]] = Life

    def __init__(self, folder: Path, url: str | None, stage: Any, image: str) -> None:
        self.clock = AheadClock()
        settings = load({}, data=str(folder), database_url=url or "", **QUICK)
        self.live_world: LiveWorld = build(settings, self.clock)
        self.world = self.live_world.world
        self.stage = stage
        self.steps = 0
        self.jobs = 0
        self._app = application(settings, self.live_world)
        self._timer = timer_of(self.live_world)
        self._tokens = {name: fresh() for name in PEOPLE}
        self._pool = ThreadPoolExecutor(8, "trigger")
        for name, token in self._tokens.items():
            self.world.people.users.add(name, "digest", Account.REGULAR, None, public=True)
            self.world.people.tokens.mint(name, "first", digest(token))
        self._image(image)
        self.start()

    def _image(self, image: str) -> None:
        repo = self.world.items.create("repo", "alice", IMAGE)
        number = self.world.code.builds.queue(repo.id, ("latest",), "refs/heads/main", "c0ffee", "alice")
        self.world.code.builds.take("nobody")
        self.world.code.builds.finish(number, image)

    def start(self) -> None:
        """Start a runner."""
        self.life, self._stop, ready = self.LIFE(), threading.Event(), threading.Event()
        world = self.world
        runner = Runner(
            mortals(ports_of(self.live_world, self.stage), self.life),
            world.code.builds,
            lambda build: None,
            RunnerSettings(slots=32, drain=0.0, live=0.001, policy=POLICY),
        )
        self._thread = threading.Thread(target=runner.loop, args=(self._stop, ready.set), name="the runner")
        self._thread.start()
        assert ready.wait(PATIENCE), "the runner does not start"

    def end(self, orderly: bool = False) -> None:
        """Kill the runner, or stop it in order."""
        if not orderly:
            self.life.end()
        self._stop.set()
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        self.life.end()

    def close(self) -> None:
        """End everything."""
        self.end()
        # Listeners of runners that are gone find that out at their next call.
        self.live_world.change_signal.signal(WORK)
        for thread in threading.enumerate():
            if thread.name == "runner":
                thread.join(PATIENCE)
        self._pool.shutdown()
        self.live_world.lead.release()
        self.live_world.close()

    def ask(self, user: str, method: str, path: str, body: str | None = None, **headers: str) -> Answer:
        """The answer to one request."""
        given = [(name.replace("_", "-"), value) for name, value in headers.items()]
        if body is not None and "Content_Type" not in headers:
            given.append(("Content-Type", "text/plain"))
        given.append(("Authorization", f"Bearer {self._tokens[user]}"))
        return call(self._app, method, path, given, (body or "").encode())

    def data(self, path: str) -> Any:
        """What alice reads there as JSON."""
        answer = self.ask("alice", "GET", path, Accept="application/json")
        assert answer.status == 200, (path, answer)
        return json.loads(answer.body)

    def made(self, method: str, path: str, body: str | None = None) -> None:
        """What alice does, and what has to succeed."""
        answer = self.ask("alice", method, path, body)
        assert answer.status < 300, (method, path, answer)

    def meanwhile(self, act: Callable[[], Answer]) -> Future[Answer]:
        """Ask in another thread."""
        return self._pool.submit(act)

    def fire(self) -> None:
        """The next minute comes, and what is scheduled is fired, once: the one after it is far, however long
        that takes.
        """
        self.clock.forward(seconds=61 - self.clock.now().second)
        self._timer.turn()

    def credentials(self) -> set[int]:
        """The runs that have a credential which works."""
        return {row[0] for row in self.live_world.database.rows(LIVE_TOKENS)}

    def folders(self) -> list[str]:
        """The folders of runs and of inputs."""
        return [path.name for path in self.world.code.folders.root.glob("[!.]*")]


@contextmanager
def opened(url: str | None, stage: Any = None, image: str = "image") -> Iterator[EmptyWorld]:
    """A service on a folder in memory; on SQLite without a URL, over scripted steps without a stage."""
    with quiet_deaths(), in_memory_folder() as folder:
        empty_world = EmptyWorld(Path(folder), url, stage or Stage(), image)
        try:
            yield empty_world
        finally:
            empty_world.close()


def multipart(files: Mapping[str, str]) -> tuple[str, str]:
    """A body of files, and its media type."""
    parts = (
        f'--frontier\r\nContent-Disposition: form-data; name="f"; filename="{name}"\r\n\r\n{text}\r\n'
        for name, text in files.items()
    )
    return "".join(parts) + "--frontier--\r\n", "multipart/form-data; boundary=frontier"
