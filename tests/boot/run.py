"""`make boot`: an installation on a machine that boots, with real systemd in a container of systemd-nspawn.

It is installed from the Debian package, used over HTTP, restarted and updated under 40,000 requests, killed,
and updated from a release without the socket; figures are asked for, a mail is taken, and scheduler and
worker begin; then it is taken away. Beside each trial it is said what became of the requests. As root; it
has the Debian of this machine. Names choose trials: `python -m tests.boot.run listeners older`.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from tests.boot import listeners, older_release, workers
from tests.boot.machine import ADDRESS, DATA, UNITS, Machine, booted, make_root, tell

PROGRAMS = {"systemd-nspawn": "systemd-container", "mmdebstrap": "mmdebstrap", "nsenter": "util-linux"}
MASTER = "$(systemctl show -P MainPID curlew-web)"
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
ENOUGH = 10_000  # requests for each of these, so 40,000 in all


def use(machine: Machine) -> str:
    """Make an account and a plot; its token."""
    token = machine.run("curlew user add alice --token boot 2>/dev/null | tail -1")
    head = f"-H 'Authorization: Bearer {token}' -H 'Content-Type: text/plain'"
    machine.run(f"curl -fsS -X PUT {head} http://{ADDRESS}/v1/vis/plots/p1")
    machine.run(
        f"printf 'day,count\\nmonday,3\\n' | curl -fsS {head} --data-binary @- http://{ADDRESS}{DATA}"
    )
    drawn = machine.run(f"curl -fsS --retry 9 {head} http://{ADDRESS}/v1/vis/plots/p1/files/plot.svg")
    assert "<svg" in drawn, drawn
    machine.run(
        "curlew doctor >/doctor.log 2>&1 || true; grep -i podman /doctor.log; ! grep Trace /doctor.log"
    )
    return token


def misbehave(machine: Machine, token: str) -> Iterator[str]:
    """Have clients ask while it is restarted, updated and killed; what should not have been."""
    requests = 0
    for name, script in {**ORDERLY, **KILLS}.items():
        met = machine.load_during(token, f"{script}; {AWAIT}", name, 0 if name in KILLS else ENOUGH)
        wrong = set(met.answers) - {"answered"} - (CUT if name in KILLS else set())
        if wrong or not met.answers.get("answered"):
            yield f"{name}: {met}"
        requests += 0 if name in KILLS else sum(met.answers.values())
    tell(f"restarts, reloads, ends of workers and updates under {requests:,} requests")


def take_away(machine: Machine) -> None:
    """Remove it, which keeps the data, and purge it, which leaves nothing."""
    absent = 'test -z "$({} 2>/dev/null)"'.format
    machine.run("dpkg --remove curlew; test -e /var/lib/curlew/curlew.db")
    machine.run(absent("ls -d /opt/curlew /etc/systemd/system/curlew*"))
    machine.run("dpkg --purge curlew")
    left = ("ls -d /var/lib/curlew* /etc/curlew", "getent passwd curlew", "ip link | grep curlew")
    for question in (*left, "grep curlew /proc/mounts", "iptables-save | grep -i curlew"):
        machine.run(absent(question))


TRIALS: Mapping[str, Callable[[Machine, str], Iterator[str]]] = {
    "load": misbehave,
    "listeners": listeners.look,
    "workers": workers.begin,
    "older": older_release.update,
}


def main(chosen: Sequence[str]) -> int:
    """Try it all, or what was chosen; the exit code."""
    if unknown := set(chosen) - set(TRIALS):
        sys.exit(f"boot: the trials are {', '.join(TRIALS)}; there is no {', '.join(sorted(unknown))}")
    missing = [package for program, package in PROGRAMS.items() if shutil.which(program) is None]
    if missing or os.geteuid():
        sys.exit(f"boot: run as root, with apt-get install {' '.join(missing)}")
    with tempfile.TemporaryDirectory(prefix="curlew-boot-", dir="/var/tmp") as folder:
        root = make_root(Path(folder))
        with booted(root) as machine:
            machine.run("dpkg -i /curlew.deb")
            tell(f"installed: {machine.run('curlew --version')}, scores:")
            tell(machine.run("systemd-analyze security --no-pager | grep curlew"))
            token = use(machine)
            wrong = [
                sentence
                for name, attempt in TRIALS.items()
                if not chosen or name in chosen
                for sentence in attempt(machine, token)
            ]
            take_away(machine)
    for sentence in wrong:
        tell(f"WRONG: {sentence}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
