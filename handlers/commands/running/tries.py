"""`curlew run DIR`: builds and runs a folder once on a server, through the API and git."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import tempfile
import time
import zipfile
from base64 import b64encode
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from secrets import token_hex
from typing import Any

import click
import requests
from requests.exceptions import RequestException

from handlers.words.terminal_signs import safe_text
from vfs.errors import NotFound, Unavailable, VfsError

CONNECT, ANSWER = 10.0, 120.0
"""Time limits in seconds for connecting to a server, and for its response."""
POLL_SECONDS = 0.5
READY, BUSY = "ready", ("queued", "building")
ENDED = ("success", "failed", "canceled", "rejected")
EXIT = re.compile(r"[^:]+: ended with exit code ([0-9]+) after ")
ATTACHED = re.compile(r'filename="([^"]+)"')
COMMIT = ("-c", "user.name=curlew", "-c", "user.email=curlew@localhost", "-c", "commit.gpgsign=false")


class TrialServer:
    """A server, used with the token of an account."""

    def __init__(self, address: str, token: str) -> None:
        self.address, self.token = address.rstrip("/").removesuffix("/v1"), token
        self._session = requests.Session()
        self._session.headers.update({"Authorization": f"Bearer {token}", "User-Agent": "curlew run"})

    def ask(self, method: str, path: str, text: str | None = None, **more: Any) -> requests.Response:
        """Return the answer to a request. Raises VfsError for a refusal."""
        headers = {"Content-Type": "text/plain"} if text is not None else {}
        headers |= more.pop("headers", {})
        more = {"timeout": (CONNECT, ANSWER), "data": text, "headers": headers, **more}
        try:
            answer = self._session.request(method, f"{self.address}/v1/{path}", **more)
        except (RequestException, ValueError) as error:
            why = getattr(error.args[0], "reason", error) if error.args else error
            advice = "start it with curlew serve, or name another one by --server"
            raise Unavailable(f"no answer from {self.address}: {advice} ({why})") from error
        if not answer.ok:
            raise VfsError(_reason(answer))
        return answer

    def text(self, path: str) -> str:
        """Return a file's text."""
        return self.ask("GET", path, headers={"Accept": "text/plain"}).text.strip()

    def remove(self, path: str) -> None:
        """Remove an item; print its path if that fails."""
        try:
            self.ask("DELETE", path)
        except VfsError as error:
            click.echo(f"curlew: {path} may be left on {self.address}: {error.detail}", err=True)


def _reason(answer: requests.Response) -> str:
    """Return the sentence of a refusal."""
    try:
        return safe_text(str(answer.json()["detail"]))
    except (ValueError, KeyError, TypeError):
        return f"{answer.url} answered {answer.reason!r}: is it a Curlew server?"


def run_once(server: TrialServer, folder: Path, inputs: Sequence[Path], output: Path | None) -> int:
    """Build and run a folder, print both logs, and return the exit code of its program.

    The repo and the job that this needs have a random name, and are removed at the end, also after an
    interruption. `output` gets the files that the program leaves; without it, they are listed.
    """
    name = f"try_{token_hex(5)}"
    repo, job = f"code/repos/{name}", f"code/jobs/{name}"
    with ExitStack() as left:
        server.ask("PUT", repo)
        left.callback(server.remove, repo)
        _push(server, server.text(f"{repo}/url"), folder)
        while (status := server.text(f"{repo}/status")) in BUSY:
            time.sleep(POLL_SECONDS)
        if status != READY:
            said = "it was not built, so it does not run; the lines above say why, and nothing of it is kept"
            raise VfsError(said)
        server.ask("PUT", job)
        left.callback(server.remove, job)
        server.ask("POST", f"{job}/config/chains", name)
        run = f"{job}/runs/{_start(server, job, inputs)}"
        left.callback(_cancel, server, run)
        code = _follow(server, run)
        if code == 0:
            _take_output(server, run, output)
    return code


