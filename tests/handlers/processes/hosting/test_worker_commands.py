"""Worker and scheduler as commands: mistakes are reported, and a runner alone loads neither."""

from __future__ import annotations

import base64
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from handlers.commands.doctor_checks import check_scheduler
from handlers.settings.settings import Settings, SettingsError
from handlers.settings.sources import load
from tests.kit.clocks import until
from tests.kit.dask.certificates import make_certificates
from tests.kit.dask.fakes import FakeCluster
from tests.kit.fake_engine import FakeEngine
from tests.kit.processes import free_port

ROOT = Path(__file__).parents[4]


def settings_in(folder: Path, address: str) -> Settings:
    """Settings of a host below a folder, which are written there too."""
    folder.mkdir(exist_ok=True)
    tls = make_certificates(folder / "tls") if not (folder / "tls").exists() else None
    assert tls is None or tls.key.exists()
    lines = {
        "engine": "dask",
        "dask_scheduler": address,
        "dask_tls_ca": str(folder / "tls/ca.pem"),
        "dask_tls_cert": str(folder / "tls/own.pem"),
        "dask_tls_key": str(folder / "tls/own.key"),
        "blobs_url": f"osfs://{folder}/blobs",
        "key_file": str(folder / "key"),
        "registry_url": "https://registry.example:5000/curlew",
    }
    (folder / "curlew.toml").write_text("".join(f'{name} = "{value}"\n' for name, value in lines.items()))
    return load({}, data=str(folder))


@contextmanager
def started(folder: Path, name: str) -> Iterator[subprocess.Popen[str]]:
    """Run a command of the service, which is stopped at the end of the block."""
    words = [sys.executable, "-m", "handlers", name, "--data", str(folder)]
    with subprocess.Popen(words, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.terminate()


def test_a_runner_without_workers_loads_nothing_of_dask() -> None:
    loads = "import handlers.__main__, handlers.processes.runner, sys; print('distributed' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", loads], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_unsuitable_settings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="needs the setting dask_scheduler"):
        load({"CURLEW_ENGINE": "dask"}, data=str(tmp_path))
    with pytest.raises(SettingsError, match='begins with tls://, not "tcp://'):
        load({"CURLEW_DASK_SCHEDULER": "tcp://10.0.0.1:8786"}, data=str(tmp_path))
    for odd in ("tls://10.0.0.1:port", "tls://:8786", "tls://10.0.0.1:99999", "tls://10.0.0.1:8786/x"):
        with pytest.raises(SettingsError, match="is an address such as"):
            load({"CURLEW_DASK_SCHEDULER": odd}, data=str(tmp_path))
    with pytest.raises(SettingsError, match="needs the setting dask_tls_ca"):
        load({"CURLEW_ENGINE": "dask", "CURLEW_DASK_SCHEDULER": "tls://10.0.0.1:8786"}, data=str(tmp_path))


def test_a_worker_says_what_it_lacks(tmp_path: Path) -> None:
    with started(tmp_path, "worker") as process:
        assert process.wait(120) == 1
        assert process.stderr is not None
        assert 'engine = "dask" in the settings' in process.stderr.read()
    settings_in(tmp_path, "tls://127.0.0.1:1")
    with started(tmp_path, "worker") as process:
        assert process.wait(120) == 1
        assert process.stderr is not None
        assert "copy the runner's key_file there" in process.stderr.read()


def test_a_scheduler_runs_until_it_is_stopped_and_doctor_checks_it(tmp_path: Path) -> None:
    settings = settings_in(tmp_path, f"tls://127.0.0.1:{free_port()}")
    missing = check_scheduler(settings)
    assert not missing.ok and "does not answer" in missing.detail and "curlew scheduler" in missing.advice
    with started(tmp_path, "scheduler") as process:
        found = check_scheduler(settings)
        while "does not answer" in found.detail:
            found = check_scheduler(settings)
        assert not found.ok
        assert "answers over TLS; 0 workers have 0 slots" in found.detail
        assert "curlew worker" in found.advice
        process.terminate()
        assert process.wait(30) == 0


