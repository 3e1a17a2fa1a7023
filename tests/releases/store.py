"""`python -m tests.releases.store VERSION`: keep what a release stores, for those after it to be tried with.

The release fills an empty server, once on SQLite and once on PostgreSQL, with a runner that builds
and runs in containers (so: as root, with Podman). Kept are the database as SQL, the data folder, tokens, and
what every GET was answered. `--code DIR` takes another checkout: `git archive COMMIT | tar x -C DIR`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import site
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from tests.kit.postgres import Postgres
from tests.kit.processes import free_port
from tests.kit.sources import ROOT
from tests.releases.asking import Client
from tests.releases.filling import fill

STORED = ROOT / "tests" / "releases"
BASE_URL = "https://curlew.example"
KEPT = ("blobs", "repos", "runs", "key", ".installation")
ACCOUNTS = {
    "alice": ("--public", "--email", "alice@birds.example"),
    "bob": ("--public",),
    "acme": ("--organisation",),
}
READY_WITHIN = 120.0
SAMPLES = re.compile(r"/hooks/|\.sample$|/description$")


def main(words: Sequence[str]) -> None:
    """Store a release on both databases."""
    parser = argparse.ArgumentParser(prog="python -m tests.releases.store", description=__doc__)
    parser.add_argument("version")
    parser.add_argument(
        "--code", type=Path, default=ROOT, help="the checkout of the release (default: this one)"
    )
    given = parser.parse_args(words)
    (STORED / given.version).mkdir(exist_ok=True)
    for dialect in ("sqlite", "postgresql"):
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder, database_of(dialect) as url:
            target = STORED / given.version / f"{dialect}.tar.xz"
            store(interpreter(given.code.resolve(), Path(folder)), Path(folder), url, target)
            sys.stdout.write(f"{target}: {target.stat().st_size} bytes\n")


@contextmanager
def database_of(dialect: str) -> Iterator[str]:
    """The URL of an empty database; empty for the SQLite file of the folder."""
    if dialect == "sqlite":
        yield ""
        return
    server = Postgres()
    try:
        yield server.fresh()
    finally:
        server.stop()


def interpreter(code: Path, folder: Path) -> Path:
    """A Python that has the program of a checkout and the libraries of this one, for every account."""
    home = folder / "venv"
    venv.create(home, symlinks=True)
    found = [code, *(Path(place) for place in site.getsitepackages())]
    packages = next(home.glob("lib/python3*/site-packages"))
    (packages / "release.pth").write_text("".join(f"{place}\n" for place in found))
    return home / "bin" / "python"


def store(python: Path, folder: Path, url: str, target: Path) -> None:
    """Fill a server of some program, and keep it all in an archive."""
    data = folder / "data"
    with serving(python, data, url) as origin:
        client = Client(origin, {name: add(python, data, url, name, more) for name, more in ACCOUNTS.items()})
        (folder / "scratch").mkdir()
        refused = fill(client, folder / "scratch")
        # Before each place is read, which would leave a line in the log of a token.
        sql = dump(data, url)
        answers = [[*place, *answer] for *place, answer in client.answers()]
    kept = {"tokens": client.tokens, "refused": refused, "answers": answers}
    (data / "answers.json").write_text(json.dumps(kept, ensure_ascii=False, indent=0))
    (data / "database.sql").write_text(sql)
    with tarfile.open(target, "w:xz", preset=9) as archive:
        for name in (*KEPT, "answers.json", "database.sql"):
            if (data / name).exists():
                archive.add(data / name, name, filter=_plain)


def environment(url: str) -> Mapping[str, str]:
    """The settings of a release: those that the first one had."""
    more = {"CURLEW_DATABASE_URL": url} if url else {}
    return {"PATH": os.environ["PATH"], "CURLEW_BASE_URL": BASE_URL, **more}


@contextmanager
def serving(python: Path, data: Path, url: str) -> Iterator[str]:
    """A server of some program with its runner; its address."""
    address = f"127.0.0.1:{free_port()}"
    words = [python, "-m", "handlers", "serve", "--data", str(data), "--bind", address]
    log = data.parent / "log"
    with (
        log.open("wb") as heard,
        subprocess.Popen(words, cwd=data.parent, env=environment(url), stdout=heard, stderr=heard) as process,
    ):
        try:
            deadline = time.monotonic() + READY_WITHIN
            while not _is_ready(f"http://{address}/readyz"):
                assert process.poll() is None and time.monotonic() < deadline, log.read_text()
                time.sleep(0.3)
            yield f"http://{address}"
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


def _is_ready(address: str) -> bool:
    try:
        with urlopen(address) as answer:
            return b"pass" in answer.read()
    except (URLError, ConnectionError):
        return False


def add(python: Path, data: Path, url: str, name: str, more: Sequence[str]) -> str:
    """Make an account; its token."""
    words = [
        python,
        "-m",
        "handlers",
        "user",
        "add",
        name,
        *more,
        "--token",
        "kept",
        "--data",
        str(data),
    ]
    done = subprocess.run(
        words, cwd=data.parent, env=environment(url), text=True, stdout=subprocess.PIPE, check=True
    )
    return done.stdout.split()[-1]


def dump(data: Path, url: str) -> str:
    """The database as SQL that one connection executes."""
    if not url:
        with closing(sqlite3.connect(data / "curlew.db")) as run_store:
            return "\n".join(run_store.iterdump())
    words = ["pg_dump", "--inserts", "--no-owner", "--no-privileges", url]
    said = subprocess.run(words, text=True, stdout=subprocess.PIPE, check=True).stdout
    # Words of psql's own, and settings that older servers do not have.
    return "\n".join(line for line in said.split("\n") if not line.startswith(("\\", "SET ", "--")))


def _plain(info: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """A file as anybody may unpack it; no samples of git's."""
    info.uid = info.gid = 0
    info.uname = info.gname = ""
    return None if SAMPLES.search(info.name) else info


if __name__ == "__main__":
    main(sys.argv[1:])
