"""A part of a fake cluster as a separate process, which can be killed: a worker, or a scheduler."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from chains.dask.scheduler import Certificates, make_scheduler, serve
from chains.dask.step_host import StepHost
from chains.dask.worker import drain, make_worker
from chains.engine.port import EngineAway, Handle, StepSpec
from chains.sharing.run_files import KeptRunFiles
from chains.sharing.shared_images import LocalImages
from storage.bytes.blobs import FileBlobs
from storage.bytes.seal import AesSeal
from tests.kit.clocks import WallClock
from tests.kit.fake_engine import FakeEngine, Images

IMAGES: Images = {"image": {}, "image-a": {"ECHO": "on", "COPY": ""}}
SCRIPTS = "scripts.json"
"""The file in the folder of a cluster that has other images, by id."""
DRAIN = 4.0


class LedgerEngine(FakeEngine):
    """A fake engine that writes down what begins; a step with `SLOW` takes these seconds to be prepared."""

    def __init__(self, folder: Path) -> None:
        scripts = folder.parent / SCRIPTS
        images = json.loads(scripts.read_text()) if scripts.exists() else IMAGES
        super().__init__(images, folder / "containers")
        folder.mkdir(exist_ok=True)
        self._ledger = folder.parent / "begun"

    def prepare(self, spec: StepSpec) -> Handle:
        """As Engine.prepare."""
        handle = super().prepare(spec)
        (self._ledger.parent / "prepared").touch()
        time.sleep(float(spec.env.get("SLOW", "0")))
        return handle

    def start(self, handle: Handle) -> None:
        """As Engine.start."""
        with self._ledger.open("a") as file:
            file.write(f"{handle.spec.run}\n")
        super().start(handle)


def begun(folder: Path) -> list[str]:
    """The runs whose steps were begun, one for each time, by any worker below a folder."""
    ledger = folder / "begun"
    return ledger.read_text().split() if ledger.exists() else []


@contextmanager
def part(
    folder: Path, kind: str, address: str, name: str = "part", *inside: str
) -> Iterator[subprocess.Popen[str]]:
    """A process that is a `worker` or a `scheduler` of the cluster whose certificates lie below a folder.

    `inside` are the words of a command that starts it somewhere else.
    """
    words = [*inside, sys.executable, "-m", "tests.kit.dask.parts", kind, str(folder), address, name]
    root = Path(__file__).parents[3]
    with (
        (folder / f"{name}.log").open("w") as log,
        subprocess.Popen(
            words,
            cwd=root,
            env={**os.environ, "PYTHONPATH": str(root)},
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        ) as process,
    ):
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n", (folder / f"{name}.log").read_text()
            yield process
        finally:
            process.send_signal(signal.SIGCONT)
            process.kill()


def main(kind: str, folder: Path, address: str, name: str) -> None:
    """Be the part until SIGTERM."""
    tls = folder / "tls"
    certificates = Certificates(tls / "ca.pem", tls / "own.pem", tls / "own.key")
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    ready = partial(print, "ready", flush=True)
    try:
        if kind == "scheduler":
            serve(partial(make_scheduler, address, certificates), stop, ready)
            return
        files = KeptRunFiles(FileBlobs(f"osfs://{folder / 'blobs'}", WallClock()))
        own = folder / name
        own.mkdir(exist_ok=True)
        host = StepHost(LedgerEngine(own), LocalImages(), files, AesSeal(bytes(32)), own / "steps")
        make = partial(make_worker, address, certificates, host, name=name, slots=8, memory=1 << 36)
        serve(make, stop, ready, partial(drain, seconds=DRAIN))
    except EngineAway as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
