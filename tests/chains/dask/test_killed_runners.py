"""A runner killed at any moment of steps on a worker: the next one settles it, and nothing begins twice."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from chains.dask.engine import DaskEngine
from chains.dask.scheduler import Certificates
from chains.engine.port import Engine
from chains.runs.states import Status
from chains.sharing.run_files import KeptRunFiles
from chains.sharing.shared_images import LocalImages
from storage.bytes.blobs import FileBlobs
from storage.bytes.seal import AesSeal
from tests.chains.runner.test_crash import PLAN, SEED, at_sqlite, check, live, prepare, recover
from tests.kit.clocks import WallClock, until
from tests.kit.crashing import SCRIPTS as STEPS
from tests.kit.crashing import Site
from tests.kit.dask.certificates import make_certificates
from tests.kit.dask.parts import SCRIPTS, begun, part
from tests.kit.processes import free_port

pytestmark = pytest.mark.repeats


@dataclass(frozen=True)
class DaskAt:
    """Where a scheduler is, and the files that its cluster shares."""

    address: str
    certificates: Certificates
    folder: Path

    def opened(self) -> Engine:
        files = KeptRunFiles(FileBlobs(f"osfs://{self.folder}/blobs", WallClock()))
        return DaskEngine(self.address, self.certificates, LocalImages(), files, AesSeal(bytes(32)), str)

    def containers(self) -> list[str]:
        """What is left on the worker."""
        return [path.name for path in (self.folder / "worker" / "containers").glob("*")]


@pytest.fixture
def far(tmp_path: Path) -> Iterator[DaskAt]:
    folder, address = tmp_path / "cluster", f"tls://127.0.0.1:{free_port()}"
    certificates = make_certificates(folder / "tls")
    (folder / SCRIPTS).write_text(json.dumps(STEPS))
    with ExitStack() as stack:
        for kind in ("scheduler", "worker"):
            stack.enter_context(part(folder, kind, address, kind))
        yield DaskAt(address, certificates, folder)


def test_a_runner_killed_at_events_and_at_random_moments_begins_nothing_twice(
    far: DaskAt, tmp_path: Path
) -> None:
    prepare(f"sqlite:///{tmp_path}/curlew.db")
    dice = random.Random(SEED)
    kills: list[tuple[int | None, float | None]] = [(death, None) for death in range(3, 11)]
    kills += [(None, dice.uniform(1.0, 5.0)) for _ in range(5)]
    ends, seen = set[Status](), 0
    for number, (death, moment) in enumerate(kills):
        site = at_sqlite(tmp_path / "curlew.db", tmp_path / str(number))
        with Site(site.url, site.folder, far).opened() as opened:
            run = opened.order(PLAN)
            live(opened.site, death, moment)
            # What it ordered and has begun is ended by the worker, which hears that the runner is gone.
            assert until(far.containers, lambda left: not left) == []
            there = len(begun(far.folder)) - seen
            was_taken = opened.run_store.reader.by_key(run.key).worker is not None  # type: ignore[union-attr]
            run = recover(opened, run)
            check(opened, run)
            assert run.status in (Status.SUCCESS, Status.FAILED)
            steps = len(begun(far.folder)) - seen
            assert steps == (there if was_taken else 2), "what a runner took is begun by no other"
            assert steps == 2 or run.status is Status.FAILED
            assert until(far.containers, lambda left: not left) == []
            ends.add(run.status)
            seen += steps
    assert ends == {Status.SUCCESS, Status.FAILED}
