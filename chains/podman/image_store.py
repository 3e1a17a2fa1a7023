"""Images in Podman's store, and those of several hosts in a registry, listed and removed there by skopeo."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from chains.engine.port import EngineAway, EngineError, Image
from chains.podman.api import Podman
from chains.sharing.shared_images import ImageGone

COMMIT_LABEL = "curlew.commit"
REPO_LABEL = "curlew.repo"
TAR = "application/x-tar"


class PodmanImages:
    """Podman's images; `find`, `drop` and `repo_images` implement those of a Builder."""

    def __init__(self, podman: Podman) -> None:
        self._podman = podman

    def load(self, archive: Path) -> None:
        """Load the images of an archive that we made into the store. Raises EngineError."""
        with archive.open("rb") as file:
            answer = self._podman.send("/images/load", file, TAR)
        if answer.failed:
            raise EngineError(f"Podman does not take the image: {answer.reason}")

    def find(self, image: str) -> Image | None:
        """Return the image by id or tag (Builder.find). Raises EngineError if Podman is away."""
        answer = self._podman.call("get", f"/images/{image}/json")
        if answer.failed:
            return None
        labels = answer.body.get("Labels") or {}
        return Image(str(answer.body["Id"]), labels.get(COMMIT_LABEL), int(answer.body["Size"]))

    def drop(self, image: str) -> None:
        """Remove an image (Builder.drop). One that a container uses loses its names and is removed later."""
        answer = self._podman.call("delete", f"/images/{image}")
        if answer.failed and answer.status != 404:
            self._podman.call("post", f"/images/{image}/untag")
            self._podman.call("delete", f"/images/{image}")

    def repo_images(self) -> Mapping[str, int]:
        """Return the images of repos (Builder.repo_images). Raises EngineError if Podman is away."""
        # Without "all", Podman hides an untagged image that shares its layers with another one.
        query = {"all": "true", "filters": json.dumps({"label": [REPO_LABEL]})}
        listed = self._podman.call("get", "/images/json", query=query)
        if listed.failed:
            raise EngineError(f"Podman does not list its images (status {listed.status}).")
        found = {str(image["Id"]): (image.get("Labels") or {}).get(REPO_LABEL, "") for image in listed.body}
        return {image: int(repo) for image, repo in found.items() if repo.isdigit()}

    def close(self) -> None:
        """Close the connections to Podman's service."""
        self._podman.close()


IMAGE = re.compile(r"[0-9a-f]{64}")
NAME = "images"
UNKNOWN = re.compile(r"manifest unknown|may not exist|name unknown|not found|StatusCode: 404", re.IGNORECASE)
ADVICE = {
    r"unauthorized|authentication required|denied|forbidden|credential|authfile|auth file": (
        "registry_auth names the file that  podman login --authfile FILE REGISTRY  wrote for an account that "
        "may read, write and delete there"
    ),
    r"certificate|x509|tls:|http response to https|https response to http|ca\.crt": (
        "registry_ca names the folder with ca.crt of the authority that signed its certificate; http:// in "
        "registry_url goes without TLS"
    ),
}
"""Patterns of refusals that a retry does not fix, and the advice for each."""

LONGEST = 300
Run = Callable[..., subprocess.CompletedProcess[str]]
"""A function that runs a program on text. It raises EngineAway if that takes longer than `seconds`."""


@dataclass(frozen=True, slots=True)
class Registry:
    """A registry: `url` as `https://registry.example.org/curlew`, http without TLS.

    `certificates`: a folder with `ca.crt`, and `client.cert` and `client.key` if required. `auth`: the file
    that `podman login --authfile` writes. `seconds`: the time limit to move an image; `answers`: the time
    limit of all other requests.
    """

    url: str
    certificates: str = ""
    auth: str = ""
    seconds: float = 600.0
    answers: float = 30.0

    @property
    def place(self) -> str:
        """The name of the repository with the images, for Podman and skopeo."""
        return f"docker://{self.url.partition('://')[2].strip('/')}/{NAME}"

    @property
    def options(self) -> list[str]:
        """The options for Podman and skopeo to connect to it."""
        found = ["--tls-verify=false"] if self.url.startswith("http://") else []
        found += ["--cert-dir", self.certificates] if self.certificates else []
        return [*found, "--authfile", self.auth] if self.auth else found


class RegistryImages:
    """An ImageStore in a registry. The tag of an image is its id. `podman` and `skopeo` run the programs."""

    def __init__(self, registry: Registry, store: PodmanImages, podman: Run, skopeo: Run) -> None:
        self._registry = registry
        self._store = store
        self._podman = podman
        self._skopeo = skopeo

    def offer(self, image: str) -> None:
        """Push an image (ImageStore.offer)."""
        self._require_answer(image)
        self._move("push", image, self._name(image))

    def fetch(self, image: str) -> bool:
        """Pull an image unless it is here, and compare its id (ImageStore.fetch)."""
        if self._store.find(image) is not None:
            return False
        self._ask("inspect", "--raw", self._name(image))
        came = self._move("pull", self._name(image)).stdout.strip().rpartition("\n")[2]
        if came != image:
            if IMAGE.fullmatch(came):
                self._store.drop(came)
            raise EngineError(f"the registry has another image ({came[:LONGEST]}) under the name of {image}")
        return True

    def list_images(self) -> Collection[str]:
        """List the tags (ImageStore.list_images)."""
        try:
            done = self._ask("list-tags", self._registry.place)
        except ImageGone:  # nothing was ever pushed
            return ()
        try:
            return [tag for tag in json.loads(done.stdout)["Tags"] if IMAGE.fullmatch(tag)]
        except (ValueError, KeyError, TypeError) as error:
            raise EngineError("the registry does not list its images") from error

    def drop(self, image: str) -> None:
        """Delete a tag's image (ImageStore.drop). The registry's own cleanup frees the bytes."""
        try:
            self._ask("delete", self._name(image))
        except ImageGone:
            return

    def _name(self, image: str) -> str:
        if not IMAGE.fullmatch(image):
            raise EngineError(f'"{image[:LONGEST]}" is no id of an image')
        return f"{self._registry.place}:{image}"

    def _require_answer(self, image: str) -> None:
        """Check quickly whether an image exists, to report a hanging registry before an image is moved."""
        with suppress(ImageGone):
            self._ask("inspect", "--raw", self._name(image))

    def _move(self, verb: str, *names: str) -> subprocess.CompletedProcess[str]:
        return self._run(self._podman, self._registry.seconds, verb, "--quiet", *names)

    def _ask(self, verb: str, *words: str) -> subprocess.CompletedProcess[str]:
        return self._run(self._skopeo, self._registry.answers, verb, *words)

    def _run(self, run: Run, seconds: float, verb: str, *words: str) -> subprocess.CompletedProcess[str]:
        try:
            done = run(verb, *self._registry.options, *words, seconds=seconds)
        except EngineAway as error:
            raise EngineAway(f"the registry {self._registry.url} does not answer: {error}") from error
        return self._judge(verb, done)

    def _judge(self, verb: str, done: subprocess.CompletedProcess[str]) -> subprocess.CompletedProcess[str]:
        if done.returncode == 0:
            return done
        said = (done.stderr or done.stdout).strip().rpartition("\n")[2][-LONGEST:]
        if UNKNOWN.search(said):
            raise ImageGone(f"the registry {self._registry.url} does not have it: {said}")
        failure = f"the registry {self._registry.url} refuses the command {verb}: {said}"
        for words, advice in ADVICE.items():
            if re.search(words, said, re.IGNORECASE):
                raise EngineError(f"{failure}: {advice}")
        raise EngineAway(failure)
