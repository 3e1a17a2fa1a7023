"""Web and runner as two accounts of one machine, as the installer sets them up: a run, and traps."""

from __future__ import annotations

import os
import re
import subprocess
import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from handlers.rendering.socket_service import SOCKET
from tests.durability.test_second_process import JOB, until
from tests.kit.accounts import SOMEBODY, TwoAccounts, two_accounts
from tests.kit.command import Service
from tests.kit.processes import free_port
from tests.kit.sources import ROOT
from tests.kit.unmeasured import environment

pytestmark = pytest.mark.podman

# The Python of the tests may lie where root alone finds it; this one finds what is installed for that.
SYSTEM_PYTHON = "/usr/bin/python3"
WEB = ("setpriv", f"--reuid={SOMEBODY}", f"--regid={SOMEBODY}", "--clear-groups")
PLOT = "/v1/vis/plots/pets"
UPPER = "FROM busybox\nCMD tr a-z A-Z </input/pets.txt >/output/pets.txt\n"
FORM = "multipart/form-data; boundary=x"
PETS = b'--x\r\nContent-Disposition: form-data; name="f"; filename="pets.txt"\r\n\r\ndog\r\n--x--\r\n'


@pytest.fixture
def accounts() -> Iterator[TwoAccounts]:
    with two_accounts() as accounts:
        config = accounts.place / "etc" / "curlew.toml"
        config.parent.mkdir(mode=0o755)
        config.write_text(
            f'data = "{accounts.data}"\nrunner_folder = "{accounts.own}"\ngraceful_timeout = 1\n'
        )
        os.chown(config, 0, SOMEBODY)
        config.chmod(0o640)
        subprocess.run([SYSTEM_PYTHON, "-m", "venv", "--without-pip", accounts.place / "venv"], check=True)
        (packages,) = (accounts.place / "venv").glob("lib/*/site-packages")
        (packages / "curlew.pth").write_text(f"{ROOT}\n{sysconfig.get_path('purelib')}\n")
        yield accounts


def python(accounts: TwoAccounts) -> str:
    return str(accounts.place / "venv" / "bin" / "python")


def environ(accounts: TwoAccounts, port: int) -> dict[str, str]:
    return {
        **environment(),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": "/nonexistent",
        "CURLEW_CONFIG": str(accounts.place / "etc" / "curlew.toml"),
        "CURLEW_BIND": f"127.0.0.1:{port}",
    }


@contextmanager
def process(accounts: TwoAccounts, port: int, *words: str) -> Iterator[None]:
    log = accounts.place / f"{words[-1]}.log"
    heard, say = os.pipe()
    with log.open("ab") as lines:
        started = subprocess.Popen(
            words, env={**environ(accounts, port), "CURLEW_READY_FD": str(say)}, pass_fds=(say,),
            stdout=lines, stderr=lines, cwd=accounts.place,
        )  # fmt: skip
    os.close(say)
    try:
        with os.fdopen(heard) as pipe:
            assert pipe.readline().strip() == words[-1], log.read_text()
        yield
    finally:
        started.terminate()
        started.wait()


def bounded() -> tuple[str, str]:
    """What gives a program no more capabilities than the runner's unit does."""
    unit = (ROOT / "deploy" / "curlew-runner.service").read_text()
    kept = " ".join(re.findall(r"^CapabilityBoundingSet=([A-Z_ ]+)$", unit, re.M)).split()
    assert kept
    return "setpriv", "--bounding-set=-all," + ",".join(name.lower().replace("cap_", "+") for name in kept)


@contextmanager
def both(accounts: TwoAccounts) -> Iterator[Service]:
    port = free_port()
    command = (python(accounts), "-P", "-m", "handlers")
    with (
        process(accounts, port, *WEB, *command, "web"),
        process(accounts, port, *command, "render"),
        process(accounts, port, *bounded(), *command, "runner"),
    ):
        service = Service(accounts.data, port, 0)
        yield service
        service.close()


def user(accounts: TwoAccounts, *words: str) -> str:
    command: Sequence[str] = (python(accounts), "-m", "handlers", "user", "add", "alice", "--token", "t")
    done = subprocess.run(
        [*words, *command],
        env=environ(accounts, 1),
        cwd=accounts.place,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def owners(folder: Path) -> set[int]:
    return {path.lstat().st_uid for path in folder.rglob("*")}


def test_a_run_goes_from_the_web_s_hands_to_root_s_and_back(accounts: TwoAccounts) -> None:
    with both(accounts) as service:
        token = user(accounts)
        work = Service(accounts.place, service.port, 0)
        work.push("alice", token, "say", UPPER)
        work.close()
        service.want("PUT", JOB, token)
        service.want("POST", f"{JOB}/config/chains", token, b"say")
        assert service.want("POST", f"{JOB}/data", token, PETS, FORM) == b"DOG"
        service.want("PUT", PLOT, token)
        service.want("POST", f"{PLOT}/data", token, b"pet,number\ndog,3\ncat,4\n")
        assert service.want("GET", f"{PLOT}/files/plot.png", token).startswith(b"\x89PNG")
        assert (accounts.data / SOCKET).stat().st_mode & 0o777 == 0o600
        assert owners(accounts.data) == {SOMEBODY}
    assert SOMEBODY not in owners(accounts.own)
    kept = accounts.kept()
    for rel in (".runner", "runs/.runner", "podman", "scratch", "curlew.toml"):
        accounts.plant(rel, accounts.treasure)
    (accounts.data / "seen").unlink()
    accounts.plant("seen", accounts.treasure)
    with both(accounts) as service:
        assert service.want("POST", f"{JOB}/data", token, PETS, FORM) == b"DOG"
        assert service.want("GET", "/readyz", token) == b"pass\n"
    assert accounts.kept() == kept


def test_a_command_of_root_s_leaves_nothing_of_root_s_in_the_data_folder(accounts: TwoAccounts) -> None:
    subprocess.run(
        [*WEB, python(accounts), "-m", "handlers", "migrate"],
        env=environ(accounts, 1),
        cwd=accounts.place,
        check=True,
    )
    assert user(accounts)
    until(lambda: owners(accounts.data) == {SOMEBODY})
