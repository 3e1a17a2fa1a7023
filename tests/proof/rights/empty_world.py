"""A service whose people take rights back at any moment, even between two calls of its runner."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from chains.engine.port import Exit
from tests.kit.postgres import in_memory_folder
from tests.proof.empty_world import EmptyWorld
from tests.proof.rights.model import CREW, Action
from tests.proof.stage import Life, Stage, quiet_deaths
from vfs.access import Grant, Role
from vfs.ports.groups import GroupKind

PLACES = {"img": "repos", "tool": "repos", "vault": "spaces", "inner": "jobs"}

Part = tuple[str, int | None]


class Meddled(Life):
    """A life of a runner in which something else happens at the n-th moment from now."""

    def __init__(self) -> None:
        super().__init__()
        self._turn = threading.Lock()
        self._moments = 0
        self._act: Callable[[], None] | None = None

    def meddle_at(self, moments: int, act: Callable[[], None]) -> None:
        with self._turn:
            self._moments, self._act = moments, act

    def disarm(self) -> bool:
        """Let it be; whether it has happened."""
        with self._turn:
            happened, self._act = self._act is None, None
            return happened

    def go_on(self) -> None:
        with self._turn:
            self._moments -= 1
            if self._act is not None and self._moments <= 0:
                self._act()
                self._act = None
        super().go_on()


class WatchedStage(Stage):
    """Knows which parts play, and what each found in the space."""

    def __init__(self) -> None:
        super().__init__()
        self.playing: set[tuple[str, str, int | None]] = set()
        self.texts: dict[tuple[str, str, int | None], str] = {}

    def _act(self, container: Any, script: Any) -> Exit:
        spec = container.spec
        key = spec.run, spec.step, spec.replica
        for mount in spec.mounts:
            if mount.target == "/mnt/v":
                self.texts[key] = (mount.source / "doc").read_text()
        self.playing.add(key)
        try:
            return super()._act(container, script)
        finally:
            self.playing.discard(key)


class RightsWorld(EmptyWorld):
    """alice's jobs use bob's things, with chains that alice or dave wrote."""

    LIFE = Meddled
    life: Meddled

    def __init__(self, folder: Path, url: str | None) -> None:
        super().__init__(folder, url, WatchedStage(), "image")
        self.world.people.groups.create(GroupKind.USER_GROUP, "bob", "crew", "bob", None)

    def place(self, thing: str) -> str:
        """The path of a thing of the present round."""
        return f"/v1/code/{PLACES[thing]}/{thing}{self.jobs}"

    def item(self, thing: str) -> Any:
        kind = PLACES[thing].removesuffix("s")
        found = self.world.items.find(kind, "bob", f"{thing}{self.jobs}", "bob")
        assert found is not None, thing
        return found.item

    def bobs(self, method: str, path: str, body: str | None = None) -> None:
        answer = self.ask("bob", method, path, body)
        assert answer.status < 300, (method, path, answer)

    def make(self, thing: str) -> None:
        self.bobs("PUT", self.place(thing))
        if thing == "inner":
            self.bobs("POST", f"{self.place(thing)}/config/chains", f"x <- tool{self.jobs}")
        elif thing == "vault":
            self.really(("write", "nothing"))
        else:
            # At once: a runner ends what an unknown user builds.
            with self.world.atomic():
                item = self.item(thing).id
                number = self.world.code.builds.queue(item, ("latest",), "refs/heads/main", "c0ffee", "bob")
                self.world.code.builds.take("nobody")
                self.world.code.builds.finish(number, "image")

    def really(self, action: Action) -> None:
        """Do it, in any thread."""
        world, (word, name, *more) = self.world, action
        match word:
            case "share":
                world.grants.give(self.item(name).id, Grant(more[0], more[1], f"{more[0]}~{more[1]}"))
            case "unshare":
                world.grants.take(self.item(name).id, more[0])
            case "join":
                world.people.members.put(CREW, name, Role.MEMBERS, pending=False, by=None)
            case "leave":
                world.people.members.drop(CREW, name, Role.MEMBERS, pending=False)
            case "lock" | "unlock":
                world.people.users.change(name, locked=word == "lock")
            case "remake":
                self.bobs("DELETE", self.place(name))
                self.make(name)
            case "write":
                world.code.spaces.put(
                    self.item("vault").id, "doc", world.blobs.add([name.encode()], "text/plain")
                )

    def written(self) -> dict[str, str]:
        """What the files of the space hold."""
        found = {}
        for entry in self.world.code.spaces.below(self.item("vault").id, ""):
            with self.world.blobs.open(entry.blob) as file:
                found[entry.path] = file.read().decode()
        return found


@contextmanager
def opened(url: str | None) -> Iterator[RightsWorld]:
    """A service on a folder in memory; on SQLite without a URL."""
    with quiet_deaths(), in_memory_folder() as folder:
        empty_world = RightsWorld(Path(folder), url)
        try:
            yield empty_world
        finally:
            empty_world.close()
