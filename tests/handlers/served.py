"""A program that serves the small kernel under gunicorn, for tests with real sockets; prints its address."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from handlers.http import kernel as neighbours
from handlers.http.access_log import AccessLog, into
from handlers.http.wsgi import App
from handlers.identity.token_uses import TokenUses
from handlers.rules.shared_limit import room_of
from handlers.server.limits import ClientLimits
from handlers.server.server import Server, ServerOptions
from storage.bytes.blobs import FileBlobs
from tests.handlers.small_kernel import Anyone, Kernel, Stage
from tests.kit.suites.kernel import StillClock
from vfs.access import Caller, Verb

THREADS = 24
SLOTS = 16
UPLOADS = 6


class Using(Anyone):
    """Identifies everybody alike, and records each use into a file."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._file = file
        self._uses = TokenUses(self, StillClock(), every=3600)  # type: ignore[arg-type]

    def caller(self, headers: Mapping[str, Any], verb: Verb | None, path: Any, **where: str) -> Caller:
        self._uses.record(1, str(path), StillClock().now())
        return super().caller(headers, verb, path, **where)

    def record_uses(self, uses: Sequence[tuple[int, str, str]]) -> None:
        self._file.write_text("".join(f"{what}\n" for _, _, what in uses))


def main(folder: Path, silence: int, bind: str) -> None:
    """Serve until SIGTERM; the access log, and a file for each end of a worker, go into the folder."""
    log = os.open(folder / "access.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def load() -> App:
        world = Stage()
        world.blobs = FileBlobs(f"osfs://{folder}/blobs", world.clock)  # type: ignore[assignment]
        uploads = folder / "uploads"
        uploads.mkdir(exist_ok=True)
        kernel = Kernel(world, uploads)
        ref = world.blobs.add([b"0123456789" * 50_000], "application/octet-stream")
        kernel.blob = ref
        return App(
            neighbours.Kernel(kernel),
            world,
            Using(folder / "uses"),
            AccessLog(into(log)),
            room=room_of(SLOTS),
        )

    options = ServerOptions(
        bind,
        workers=1,
        threads=THREADS,
        graceful=20,
        limits=ClientLimits(head=silence, body=silence, silence=silence, uploads=UPLOADS, readers=UPLOADS),
        started=lambda addresses: os.write(1, "\n".join([*addresses, ""]).encode()),
        worker_begins=(folder / "begun").touch,
        worker_ends=(folder / "ended").touch,
    )
    Server(load, options).run()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
