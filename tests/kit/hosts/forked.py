"""Commands of ours as forks of a process that has read their modules, which begins them ten times as fast."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

import handlers.processes.web
import handlers.server.server  # noqa: F401 - what the command reads only when it runs
from handlers.__main__ import main
from handlers.commands.child_processes import READY
from tests.kit.unmeasured import processes, start

STOPS_WITHIN = 60.0


@contextmanager
def forked(command: str, log: Path, settings: Mapping[str, str]) -> Iterator[BaseProcess]:
    """`curlew COMMAND` with these settings alone; ended in order at the end."""
    kept = {name: word for name, word in os.environ.items() if not name.startswith("CURLEW_")}
    process = processes.Process(target=_be, args=([command], {**kept, **settings}, str(log)))
    start(process)
    try:
        yield process
    finally:
        end(process)


def begin(words: Sequence[str], environ: Mapping[str, str]) -> BaseProcess:
    """`curlew` with these words and this environment alone, once it is ready; `end` ends it."""
    heard, say = processes.Pipe(duplex=False)
    process = processes.Process(target=_be, args=([*words], dict(environ), "", say))
    start(process)
    say.close()
    with os.fdopen(os.dup(heard.fileno())) as pipe:
        assert pipe.readline(), f"{words} ended before it was ready"
    heard.close()
    return process


def end(process: BaseProcess) -> None:
    """End a process in order."""
    process.terminate()
    process.join(STOPS_WITHIN)
    if process.is_alive():
        process.kill()
        process.join()


def _be(words: list[str], environ: dict[str, str], log: str, say: Connection | None = None) -> None:
    """Be the command, as the program is that a shell starts."""
    if log:
        with open(log, "ab") as lines:
            for stream in (1, 2):
                os.dup2(lines.fileno(), stream)
    if say is not None:
        environ[READY] = str(say.fileno())
    os.environ.clear()
    os.environ.update(environ)
    sys.argv = ["curlew", *words]
    main()
