"""`make boot`: an installation on a machine that boots, with real systemd in a container of systemd-nspawn.

It is installed from the Debian package, used over HTTP, killed, restarted and updated under load, and taken
away. Beside each trial it is said what became of the requests. As root; it has the Debian of this machine.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.kit.sources import ROOT

PROGRAMS = {"systemd-nspawn": "systemd-container", "mmdebstrap": "mmdebstrap", "nsenter": "util-linux"}
BASE = ("systemd", "systemd-sysv", "dbus", "procps", "python3", "util-linux")
DATA = "/v1/vis/plots/p1/data"
ADDRESS = "127.0.0.1:8000"
MASTER = "$(systemctl show -P MainPID curlew-web)"
UNITS = ("curlew-web.socket", "curlew-web", "curlew-render", "curlew-runner")
AWAIT = (
    f"for _ in $(seq 60); do systemctl is-active --quiet {' '.join(UNITS)} && "
    f'test "$(curl -s http://{ADDRESS}/readyz)" = pass && exit 0; sleep 1; done; exit 1'
)
# What cuts connections off; all else may fail no request at all.
KILLS = {"kill of the web": f"kill -9 {MASTER}", "kill of a worker": f"pkill -9 -o -P {MASTER}"}
CUT = {"ConnectionResetError", "RemoteDisconnected", "BrokenPipeError", "IncompleteRead"}
ORDERLY = {
    "restart": "systemctl restart curlew-web",
    "reload": "systemctl reload curlew-web; sleep 5",
    "end of a worker": f"pkill -TERM -o -P {MASTER}; sleep 3",
    "update": "dpkg -i /curlew.deb",
}
CLIENTS = "6"
SETTLE = 3.0


class Machine:
    """A machine that was booted; commands run in it as root."""

    def __init__(self, init: int) -> None:
        self._inside = ["nsenter", "-t", str(init), "-m", "-u", "-i", "-n", "-p", "-r", "-w"]

    def run(self, script: str) -> str:
        """What a script of its shell prints; ends everything where it fails."""
        words = [*self._inside, "sh", "-ec", script]
        found = subprocess.run(words, text=True, capture_output=True, check=False)
        if found.returncode:
            sys.exit(f"boot: {script!r} ended with {found.returncode}:\n{found.stdout}{found.stderr}")
        return found.stdout.strip()

    def load_during(self, token: str, script: str, name: str) -> Mapping[str, int]:
        """What became of the requests of some clients while a script ran."""
        words = [*self._inside, "python3", "/load.py", ADDRESS, DATA, token, CLIENTS]
        with subprocess.Popen(words, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as clients:
            time.sleep(SETTLE)
            began = time.monotonic()
            self.run(script)
            took = time.monotonic() - began
            time.sleep(SETTLE)
            said, _ = clients.communicate()
        found = json.loads(said)
        tell(f"{name}: {took:.1f} s; slowest request {found['slowest']} s; {found['met']}")
        met: Mapping[str, int] = found["met"]
        return met


def tell(sentence: str) -> None:
    print(f"boot: {sentence}", flush=True)


def make_root(folder: Path) -> Path:
    """The files of a machine with the packages that Curlew needs, and Curlew's own beside."""
    asked = [ROOT / "deploy" / "install-packages.sh", "list"]
    packages = [*BASE, *subprocess.run(asked, text=True, capture_output=True, check=True).stdout.split()]
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


def use(machine: Machine) -> str:
    """Make an account and a plot; its token."""
    token = machine.run("curlew user add alice --token boot 2>/dev/null | tail -1")
    head = f"-H 'Authorization: Bearer {token}' -H 'Content-Type: text/plain'"
    machine.run(f"curl -fsS -X PUT {head} http://{ADDRESS}/v1/vis/plots/p1")
    machine.run(
        f"printf 'day,count\\nmonday,3\\n' | curl -fsS {head} --data-binary @- http://{ADDRESS}{DATA}"
    )
    drawn = machine.run(f"curl -fsS {head} http://{ADDRESS}/v1/vis/plots/p1/files/plot.svg")
    assert "<svg" in drawn, drawn
    return token


def misbehave(machine: Machine, token: str) -> Iterator[str]:
    """Have clients ask while it is killed, restarted and updated; what should not have been."""
    for name, script in {**ORDERLY, **KILLS}.items():
        met = machine.load_during(token, f"{script}; {AWAIT}", name)
        wrong = set(met) - {"answered"} - (CUT if name in KILLS else set())
        if wrong or not met.get("answered"):
            yield f"{name}: {met}"


def take_away(machine: Machine) -> None:
    """Remove it, which keeps the data, and purge it, which leaves nothing."""
    absent = 'test -z "$({} 2>/dev/null)"'.format
    machine.run("dpkg --remove curlew; test -e /var/lib/curlew/curlew.db")
    machine.run(absent("ls -d /opt/curlew /etc/systemd/system/curlew*"))
    machine.run("dpkg --purge curlew")
    left = ("ls -d /var/lib/curlew* /etc/curlew", "getent passwd curlew", "ip link | grep curlew")
    for question in (*left, "grep curlew /proc/mounts", "iptables-save | grep -i curlew"):
        machine.run(absent(question))


def main() -> int:
    """Try it all; the exit code."""
    missing = [package for program, package in PROGRAMS.items() if shutil.which(program) is None]
    if missing or os.geteuid():
        sys.exit(f"boot: run as root, with apt-get install {' '.join(missing)}")
    with tempfile.TemporaryDirectory(prefix="curlew-boot-", dir="/var/tmp") as folder:
        root = make_root(Path(folder))
        with booted(root) as machine:
            machine.run("dpkg -i /curlew.deb")
            tell(f"installed: {machine.run('curlew --version')}, scores:")
            tell(machine.run("systemd-analyze security --no-pager | grep curlew"))
            wrong = list(misbehave(machine, use(machine)))
            take_away(machine)
    for sentence in wrong:
        tell(f"WRONG: {sentence}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
