"""Both published clients send public keys with `--add-ssh-key`: new, repeated, and another account's."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import novem_cli
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.clients.conftest import Person
from tests.kit.server import environment

PYTHON = [sys.executable, "-c", "from novem.cli import run_cli; run_cli()"]
CLIENTS = {"python": PYTHON, "native": [novem_cli.find_binary()]}
Add = Callable[..., subprocess.CompletedProcess[str]]


def fresh(comment: str = "Ann@laptop.example") -> str:
    """The line of a new key."""
    public = Ed25519PrivateKey.generate().public_key()
    return f"{public.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()} {comment}"


@pytest.fixture(params=sorted(CLIENTS))
def add(request: pytest.FixtureRequest, tmp_path: Path) -> Add:
    """Sends a key by one of the clients."""

    def send(who: Person, line: str, *words: str) -> subprocess.CompletedProcess[str]:
        command, env = CLIENTS[request.param], environment(HOME=str(tmp_path))
        if command is PYTHON:
            env |= {"NOVEM_TOKEN": who.token, "NOVEM_API_ROOT": who.server.root}
        else:
            command = [*command, "--api-url", who.server.root, "--token", who.token]
        return subprocess.run(
            [*command, "--add-ssh-key", *words],
            env=env,
            input=f"{line}\n",
            capture_output=True,
            text=True,
            check=False,
        )

    return send


def test_a_key_is_sent_sent_again_and_replaced(add: Add, alice: Person) -> None:
    for line in (first := fresh(), first, fresh()):
        done = add(alice, line)
        assert done.returncode == 0, done.stdout + done.stderr
        (kept,) = alice.ask("GET", "admin/keys")
        assert alice.ask("GET", f"admin/keys/{kept['name']}/key") == line
    assert kept["name"] == "ann-laptop-example"
    assert kept["title"] == "Ann@laptop.example"


def test_a_key_that_another_account_has_is_accepted_and_an_invalid_one_is_refused(
    add: Add, alice: Person, bob: Person
) -> None:
    line = fresh()
    assert add(alice, line, "mine").returncode == 0
    assert add(bob, line, "mine").returncode == 0
    done = add(bob, "ssh-ed25519 AAAA", "mine")
    assert done.returncode == 1
    assert "damaged or cut short" in done.stdout + done.stderr
