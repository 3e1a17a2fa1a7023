"""Git hosting as gunicorn serves it in the tests: repos of alice, two of them bounded, which bob may read."""

from __future__ import annotations

import base64
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from handlers.git.smart_http import Git
from handlers.http.request_head import Front, read_head
from handlers.services.pushes import Admitted, PushTerms, Service
from storage.git.repositories import GitRepositories
from vfs.errors import Denied, NotFound, Unauthenticated

ROOT = Path(__file__).resolve().parents[2]
HOOK = (sys.executable, "-P", str(Path(__file__).with_name("git_hook.py")))
REPOS = {("alice", "upper"): 1, ("alice", "count"): 2, ("alice", "full"): 3, ("alice", "narrow"): 4}
BOUNDS = {3: Admitted(3, "alice", room=0), 4: Admitted(4, "alice", push=200_000, commands=20, builds=1)}
PASSWORD = "secret"
TOLERATED = ["missingEmail", "duplicateentries"]


def admit(user: str, repo: str, service: Service, authorization: str | None) -> Admitted:
    """alice may push and bob may read, both with the same password."""
    scheme, _, coded = (authorization or "").partition(" ")
    name, _, password = base64.b64decode(coded).decode().partition(":") if scheme == "Basic" else ("", "", "")
    if password != PASSWORD:
        raise Unauthenticated("Sign in with your user name and a token as password.")
    if (user, repo) not in REPOS:
        raise NotFound(f"There is no repo @{user}/{repo}.")
    if service == "write" and name != "alice":
        raise Denied(f"You may not push to @{user}/{repo}: its owner has to share it with w.")
    if service == "write" and not _is_patient():
        raise Denied(f"You may no longer push to @{user}/{repo}.")
    number = REPOS[user, repo]
    return BOUNDS.get(number, Admitted(number, name))


def _is_patient() -> bool:
    """Return whether alice may still push: the file `patience` has the number of times that are left."""
    left = Path(os.environ["CURLEW_TEST_FOLDER"], "patience")
    if not left.exists():
        return True
    number = int(left.read_text())
    left.write_text(str(number - 1))
    return number > 0


def hosted(folder: Path) -> GitRepositories:
    """The repositories that the server keeps in a folder."""
    repositories = GitRepositories(folder / "repos", hook=HOOK)
    for item in REPOS.values():
        repositories.create(item)
    return repositories


def hook_env(folder: Path) -> Mapping[str, str]:
    """Return the variables by which the hook's program finds its world."""
    return {"CURLEW_DATA": str(folder), "PYTHONPATH": str(ROOT)}


def application() -> Callable[..., Iterable[bytes]]:
    """A WSGI application of git alone, over the folder that the test names."""
    folder = Path(os.environ["CURLEW_TEST_FOLDER"])
    repositories = hosted(folder)
    git = Git(repositories, admit, PushTerms(repositories.folder, hook_env(folder), TOLERATED), grace=0.5)

    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        said = git(read_head(environ, Front()))
        if said.pieces is None:
            said.add("Content-Length", str(len(said.body)))
        start_response(f"{said.status.value} {said.status.phrase}", said.headers)
        return [said.body] if said.pieces is None else said.pieces

    return answer
