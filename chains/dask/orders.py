"""The sealed messages about a step between its runner and a worker: the order, and numbered news."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol, get_args

from chains.engine.port import Cause, EngineError, Exit, Limits, Line, Network
from vfs.errors import VfsError

OTHER_KEY = (
    "what it was sent does not open with its key file: every host of an installation has the same key_file"
)


class Seal(Protocol):
    """Encryption of texts, each bound to the context for which it was sealed."""

    def close(self, text: str, context: str) -> str:
        """Return the text, encrypted for a context."""

    def open(self, sealed: str, context: str) -> str:
        """Return the decrypted text. Raise VfsError if another context or key was used to seal it."""


@dataclass(frozen=True, slots=True)
class SentFolder:
    """A step's mount in an order: a manifest of its files (empty: none), and its empty folders.

    `is_output` marks the folder that counts against the limit of /output.
    """

    target: str
    manifest: str
    empty: tuple[str, ...] = ()
    writable: bool = False
    growth: int | None = None
    is_output: bool = False


@dataclass(frozen=True, slots=True)
class StepOrder:
    """A step for a worker: a chains.engine.port.StepSpec whose folders are manifests."""

    run: str
    step: str
    image: str
    env: Mapping[str, str]
    public: tuple[str, ...]
    folders: tuple[SentFolder, ...]
    limits: Limits
    network: Network
    replica: int | None
    source: str
    account: str = ""

    def seal(self, seal: Seal, key: str) -> str:
        """Return the order sealed for a task's key. It cannot be opened with another key."""
        return seal.close(json.dumps(asdict(self)), _context(key))

    def on_host(self, own: Mapping[str, str | None]) -> StepOrder:
        """Return the order with this host's values of the service's variables; the job's stay."""
        env = dict(self.env)
        for name, value in own.items():
            if name in self.public and env.pop(name, None) is not None and value is not None:
                env[name] = value
        return replace(self, env=env)


def open_order(sealed: str, seal: Seal, key: str) -> StepOrder:
    """Return the order that was sealed for a key. Raise EngineError for anything else."""
    try:
        said: dict[str, Any] = json.loads(seal.open(sealed, _context(key)))
    except VfsError as error:
        raise EngineError(OTHER_KEY) from error
    folders = (SentFolder(**{**row, "empty": tuple(row["empty"])}) for row in said.pop("folders"))
    limits, network = Limits(**said.pop("limits")), Network(said.pop("network"))
    public = tuple(said.pop("public"))
    return StepOrder(**said, folders=tuple(folders), limits=limits, network=network, public=public)


def _context(key: str) -> str:
    return f"dask order {key}"


@dataclass(frozen=True, slots=True)
class StepTaken:
    """A worker has a slot for the step and makes its container."""


@dataclass(frozen=True, slots=True)
class StepReady:
    """The container waits for its permit."""


@dataclass(frozen=True, slots=True)
class StepRunning:
    """The step's command runs."""


@dataclass(frozen=True, slots=True)
class StepLines:
    """Lines of the step, in order."""

    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class StepRefused:
    """The step could not begin. `away`: a retry may succeed. `image_gone`: its image is missing."""

    reason: str
    away: bool = False
    image_gone: bool = False


@dataclass(frozen=True, slots=True)
class LeftFolder:
    """A folder as a step left it: a manifest of its files, and the paths of entries that cannot be stored.

    `links` and `odd` are relative paths of links and of entries that are neither file nor folder. `misnamed`
    are those of files with forbidden names. None of them is sent; the reader of the folder reports why.
    """

    target: str
    manifest: str
    links: tuple[str, ...] = ()
    odd: tuple[str, ...] = ()
    misnamed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StepEnded:
    """The step's end and, if it succeeded, its files. It is the last letter about the step."""

    exit: Exit
    folders: tuple[LeftFolder, ...] = ()


News = StepTaken | StepReady | StepRunning | StepLines | StepRefused | StepEnded

KINDS: dict[str, type[News]] = {kind.__name__: kind for kind in get_args(News)}


