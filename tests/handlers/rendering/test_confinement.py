"""A confined process reaches no network, no other program and no file but what drawing reads."""

import subprocess
import sys
from pathlib import Path

import pytest

TRIALS = {
    "a socket of the network": "socket.socket(socket.AF_INET, socket.SOCK_STREAM)",
    "a socket of this host": "socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)",
    "a pair of sockets": "socket.socketpair()",
    "another program": "os.execv('/bin/true', ['true'])",
    "a child that runs one": "subprocess.run(['/bin/true'], check=True)",
    "a signal to its parent": "os.kill(os.getppid(), 15)",
    "the accounts of the host": "open('/etc/passwd').read()",
    "a file of the service": "open(sys.argv[1]).read()",
    "a new file": "open(sys.argv[1] + '.new', 'w')",
    "a list of the root folder": "os.listdir('/')",
    "the environment of its parent": "open(f'/proc/{os.getppid()}/environ').read()",
    "more memory than it has": "bytearray(800 << 20)",
}
PROGRAM = """
import os, socket, subprocess, sys
from handlers.rendering.confinement import confine
from handlers.rendering.worker import readable_folders
confine(readable_folders(), 1)
try:
    {trial}
except (OSError, MemoryError) as error:
    sys.exit(f"refused: {{type(error).__name__}}")
print("done")
"""


@pytest.mark.parametrize("trial", TRIALS.values(), ids=TRIALS)
def test_a_confined_process_is_refused(trial: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("planted")
    tried = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(trial=trial), str(secret)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (tried.stdout, tried.stderr[:7], tried.returncode) == ("", "refused", 1)


def test_a_confined_process_reads_what_drawing_needs() -> None:
    trial = (
        "print(len(open(os.path.join(sys.prefix, 'pyvenv.cfg')).read()) >= 0) if 0 else __import__('wave')"
    )
    tried = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(trial=trial)], capture_output=True, text=True, check=False
    )
    assert (tried.stdout, tried.returncode) == ("done\n", 0)