def test_a_scheduler_that_cannot_listen_names_the_setting(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        settings_in(tmp_path, f"tls://127.0.0.1:{taken.getsockname()[1]}")
        with started(tmp_path, "scheduler") as process:
            assert process.wait(120) == 1
            assert process.stderr is not None
            assert "has to be an address of the host where the scheduler runs" in process.stderr.read()


@pytest.mark.parametrize("name", ["scheduler", "worker", "runner", "web"])
def test_no_command_begins_with_a_scheduler_without_tls(tmp_path: Path, name: str) -> None:
    with pytest.raises(SettingsError, match="begins with tls://"):
        settings_in(tmp_path, f"tcp://127.0.0.1:{free_port()}")
    with started(tmp_path, name) as process:
        assert process.wait(120) == 2
        assert process.stderr is not None
        assert 'the setting dask_scheduler begins with tls://, not "tcp://127.0.0.1:' in process.stderr.read()


def test_a_client_without_a_certificate_of_the_authority_gets_nothing_of_the_scheduler(
    tmp_path: Path,
) -> None:
    settings = settings_in(tmp_path, address := f"tls://127.0.0.1:{free_port()}")
    with started(tmp_path, "scheduler"):
        assert until(lambda: check_scheduler(settings).detail, lambda said: "answers over TLS" in said, 60)
        host, _, port = address.removeprefix("tls://").partition(":")
        place = (host, int(port))
        with socket.create_connection(place) as plain:
            plain.settimeout(20)
            plain.sendall(b"GET / HTTP/1.1\r\nHost: scheduler\r\n\r\n")
            assert _heard(plain) == b""
        anonymous = ssl.create_default_context(cafile=tmp_path / "tls/ca.pem")
        anonymous.check_hostname = False
        with socket.create_connection(place) as wire, anonymous.wrap_socket(wire) as secure:
            secure.settimeout(20)
            assert _heard(secure) == b""
        foreign = settings_in(tmp_path / "foreign", address)
        assert "its certificate is not one of dask_tls_ca" in check_scheduler(foreign).detail
        foreign.key.write_bytes(base64.b64encode(bytes(32)))
        with started(tmp_path / "foreign", "worker") as process:
            assert process.wait(120) == 1
            assert process.stderr is not None
            assert "its certificate is not one of dask_tls_ca" in process.stderr.read()


def _heard(wire: socket.socket) -> bytes:
    """Return the first byte of a connection, or nothing if it ends."""
    try:
        return wire.recv(1)
    except (ConnectionError, ssl.SSLError):
        return b""


def test_a_scheduler_of_others_without_tls_is_not_used(tmp_path: Path) -> None:
    settings = settings_in(tmp_path, f"tls://127.0.0.1:{(port := free_port())}")
    words = ("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
    with subprocess.Popen([sys.executable, "-m", *words], stderr=subprocess.PIPE, text=True) as plain:
        try:
            assert plain.stderr is not None
            while "Scheduler at:" not in plain.stderr.readline():
                assert plain.poll() is None
            found = check_scheduler(settings)
            assert not found.ok and "does not answer" in found.detail
        finally:
            plain.kill()


def test_a_key_that_others_may_read_is_reported(tmp_path: Path) -> None:
    settings = settings_in(tmp_path, f"tls://127.0.0.1:{free_port()}")
    (tmp_path / "tls/own.key").chmod(0o640)
    found = check_scheduler(settings)
    assert not found.ok and "run programs on all workers" in found.detail
    assert found.advice == f"chmod 0600 {tmp_path}/tls/own.key"


def test_a_worker_refuses_a_scheduler_that_would_begin_steps_again(tmp_path: Path) -> None:
    with FakeCluster(tmp_path) as cluster:
        cluster.scheduler.allowed_failures = 3
        settings_in(tmp_path, cluster.address).key.write_bytes(base64.b64encode(bytes(32)))
        with started(tmp_path, "worker") as process:
            assert process.wait(120) == 1
            assert process.stderr is not None
            assert "is not used: allowed-failures is 3 there" in process.stderr.read()


def test_doctor_is_content_with_a_scheduler_that_has_workers(tmp_path: Path) -> None:
    with FakeCluster(tmp_path) as cluster:
        cluster.add_worker(FakeEngine(), slots=3)
        found = check_scheduler(settings_in(tmp_path, cluster.address))
        assert found.ok
        assert found.detail.endswith("answers over TLS; 1 workers have 3 slots")
        (tmp_path / "tls/own.key").unlink()
        assert "is missing" in check_scheduler(load({}, data=str(tmp_path))).detail
