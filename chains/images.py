"""PodmanBuilder: images made out of folders by Podman, over the connection of `chains.podman`."""

from __future__ import annotations

import json
import re
import stat
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from chains.buildgroup import BuildGroup
from chains.engine import BuildFailed, BuildOrder, EngineError, Image
from chains.podman import Podman

COMMIT_LABEL = "curlew.commit"
REPO_LABEL = "curlew.repo"
TAR = "application/x-tar"
IMAGE_ID = re.compile(r"[0-9a-f]{12,64}")
SPOOLED = 8 << 20
DROPPED = ["CAP_AUDIT_WRITE", "CAP_MKNOD", "CAP_NET_RAW"]
NOISE = ("Getting image source", "Copying blob", "Copying config", "Writing manifest", "Storing signatures")
"""How Podman talks while it stores an image: nothing that a pusher could act on."""

LONGEST_LINE = 16 << 10


@dataclass(frozen=True, slots=True)
class BuildLimits:
    """What one build may use: bytes of memory, cores, processes, seconds, bytes of log told."""

    memory: int = 2 << 30
    cpus: float = 2.0
    pids: int = 1024
    seconds: float = 1800.0
    log: int = 4 << 20


class PodmanBuilder:
    """Builder over Podman's service for builds; several builds at once go over a connection each."""

    def __init__(self, podman: Podman, limits: BuildLimits | None = None) -> None:
        self._podman = podman
        self._limits = limits or BuildLimits()

    def build(self, order: BuildOrder, tell: Callable[[str], None]) -> Image:
        """Build the folder (Builder.build); the label `curlew.commit` is what `find` answers as commit."""
        _refuse_odd(order.context, order.recipe)
        until = time.monotonic() + self._limits.seconds
        try:
            with tempfile.SpooledTemporaryFile(SPOOLED) as archive, BuildGroup(self._limits.pids) as group:
                _pack(order.context, archive)
                archive.seek(0)
                query = self._query(
                    order.recipe, order.tag, order.labels, _runs(order.context / order.recipe)
                ) | {"cgroupparent": group.parent}
                identity = self._run(archive, query, tell, until)
        except EngineError as error:
            if time.monotonic() >= until:
                raise self._too_slow() from error
            raise BuildFailed(f"the image could not be built: {error}") from error
        except BuildFailed:
            self.prune()
            raise
        if image := self.find(identity or order.tag):
            return image
        raise BuildFailed("the build ended without an image; push again to repeat it")

    def find(self, image: str) -> Image | None:
        """The image by id or tag (Builder.find). Raises EngineError when Podman is away."""
        answer = self._podman.call("get", f"/images/{image}/json")
        if answer.failed:
            return None
        labels = answer.body.get("Labels") or {}
        return Image(str(answer.body["Id"]), labels.get(COMMIT_LABEL), int(answer.body["Size"]))

    def drop(self, image: str) -> None:
        """Forget an image (Builder.drop); one that a container still uses loses its names and goes later."""
        answer = self._podman.call("delete", f"/images/{image}")
        if answer.failed and answer.status != 404:
            self._podman.call("post", f"/images/{image}/untag")
            self._podman.call("delete", f"/images/{image}")

    def made(self) -> Mapping[str, int]:
        """The images of repos (Builder.made). Raises EngineError when Podman is away."""
        listed = self._podman.call(
            "get", "/images/json", query={"filters": json.dumps({"label": [REPO_LABEL]})}
        )
        if listed.failed:
            raise EngineError(f"Podman does not list its images (status {listed.status}).")
        found = {str(image["Id"]): (image.get("Labels") or {}).get(REPO_LABEL, "") for image in listed.body}
        return {image: int(repo) for image, repo in found.items() if repo.isdigit()}

    def prune(self) -> None:
        """Remove what failed builds left: images without a name that carry no label of ours."""
        listed = self._podman.call(
            "get", "/images/json", query={"filters": json.dumps({"dangling": ["true"]})}
        )
        for image in [] if listed.failed else listed.body:
            if COMMIT_LABEL not in (image.get("Labels") or {}):
                self._podman.call("delete", f"/images/{image['Id']}")

    def close(self) -> None:
        """Close the connections to Podman's service."""
        self._podman.close()

    def _query(self, recipe: str, tag: str, labels: Mapping[str, str], layered: bool) -> dict[str, Any]:
        limits = self._limits
        return {
            "dockerfile": recipe,
            "t": tag,
            "labels": json.dumps(dict(labels)),
            "rm": "true",
            "forcerm": "true",
            "layers": str(layered).lower(),
            # Podman keeps no layers to use again for builds over its API unless the form is named.
            "outputformat": "application/vnd.oci.image.manifest.v1+json",
            "memory": limits.memory,
            "memswap": limits.memory,
            "cpuperiod": 100_000,
            "dropcaps": json.dumps(DROPPED),
            "cpuquota": int(limits.cpus * 100_000),
        }

    def _run(
        self, archive: IO[bytes], query: Mapping[str, Any], tell: Callable[[str], None], until: float
    ) -> str | None:
        """Build, tell the log, answer the id of the image."""
        told, last, silence = 0, "", self._limits.seconds
        with self._podman.stream("/build", query=query, data=archive, media=TAR, silence=silence) as records:
            for line in _lines(_texts(records)):
                if time.monotonic() > until:
                    raise self._too_slow()
                told += len(line)
                if line.startswith(NOISE):
                    continue
                if told <= self._limits.log:
                    tell(line)
                last = line or last
        return last if IMAGE_ID.fullmatch(last) else None

    def _too_slow(self) -> BuildFailed:
        return BuildFailed(f"the build took longer than {self._limits.seconds:g} seconds and was stopped")


