"""A whole world on a clock that stands, with people, an image and jobs, for tests of what runs do."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from chains.runs.records import Run
from chains.runs.states import Event
from chains.schedules.timer import Timer
from handlers.processes.background import timer_of
from handlers.processes.world import LiveWorld, build
from handlers.services.notices import ShownNotice, visible_notices
from handlers.services.viewer import Hints
from handlers.settings.settings import Settings
from handlers.trees import ADVICE, ROOT
from tests.handlers.trees.tree_world import Sent
from tests.kit.suites.kernel import StillClock
from vfs.access import Caller, Grant, Verb, Via
from vfs.body import NoBody
from vfs.call import Call, Data, Form, Reply
from vfs.path import Path
from vfs.ports.notices import Notice
from vfs.ports.people import Account
from vfs.serve import serve
from vfs.tree import Tree

TREE = Tree(ROOT, ADVICE)


class ServiceWorld:
    """alice has the repo `count` with an image; calls go through the tree."""

    def __init__(self, settings: Settings) -> None:
        self.clock = StillClock()
        self.live_world: LiveWorld = build(settings, self.clock)
        self.world = self.live_world.world
        self.timer: Timer = timer_of(self.live_world)
        for name in ("alice", "bob", "carol"):
            self.citizen(name)
        self.image("alice", "count")

    def citizen(self, name: str) -> None:
        self.world.people.users.add(name, "digest", Account.REGULAR, f"{name}@birds.example", public=True)
        self.world.people.users.change(name, verified=True)

    def image(self, owner: str, name: str) -> None:
        """A repo with an image."""
        repo = self.world.items.create("repo", owner, name)
        build = self.world.code.builds.queue(repo.id, ("latest",), "refs/heads/main", "c0ffee", owner)
        self.world.code.builds.take("w")
        self.world.code.builds.finish(build, f"image-{name}")

    def job(self, name: str = "nightly", schedule: str = "* * * * *", chain: str = "count") -> int:
        """A job of alice's; its id."""
        self.call("alice", Verb.CREATE, f"/v1/code/jobs/{name}")
        for rel, text in (("chains", chain), ("schedule", schedule)):
            if text:
                self.write("alice", f"/v1/code/jobs/{name}/config/{rel}", text)
        found = self.world.items.find("job", "alice", name, "alice")
        assert found is not None
        return found.item.id

    def share(self, job: int, user: str, letters: str) -> None:
        """Share a job."""
        target = f"@{user}"
        self.world.grants.give(job, Grant(target, letters, f"{target}~{letters}"))

    def call(
        self,
        user: str,
        verb: Verb,
        path: str,
        body: str | None = None,
        want: Form = Form.TEXT,
        media: str = "text/plain",
    ) -> Reply:
        sent: Any = NoBody() if body is None else Sent(body.encode(), media)
        caller = Caller(user, Via.TOKEN)
        return serve(
            TREE,
            Call(verb, Path.parse(path), caller, self.world, sent, want=want, hints=Hints(origin="http://x")),
        )

    def write(self, user: str, path: str, text: str) -> None:
        self.call(user, Verb.WRITE, path, text)

    def read(self, user: str, path: str) -> Any:
        """The JSON face of a path."""
        value = self.call(user, Verb.READ, path, want=Form.DATA).value
        return value.value if isinstance(value, Data) else value

    def pass_minutes(self, minutes: float) -> None:
        """Let time pass, and the timer look."""
        self.clock.forward(timedelta(minutes=minutes).total_seconds())
        self.timer.turn()

    def runs(self, job: int) -> list[Run]:
        """The runs of a job, oldest first."""
        return list(self.world.code.runs.reader.newest(job, None))[::-1]

    def end(self, run: Run, *events: Event) -> None:
        """Let a run end."""
        for event in events:
            self.world.code.runs.states.event(run.key, event)

    def log(self, run: Run) -> list[str]:
        """The messages of a run's log."""
        return [line.message for line in self.world.code.runs.reader.lines(run.key)]

    def inbox(self, user: str, key: Callable[[Notice], Any] = lambda notice: notice.kind) -> list[Any]:
        """Return the key of each notice of a user, newest first."""
        return [key(notice) for notice in self.world.social.notices.of(user)]

    def shown_notices(self, user: str) -> list[ShownNotice]:
        """Return a user's notices as they are shown now, newest first."""
        return visible_notices(self.world, self.world.social.notices.of(user), Caller(user))
