"""`make load`: many clients for some minutes on a separate server, and whether it stays as it was.

It ends with 1 where an answer was 5xx, a connection was refused or broke, or a process grew beyond its bound.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.error import HTTPError

from handlers.words.tables import table
from tests.kit.counting.machine import machine
from tests.kit.server import Server, serving
from tests.kit.wire.event_clients import listening
from tests.load.clients import LoadClient
from tests.load.memory import MIB, Process, Sizes, grown, sizes
from tests.load.tally import BROKEN, REFUSED, Tally

USERS, LISTENERS = 6, 4
USUAL_SECONDS, USUAL_CLIENTS = 600.0, 24
ATTEMPTS = 20
WARMING = 0.1
"""Part of the time before the first look at memory: by then everything was done once."""
SCRIPTED = "FROM scratch\nENV WRITE=counts.txt=3 birds\n"
REAL = 'FROM localhost/busybox:latest\nCMD ["sh", "-c", "echo 3 birds > /output/counts.txt"]\n'
HEADS = ("kind", "requests", "a second", "p50 ms", "p99 ms", "4xx", "5xx")


def main() -> int:
    """Load, and print what was seen; the exit code."""
    chosen = arguments()
    print(f"{machine()}; load {os.getloadavg()[0]:.1f} at the start.", flush=True)
    with tempfile.TemporaryDirectory(prefix="curlew-load-") as scratch, _logged(Path(scratch) / "log") as log:
        podman = {"CURLEW_NETWORK": "none"} if chosen.podman else {}
        with serving(
            Path(scratch) / "data", podman=chosen.podman, forked=True, CURLEW_WORKERS="2", **podman
        ) as server:
            populate(server, Path(scratch), REAL if chosen.podman else SCRIPTED)
            tally, seen = load(server, chosen.seconds, chosen.clients)
        wrong = judge(tally, seen)
        report(tally, seen, chosen.seconds)
        if wrong:
            print("\n".join(["", *wrong, "", *log.read_text().splitlines()[-20:]]))
    print("\nno trouble" if not wrong else "")
    return 1 if wrong else 0


@contextmanager
def _logged(file: Path) -> Iterator[Path]:
    """Have what the processes of the service say in a file meanwhile."""
    kept = os.dup(2)
    with file.open("wb") as log:
        os.dup2(log.fileno(), 2)
    try:
        yield file
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def populate(server: Server, scratch: Path, recipe: str) -> None:
    """Users, each with a plot and a job that runs an image."""
    for number in range(USERS):
        name = f"user{number}"
        server.add(name)
        server.ask("PUT", "vis/plots/load", who=name)
        server.ask("POST", "vis/plots/load/data", b"month,birds\n1,3\n", who=name)
        server.ask("PUT", "code/repos/count", who=name)
        server.push(name, "count", {"Containerfile": recipe}, scratch / name)
        server.ask("PUT", "code/jobs/load", who=name)
        server.ask("POST", "code/jobs/load/config/chains", b"count", who=name)
        _draw_first(server, name)


def _draw_first(server: Server, name: str) -> None:
    """Have a plot drawn; the first caller may have to come again, while the drawing code is loaded."""
    for _ in range(ATTEMPTS):
        try:
            server.ask("GET", "vis/plots/load/files/plot.svg", who=name)
            return
        except HTTPError as refused:
            time.sleep(float(refused.headers.get("Retry-After", 1)))
    raise SystemExit("nothing was drawn")


def load(server: Server, seconds: float, clients: int) -> tuple[Tally, list[Sizes]]:
    """Have clients send requests for some seconds; what they saw, and the memory at three moments."""
    port = int(server.origin.rpartition(":")[2])
    warm, counted, over = Tally(), Tally(), threading.Event()
    names = sorted(server.tokens)
    dice = random.Random(2026)
    asking = [
        LoadClient(port, name, server.tokens[name], warm, random.Random(dice.random()))
        for name in (names[number % USERS] for number in range(clients))
    ]
    threads = [threading.Thread(target=one.work, args=(over,), name="client") for one in asking]
    with ExitStack() as stack:
        for name in names[:LISTENERS]:
            head = {"Authorization": f"Bearer {server.tokens[name]}"}
            event_client = stack.enter_context(listening(server.origin, "/*", headers=head))
            event_client.client.on("event", counted.note_event)
        for thread in threads:
            thread.start()
        time.sleep(seconds * WARMING)
        for one in asking:
            one.tally = counted
        seen = list(_looks(seconds))
        over.set()
        for thread in threads:
            thread.join()
    return counted, seen


def _looks(seconds: float) -> Iterator[Sizes]:
    """The memory at the start, the middle and the end of this time."""
    yield sizes(os.getpid())
    for _ in range(2):
        time.sleep(seconds / 2)
        yield sizes(os.getpid())


def judge(tally: Tally, seen: list[Sizes]) -> list[str]:
    """What went wrong, in sentences."""
    wrong = [f"{row.failed} answers to {row.kind} were 5xx" for row in tally.rows() if row.failed]
    wrong += [f"{row.refused} answers to {row.kind} were 4xx" for row in tally.rows() if row.refused]
    wrong += [f"{number} requests were not answered, {word}" for word, number in tally.troubles.items()]
    wrong += grown(*seen[1:])
    return wrong if tally.events else [*wrong, "no listener received an event"]


def report(tally: Tally, seen: list[Sizes], seconds: float) -> None:
    """Print the tables."""
    print(table(HEADS, [row.cells(seconds) for row in tally.rows()]))
    print(f"refused connections: {tally.count(REFUSED)}; broken: {tally.count(BROKEN)}; "
          f"events that {LISTENERS} listeners received: {tally.events:,}\n")  # fmt: skip
    processes: Mapping[Process, None] = dict.fromkeys(process for sizes in seen for process in sizes)
    heads = ("process", "pid", "start MiB", "middle MiB", "end MiB")
    rows = [(one.name, one.pid, *(_mebibytes(sizes, one) for sizes in seen)) for one in processes]
    print(table(heads, rows))


def _mebibytes(sizes: Sizes, process: Process) -> str:
    return f"{sizes[process] / MIB:.1f}" if process in sizes else "-"


def arguments() -> argparse.Namespace:
    """What was typed."""
    parser = argparse.ArgumentParser(prog="make load", description=__doc__)
    parser.add_argument("--seconds", type=float, default=USUAL_SECONDS, help="how long (default 600)")
    parser.add_argument("--clients", type=int, default=USUAL_CLIENTS, help="how many at once (default 24)")
    parser.add_argument("--podman", action="store_true", help="with real containers, as root")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
