"""The post-receive program of the tests: the real hook over a database and a runner in a thread."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from chains.builds.bases import OfferedImages
from chains.builds.build import build_one
from chains.engine.port import BuildOrder, Image
from handlers.processes.post_receive import PushWorld, main
from storage.git.repositories import GitRepositories
from storage.runs.builds import StoredBuilds
from tests.handlers.git_server import hosted
from tests.kit.fake_engine import FakeBuilder
from tests.kit.suites.kernel import StillClock
from tests.kit.world import CommitSignal, sqlite_in


class GatedBuilder(FakeBuilder):
    """Waits for the test before it builds what a branch named `gated` brings."""

    def __init__(self, gate: Path) -> None:
        super().__init__({})
        self.gate = gate

    def build(self, order: BuildOrder, tell: Callable[[str], None]) -> Image:
        """As Builder.build; blocks until the test has closed its end of a pipe."""
        if order.tag.endswith(":gated"):
            tell("at the gate")
            self.gate.read_bytes()
        return super().build(order, tell)


class WorkedBuilds(StoredBuilds):
    """A book whose builds are built at once."""

    def __init__(self, repositories: GitRepositories, folder: Path) -> None:
        database = sqlite_in(folder)
        super().__init__(database, CommitSignal(database), StillClock())
        self.repositories = repositories
        self.folder = folder

    def queue(
        self,
        repo: int,
        labels: Sequence[str],
        ref: str,
        commit: str,
        by: str,
        refs: Mapping[str, str] | None = None,
    ) -> int:
        """As Builds.queue."""
        number = super().queue(repo, labels, ref, commit, by, refs)
        threading.Thread(target=self.work, daemon=True).start()
        return number

    def work(self) -> None:
        """Build what is queued."""
        if build := self.take("runner"):
            builder = GatedBuilder(self.folder / "gate")
            build_one(
                build, self.repositories, lambda *_: None, builder, self, OfferedImages("base"), self.folder
            )


def open_world(environ: Mapping[str, str]) -> PushWorld:
    """The world of one push; repo 2 is of type `code`."""
    folder = Path(environ["CURLEW_DATA"])
    repositories = hosted(folder)
    return PushWorld(repositories, WorkedBuilds(repositories, folder), lambda repo: repo == 1)


if __name__ == "__main__":
    sys.exit(main(open_world, os.environ, sys.stdin.buffer))
