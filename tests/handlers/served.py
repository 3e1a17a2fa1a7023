"""A program that serves the stand-in kernel under gunicorn, for tests with real sockets: its address goes to
stdout.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from handlers.accesslog import AccessLog, into
from handlers.server import Options, Server
from handlers.wsgi import App
from tests.handlers.standins import Anyone, Kernel, Stage

THREADS = 24
SLOTS = 16


def main(folder: Path) -> None:
    """Serve until SIGTERM; the access log, and a file for each end of a worker, go into the folder."""
    log = os.open(folder / "access.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def load() -> App:
        world = Stage()
        uploads = folder / "uploads"
        uploads.mkdir()
        kernel = Kernel(world, uploads)
        ref = world.blobs.add([b"0123456789" * 50_000], "application/octet-stream")
        kernel.blob = ref
        return App(
            kernel,
            world,
            Anyone(),
            AccessLog(into(log)),
            slow=lambda call: call.path[-1] == "hold",
            slots=SLOTS,
        )

    options = Options(
        "127.0.0.1:0",
        workers=1,
        threads=THREADS,
        graceful=20,
        started=lambda addresses: os.write(1, "\n".join([*addresses, ""]).encode()),
        worker_begins=(folder / "begun").touch,
        worker_ends=(folder / "ended").touch,
    )
    Server(load, options).run()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
