"""PodmanImages: the images in Podman's store, by id and by the labels of repo builds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from chains.engine.port import EngineError, Image
from chains.podman.engine import Podman

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
        listed = self._podman.call(
            "get", "/images/json", query={"filters": json.dumps({"label": [REPO_LABEL]})}
        )
        if listed.failed:
            raise EngineError(f"Podman does not list its images (status {listed.status}).")
        found = {str(image["Id"]): (image.get("Labels") or {}).get(REPO_LABEL, "") for image in listed.body}
        return {image: int(repo) for image, repo in found.items() if repo.isdigit()}

    def close(self) -> None:
        """Close the connections to Podman's service."""
        self._podman.close()
