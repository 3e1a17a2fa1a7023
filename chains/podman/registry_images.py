"""RegistryImages: images of several hosts in a registry, by Podman; listed and removed by skopeo."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Protocol

from chains.engine.port import EngineAway, EngineError, Image
from chains.sharing.image_store import ImageGone

IMAGE = re.compile(r"[0-9a-f]{64}")
NAME = "images"
UNKNOWN = re.compile(r"manifest unknown|may not exist|name unknown|not found|StatusCode: 404", re.IGNORECASE)
REFUSED = re.compile(r"unauthorized|authentication required|denied|forbidden|certificate", re.IGNORECASE)
LONGEST = 300

Run = Callable[..., subprocess.CompletedProcess[str]]
"""Runs a program with arguments, text in and out."""


class LocalStore(Protocol):
    """The images in the store of this host."""

    def find(self, image: str) -> Image | None:
        """The image by id or name."""
        ...

    def drop(self, image: str) -> None:
        """Forget an image."""
        ...


@dataclass(frozen=True, slots=True)
class Registry:
    """A registry: `url` as `https://registry.example.org/curlew`, http without TLS.

    `certificates`: a folder with `ca.crt`, and `client.cert` and `client.key` where it asks for them. `auth`:
    the file that `podman login --authfile` writes.
    """

    url: str
    certificates: str = ""
    auth: str = ""

    @property
    def place(self) -> str:
        """The name of what holds the images, for Podman and skopeo."""
        return f"docker://{self.url.partition('://')[2].strip('/')}/{NAME}"

    @property
    def options(self) -> list[str]:
        """The options by which both reach it."""
        found = ["--tls-verify=false"] if self.url.startswith("http://") else []
        found += ["--cert-dir", self.certificates] if self.certificates else []
        return [*found, "--authfile", self.auth] if self.auth else found


class RegistryImages:
    """ImageStore over a registry; an image is the tag that its id spells. `podman` and `skopeo` run these."""

    def __init__(self, registry: Registry, store: LocalStore, podman: Run, skopeo: Run) -> None:
        self._registry = registry
        self._store = store
        self._podman = podman
        self._skopeo = skopeo

    def offer(self, image: str) -> None:
        """Push an image (ImageStore.offer)."""
        self._act(self._podman, "push", "--quiet", *self._registry.options, image, self._name(image))

    def fetch(self, image: str) -> bool:
        """Pull an image unless it is here, and compare its id (ImageStore.fetch)."""
        if self._store.find(image) is not None:
            return False
        done = self._act(self._podman, "pull", "--quiet", *self._registry.options, self._name(image))
        came = done.stdout.strip().rpartition("\n")[2]
        if came != image:
            if IMAGE.fullmatch(came):
                self._store.drop(came)
            raise EngineError(f"the registry has another image ({came[:LONGEST]}) under the name of {image}")
        return True

    def list_images(self) -> Collection[str]:
        """List the tags (ImageStore.list_images)."""
        try:
            done = self._act(self._skopeo, "list-tags", *self._registry.options, self._registry.place)
        except ImageGone:  # nothing was ever pushed
            return ()
        try:
            return [tag for tag in json.loads(done.stdout)["Tags"] if IMAGE.fullmatch(tag)]
        except (ValueError, KeyError, TypeError) as error:
            raise EngineError("the registry does not list its images") from error

    def drop(self, image: str) -> None:
        """Delete what a tag names (ImageStore.drop); the registry's own sweep frees the bytes."""
        try:
            self._act(self._skopeo, "delete", *self._registry.options, self._name(image))
        except ImageGone:
            return

    def _name(self, image: str) -> str:
        if not IMAGE.fullmatch(image):
            raise EngineError(f'"{image[:LONGEST]}" is no id of an image')
        return f"{self._registry.place}:{image}"

    def _act(self, run: Run, *arguments: str) -> subprocess.CompletedProcess[str]:
        done = run(*arguments)
        if done.returncode == 0:
            return done
        said = (done.stderr or done.stdout).strip().rpartition("\n")[2][-LONGEST:]
        if UNKNOWN.search(said):
            raise ImageGone(f"the registry {self._registry.url} does not have it: {said}")
        kind = EngineError if REFUSED.search(said) else EngineAway
        raise kind(f"the registry {self._registry.url} does not do it ({arguments[0]}): {said}")
