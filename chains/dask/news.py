"""The news of a step from its worker, numbered and sealed.

Lines are collected for a moment.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

from chains.dask.orders import Seal
from chains.engine.port import Cause, EngineError, Exit, Line
from vfs.errors import VfsError


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
    """A folder as a step left it: a manifest of its files, and the paths of what cannot be stored.

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
    """The step's end and, if it succeeded, what it left. It is the last letter about the step."""

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
        sealed = seal.close(body, _context(self.key, self.attempt, self.number, self.worker))
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
        kind, fields = json.loads(seal.open(str(said["sealed"]), _context(key, attempt, number, worker)))
        return Letter(key, attempt, number, worker, _news(kind, fields))
    except (VfsError, KeyError, TypeError, ValueError) as error:
        raise EngineError("a letter of a worker does not open with this host's key file") from error


def _context(key: str, attempt: str, number: int, worker: str) -> str:
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
