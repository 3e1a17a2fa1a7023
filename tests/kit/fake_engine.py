"""FakeEngine and FakeBuilder: steps in threads, and images that are the variables of their recipe."""

from __future__ import annotations

import itertools
import os
import queue
import shlex
import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from chains.engine.port import (
    MOUNT_SLACK,
    BuildFailed,
    BuildOrder,
    Cause,
    EngineError,
    Exit,
    Handle,
    Image,
    Line,
    StepSpec,
)
from vfs.ports.clock import stamp

SIGTERM_CODE = 143
SIGKILL_CODE = 137

Images = dict[str, dict[str, str]]


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(slots=True)
class _Container:
    """The state of one prepared step."""

    spec: StepSpec
    lines: queue.SimpleQueue[Line | None] = field(default_factory=queue.SimpleQueue)
    stopping: threading.Event = field(default_factory=threading.Event)
    killed: threading.Event = field(default_factory=threading.Event)
    exit: Exit | None = None
    started: bool = False


class FakeEngine:
    """chains.engine.port.Engine without containers: a step does what its image's variables tell, and its own.

    The variables: `ECHO` text to print, line by line (`STDERR` the same on the other stream); `PRINTENV`
    names of variables to print; `COPY` any text: copy /input to /output, appending the text and a newline to
    each file; `WRITE` a file name and its text (`name=text`, several divided by `;`); `LINK` names of
    symbolic links to leave, in place of what is there; `SLEEP` seconds; `IGNORE_TERM` ends only by SIGKILL;
    `OOM` ends like a step that used up its memory; `EXIT` the exit code; `FAILS` how many attempts at a step
    end with code 1 before one succeeds; with `HALF` each of them leaves a file in every folder
    that it may write. `PREPARE` is a sentence with which
    preparing fails.

    Names of `WRITE` and `LINK` below /mnt are left there, all others in /output; `STORE` any text copies
    /input into each space that may be written, `SHOW` any text copies /mnt to /output.

    `images` are the images there are, by id and tag, with their variables; None: any image exists and has
    none. With `folder`, prepared steps leave a file there until they are removed, so that a later engine can
    sweep them.
    """

    def __init__(
        self, images: Images | None = None, folder: Path | None = None, now: Callable[[], datetime] = _now
    ) -> None:
        self._images = images
        self._folder = folder
        self._now = now
        self._numbers = itertools.count(1)
        self._containers: dict[str, _Container] = {}
        self._failures: Counter[tuple[str, str, int | None]] = Counter()
        self._lock = threading.Lock()

    def command(self, spec: StepSpec) -> str:
        """As Engine.command."""
        names = (shlex.quote(f"--env={name}") for name in sorted(spec.env))
        folders = (
            f'-v "$PWD{mount.target}:{mount.target}:{"rw" if mount.writable else "ro"}"'
            for mount in spec.mounts
        )
        return " ".join(["podman run --rm", *names, *folders, shlex.quote(spec.image)])

    def prepare(self, spec: StepSpec) -> Handle:
        """As Engine.prepare."""
        if self._images is not None and spec.image not in self._images:
            raise EngineError(spec.image_gone)
        if reason := self._script(spec).get("PREPARE"):
            raise EngineError(reason)
        for mount in spec.mounts:
            if not mount.source.is_dir():
                raise EngineError(f"The folder {mount.source} for {mount.target} is not there.")
        with self._lock:
            id = f"{spec.run}.{next(self._numbers)}"
            self._containers[id] = _Container(spec)
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)
            (self._folder / id).touch()
        return Handle(id, spec)

    def start(self, handle: Handle) -> None:
        """As Engine.start."""
        container = self._find(handle)
        container.started = True
        threading.Thread(
            target=self._perform, args=(container,), name=f"step {handle.id}", daemon=True
        ).start()

    def wait(self, handle: Handle, tell: Callable[[Line], None]) -> Exit:
        """As Engine.wait."""
        container = self._find(handle)
        while (line := container.lines.get()) is not None:
            tell(line)
        return container.exit or Exit(SIGKILL_CODE, Cause.LOST, "The step left no exit code.")

    def stop(self, handle: Handle, grace: float) -> None:
        """As Engine.stop."""
        with self._lock:
            container = self._containers.get(handle.id)
        if container is None:
            return
        container.stopping.set()
        if grace <= 0:
            container.killed.set()
            return
        timer = threading.Timer(grace, container.killed.set)
        timer.daemon = True
        timer.start()

    def remove(self, handle: Handle) -> None:
        """As Engine.remove."""
        with self._lock:
            container = self._containers.pop(handle.id, None)
        if container is not None:
            container.stopping.set()
            container.killed.set()
        if self._folder is not None:
            (self._folder / handle.id).unlink(missing_ok=True)

    def sweep(self, keep: Callable[[str], bool]) -> list[str]:
        """As Engine.sweep."""
        with self._lock:
            ids = set(self._containers)
        if self._folder is not None and self._folder.is_dir():
            ids |= {path.name for path in self._folder.iterdir()}
        swept = [id for id in sorted(ids) if not keep(id.rpartition(".")[0])]
        for id in swept:
            with self._lock:
                container = self._containers.pop(id, None)
            if container is not None:
                container.killed.set()
            if self._folder is not None:
                (self._folder / id).unlink(missing_ok=True)
        return sorted({id.rpartition(".")[0] for id in swept})

    def _find(self, handle: Handle) -> _Container:
        with self._lock:
            if handle.id not in self._containers:
                raise EngineError(f"The container of step {handle.spec.step} is gone.")
            return self._containers[handle.id]

    def _script(self, spec: StepSpec) -> Mapping[str, str]:
        return {**(self._images or {}).get(spec.image, {}), **spec.env}

    def _perform(self, container: _Container) -> None:
        try:
            container.exit = self._act(container, self._script(container.spec))
        except OSError:  # as a program ends that cannot write
            container.exit = Exit(1)
        finally:
            container.lines.put(None)

    def _act(self, container: _Container, script: Mapping[str, str]) -> Exit:
        limits = container.spec.limits
        printed = 0
        for stream, text in _lines(script):
            container.lines.put(Line(stamp(self._now()), stream, text))
            printed += len(text.encode()) + 1
        if printed > limits.log:
            return Exit(SIGKILL_CODE, Cause.LOG)
        slept = self._sleep(container, script)
        if slept is not None:
            return slept
        before = {mount: _size(mount.source) for mount in container.spec.mounts if mount.growth is not None}
        _leave_files(container.spec, script)
        if _size(container.spec.output) > limits.output:
            return Exit(SIGKILL_CODE, Cause.OUTPUT)
        for mount, size in before.items():
            if _size(mount.source) > size + (mount.growth or 0) + MOUNT_SLACK:
                return Exit(SIGKILL_CODE, Cause.MOUNT, mount.target)
        if "OOM" in script:
            return Exit(SIGKILL_CODE, Cause.MEMORY)
        part = container.spec.run, container.spec.step, container.spec.replica
        if self._failures[part] < int(script.get("FAILS", "0")):
            self._failures[part] += 1
            for mount in container.spec.mounts if "HALF" in script else ():
                if mount.writable:
                    (mount.source / f"half-{self._failures[part]}").write_text("half")
            return Exit(1)
        return Exit(int(script.get("EXIT", "0")))

    def _sleep(self, container: _Container, script: Mapping[str, str]) -> Exit | None:
        """Sleep for its time; how the step ended when it was stopped or its time was over meanwhile."""
        seconds = float(script.get("SLEEP", "0"))
        signal, code = container.stopping, SIGTERM_CODE
        if "IGNORE_TERM" in script:
            signal, code = container.killed, SIGKILL_CODE
        allowed = container.spec.limits.seconds
        if signal.wait(min(seconds, allowed)):
            return Exit(code, Cause.STOPPED)
        return Exit(SIGKILL_CODE, Cause.TIME) if seconds > allowed else None


