"""An update from a release without the socket, whose web listens itself, and that tells systemd nothing."""

from __future__ import annotations

from collections.abc import Iterator

from tests.boot.machine import ADDRESS, UNITS, Machine
from tests.kit.schema import older

PLACE = "/etc/systemd/system"
SERVICES = ("curlew-web", "curlew-runner", "curlew-render")
FILES = " ".join(f"{PLACE}/{service}.service" for service in SERVICES)
# What such a release lacks; its program does not know the address at which it notifies systemd.
UNFENCED = r"/^ExecStartPre=\|^Requires=\|^Also=/d; s/ curlew-web.socket$//; s/^Type=notify$/Type=simple/"
SILENT = 'import os; os.environ.pop("NOTIFY_SOCKET", None)'
TABLE = "setup_key"
AWAIT = f"for _ in $(seq 100); do curl -sf http://{ADDRESS}/healthz && exit 0; sleep 0.2; done; exit 1"
# A moment without a listener is the price of the one update that brings the socket.
LONGEST_GAP = 60.0
ALLOWED = {"answered", "ConnectionRefusedError", "ConnectionResetError", "RemoteDisconnected"}


def update(machine: Machine, token: str) -> Iterator[str]:
    """Make it an older release; have an update fail, and one succeed; what is wrong."""
    _make_older(machine)
    units = machine.run(f"cat {FILES}")
    # A table is lacking, and its copy has no place.
    machine.run("python3 -", _forget())
    machine.run("rm -rf /var/lib/curlew/copies; touch /var/lib/curlew/copies")
    failing = f"! dpkg -i /curlew.deb >/update.log 2>&1; {AWAIT}"
    met = machine.load_during(token, failing, "update that fails, of a release without the socket")
    log = machine.run("cat /update.log")
    if (
        "nothing was updated: database, program and units are unchanged" not in log
        or set(met.answers) - ALLOWED
    ):
        yield f"the update that should fail: {met}; {log}"
    if (found := machine.run(f"cat {FILES}")) != units or machine.run(
        f"ls {PLACE}/curlew-web.socket || true"
    ):
        yield f"the units of before did not come back: {found}"
    machine.run("systemctl is-active curlew-web curlew-runner curlew-render; test ! -L /opt/curlew/.venv")
    machine.run("rm /var/lib/curlew/copies")
    done = f"dpkg -i /curlew.deb; {AWAIT}"
    met = machine.load_during(token, done, "update of a release without the socket")
    if set(met.answers) - ALLOWED or not met.answers.get("answered") or met.gap > LONGEST_GAP:
        yield f"the update that brings the socket: {met}"
    machine.run(f"systemctl is-active {' '.join(UNITS)}; test -L /opt/curlew/.venv")


def _make_older(machine: Machine) -> None:
    """Take the socket away, and give the services units and a program that know nothing of it."""
    machine.run(
        f"systemctl stop curlew-web.socket {' '.join(SERVICES)}; systemctl disable curlew-web.socket; "
        f"rm {PLACE}/curlew-web.socket; sed -i '{UNFENCED}' {FILES}; ! grep notify {FILES}"
    )
    machine.run(
        "cd /opt/curlew; cp -a $(readlink -f .venv) older; rm .venv; mv older .venv; "
        "sed -i '1s|.*|#!/opt/curlew/.venv/bin/python3|' .venv/bin/curlew; "
        f"echo '{SILENT}' >$(ls -d .venv/lib/python3*)/site-packages/silent.pth"
    )
    machine.run(f"systemctl daemon-reload; systemctl start {' '.join(SERVICES)}; {AWAIT}")


def _forget() -> str:
    """A script that makes the schema an older one, beside the web server that works."""
    return f"""
import sqlite3
book = sqlite3.connect("/var/lib/curlew/curlew.db", timeout=30)
with book:
    for statement in {(*older("sqlite"), f"DROP TABLE {TABLE}")!r}:
        book.execute(statement)
"""
