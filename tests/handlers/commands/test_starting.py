"""`curlew serve` that cannot start: one sentence, exit code 1, nothing made."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from handlers.__main__ import main
from handlers.commands.serving import greeting, setup_origin
from handlers.settings.settings import Settings
from tests.kit.processes import free_port


def serve(*words: str) -> Result:
    """The end of a `curlew serve` that does not start."""
    return CliRunner().invoke(main, ["serve", *words], env={"CURLEW_DATA": None})


@pytest.fixture
def busy() -> Iterator[str]:
    """An address at which another program listens."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield f"127.0.0.1:{other.getsockname()[1]}"


def test_a_port_that_is_taken_is_one_sentence(tmp_path: Path, busy: str) -> None:
    ended = serve("--data", str(tmp_path / "new"), "--bind", busy)
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert ended.stderr == (
        f"curlew: nothing can listen on {busy}: another program listens there; "
        "--bind HOST:PORT chooses another address\n"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("host", "why"),
    [
        ("no-such-host.invalid", 'no host "no-such-host.invalid" is known here'),
        ("a..b", 'no host "a..b" is known here'),
        ("192.0.2.7", "192.0.2.7 is not an address of this machine"),
    ],
)
def test_a_host_that_is_not_ours_is_one_sentence(tmp_path: Path, host: str, why: str) -> None:
    ended = serve("--data", str(tmp_path / "new"), "--bind", f"{host}:{free_port()}")
    assert (ended.exit_code, ended.stderr.count("\n")) == (1, 1)
    assert why in ended.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_used_is_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    below = (
        (file, "it is a file"),
        (file / "below", "Not a directory"),
        (Path("/proc/below"), "No such file"),
    )
    for folder, why in below:
        ended = serve("--data", str(folder), "--bind", f"127.0.0.1:{free_port()}")
        assert (ended.exit_code, ended.stderr.count("\n")) == (1, 1)
        assert f"the data folder {folder} cannot be used: {why}" in ended.stderr


def test_an_address_without_a_host_is_refused(tmp_path: Path) -> None:
    ended = serve("--data", str(tmp_path / "new"), "--bind", "8000")
    assert (ended.exit_code, list(tmp_path.iterdir())) == (2, [])
    assert ended.stderr == 'curlew: the setting bind is HOST:PORT, such as 127.0.0.1:8000, not "8000"\n'


@pytest.mark.parametrize(
    ("said", "code", "sentence"),
    [
        ("", 2, "no address is set for metrics"),
        ("9464", 2, "the setting metrics is HOST:PORT, such as 127.0.0.1:9464"),
        (None, 1, "another program listens there; the setting metrics names another address"),
    ],
)
def test_metrics_need_a_separate_address(
    tmp_path: Path, busy: str, said: str | None, code: int, sentence: str
) -> None:
    environ = {"CURLEW_DATA": str(tmp_path), "CURLEW_METRICS": busy if said is None else said}
    ended = CliRunner().invoke(main, ["metrics"], env=environ)
    assert (ended.exit_code, ended.stderr.count("\n")) == (code, 1)
    assert sentence in ended.stderr


@pytest.mark.parametrize(("users", "first"), [(None, True), (0, True), (3, False)])
def test_a_server_without_users_says_how_to_add_the_first(users: int | None, first: bool) -> None:
    said = greeting(Settings(), users)
    assert ("curlew user add" in said) is first
    assert "  Docs  http://127.0.0.1:8000/docs" in said


@pytest.mark.parametrize(
    ("chosen", "origin"),
    [
        ({}, "http://127.0.0.1:8000"),
        ({"bind": "0.0.0.0:81"}, "http://127.0.0.1:81"),
        ({"bind": "[::1]:81"}, "http://[::1]:81"),
        ({"bind": "192.0.2.7:81"}, ""),
        ({"base_url": "https://curlew.example"}, ""),
        ({"setup_from": "nowhere"}, ""),
        ({"setup_from": "anywhere", "base_url": "https://curlew.example"}, "https://curlew.example"),
        ({"setup_from": "anywhere", "bind": "192.0.2.7:81"}, "http://192.0.2.7:81"),
    ],
)
def test_the_address_of_the_first_account_is_one_that_works(chosen: dict[str, str], origin: str) -> None:
    settings = Settings(**chosen)  # type: ignore[arg-type]
    assert setup_origin(settings) == origin
    if origin:
        assert greeting(settings, 0, "clw_x").splitlines()[-1] == f"  {origin}/setup?key=clw_x"
    assert "/setup" not in greeting(settings, 0)


def test_a_server_that_may_open_too_few_files_does_not_start(tmp_path: Path) -> None:
    words = ["web", "--data", str(tmp_path), "--bind", f"127.0.0.1:{free_port()}"]
    limited = ["prlimit", "--nofile=256:256", sys.executable, "-P", "-m", "handlers", *words]
    done = subprocess.run(limited, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "may open 256 files, and needs 640 at least: raise LimitNOFILE=" in done.stderr
