"""Jobs of all kinds at a service whose processes are killed, and what may never be wrong there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from chains.runs.records import Run
from chains.runs.states import Status
from handlers.identity.credentials import digest, fresh
from handlers.processes.web import application
from handlers.processes.world import build
from tests.durability.kills.deaths import Site
from tests.kit.client import Answer, call
from tests.kit.clocks import until
from vfs.ports.people import Account

JOBS = "/v1/code/jobs"
SCRIPTS = {
    "image-quick": {"SLEEP": "0.02", "COPY": "q"},
    "image-many": {"SLEEP": "0.02", "WRITE": "1=one ;2=two ;3=three "},
    "image-slow": {"SLEEP": "0.3", "WRITE": "x=slow"},
}
CHAINS = {
    "inner": "p <- quick\nq <- quick\np -> !q",
    "held": "a <- many\nb <- quick\na! -> b!",
    "early": "a <- many\nb <- quick\n!a -> b",
    "fanned": "a <- many\nb <- quick\na -> .b",
    "composed": "a <- many\nc <- /j/inner\na -> c",
    "slow": "slow",
}
CLAIMED = ("held", "fanned")
WITHIN = 30.0

UNENDED = "status NOT IN ('success', 'failed', 'canceled', 'rejected')"
WRONG = {
    "a space of a run that has ended, or that nobody parked": (
        "SELECT name FROM item WHERE kind IN ('space', 'frozen') AND id NOT IN"
        f" (SELECT h.space FROM hold h JOIN run r ON r.key = h.run WHERE r.{UNENDED} UNION"
        " SELECT h.frozen FROM hold h JOIN run r ON r.key = h.run"
        f" WHERE r.{UNENDED} AND h.frozen IS NOT NULL)"
    ),
    "a run that waits without its space": (
        "SELECT r.id FROM run r JOIN hold h ON h.run = r.key LEFT JOIN item i ON i.id = h.space"
        " WHERE r.status = 'waiting' AND h.settled_at IS NULL AND i.id IS NULL"
    ),
    "a run that waits at no hold or at several": (
        "SELECT id FROM run r WHERE status = 'waiting' AND top IS NULL AND"
        " (SELECT count(*) FROM hold h WHERE h.run = r.key AND h.settled_at IS NULL) <> 1"
    ),
    "a credential of a run that nobody works on": (
        "SELECT r.id FROM token t JOIN run r ON r.key = t.run"
        " WHERE t.revoked_on IS NULL AND r.status NOT IN ('processing', 'canceling')"
    ),
    "a step of an ended run that has not ended": (
        "SELECT r.id FROM step s JOIN run r ON r.key = s.run"
        f" WHERE NOT r.{UNENDED} AND s.status IN ('pending', 'running')"
    ),
    "a run that waits and has a worker": (
        "SELECT id FROM run WHERE status = 'waiting' AND worker IS NOT NULL"
    ),
}


class Front:
    """What is asked in this process, beside a runner elsewhere."""

    def __init__(self, site: Site) -> None:
        self.site = site
        settings = site.settings()
        self.live_world = build(settings)
        self.world = self.live_world.world
        self._app = application(settings, self.live_world)
        self.token = fresh()
        self.world.people.users.add("alice", "digest", Account.REGULAR, None, public=True)
        self.world.people.tokens.mint("alice", "first", digest(self.token))
        self._items: dict[str, int] = {}
        for image in site.scripts:
            self._image(image.removeprefix("image-"), image)
        for name, chain in CHAINS.items():
            self._job(name, chain)

    def _image(self, repo: str, image: str) -> None:
        item = self.world.items.create("repo", "alice", repo)
        number = self.world.code.builds.queue(item.id, ("latest",), "refs/heads/main", "c0ffee", "alice")
        self.world.code.builds.take("nobody")
        self.world.code.builds.finish(number, image)

    def _job(self, name: str, chain: str) -> None:
        place = f"{JOBS}/{name}"
        assert self.ask("PUT", place).status == 201
        assert self.ask("POST", f"{place}/config/chains", chain).status == 200
        if name in CLAIMED:
            assert self.ask("POST", f"{place}/config/access", "repo_ro").status < 300
        found = self.world.items.find("job", "alice", name, "alice")
        assert found is not None
        self._items[name] = found.item.id

    def close(self) -> None:
        self.live_world.close()

    def ask(self, method: str, path: str, body: str | None = None, **headers: str) -> Answer:
        """The answer to one request of alice's."""
        given = [(name.replace("_", "-"), value) for name, value in headers.items()]
        if body is not None and "Content_Type" not in headers:
            given.append(("Content-Type", "text/plain"))
        given.append(("Authorization", f"Bearer {self.token}"))
        return call(self._app, method, path, given, (body or "").encode())

    def trigger(self, job: str) -> Run:
        """A run that was acknowledged."""
        sent = {"Content_Type": "application/json", "Prefer": "respond-async"}
        answer = self.ask("POST", f"{JOBS}/{job}/data", "{}", **sent)
        assert answer.status == 202, answer
        run = self.world.code.runs.reader.get(self._items[job], answer.headers["location"].rpartition("/")[2])
        assert run is not None
        return run

    def post(self, run: Run, name: str, word: str) -> int:
        """The status of the answer to a cancel or to a hold's answer."""
        return self.ask("POST", f"{self.path(run)}/{name}", word).status

    def path(self, run: Run) -> str:
        return f"{JOBS}/{run.origin.rpartition('/')[2]}/runs/{run.id}"

    def now(self, run: Run) -> Run:
        """The run as it stands; one that was acknowledged is there."""
        found = self.world.code.runs.reader.by_key(run.key)
        assert found is not None, f"the run {run.id} is lost"
        return found

    def steps(self, run: Run) -> Any:
        return json.loads(self.ask("GET", f"{self.path(run)}/steps", Accept="application/json").body)

    def log(self, run: Run) -> list[str]:
        return [line.message for line in self.world.code.runs.reader.lines(run.key)]

    def unended(self) -> list[Run]:
        return list(self.world.code.runs.retention.open_runs())

    def parked(self, run: Run) -> dict[str, str]:
        """The files of the open hold of a run that waits."""
        (held,) = [held for held in self.world.code.runs.reader.holds(run.key) if held.settled_at is None]
        found = {}
        for entry in self.world.code.spaces.below(held.space, ""):
            if entry.blob is not None:
                with self.world.blobs.open(entry.blob) as stream:
                    found[entry.path] = stream.read().decode()
        return found

    def settled(self, run: Run, within: float = WITHIN) -> Run:
        """The run once it waits or has ended."""
        self.world.code.runs.waits.wait(
            run.key, lambda status: status.ended or status is Status.WAITING, within
        )
        return self.now(run)

    def nothing_wrong(self, inputs: bool = True) -> None:
        """What must hold at every moment, and what within seconds of it.

        An input that came to a web worker which died then is swept after a day: without `inputs` it may stay.
        """
        for what, query in WRONG.items():
            rows = self.live_world.database.rows(query)
            assert rows == [], f"{what}: {rows}"
        left = until(lambda: self._left(inputs), lambda left: not left, WITHIN)
        assert left == [], left

    def _left(self, inputs: bool) -> list[str]:
        """Containers and folders that no run needs."""
        runs = self.unended()
        at_work = {str(run.key) for run in runs if run.status is not Status.WAITING}
        needed = {f"run-{run.key}" for run in runs} | {run.input for run in runs}
        containers = [path.name for path in self.site.containers.glob("*")]
        kinds = "[!.]*" if inputs else "run-*"
        folders = [path.name for path in Path(self.world.code.folders.root).glob(kinds)]
        return [name for name in containers if name.rpartition(".")[0] not in at_work] + [
            name for name in folders if name not in needed
        ]