def _lines(script: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The lines that a step prints: (stream, text)."""
    for stream, word in (("stdout", "ECHO"), ("stderr", "STDERR")):
        for text in script[word].split("\n") if word in script else ():
            yield stream, text
    for name in script.get("PRINTENV", "").split():
        yield "stdout", f"{name}={script.get(name, '')}"


def _size(folder: Path) -> int:
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):  # its run may end meanwhile
                total += Path(place, name).stat().st_size
    return total


def _hand_on(spec: StepSpec, script: Mapping[str, str]) -> None:
    """Copy /input and spaces to where the script says."""
    inputs = [mount for mount in spec.mounts if mount.target.startswith("/input")]
    spaces = [mount for mount in spec.mounts if mount.target.startswith("/mnt/")]
    for mount in inputs if "COPY" in script else ():
        _copy(mount.source, spec.output / mount.target.removeprefix("/input").strip("/"), script["COPY"])
    for space in (mount.source for mount in spaces if mount.writable and "STORE" in script):
        _copy(inputs[0].source, space, "")
    for mount in spaces if "SHOW" in script else ():
        _copy(mount.source, spec.output / mount.target.removeprefix("/mnt/"), "")


def _leave_files(spec: StepSpec, script: Mapping[str, str]) -> None:
    _hand_on(spec, script)
    for entry in filter(None, script.get("WRITE", "").split(";")):
        name, _, text = entry.partition("=")
        place = _place(spec, name)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    for name in filter(None, script.get("LINK", "").split(";")):
        place = _place(spec, name)
        place.unlink(missing_ok=True)
        place.symlink_to("/etc/passwd")


def _place(spec: StepSpec, name: str) -> Path:
    """The place of a name of the script: below /mnt, or in /output."""
    mount = next((one for one in spec.mounts if name.startswith(f"{one.target}/")), None)
    return spec.output / name if mount is None else mount.source / name.removeprefix(f"{mount.target}/")


def _copy(source: Path, target: Path, text: str) -> None:
    shutil.copytree(source, target, dirs_exist_ok=True)
    for path in target.rglob("*"):
        if path.is_file() and text:
            with path.open("a") as file:
                file.write(f"{text}\n")


class FakeBuilder:
    """Builder without images: the variables of `ENV NAME=text` lines become the image's script.

    `FROM name` begins with those of an image that the order offers by that name. A line `RUN false` fails the
    build. Builds into `images`, which a FakeEngine may share; `orders` are those
    it was given.
    """

    def __init__(self, images: Images, seconds: float = 0.0) -> None:
        self._images = images
        self._seconds = seconds
        self._numbers = itertools.count(1)
        self._commits: dict[str, str | None] = {}
        self._repos: dict[str, int] = {}
        self._lock = threading.Lock()
        self.orders: list[BuildOrder] = []

    def build(self, order: BuildOrder, tell: Callable[[str], None]) -> Image:
        """As Builder.build."""
        self.orders.append(order)
        script: dict[str, str] = {}
        for number, line in enumerate((order.context / order.recipe).read_text().splitlines(), 1):
            tell(f"STEP {number}: {line}")
            word, _, rest = line.strip().partition(" ")
            if word == "FROM":
                script |= self._images.get(order.images.get(rest.partition(" ")[0], ""), {})
            if word == "ENV":
                name, _, text = rest.partition("=")
                script[name] = text.strip('"')
            if line.strip() == "RUN false":
                raise BuildFailed(f"Line {number} of {order.recipe} ended with exit code 1.")
        time.sleep(self._seconds)
        commit = next((value for name, value in order.labels.items() if name.endswith("commit")), None)
        with self._lock:
            id = f"image-{next(self._numbers)}"
            self._images[id] = self._images[order.tag] = script
            self._commits[id] = self._commits[order.tag] = commit
            if order.labels.get("curlew.repo", "").isdigit():
                self._repos[id] = int(order.labels["curlew.repo"])
        return Image(id, commit, 0)

    def find(self, image: str) -> Image | None:
        """As Builder.find."""
        with self._lock:
            return Image(image, self._commits.get(image), 0) if image in self._images else None

    def drop(self, image: str) -> None:
        """As Builder.drop."""
        with self._lock:
            self._images.pop(image, None)
            self._repos.pop(image, None)

    def repo_images(self) -> Mapping[str, int]:
        """As Builder.repo_images."""
        with self._lock:
            return dict(self._repos)