@dataclass(frozen=True, slots=True)
class Letter:
    """News of one attempt of a task, with its number from 0, from the worker at the address `worker`."""

    key: str
    attempt: str
    number: int
    worker: str
    news: News

    def seal(self, seal: Seal) -> dict[str, Any]:
        """Return the letter in its published form. Its addresses are readable, its content is sealed."""
        body = json.dumps([type(self.news).__name__, _plain(self.news)])
        sealed = seal.close(body, _letter_context(self.key, self.attempt, self.number, self.worker))
        head = {"key": self.key, "attempt": self.attempt, "number": self.number, "worker": self.worker}
        return {**head, "sealed": sealed}


def open_letter(said: dict[str, Any], seal: Seal) -> Letter:
    """Return a published letter. Raise EngineError if it was not sealed as such by this installation."""
    try:
        key, attempt, number, worker = (
            str(said["key"]),
            str(said["attempt"]),
            int(said["number"]),
            str(said["worker"]),
        )
        kind, fields = json.loads(
            seal.open(str(said["sealed"]), _letter_context(key, attempt, number, worker))
        )
        return Letter(key, attempt, number, worker, _news(kind, fields))
    except (VfsError, KeyError, TypeError, ValueError) as error:
        raise EngineError("a letter of a worker does not open with this host's key file") from error


def _letter_context(key: str, attempt: str, number: int, worker: str) -> str:
    return f"dask letter {key} {attempt} {number} {worker}"


def _plain(news: News) -> list[Any]:
    match news:
        case StepLines(lines):
            return [[line.time, line.stream, line.text] for line in lines]
        case StepRefused(reason, away, image_gone):
            return [reason, away, image_gone]
        case StepEnded(exit, folders):
            left = [[one.target, one.manifest, one.links, one.odd, one.misnamed] for one in folders]
            return [exit.code, exit.cause, exit.detail, left]
    return []


def _news(kind: str, fields: list[Any]) -> News:
    match kind:
        case "StepLines":
            return StepLines(tuple(Line(*row) for row in fields))
        case "StepEnded":
            code, cause, detail, left = fields
            folders = (LeftFolder(row[0], row[1], *map(tuple, row[2:])) for row in left)
            return StepEnded(Exit(code, Cause(cause), detail), tuple(folders))
    return KINDS[kind](*fields)


MOST_BYTES = 64 << 10
PAUSE = 0.05

Send = Callable[[tuple[Line, ...]], object]


class StepLineBatch:
    """The lines of one step that are not sent yet. `add` and `flush` keep their order, from any thread."""

    def __init__(self, send: Send, dirty: Callable[[StepLineBatch], object]) -> None:
        self._send = send
        self._dirty = dirty
        self._lock = threading.Lock()
        self._lines: list[Line] = []
        self._size = 0

    def add(self, line: Line) -> None:
        """Send a line soon, or at once if many are waiting."""
        with self._lock:
            self._lines.append(line)
            self._size += len(line.text)
            is_first, is_full = len(self._lines) == 1, self._size >= MOST_BYTES
            if is_full:
                self._send_all()
        if is_first and not is_full:
            self._dirty(self)

    def flush(self) -> None:
        """Send all waiting lines."""
        with self._lock:
            self._send_all()

    def _send_all(self) -> None:
        if self._lines:
            lines, self._lines, self._size = tuple(self._lines), [], 0
            self._send(lines)


class LineFlusher:
    """A thread that flushes batches a moment after their first line."""

    def __init__(self, pause: float = PAUSE) -> None:
        self._pause = pause
        self._lock = threading.Lock()
        self._waiting: set[StepLineBatch] = set()
        self._some = threading.Event()
        self._over = threading.Event()
        threading.Thread(target=self._run, name="line flusher", daemon=True).start()

    def batch(self, send: Send) -> StepLineBatch:
        """Return a batch for the lines of one step, which are passed to `send`."""
        return StepLineBatch(send, self._note)

    def close(self) -> None:
        """End the thread."""
        self._over.set()
        self._some.set()

    def _note(self, batch: StepLineBatch) -> None:
        with self._lock:
            self._waiting.add(batch)
        self._some.set()

    def _run(self) -> None:
        while not self._over.is_set():
            self._some.wait()
            self._over.wait(self._pause)
            self._some.clear()
            with self._lock:
                batches, self._waiting = self._waiting, set()
            for batch in batches:
                batch.flush()
