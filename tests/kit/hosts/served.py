"""Two web servers behind nginx and a runner on a third host, as the published clients are pointed at one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from handlers.settings.settings import Settings
from tests.kit.hosts.shared import settings_at, shared_parts
from tests.kit.hosts.webs import Webs, two_webs
from tests.kit.postgres import Postgres
from tests.kit.processes import own
from tests.kit.server import RUNNER, Server, program, rendering
from tests.kit.world import migrate


class SharedServer(Server):
    """The front of several hosts; `folder` is the data folder of the runner's."""

    def __init__(self, webs: Webs) -> None:
        super().__init__(webs.folder / "runner", webs.port)
        self.webs = webs

    @property
    def settings(self) -> Settings:
        """The settings of a process on the runner's host."""
        return settings_at(self.folder, self.webs.shared)


@contextmanager
def serving_by_two(folder: Path, postgres: Postgres) -> Iterator[SharedServer]:
    """The servers, with scripted steps; each draws for itself, and both answer about as often."""
    with (
        shared_parts(folder, postgres, migrate) as shared,
        two_webs(folder, shared, rendering) as webs,
    ):
        server = SharedServer(webs)
        bind = {"BIND": f"127.0.0.1:{webs.port}"}
        with program(["-P", str(RUNNER), str(server.folder)], **own({**webs.shared, **bind})):
            yield server
        webs.require_turns()
