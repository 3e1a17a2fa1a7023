"""Rows h1 and h2: a thousand steps over the slots of several workers, and what a worker costs a step."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median

from chains.engine.port import Engine, StepSpec
from tests.bench.figures import Figure
from tests.kit.dask.fakes import FakeCluster
from tests.kit.dask.parts import part
from tests.kit.fake_engine import FakeEngine

ROWS = ("h1", "h2")
WORKERS, SLOTS, STEPS, SECONDS = 4, 32, 1000, 1.0
SINGLE = 40


def measure(rows: set[str], rounds: int, scratch: Path) -> Iterator[Figure]:
    """The rows that are asked for; steps sleep in threads of the workers, without containers."""
    if not rows & set(ROWS):
        return
    folder = scratch / "hosts"
    folder.mkdir()
    with FakeCluster(folder) as cluster, ExitStack() as workers:
        for number in range(WORKERS):
            workers.enter_context(part(folder, "worker", cluster.address, f"worker-{number}"))
        engine = cluster.engine(patience=60)
        workers.callback(engine.close)
        play = partial(_play, engine)
        play(cluster.spec())
        if "h1" in rows:
            ideal = STEPS * SECONDS / SLOTS
            took = _together(play, [cluster.spec(SLEEP=str(SECONDS)) for _ in range(STEPS)])
            what = f"{STEPS:,} steps of {SECONDS:g} s over {SLOTS} slots of {WORKERS} workers : ideal"
            yield Figure("h1", what, took, ideal, "s", bound=1.1)
        if "h2" in rows:
            far = [play(cluster.spec(ECHO="x", WRITE="x=1")) for _ in range(SINGLE * rounds)]
            local = FakeEngine(cluster.fake_images)
            near = [_play(local, cluster.spec(ECHO="x", WRITE="x=1")) for _ in range(SINGLE * rounds)]
            more = (median(far) - median(near)) * 1000
            yield Figure("h2", "a step on a worker : what it takes more than on this host", more, bound=50)


def _together(play: partial[float], specs: list[StepSpec]) -> float:
    """Seconds of all steps, as many at once as there are slots."""
    began = time.perf_counter()
    with ThreadPoolExecutor(SLOTS) as pool:
        for _ in pool.map(play, specs):
            pass
    return time.perf_counter() - began


def _play(engine: Engine, spec: StepSpec) -> float:
    """Seconds of one step from its preparation to its removal. Raises RuntimeError when it fails."""
    began = time.perf_counter()
    handle = engine.prepare(spec)
    engine.start(handle)
    if not engine.wait(handle, lambda line: None).succeeded:
        raise RuntimeError("a step that was measured failed")
    engine.remove(handle)
    return time.perf_counter() - began
