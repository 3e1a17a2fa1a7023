"""A service whose operator has a strict file mode mask: containers still read what they need."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from tests.kit.server import Server, serving

PROGRAM = (
    "import pathlib\npathlib.Path('/output/o.txt').write_text(pathlib.Path('/input/i.txt').read_text() * 2)\n"
)
FORM = (
    b"--b\r\nContent-Disposition: form-data; name=f; filename=i.txt\r\n"
    b"Content-Type: text/plain\r\n\r\nab\r\n--b--\r\n"
)


@pytest.fixture
def strict() -> Iterator[Server]:
    """A service that was started under the mask 077."""
    if not shutil.which("podman"):
        pytest.fail("Podman is not installed: apt-get install podman runc", pytrace=False)
    folder = Path(tempfile.mkdtemp(prefix="curlew-strict-"))
    mask = os.umask(0o077)
    try:
        with serving(folder, podman=True) as server:
            yield server
    finally:
        os.umask(mask)
        shutil.rmtree(folder, ignore_errors=True)


def test_a_step_reads_its_program_and_its_input(strict: Server, tmp_path: Path) -> None:
    strict.add("alice")
    strict.ask("PUT", "code/repos/twice", who="alice")
    strict.push("alice", "twice", {"main.py": PROGRAM}, tmp_path / "twice")
    strict.ask("PUT", "code/jobs/job", who="alice")
    strict.ask("POST", "code/jobs/job/config/chains", b"twice", "alice")
    run = Request(f"{strict.root}code/jobs/job/data", FORM, method="POST")
    run.add_header("Authorization", f"Bearer {strict.tokens['alice']}")
    run.add_header("Content-Type", "multipart/form-data; boundary=b")
    with urlopen(run) as answer:
        assert answer.read() == b"abab"
