"""Engine and Builder: the ports through which steps run in containers and images are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol


class Network(StrEnum):
    """Network access of a step: none, only this service's API, or the outside.

    The outside excludes the host and private addresses, if the host has a firewall.
    """

    NONE = "none"
    API = "api"
    OUTBOUND = "outbound"


MOUNT_SLACK = 16 << 20
"""Bytes by which a mount may always grow, because its files are measured by their disk usage."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one step: bytes, cores, processes, seconds, bytes of /output and of log (decisions 24)."""

    memory: int = 1 << 30
    cpus: float = 1.0
    pids: int = 256
    seconds: float = 3600.0
    output: int = 1 << 30
    log: int = 10 << 20


@dataclass(frozen=True, slots=True)
class Mount:
    """A folder of the host mounted in the container; read-only unless `writable`.

    `growth` is the number of bytes by which it may grow (None: no limit).
    """

    source: Path
    target: str
    writable: bool = False
    growth: int | None = None


@dataclass(frozen=True, slots=True)
class StepSpec:
    """Everything that an engine needs to run one step (or one replica of it) in one container.

    `image`: an image id from a Builder. `mounts`: folders that exist before `prepare`; their content may
    change until `start`. `output`: the host folder behind /output. While the step runs, it is measured
    against `limits.output`, and mounts against their `growth`. `env`: its values are never written to disk
    and are forgotten with the container, except those of `public` names. `source`: the name of the image for
    people, such as `@alice/count:latest`. `account`: the owner of the step's job.
    """

    run: str
    step: str
    image: str
    env: Mapping[str, str]
    mounts: tuple[Mount, ...]
    output: Path
    limits: Limits = field(default_factory=Limits)
    network: Network = Network.NONE
    replica: int | None = None
    public: frozenset[str] = frozenset()
    source: str = ""
    account: str = ""

    @property
    def image_gone(self) -> str:
        """A sentence for a run's log when the engine lacks the image of a step."""
        repo, _, _ = self.source.partition(":")
        return (
            f"the image {self.source or self.image} of step {self.step} no longer exists: "
            f"curlew repo rebuild {repo or '--all'} builds it again, and so does a git push to the repo"
        )


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a container's output, with the time at which it was written."""

    time: str
    stream: str
    text: str


class Cause(StrEnum):
    """The cause of a step's end, besides its exit code."""

    EXIT = "exit"
    STOPPED = "stopped"
    MEMORY = "memory"
    TIME = "time"
    OUTPUT = "output"
    MOUNT = "mount"
    DEPTH = "depth"
    LOG = "log"
    UNSTARTED = "unstarted"
    REFUSED = "refused"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Exit:
    """End of a step's container; `detail` explains UNSTARTED, REFUSED, LOST, and names a MOUNT or DEPTH."""

    code: int
    cause: Cause = Cause.EXIT
    detail: str = ""

    @property
    def succeeded(self) -> bool:
        """Whether the process itself ended with code 0 and reached no limit."""
        return self.code == 0 and self.cause is Cause.EXIT


@dataclass(frozen=True, slots=True)
class Handle:
    """A container that an engine prepared; opaque for all other code."""

    id: str
    spec: StepSpec


@dataclass(frozen=True, slots=True)
class Image:
    """A built image: the engine's id, its commit (None if not recorded), size in bytes."""

    id: str
    commit: str | None
    size: int


@dataclass(frozen=True, slots=True)
class BuildOrder:
    """An order to build an image.

    `repo`: the number of the repo, whose cache is used. `context`: the folder with its files. `recipe`: the
    path of the recipe in it. `tag` and `labels`: set on the image. `images`: the images that the recipe may
    name, with their image ids.
    """

    repo: int
    context: Path
    recipe: str
    tag: str
    labels: Mapping[str, str]
    images: Mapping[str, str] = field(default_factory=dict)


class EngineError(Exception):
    """The engine failed; `str()` is a sentence for the log of the run."""


class EngineAway(EngineError):
    """The engine did not answer: a retry may succeed when it is back."""


class BuildFailed(Exception):
    """A build ended without an image; `str()` is the reason in a sentence."""


class Engine(Protocol):
    """Runs steps. All methods may be called from several threads at once, for different handles.

    Life of a handle: `prepare` → `start` → `wait` → `remove`. `stop` may come at any time, from another
    thread, more than once, also before `start` and after the end. `remove` may follow any of them and is
    idempotent. No code of the step runs before `start`. `prepare` compares the container with the wanted
    confinement: a difference raises EngineError.
    """

    def prepare(self, spec: StepSpec) -> Handle:
        """Create and initialise the container.

        Raises EngineError (image missing, engine away, wrong confinement).
        """

    def start(self, handle: Handle) -> None:
        """Run the step's command; one that cannot be executed ends with exit code 127."""

    def wait(self, handle: Handle, tell: Callable[[Line], None]) -> Exit:
        """Call `tell` for every line as it is written, in order, and return when the command has ended.

        Enforces `limits.seconds`, `limits.output` and `limits.log` (the container enforces the others). All
        lines were passed to `tell` when it returns.
        """

    def stop(self, handle: Handle, grace: float) -> None:
        """Send SIGTERM now and SIGKILL after `grace` seconds; return at once.

        `wait` then returns Cause.STOPPED unless the step had ended before.
        """

    def remove(self, handle: Handle) -> None:
        """Remove the container, killing it if it still runs."""

    def command(self, spec: StepSpec) -> str:
        """Return a shell command that runs a step by hand in the same way, without values of variables."""

    def sweep(self, keep: Callable[[str], bool]) -> list[str]:
        """Remove, after a crash, every container whose run `keep` refuses. Return those runs."""


class Builder(Protocol):
    """Makes images from folders; safe to call from several threads."""

    def build(self, order: BuildOrder, tell: Callable[[str], None]) -> Image:
        """Build an image, calling `tell` for each line of the build's log.

        Tags the image (the previous holder of the tag stays usable by id). Raises BuildFailed, and EngineAway
        when the engine did not answer.
        """

    def find(self, image: str) -> Image | None:
        """Return the image with an id or tag, or None when the engine does not have it."""

    def drop(self, image: str) -> None:
        """Remove an image by id or tag, unless a container uses it; it may be missing."""

    def repo_images(self) -> Mapping[str, int]:
        """Return the images built with the label `curlew.repo`, by id, with the repo's number."""
