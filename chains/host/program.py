"""The program `podman`, run with its own configuration and environment."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from chains.engine.port import EngineAway, EngineError
from chains.host.config import PATH, HostFolders, Runtime
from chains.host.rootfs import BASE_LABEL, Fill, ImageRecipe, ImageUnmade, busybox_tree, make_image

LOCAL = "localhost/"
BUSYBOX_IMAGE = "localhost/busybox:latest"
PYTHON_IMAGE = "localhost/python:3-slim"
ALSO_KNOWN_AS = "docker.io/library/python:3-slim"
STEP = (
    *("run", "--rm", "--init", "--network=none", "--read-only", "--cap-drop=all", "--user=65532"),
    *("--memory=64m", "--pids-limit=32", "--cpu-quota=50000"),
)

Tell = Callable[[str], object]
"""Called with a sentence before each slow operation."""


def tell_nobody(sentence: str) -> None:
    """Ignore a sentence: there is no listener."""


class PodmanProgram:
    """`podman` on the store of `folders`; `variables` are added to its environment (proxies)."""

    def __init__(self, folders: HostFolders, variables: Mapping[str, str]) -> None:
        self._folders = folders
        self._environ = folders.environ(variables)

    def run(self, *arguments: str, seconds: float | None = None) -> subprocess.CompletedProcess[str]:
        """Run it to its end, with text as input and output. Raises EngineError if it is not installed.

        After `seconds` it is killed, and EngineAway raised.
        """
        return _run(arguments, self._environ, seconds=seconds)

    def run_skopeo(self, *arguments: str, seconds: float | None = None) -> subprocess.CompletedProcess[str]:
        """Run skopeo with the same configuration, as `run` does Podman."""
        return _run(arguments, self._environ, "skopeo", seconds)

    def version(self) -> str:
        """Return its name and version, configured or not. Raises EngineError if it is not installed."""
        return self.version_of("podman")

    def version_of(self, program: str) -> str:
        """Return name and version of `program`, on one line. Raises EngineError if it is not installed."""
        said = _run(["--version"], {"PATH": PATH}, program).stdout.strip()
        return said.partition("\n")[0] or f"{program} of no known version"

    def trouble(self, *arguments: str) -> str | None:
        """Run it; return its error text, or None if it succeeded."""
        done = self.run(*arguments)
        said = (done.stderr or done.stdout).strip()
        return None if done.returncode == 0 else said or f"exit code {done.returncode}"

    def has(self, image: str) -> bool:
        """Return whether the image is in the store."""
        return self.trouble("image", "exists", image) is None

    def try_step(self, runtime: Runtime, first_id: int) -> str | None:
        """Run an empty step as confined as the command line allows; return why it failed, or None."""
        self.ensure_busybox()
        ids = f"0:{first_id}:65536"
        users = ("--uidmap", ids, "--gidmap", ids) if runtime.userns else ()
        return self.trouble(*STEP, *users, BUSYBOX_IMAGE, "true")

    def ensure_base(self, image: str, recipe: ImageRecipe | None, tell: Tell = tell_nobody) -> None:
        """Provide the base image: made by a recipe, pulled without one. Raises EngineError."""
        if recipe is not None:
            self._ensure_made_here(image, recipe, tell)
        elif not self.has(image):
            tell(f"pulling the base image {image}, once")
            if trouble := self.trouble("pull", "--quiet", image):
                raise EngineError(f"the base image {image} cannot be pulled: {trouble}")

    def ensure_made(self, image: str, fill: Fill, settings: Iterable[str] = ()) -> None:
        """Make an image of the files that `fill` makes, unless the image exists. Raises EngineError."""
        if not self.has(image):
            self._make(image, fill, settings)

    def drop_others(self, image: str) -> None:
        """Remove the unused other tags of an image's repository; those in use stay."""
        repository = image.rpartition(":")[0]
        listed = self.run(
            "images", "--format", "{{.Repository}}:{{.Tag}}", "--filter", f"reference={repository}"
        )
        for name in listed.stdout.split():
            if name != image and name.startswith(f"{repository}:"):
                self.run("rmi", name)

    def ensure_busybox(self) -> None:
        """Provide the image with busybox only. Raises EngineError."""
        self.ensure_made(BUSYBOX_IMAGE, busybox_tree, ['CMD ["/bin/sh"]'])

    def _ensure_made_here(self, image: str, recipe: ImageRecipe, tell: Tell) -> None:
        """Make a missing base image. The one with the usual name is also made if its recipe has changed."""
        found = json.loads(self.run("image", "inspect", image).stdout or "[]")
        if found and (image != PYTHON_IMAGE or _mark(found[0]) == recipe.mark):
            return
        again = "again, since these have changed" if found else "once"
        tell(f"making the base image {image} from {recipe.source}, {again}")
        if recipe.advice:
            tell(f"for a base image with apt and libraries for wheels: {recipe.advice}")
        began = time.monotonic()
        self._make(image, recipe.fill, recipe.settings)
        if image == PYTHON_IMAGE:
            self.trouble("tag", image, ALSO_KNOWN_AS)
        for former in found:
            # It stays while images are based on it.
            self.run("rmi", former["Id"])
        size = json.loads(self.run("image", "inspect", image).stdout)[0]["Size"]
        tell(f"the base image is there: {size >> 20} MiB, after {time.monotonic() - began:.1f} s")

    def _make(self, image: str, fill: Fill, settings: Iterable[str]) -> None:
        try:
            make_image(image, fill, settings, self._environ)
        except ImageUnmade as error:
            raise EngineError(str(error)) from error


def _mark(image: Mapping[str, Any]) -> str | None:
    """Return the mark of the recipe that made an image here, or None."""
    mark: str | None = (image["Config"].get("Labels") or {}).get(BASE_LABEL)
    return mark


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
