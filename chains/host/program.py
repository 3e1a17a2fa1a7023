"""The program `podman`, run with a configuration and an environment of its own."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from chains.engine.port import EngineAway, EngineError
from chains.host.config import PATH, HostFolders, Runtime
from chains.host.rootfs import ImageUnmade, PythonInstallation, busybox_tree, make_image, python_tree

LOCAL = "localhost/"
BUSYBOX_IMAGE = "localhost/busybox:latest"
PYTHON_IMAGE = "localhost/python:3-slim"
ALSO_KNOWN_AS = "docker.io/library/python:3-slim"
BASE_VARIABLES = (f"PATH={PATH}", "LANG=C.UTF-8", "PYTHONUNBUFFERED=1")
MADE_LABEL, MADE_BY = "curlew.base", "2"
"""Counts the changes of how the base image is made: one that was made before is made anew."""

STEP = (
    *("run", "--rm", "--init", "--network=none", "--read-only", "--cap-drop=all", "--user=65532"),
    *("--memory=64m", "--pids-limit=32", "--cpu-quota=50000"),
)

Tell = Callable[[str], object]
"""Is given a sentence of each thing that takes a while, before it begins."""


def tell_nobody(sentence: str) -> None:
    """Drop a sentence that nobody waits for."""


class PodmanProgram:
    """`podman` on the store of `folders`; `variables` are what it sees besides its own (proxies)."""

    def __init__(self, folders: HostFolders, variables: Mapping[str, str]) -> None:
        self._folders = folders
        self._environ = folders.environ(variables)

    def run(self, *arguments: str, seconds: float | None = None) -> subprocess.CompletedProcess[str]:
        """Run it to its end, text in and out. Raises EngineError when it is not installed.

        After `seconds` it is killed, and EngineAway raised.
        """
        return _run(arguments, self._environ, seconds=seconds)

    def run_skopeo(self, *arguments: str, seconds: float | None = None) -> subprocess.CompletedProcess[str]:
        """Run the program for registries with the same configuration, as `run` does Podman."""
        return _run(arguments, self._environ, "skopeo", seconds)

    def version(self) -> str:
        """Its name and version, configured or not. Raises EngineError when it is not installed."""
        return self.version_of("podman")

    def version_of(self, program: str) -> str:
        """Name and version of `program`, on one line. Raises EngineError when it is not installed."""
        said = _run(["--version"], {"PATH": PATH}, program).stdout.strip()
        return said.partition("\n")[0] or f"{program} of no known version"

    def trouble(self, *arguments: str) -> str | None:
        """Run it; None when it went well, else what it said."""
        done = self.run(*arguments)
        said = (done.stderr or done.stdout).strip()
        return None if done.returncode == 0 else said or f"exit code {done.returncode}"

    def has(self, image: str) -> bool:
        """Whether the image is in the store."""
        return self.trouble("image", "exists", image) is None

    def try_step(self, runtime: Runtime, first_id: int) -> str | None:
        """Run an empty step as confined as the command line allows; None when it went well."""
        self.ensure_busybox()
        ids = f"0:{first_id}:65536"
        users = ("--uidmap", ids, "--gidmap", ids) if runtime.userns else ()
        return self.trouble(*STEP, *users, BUSYBOX_IMAGE, "true")

    def ensure_base(self, image: str, python: Path, tell: Tell = tell_nobody) -> None:
        """Have the base image: made from `python` when its name is local, else pulled. Raises EngineError."""
        local = image.startswith(LOCAL)
        if self.has(image) and not (local and self._is_outdated(image)):
            return
        if local:
            tell(f"making the base image {image} from this machine's Python, once")
            self._import_python(image, python)
            return
        tell(f"pulling the base image {image}, once")
        if trouble := self.trouble("pull", "--quiet", image):
            raise EngineError(f"the base image {image} cannot be pulled: {trouble}")

    def ensure_made(self, image: str, fill: Callable[[Path], None], settings: Iterable[str] = ()) -> None:
        """Have an image out of what `fill` puts into an empty folder. Raises EngineError."""
        if not self.has(image):
            self._make(image, fill, settings)

    def drop_others(self, image: str) -> None:
        """Remove the other tags of an image's repository that nothing uses; what cannot go stays."""
        repository = image.rpartition(":")[0]
        listed = self.run(
            "images", "--format", "{{.Repository}}:{{.Tag}}", "--filter", f"reference={repository}"
        )
        for name in listed.stdout.split():
            if name != image and name.startswith(f"{repository}:"):
                self.run("rmi", name)

    def ensure_busybox(self) -> None:
        """Have the image of a shell and its programs alone. Raises EngineError."""
        self.ensure_made(BUSYBOX_IMAGE, busybox_tree, ['CMD ["/bin/sh"]'])

    def _is_outdated(self, image: str) -> bool:
        """Whether a base image was made here as it is not made any more; an operator's own never is."""
        return any(
            _is_outdated(found) for found in json.loads(self.run("image", "inspect", image).stdout or "[]")
        )

    def _import_python(self, image: str, executable: Path) -> None:
        try:
            python = PythonInstallation.at(executable)
        except ImageUnmade as error:
            raise EngineError(str(error)) from error
        settings = [
            *(f"ENV {variable}" for variable in BASE_VARIABLES),
            'CMD ["python3"]',
            f"LABEL {MADE_LABEL}={MADE_BY}",
        ]
        self._make(image, lambda root: python_tree(root, python), settings)
        if image == PYTHON_IMAGE:
            self.trouble("tag", image, ALSO_KNOWN_AS)

    def _make(self, image: str, fill: Callable[[Path], None], settings: Iterable[str]) -> None:
        try:
            make_image(image, fill, settings, self._environ)
        except ImageUnmade as error:
            raise EngineError(str(error)) from error


def _is_outdated(image: Mapping[str, Any]) -> bool:
    said, made_by = image["Config"], (image["Config"].get("Labels") or {}).get(MADE_LABEL)
    ours = said.get("Cmd") == ["python3"] and sorted(said.get("Env") or ()) == sorted(BASE_VARIABLES)
    return ours and len(image["RootFS"]["Layers"]) == 1 and made_by != MADE_BY


def _run(
    arguments: Iterable[str],
    environ: Mapping[str, str],
    program: str = "podman",
    seconds: float | None = None,
) -> subprocess.CompletedProcess[str]:
    words = [program, *arguments]
    try:
        return subprocess.run(
            words, env=environ, capture_output=True, text=True, check=False, timeout=seconds
        )
    except subprocess.TimeoutExpired:
        raise EngineAway(f"{' '.join(words[:2])} did not end within {seconds:g} s and was stopped") from None
    except OSError as error:
        advice = f"apt-get install {program}"
        raise EngineError(f"{program} cannot be run ({error.strerror}): {advice}") from error
