"""A web server on a socket that was handed over, and one that reloads changed settings."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

from handlers.server.processes import WHERE, Supervisor
from tests.handlers.server.test_restarts import AS_THIRD
from tests.kit.processes import free_port

SECONDS = 60.0
WEB = (sys.executable, "-P", "-m", "handlers", "web")


def settle(folder: Path, **settings: object) -> None:
    folder.mkdir(exist_ok=True)
    lines = [f"{name} = {value!r}".replace("'", '"') for name, value in settings.items()]
    (folder / "curlew.toml").write_text("\n".join([*lines, ""]))


def environment(folder: Path) -> Mapping[str, str]:
    others = {name: word for name, word in os.environ.items() if not name.startswith("CURLEW_")}
    return {**others, "CURLEW_DATA": str(folder), WHERE: str(notify_socket(folder))}


def notify_socket(folder: Path) -> Path:
    """Return the path of the socket at which systemd would listen."""
    return folder.with_suffix(".notify")


@contextmanager
def supervising(folder: Path) -> Iterator[Callable[[], list[str]]]:
    """Listen as systemd does; yield a function that returns the next message."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        heard.bind(str(notify_socket(folder)))
        heard.settimeout(SECONDS)
        yield lambda: heard.recv(4096).decode().splitlines()


@contextmanager
def started(folder: Path, listener: socket.socket | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """`curlew web` over a folder; `listener` is handed over as systemd does."""
    words = list(WEB)
    passed: tuple[int, ...] = ()
    if listener is not None:
        passed = (listener.fileno(),)
        words = [sys.executable, "-c", AS_THIRD, str(listener.fileno()), *words]
    with log_of(folder).open("w") as log:
        process = subprocess.Popen(words, env=environment(folder), pass_fds=passed, stderr=log)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(SECONDS)


def log_of(folder: Path) -> Path:
    return folder.with_suffix(".log")


def contact(port: int) -> tuple[int, str]:
    """Return the status and the text of the contact that the settings name."""
    connection = HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    connection.request("GET", "/.well-known/security.txt")
    answer = connection.getresponse()
    said = answer.read().decode()
    connection.close()
    return answer.status, said


def await_contact(port: int, wanted: str) -> int:
    """Ask until the answer has a word, and return the number of requests. No request may be refused."""
    until, attempts = time.monotonic() + SECONDS, 1
    while True:
        status, said = contact(port)
        assert status == 200, said
        if wanted in said:
            return attempts
        assert time.monotonic() < until, said
        attempts += 1


def await_listening(port: int) -> None:
    until = time.monotonic() + SECONDS
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            assert time.monotonic() < until
            time.sleep(0.05)


def test_settings_are_reloaded_while_all_requests_are_answered(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=512) as listener:
        port = listener.getsockname()[1]
        settle(tmp_path / "var", bind=f"127.0.0.1:{port}", security_contact="one@example.org", workers=1)
        with supervising(tmp_path / "var") as heard, started(tmp_path / "var", listener) as process:
            await_contact(port, "one@example.org")
            assert "READY=1" in heard()
            settle(tmp_path / "var", bind=f"127.0.0.1:{port}", security_contact="two@example.org", workers=1)
            process.send_signal(signal.SIGHUP)
            assert await_contact(port, "two@example.org") > 1
            assert process.poll() is None
            reloading, since = heard()
            assert (reloading, since.partition("=")[0]) == ("RELOADING=1", "MONOTONIC_USEC")
            assert "READY=1" in heard()
            process.terminate()
            assert heard() == ["STOPPING=1"]


def test_a_supervisor_in_no_folder_is_notified_and_kept_from_children() -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        heard.bind(name := f"\0curlew-{os.getpid()}")
        heard.settimeout(SECONDS)
        environ = {WHERE: f"@{name[1:]}"}
        Supervisor.kept_from_children(environ).tell("READY=1")
        assert (heard.recv(100), environ) == (b"READY=1", {})
    Supervisor({WHERE: f"@{name[1:]}"}).tell("READY=1")
    Supervisor({}).tell("READY=1")


def test_a_reload_goes_where_the_settings_say_by_now(tmp_path: Path) -> None:
    first, second = free_port(), free_port()
    settle(tmp_path / "var", bind=f"127.0.0.1:{first}", security_contact="one@example.org", workers=1)
    with started(tmp_path / "var") as process:
        await_listening(first)
        await_contact(first, "one@example.org")
        settle(tmp_path / "var", bind=f"127.0.0.1:{second}", security_contact="two@example.org", workers=1)
        process.send_signal(signal.SIGHUP)
        await_listening(second)
        await_contact(second, "two@example.org")


def test_a_socket_elsewhere_than_the_settings_say_is_refused(tmp_path: Path) -> None:
    settle(tmp_path / "var", bind="127.0.0.1:8123")
    with socket.create_server(("127.0.0.1", 0)) as listener, started(tmp_path / "var", listener) as process:
        assert process.wait(SECONDS) == 1
    said = log_of(tmp_path / "var").read_text()
    assert "bind is 127.0.0.1:8123" in said
    assert "ListenStream=" in said


def test_a_port_that_another_program_has_is_refused(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        settle(tmp_path / "var", bind=f"127.0.0.1:{listener.getsockname()[1]}")
        with started(tmp_path / "var") as process:
            assert process.wait(SECONDS) == 1
    assert "another program listens there" in log_of(tmp_path / "var").read_text()
