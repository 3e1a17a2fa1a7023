"""OpenSSH's own server on loopback, with the product's snippet of its configuration."""

from __future__ import annotations

import os
import pwd
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.kit.processes import free_port
from tests.kit.server import ROOT

SNIPPET = ROOT / "deploy" / "sshd-curlew.conf"
RUN = Path("/run/sshd")
SECONDS = 20.0
CLIENT = """
IdentitiesOnly=yes StrictHostKeyChecking=no UserKnownHostsFile=/dev/null BatchMode=yes LogLevel=ERROR"""
CONFIG = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host
PidFile none
UsePAM no
PermitRootLogin forced-commands-only
LogLevel VERBOSE
{measured}
{snippet}"""


class Sshd:
    """A server, and how its clients reach it; `log` is what it says."""

    def __init__(self, port: int, log: Path) -> None:
        self.port = port
        self.log = log
        self.user = pwd.getpwuid(os.getuid()).pw_name

    def ssh(self, key: Path, *options: str) -> list[str]:
        """The words of ssh that come with one key alone."""
        words = [word for option in CLIENT.split() for word in ("-o", option)]
        return ["ssh", "-F", "/dev/null", "-i", str(key), *options, *words]

    def run(
        self, key: Path, *command: str, options: tuple[str, ...] = ()
    ) -> subprocess.CompletedProcess[str]:
        """A command there, to its end."""
        where = ["-p", str(self.port), f"{self.user}@127.0.0.1"]
        return subprocess.run(
            [*self.ssh(key, *options), *where, *command],
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=60,
        )

    def environment(self, key: Path) -> dict[str, str]:
        """The variable by which git comes with a key."""
        return {"GIT_SSH_COMMAND": shlex.join(self.ssh(key))}


def new_key(path: Path, kind: str = "ed25519") -> str:
    """Make a pair at a path; the line of its public half."""
    subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", "", "-C", path.name, "-f", str(path)], check=True)
    return Path(f"{path}.pub").read_text().strip()


@contextmanager
def sshd(data: Path) -> Iterator[Sshd]:
    """A server for the data folder of a service, until the end of the block.

    OpenSSH wants a program for keys where root alone writes, which the folder of a test is not.
    """
    RUN.mkdir(mode=0o755, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="curlew-test-", dir="/run"))
    try:
        folder.chmod(0o755)
        new_key(folder / "host")
        server = Sshd(free_port(), folder / "log")
        (folder / "config").write_text(_config(folder, data, server))
        program = shutil.which("sshd", path="/usr/sbin:/usr/bin") or "sshd"
        words = [program, "-D", "-e", "-f", str(folder / "config")]
        with server.log.open("wb") as log, subprocess.Popen(words, stderr=log) as process:
            try:
                _await(server.port)
                yield server
            finally:
                process.terminate()
    finally:
        shutil.rmtree(folder)


def _config(folder: Path, data: Path, server: Sshd) -> str:
    """The configuration: the product's, with the program and the accounts of this test."""
    program = folder / "python"
    exported = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in measured().items())
    program.write_text(f'#!/bin/sh\n{exported}exec {sys.executable} "$@"\n')
    program.chmod(0o755)
    snippet = SNIPPET.read_text()
    for there, here in (
        ("Match User git", f"Match User {server.user}"),
        ("/opt/curlew/.venv/bin/python", str(program)),
        ("--config /etc/curlew/curlew.toml", f"--data {data}"),
        ("AuthorizedKeysCommandUser curlew", f"AuthorizedKeysCommandUser {server.user}"),
    ):
        assert there in snippet
        snippet = snippet.replace(there, here)
    said = [f'{name}="{_quoted(value)}"' for name, value in measured().items()]
    setting = f"SetEnv {' '.join(said)}" if said else ""
    return CONFIG.format(port=server.port, folder=folder, snippet=snippet, measured=setting)


def measured() -> dict[str, str]:
    """Return the variables by which programs are measured, which OpenSSH does not pass on."""
    return {name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")}


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _await(port: int) -> None:
    until = time.monotonic() + SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
