"""Steps on workers: an update brings their units where certificates are, the next one starts both again."""

from __future__ import annotations

from collections.abc import Iterator

from tests.boot.machine import Machine, tell

PLACE = "/etc/curlew/dask"
FAR = "curlew-scheduler curlew-worker"
# As chapter dask has them.
CERTIFICATES = f"""
install -d {PLACE} && cd {PLACE}
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days 3650 -subj /CN=curlew-steps \
    -keyout authority.key -out ca.pem 2>/dev/null
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -subj /CN=host-1 \
    -keyout host.key -out host.csr 2>/dev/null
openssl x509 -req -in host.csr -CA ca.pem -CAkey authority.key -days 825 -out host.pem 2>/dev/null
chmod 0644 host.key
"""
SETTINGS = f"""
engine = "dask"
dask_scheduler = "tls://127.0.0.1:8786"
dask_tls_ca = "{PLACE}/ca.pem"
dask_tls_cert = "{PLACE}/host.pem"
dask_tls_key = "{PLACE}/host.key"
blobs_url = "osfs:///var/lib/curlew/blobs"
registry_url = "http://127.0.0.1:5000/curlew"
"""
OWN = "[Service]\nEnvironment=CURLEW_RUNNER_FOLDER=/var/lib/curlew-worker\n"
DROP_IN = "/etc/systemd/system/curlew-worker.service.d"
UPDATE = "dpkg -i /curlew.deb >/update.log 2>&1 || { cat /update.log; exit 1; }"
SAID = "journalctl --no-pager -o cat -n 40 -u curlew-worker"
DOCTOR = "curlew doctor 2>&1 | grep '^[A-Za-z]* *scheduler' || true"


def begin(machine: Machine, token: str) -> Iterator[str]:
    """Set both up as the manual says, and update; what is wrong."""
    machine.run(CERTIFICATES)
    machine.run("cp -p /var/lib/curlew/.installation /var/lib/curlew/blobs/")
    machine.run("cp /etc/curlew/curlew.toml /curlew.toml; cat >>/etc/curlew/curlew.toml", SETTINGS)
    machine.run(UPDATE)
    if (mode := machine.run(f"stat -c %a:%U {PLACE}/host.key")) != "600:root":
        yield f"workers: others may read the key ({mode})"
    if "active" in machine.run(f"systemctl is-active {FAR} || true").split():
        yield "workers: an update has begun what nobody asked for"
    machine.run(f"install -d {DROP_IN} && cat >{DROP_IN}/own.conf && systemctl daemon-reload", OWN)
    machine.run(f"systemctl start {FAR} || {{ {SAID}; exit 1; }}")
    yield from _look(machine, "after their start")
    machine.run(UPDATE)
    machine.run(f"systemctl is-active {FAR}")
    yield from _look(machine, "after an update")
    machine.run(f"systemctl stop {FAR}; rm -r {PLACE} {DROP_IN} /var/lib/curlew-worker")
    # As it was, in the same hands.
    machine.run("cat /curlew.toml >/etc/curlew/curlew.toml")
    machine.run(UPDATE)


def _look(machine: Machine, when: str) -> Iterator[str]:
    said = machine.run(DOCTOR)
    if "1 workers have" in said:
        tell(f"workers {when}: {said}")
    else:
        yield f"workers {when}: {said}"
