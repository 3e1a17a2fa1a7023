"""Worker and scheduler as commands: what is wrong with them is said, and a runner alone pays for neither."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from chains.engine.fake import FakeEngine
from handlers.processes.hosting.dask_check import check_scheduler
from handlers.settings.settings import Settings, SettingsError
from handlers.settings.sources import load
from tests.kit.dask.certificates import make_certificates
from tests.kit.dask.fakes import FakeCluster
from tests.kit.processes import free_port

ROOT = Path(__file__).parents[4]


def settings_in(folder: Path, address: str) -> Settings:
    """Settings of a host below a folder, which are written there too."""
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
    """A command of the service, told to end with the block."""
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


def test_settings_that_do_not_do_are_told(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="needs the setting dask_scheduler"):
        load({"CURLEW_ENGINE": "dask"}, data=str(tmp_path))
    with pytest.raises(SettingsError, match='begins with tls://, not "tcp://'):
        load({"CURLEW_DASK_SCHEDULER": "tcp://10.0.0.1:8786"}, data=str(tmp_path))
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


def test_a_scheduler_runs_until_it_is_told_to_stop_and_doctor_looks_at_it(tmp_path: Path) -> None:
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


def test_doctor_is_content_with_a_scheduler_that_has_workers(tmp_path: Path) -> None:
    with FakeCluster(tmp_path) as cluster:
        cluster.add_worker(FakeEngine(), slots=3)
        found = check_scheduler(settings_in(tmp_path, cluster.address))
        assert found.ok
        assert found.detail.endswith("answers over TLS; 1 workers have 3 slots")
        (tmp_path / "tls/own.key").unlink()
        assert "is not there" in check_scheduler(load({}, data=str(tmp_path))).detail
