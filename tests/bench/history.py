"""Rows f3 to f5: the whole history of a job with 100,000 runs, against a bare fetch of the same rows."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

from storage.database.database import Database
from storage.runs.reader import PAST
from tests.bench.figures import Figure, in_turn
from tests.kit.command import Service, serving
from tests.kit.processes import PROC, processor_seconds, tree
from tests.kit.suites.kernel import StillClock
from vfs.ports.clock import stamp

RUNS = 100_000
PATH = "/v1/code/jobs/busy/stats/runs"
ROWS = ("f3", "f4", "f5")
INSERT = (
    "INSERT INTO run (job, id, shortname, status, trigger, source, caller, created_on, started_on,"
    " completed_on, duration, lines, discarded, spaces)"
    " VALUES (:job, :id, :shortname, :status, :trigger, 'curl', 'alice', :start, :start,"
    " :end, :took, 0, FALSE, '')"
)


def measure(rows: set[str], rounds: int, scratch: Path) -> Iterator[Figure]:
    """The rows that are asked for."""
    if not rows & set(ROWS):
        return
    with serving("web", scratch / "history", WORKERS="1") as service:
        alice = service.user("alice")
        service.want("PUT", "/v1/code/jobs/busy", alice)
        settle(service.folder / "curlew.db")
        service.want("GET", "/v1/code/jobs/busy/runs", alice)
        idle = peak(service)
        data, text, bare = in_turn(
            rounds,
            lambda: read(service, alice, "application/json"),
            lambda: read(service, alice, "text/plain"),
            lambda: fetch(service.folder / "curlew.db"),
        )
        used = (peak(service) - idle) / (1 << 20)
    for name, form, ours in (("f3", "as JSON", data), ("f4", "as a table", text)):
        if name in rows:
            what = f"history of {RUNS:,} runs, {form} : a bare fetch of the same rows, processor time"
            yield Figure(name, what, ours * 1000, bare * 1000, bound=1.6)
    if "f5" in rows:
        what = f"memory that a history of {RUNS:,} runs takes over idle"
        yield Figure("f5", what, used, unit="MiB", bound=64)


def settle(path: Path) -> None:
    """Runs of the one job, one a minute."""
    database = Database(f"sqlite:///{path}")
    ((job,),) = database.rows("SELECT id FROM item WHERE kind = 'job'")
    database.many(INSERT, [row(job, number) for number in range(RUNS)])
    database.close()


def row(job: int, number: int) -> dict[str, object]:
    """A run that took some seconds."""
    start = StillClock().now() + timedelta(minutes=number)
    took = timedelta(milliseconds=number * 37 % 90_000)
    status, trigger = "success" if number % 5 else "failed", ("api", "schedule")[number % 2]
    id = f"{start:%Y%m%d-%H%M%S}-{number:08x}"
    return {
        "job": job,
        "id": id,
        "shortname": f"bench{number}",
        "status": status,
        "trigger": trigger,
        "start": stamp(start),
        "end": stamp(start + took),
        "took": f"{took.total_seconds():.2f}",
    }


def read(service: Service, token: str, accept: str) -> float:
    """Processor time of the service for a whole history, sent over HTTP."""
    began = processor_seconds(service.pid)
    status, said = service.ask("GET", PATH, token, accept=accept)
    if status != 200 or said.count(b"\n") < RUNS:
        raise SystemExit(f"the history was answered with {status} and {len(said)} bytes")
    return processor_seconds(service.pid) - began


def fetch(path: Path) -> float:
    """Processor time of the driver alone for the same rows."""
    job = "SELECT id FROM item WHERE kind = 'job'"
    with closing(sqlite3.connect(path)) as connection:
        began = time.process_time()
        rows = connection.execute(
            PAST.replace("job = :job", f"job = ({job})"), {"before": 1 << 62, "most": RUNS}
        ).fetchall()
        took = time.process_time() - began
    if len(rows) != RUNS:
        raise SystemExit(f"the floor has {len(rows)} rows")
    return took


def peak(service: Service) -> int:
    """Bytes that the processes of a service have held at most, together (VmHWM)."""
    lines = (
        line for pid in tree(service.pid) for line in (PROC / str(pid) / "status").read_text().splitlines()
    )
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM"))