def _texts(records: Iterable[bytes]) -> Iterator[str]:
    """The pieces of the log out of the service's JSON records. Raises BuildFailed with its reason."""
    for record in records:
        said = json.loads(record) if record.strip() else {}
        if reason := said.get("error"):
            raise BuildFailed(_sentence(str(reason).strip()))
        yield str(said.get("stream", ""))


def _lines(texts: Iterable[str]) -> Iterator[str]:
    """Whole lines out of pieces; an endless one is cut."""
    rest = ""
    for text in texts:
        *whole, rest = (rest + text.replace("\0", "\ufffd")).split("\n")
        yield from (line.rstrip("\r") for line in whole)
        if len(rest) > LONGEST_LINE:
            yield rest
            rest = ""
    if rest:
        yield rest


def _sentence(reason: str) -> str:
    """A reason of Podman's in words for the one who pushed."""
    found = re.search(r'building at STEP "(?P<step>.*)": (?P<why>.*)', reason, re.DOTALL)
    if not found:
        return f"the image could not be built: {reason}"
    why = found["why"].removeprefix("while running runtime: ")
    return f"the image could not be built: {found['step']} failed ({why})"


def _runs(recipe: Path) -> bool:
    """Whether a recipe runs commands, whose results are worth keeping; what only copies is quicker anew."""
    return bool(re.search(r"^\s*RUN\b", recipe.read_text(errors="replace"), re.IGNORECASE | re.MULTILINE))


def _pack(context: Path, archive: IO[bytes]) -> None:
    """Write the folder as a tar file: all of it root's, links as links, neither devices nor pipes."""
    with tarfile.open(fileobj=archive, mode="w") as tar:
        tar.add(context, ".", filter=_plain)


def _plain(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    if not (entry.isreg() or entry.isdir() or entry.issym() or entry.islnk()):
        return None
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def _refuse_odd(context: Path, recipe: str) -> None:
    """The recipe must be a file of the folder itself: Podman would follow a link to a file of the host."""
    path = Path(recipe)
    found = context
    for part in path.parts:
        found /= part
        if part == ".." or path.is_absolute() or found.is_symlink():
            raise BuildFailed(f"{recipe} is not a plain file of the repository: replace it by one")
    if not found.exists() or not stat.S_ISREG(found.stat().st_mode):
        raise BuildFailed(f"there is no file {recipe} to build by")
