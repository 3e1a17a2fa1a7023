"""A store that speaks S3 and asks for a password, on loopback: SeaweedFS, in a separate process."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote

import obstore
from obstore.exceptions import BaseError

from storage.bytes.object_store import ObjectStore
from tests.kit.processes import free_port

SECONDS = 60.0
KEY, SECRET = "curlew", "the word/of the bucket"
ACTIONS = ["Admin", "Read", "Write", "List", "Tagging"]
MISSING = 'there is no weed: pip install -e ".[test]" brings it'
PORTS = ("master.port", "volume.port", "filer.port", "s3.port")
GRPC = ("master.port.grpc", "volume.port.grpc", "filer.port.grpc", "s3.port.grpc")


class Weed:
    """The server with one bucket; what is in it stays while it is stopped."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "weed"
        self._folder.mkdir()
        self._ports = {name: free_port() for name in (*PORTS, *GRPC)}
        self._process: subprocess.Popen[bytes] | None = None
        identity = {
            "name": KEY,
            "credentials": [{"accessKey": KEY, "secretKey": SECRET}],
            "actions": ACTIONS,
        }
        (self._folder / "s3.json").write_text(json.dumps({"identities": [identity]}))

    def url(self, prefix: str, secret: str = SECRET) -> str:
        endpoint = f"http://127.0.0.1:{self._ports['s3.port']}"
        account = f"{KEY}:{quote(secret, safe='')}"
        return f"s3://{account}@curlew/{prefix}?endpoint={endpoint}&region=us-east-1"

    def start(self) -> None:
        beside = shutil.which("weed", path=str(Path(sys.executable).parent))
        program = beside or shutil.which("weed")
        assert program, MISSING
        ports = [f"-{name}={port}" for name, port in self._ports.items()]
        quiet = [
            "-master.telemetry=false",
            "-s3.port.iceberg=0",
            "-s3.port.lance=0",
            "-master.volumeSizeLimitMB=64",
            "-volume.max=8",
        ]
        quiet += [f"-{part}.localSocket={self._folder / part}.sock" for part in ("filer", "s3")]
        command = [program, "server", f"-dir={self._folder}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1"]
        command += ["-filer", "-s3", f"-s3.config={self._folder / 's3.json'}", *ports, *quiet]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, cwd=self._folder, stdout=log, stderr=log)
        self._await()

    def _await(self) -> None:
        """Have the bucket, which the first object in it makes, as soon as all parts work."""
        until = time.monotonic() + SECONDS
        while True:
            try:
                obstore.put(ObjectStore(self.url("begun"))._store, "x", b"x")
                return
            except (BaseError, OSError) as error:
                if time.monotonic() > until:
                    said = (self._folder / "log").read_text()[-2000:]
                    raise AssertionError(f"SeaweedFS did not start: {error}\n{said}") from error
                time.sleep(0.2)

    def stop(self) -> None:
        if self._process is not None:
            # In order it takes half a minute.
            self._process.kill()
            self._process.wait(SECONDS)
            self._process = None
