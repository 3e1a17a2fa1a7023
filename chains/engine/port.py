"""Engine and Builder: the ports through which steps run in containers and images are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol


class Network(StrEnum):
    """Reach of a step: nothing, this service's API alone, or the outside.

    The outside is never the host or private addresses where a firewall can tell.
    """

    NONE = "none"
    API = "api"
    OUTBOUND = "outbound"


MOUNT_SLACK = 16 << 20
"""Bytes that a mount may grow by in any case: its files are counted with what they take on the disk."""


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
    """A folder of the host shown inside the container; read-only unless `writable`.

    `growth` is how many bytes more it may hold at the end than at the beginning (None: whatever comes).
    """

    source: Path
    target: str
    writable: bool = False
    growth: int | None = None


@dataclass(frozen=True, slots=True)
class StepSpec:
    """Everything an engine needs to run one step (or one replica of it) in one container.

    `image`: an image id as a Builder returned it. `mounts`: folders that exist before `prepare`; their
    content may change until `start`. `output`: the host folder behind /output. While the step runs, it is
    measured against `limits.output`, and mounts against their `growth`.
    `env`: its values are kept off every disk and forgotten with the container, except those of `public`
    names.
    `source`: what people call the image, as `@alice/count:latest`. `account`: the owner of the step's job.
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
        """Sentence for a run's log on why the step has no container when the engine lacks its image."""
        repo, _, _ = self.source.partition(":")
        return (
            f"the image {self.source or self.image} of step {self.step} is not there any more: "
            f"curlew repo rebuild {repo or '--all'} builds it again, and so does a git push to the repo"
        )


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a container's output, stamped when it was written."""

    time: str
    stream: str
    text: str


class Cause(StrEnum):
    """Why a step ended, beyond its exit code."""

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
        """True when the process itself ended with code 0 and no limit was hit."""
        return self.code == 0 and self.cause is Cause.EXIT


@dataclass(frozen=True, slots=True)
class Handle:
    """A container that an engine prepared; opaque to everyone but that engine."""

    id: str
    spec: StepSpec


@dataclass(frozen=True, slots=True)
class Image:
    """A built image: engine's id, the commit it was built from (None when not recorded), size in bytes."""

    id: str
    commit: str | None
    size: int


@dataclass(frozen=True, slots=True)
class BuildOrder:
    """A build to be done.

    `repo`: the number of the repo, whose cache is used. `context`: the folder with its files. `recipe`: the
    path of the recipe in it. `tag` and `labels`: are written on the image. `images`: the images that the
    recipe may name; each name with the engine's image id.
    """

    repo: int
    context: Path
    recipe: str
    tag: str
    labels: Mapping[str, str]
    images: Mapping[str, str] = field(default_factory=dict)


class EngineError(Exception):
    """The engine itself could not do its work; `str()` is a sentence for the log of the run."""


class EngineAway(EngineError):
    """The engine did not answer: the same may go well when it is back."""


class BuildFailed(Exception):
    """A build ended without an image; `str()` is the reason in a sentence."""


class Engine(Protocol):
    """Runs steps. All methods may be called from several threads at once, for different handles.

    Life of a handle: `prepare` → `start` → `wait` → `remove`. `stop` may come at any time, from another
    thread, more than once, also before `start` and after the end. `remove` may follow any of them and is
    idempotent. Nothing of the step's own code runs before `start`. After `prepare` the container was
    compared with the wanted confinement: a difference raises EngineError.
    """

    def prepare(self, spec: StepSpec) -> Handle:
        """Create and initialise the container.

        Raises EngineError (image missing, engine away, confinement not as wanted).
        """
        ...

    def start(self, handle: Handle) -> None:
        """Let the step's own command run; one that cannot be executed ends with exit code 127."""
        ...

    def wait(self, handle: Handle, tell: Callable[[Line], None]) -> Exit:
        """Call `tell` for every line as it is written, in order, and return when the command has ended.

        Enforces `limits.seconds`, `limits.output` and `limits.log` (the rest is the container's); every line
        up to the end has been told when it returns.
        """
        ...

    def stop(self, handle: Handle, grace: float) -> None:
        """Send SIGTERM now and SIGKILL after `grace` seconds; returns at once.

        `wait` then answers Cause.STOPPED unless the step had ended by itself before.
        """
        ...

    def remove(self, handle: Handle) -> None:
        """Make the container disappear, killing it when it still runs."""
        ...

    def command(self, spec: StepSpec) -> str:
        """A line for a shell that runs a step by hand as it ran here; no value of a variable is in it."""
        ...

    def sweep(self, keep: Callable[[str], bool]) -> list[str]:
        """Remove after a crash every container of this engine whose run `keep` refuses; those runs."""
        ...


class Builder(Protocol):
    """Makes images out of folders; safe to call from several threads."""

    def build(self, order: BuildOrder, tell: Callable[[str], None]) -> Image:
        """Build what is ordered, calling `tell` per line of the build's log.

        Tags the image (the previous holder of the tag stays usable by id). Raises BuildFailed, and EngineAway
        when the engine did not answer.
        """
        ...

    def find(self, image: str) -> Image | None:
        """Return the image by id or tag, or None when the engine does not have it."""
        ...

    def drop(self, image: str) -> None:
        """Forget an image by id or tag, unless a container uses it; it need not be there."""
        ...

    def repo_images(self) -> Mapping[str, int]:
        """The images that were built with the label `curlew.repo`, by id, with the repo's number in it."""
        ...
