"""A world in which jobs are triggered by events."""

from __future__ import annotations

from typing import Any

from chains.runs.records import Run
from chains.runs.states import Event, Status
from handlers.services.runs.job_triggers import TriggerDispatch
from tests.handlers.service_world import ServiceWorld
from vfs.access import Verb

JOBS, SPACES = "/v1/code/jobs", "/v1/code/spaces"


class TriggerWorld:
    """A service with the space `orders` and jobs of alice's; `dispatch` sends the events that are due."""

    def __init__(self, service: ServiceWorld) -> None:
        self.service, self.world = service, service.world
        self.call("PUT", f"{SPACES}/orders")

    def call(self, verb: str, path: str, text: str | None = None, user: str = "alice") -> str:
        """Return the value of the answer to a call."""
        verbs = {"PUT": Verb.CREATE, "POST": Verb.WRITE, "DELETE": Verb.REMOVE, "PATCH": Verb.RENAME}
        media = "application/json" if verb == "PATCH" else "text/plain"
        return str(self.service.call(user, verbs[verb], path, text, media=media).value)

    def job(self, name: str, triggers: str = "", chain: str = "count") -> int:
        """A job with triggers; its id."""
        id = self.service.job(name, "", chain)
        if triggers:
            self.call("POST", f"{JOBS}/{name}/config/triggers", triggers)
        return id

    def put(self, path: str, text: str = "1", space: str = "orders") -> None:
        """Write a file of a space."""
        self.call("POST", f"{SPACES}/{space}/content/{path}", text)

    def dispatch(self, seconds: float = 2) -> None:
        """Let time pass, and the runner look."""
        self.service.clock.forward(seconds)
        TriggerDispatch(self.world).round()

    def runs(self, job: int) -> list[Run]:
        """The runs of a job, oldest first."""
        return self.service.runs(job)

    def sources(self, job: int) -> list[str]:
        """Return the sources of the runs of a job."""
        return [run.source for run in self.runs(job)]

    def end(self, run: Run, event: Event = Event.SUCCEED) -> None:
        """Let a run end."""
        taken = self.world.code.runs.queue.take("w")
        while taken is not None and taken.key != run.key:
            taken = self.world.code.runs.queue.take("w")
        self.service.end(run, event)

    def input(self, run: Run) -> dict[str, str]:
        """The files of a run's input."""
        whole = self.world.code.runs.reader.by_key(run.key)
        assert whole is not None and whole.input is not None
        folder = self.world.code.folders.path(whole.input)
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        return {str(path.relative_to(folder)): path.read_text() for path in files}

    def push(self, repo: str = "count", label: str = "latest", owner: str = "alice") -> int:
        """A build of a repo that becomes ready."""
        found = self.world.items.find("repo", owner, repo, owner)
        assert found is not None
        build = self.world.code.builds.queue(found.item.id, (label,), f"refs/heads/{label}", "beef", owner)
        self.world.code.builds.take("w")
        self.world.code.builds.finish(build, f"image-{repo}-{build}")
        return build

    def lines(self, name: str) -> Any:
        """The JSON face of a job's triggers."""
        return self.service.read("alice", f"{JOBS}/{name}/config/triggers")["lines"]

    def is_enabled(self, name: str) -> bool:
        """Return whether a job's schedule and triggers are enabled."""
        return bool(self.service.read("alice", f"{JOBS}/{name}/config/enabled").strip() == "true")


OPEN = (Status.PROCESSING, Status.WAITING, Status.CANCELING)
