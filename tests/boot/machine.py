"""A machine that boots in a container of systemd-nspawn: its files, its life, and commands in it."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.kit.sources import ROOT

BASE = ("systemd", "systemd-sysv", "dbus", "procps", "python3", "skopeo", "util-linux")
DATA = "/v1/vis/plots/p1/data"
ADDRESS = "127.0.0.1:8000"
UNITS = ("curlew-web.socket", "curlew-web", "curlew-render", "curlew-runner")
CLIENTS = "6"
SETTLE = 6.0


class Met(NamedTuple):
    """Results of requests by kind, the seconds of the slowest, and the longest time without an answer."""

    answers: Mapping[str, int]
    slowest: float
    gap: float


class Machine:
    """A machine that was booted; commands run in it as root."""

    def __init__(self, init: int) -> None:
        self._inside = ["nsenter", "-t", str(init), "-m", "-u", "-i", "-n", "-p", "-r", "-w"]

    def run(self, script: str, given: str = "") -> str:
        """What a script of its shell prints; ends everything where it fails."""
        words = [*self._inside, "sh", "-ec", script]
        found = subprocess.run(words, text=True, capture_output=True, check=False, input=given)
        if found.returncode:
            sys.exit(f"boot: {script!r} ended with {found.returncode}:\n{found.stdout}{found.stderr}")
        return found.stdout.strip()

    def load_during(self, token: str, script: str, name: str, enough: int = 0) -> Met:
        """The results of the requests of clients while a script runs, repeated until there are `enough`."""
        words = [*self._inside, "python3", "/load.py", ADDRESS, DATA, token, CLIENTS, str(enough)]
        took = []
        with subprocess.Popen(words, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as clients:
            assert clients.stdout is not None
            time.sleep(SETTLE)
            while not took or not select.select([clients.stdout], [], [], 0)[0]:
                began = time.monotonic()
                self.run(script)
                took.append(time.monotonic() - began)
                time.sleep(SETTLE)
            said, _ = clients.communicate()
        found = json.loads(said.splitlines()[-1])
        silence = f", longest time without an answer {found['gap']} s" if found["gap"] else ""
        times = f"{len(took)} times, at most {max(took):.1f} s"
        tell(f"{name}: {times}; slowest request {found['slowest']} s{silence}; {found['met']}")
        return Met(found["met"], found["slowest"], found["gap"])


def tell(sentence: str) -> None:
    print(f"boot: {sentence}", flush=True)


def make_root(folder: Path) -> Path:
    """The files of a machine with the packages that Curlew needs, and Curlew's own beside."""
    command = [ROOT / "deploy" / "install-packages.sh", "list"]
    packages = [*BASE, *subprocess.run(command, text=True, capture_output=True, check=True).stdout.split()]
    root, making = folder / "root", ("mmdebstrap", "--quiet", "--variant=minbase")
    subprocess.run([*making, f"--include={','.join(packages)}", codename(), root], check=True)
    package = [ROOT / "deploy" / "package.sh", sys.executable, folder]
    subprocess.run(package, check=True)
    shutil.copy(next(folder.glob("curlew_*.deb")), root / "curlew.deb")
    shutil.copy(ROOT / "tests" / "boot" / "load.py", root / "load.py")
    return root


def codename() -> str:
    lines = Path("/etc/os-release").read_text().splitlines()
    return next(line.partition("=")[2] for line in lines if line.startswith("VERSION_CODENAME="))


@contextmanager
def booted(root: Path) -> Iterator[Machine]:
    """Boot it, with all that Podman needs inside."""
    words = [
        *("systemd-nspawn", "-q", "-D", str(root), "--register=no", "--keep-unit", "-b", "--private-network"),
        *("--console=read-only", "--capability=all", "--system-call-filter=@keyring @sandbox bpf @mount"),
    ]
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    environ = {**os.environ, "SYSTEMD_NSPAWN_API_VFS_WRITABLE": "yes"}
    with subprocess.Popen(words, env=environ, **quiet) as nspawn:
        machine = Machine(await_init(nspawn.pid))
        try:
            machine.run("systemctl is-system-running --wait || true")
            machine.run(
                "for group in /sys/fs/cgroup /sys/fs/cgroup/*/; do mount -o remount,bind,rw $group; done"
            )
            yield machine
        finally:
            nspawn.terminate()
            try:
                nspawn.wait(30)
            except subprocess.TimeoutExpired:
                nspawn.kill()


def await_init(parent: int) -> int:
    """The first process of the machine that a process of this one boots."""
    for _ in range(300):
        time.sleep(0.1)
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        if any(Path(f"/proc/{child}/comm").read_text() == "systemd\n" for child in children):
            time.sleep(1)
            return int(children[0])
    sys.exit("boot: the machine does not boot")