def _push(server: TrialServer, url: str, folder: Path) -> None:
    """Push the folder, as it is, from a temporary repository; that of the user does not change.

    Files named in .gitignore are left out, as in any push. Git shows the log of the build.
    """
    owner = url.rsplit("/", 2)[-2]
    secret = b64encode(f"{owner}:{server.token}".encode()).decode()
    with tempfile.TemporaryDirectory(prefix="curlew-run-") as scratch:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        environment |= {
            "GIT_DIR": scratch,
            "GIT_WORK_TREE": str(folder.resolve()),
            "GIT_TERMINAL_PROMPT": "0",
            # In the environment, because other accounts of this machine can see arguments.
            "GIT_CONFIG_COUNT": "3",
            "GIT_CONFIG_KEY_0": "http.extraHeader",
            "GIT_CONFIG_VALUE_0": f"Authorization: Basic {secret}",
            "GIT_CONFIG_KEY_1": "core.hooksPath",
            "GIT_CONFIG_VALUE_1": os.devnull,
            "GIT_CONFIG_KEY_2": "safe.directory",
            "GIT_CONFIG_VALUE_2": "*",
        }
        _git(environment, folder, "init", "--quiet", "--initial-branch=main")
        _git(environment, folder, "add", "--all")
        if not _git(environment, folder, "ls-files"):
            raise NotFound(f"there is nothing to run in {folder}: it has no files, or .gitignore names all")
        _git(environment, folder, *COMMIT, "commit", "--quiet", "--message=Try")
        target = f"{server.address}/git/{url.rpartition('/git/')[2]}"
        _git(environment, folder, "push", "--quiet", target, "main")


def _git(environment: Mapping[str, str], folder: Path, *words: str) -> bytes:
    """Return the output of git; its messages appear on stderr. Raises VfsError if it fails."""
    program = shutil.which("git")
    if program is None:
        raise Unavailable("there is no git here, which sends the folder: install it")
    done = subprocess.run(
        [program, *words], env=dict(environment), cwd=folder, stdout=subprocess.PIPE, check=False
    )
    if done.returncode:
        raise VfsError(f"git could not send {folder}: its lines above say why")
    return done.stdout


def _start(server: TrialServer, job: str, inputs: Sequence[Path]) -> str:
    """Start a run with the input files, or with an empty document; return its name."""
    asked = {"Prefer": "respond-async"}
    if not inputs:
        return str(server.ask("POST", f"{job}/data", json={}, headers=asked).json()["run"])
    with ExitStack() as open_files:
        files = [("file", (path.name, open_files.enter_context(path.open("rb")))) for path in inputs]
        return str(server.ask("POST", f"{job}/data", files=files, headers=asked).json()["run"])


def _follow(server: TrialServer, run: str) -> int:
    """Print the log of a run as it grows; return the exit code of its program, 1 if there is none."""
    code = 1
    wanted: dict[str, Any] = {
        "params": {"follow": "yes"},
        "headers": {"Accept": "text/plain"},
        "stream": True,
    }
    with server.ask("GET", f"{run}/log", timeout=(CONNECT, None), **wanted) as answer:
        for line in answer.iter_lines():
            said = safe_text(line.decode(errors="replace"))
            click.echo(said)
            if found := EXIT.match(said):
                code = int(found[1])
    while (status := server.text(f"{run}/status")) not in ENDED:
        time.sleep(POLL_SECONDS)
    return 0 if status == "success" else code or 1


def _cancel(server: TrialServer, run: str) -> None:
    """Cancel a run that has not ended, so that its container ends now."""
    try:
        if server.text(f"{run}/status") not in ENDED:
            server.ask("POST", f"{run}/status", "canceled")
    except VfsError as error:
        click.echo(f"curlew: {error.detail}", err=True)


def _take_output(server: TrialServer, run: str, output: Path | None) -> None:
    """Write the files that a run left to a folder, or list them."""
    answer = server.ask("GET", f"{run}/output", timeout=(CONNECT, None))
    if not answer.content:
        click.echo("It left no files in /output.")
        return
    named = ATTACHED.search(answer.headers.get("Content-Disposition", ""))
    name = Path(named[1]).name if named else "output"
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
    if name == f"{run.rpartition('/')[2]}.zip":
        with zipfile.ZipFile(io.BytesIO(answer.content)) as several:
            if output is not None:
                several.extractall(output)
            sizes = {one.filename: one.file_size for one in several.infolist()}
    else:
        if output is not None:
            (output / name).write_bytes(answer.content)
        sizes = {name: len(answer.content)}
    for name, size in sizes.items():
        click.echo(f"{'wrote' if output is not None else 'left'} {safe_text(name)} ({size:,} bytes)")
