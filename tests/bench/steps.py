"""The service's own part of a step: the real runner, book and folders over steps that take no time."""

from __future__ import annotations

import itertools
import threading
import time
from collections import defaultdict
from pathlib import Path

from chains.language.chain import parse
from chains.plan.compiler import compile_chain
from chains.plan.model import ImageSource, Plan
from chains.runs.records import Order
from handlers.processes.runner import runner_of
from handlers.processes.world import LiveWorld, build
from handlers.settings.settings import Settings
from tests.bench.figures import in_turn
from tests.kit.fake_engine import FakeBuilder, FakeEngine

MANY = 21
SECONDS = 60.0


class EmptyWorld:
    """A runner at work over scripted steps, and a job to run on it."""

    def __init__(self, live_world: LiveWorld) -> None:
        self._live_world = live_world
        self._numbers = itertools.count(1)
        with live_world.world.atomic():
            self._job = live_world.world.items.create("job", "alice", "bench").id
            self._repo = live_world.world.items.create("repo", "alice", "noop").id

    def seconds(self, wanted: Plan) -> float:
        """From a run's order to its end."""
        runs, folders = self._live_world.world.code.runs, self._live_world.world.code.folders
        name = folders.new()
        number = next(self._numbers)
        began = time.perf_counter()
        run = runs.queue.submit(Order(self._job, f"run-{number}", "api", "bench", "alice", wanted, name))
        status = runs.waits.wait(run.key, lambda status: status.ended, SECONDS)
        taken = time.perf_counter() - began
        if status != "success":
            raise SystemExit(f"a run over scripted steps ended as {status}")
        return taken

    def plan(self, steps: int) -> Plan:
        """A chain of this number of steps, one after the other."""
        image = ImageSource("alice", "noop", "latest", "noop", None, self._repo)
        labels = [f"s{number}" for number in range(steps)]
        text = (
            "".join(f"{label} <- noop\n" for label in labels) + " -> ".join(labels) if steps > 1 else "noop"
        )
        return compile_chain(parse(text), defaultdict(lambda: image))


def own_part(rounds: int, scratch: Path) -> float:
    """Seconds that one more step of a chain costs, everything recorded on SQLite."""
    settings = Settings(data=str(scratch / "steps"))
    live_world = build(settings)
    stop, ready = threading.Event(), threading.Event()
    runner = runner_of(settings, live_world, FakeEngine({"noop": {}}), FakeBuilder({}))
    thread = threading.Thread(target=runner.loop, args=(stop, ready.set))
    thread.start()
    try:
        ready.wait(SECONDS)
        empty_world = EmptyWorld(live_world)
        one, many = empty_world.plan(1), empty_world.plan(MANY)
        empty_world.seconds(many)
        long, short = in_turn(4 * rounds, lambda: empty_world.seconds(many), lambda: empty_world.seconds(one))
    finally:
        stop.set()
        thread.join()
        live_world.close()
    return (long - short) / (MANY - 1)
