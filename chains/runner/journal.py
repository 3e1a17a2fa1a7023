"""Writes the step moves and the log of a run, in few transactions and with little delay."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Sequence

from chains.runs.mask import Mask
from chains.runs.ports import Runs
from chains.runs.records import INFO, WARNING, Entry, Move, Result
from chains.runs.states import Event, Status
from vfs.errors import Conflict, NotFound, VfsError
from vfs.ports.clock import Clock, stamp

MANY = 2_000
RETRY_SECONDS = 0.5

_log = logging.getLogger(__name__)


class Journal:
    """Collects a run's moves and lines until `flush` writes them, or `event` or `hold` ends the segment.

    Thread-safe: entries are written in the order they were added. The `flusher` is notified when there is
    something to flush. Lines of steps are dropped beyond `largest` bytes in total; the runner's own lines are
    always kept.
    """

    def __init__(self, runs: Runs, run: int, clock: Clock, largest: int, flusher: Flusher) -> None:
        self.run = run
        self._mask = Mask(())
        self._states = runs.states
        self._reader = runs.reader
        self._clock = clock
        self._left = largest
        self._dirty, self._over = flusher.dirty, flusher.over
        self._moves: list[Move] = []
        self._lines: list[Entry] = []
        self._gathering = threading.Lock()
        self._writing = threading.Lock()
        self._said = False
        self.orphaned = threading.Event()

    def hide(self, secrets: Iterable[str]) -> None:
        """Mask these values in the lines that follow."""
        self._mask = Mask(secrets)

    def say(self, message: str, severity: str = INFO) -> None:
        """Add a line of the runner itself."""
        self._add(stamp(self._clock.now()), severity, message)

    def tell(self, time: str, severity: str, message: str) -> bool:
        """Add a line of a step if the log has room. Return whether it had."""
        with self._gathering:
            before, self._left = self._left, self._left - len(message.encode(errors="replace")) - 1
        if self._left >= 0:
            self._add(time, severity, message)
        elif before >= 0:
            self.say("log truncated: the steps wrote more than a run may log", WARNING)
        return self._left >= 0

    def move(self, move: Move) -> None:
        """Add a step's change of status."""
        with self._gathering:
            self._moves.append(move)
        self._dirty(self)

    def flush(self) -> None:
        """Write the collected entries. Keep them while the run store does not answer.

        If another process has ended the run, set `orphaned` and drop the entries.
        """
        with self._writing:
            moves, lines = self._take()
            if not moves and not lines:
                return
            try:
                self._states.record(self.run, moves, lines)
            except (Conflict, NotFound) as error:
                if self._is_at_work(error):
                    self._put_back((), lines)
            except VfsError as error:
                self._put_back(moves, lines, error)
                self._dirty(self)

    def event(self, event: Event, result: Result | None = None) -> Status | None:
        """Turn the run and write all collected entries, waiting as long as needed.

        Return None if another process has ended the run, or if the flusher has ended and the run store does
        not answer. In the second case the process that cleans up after this runner ends the run.
        """
        while True:
            with self._writing:
                moves, lines = self._take()
                try:
                    return self._states.event(self.run, event, result, moves, lines)
                except (Conflict, NotFound) as error:
                    if not self._is_at_work(error):
                        return None
                    event, result = Event.FAIL, None
                    self._put_back((), lines)
                    continue
                except VfsError as error:
                    self._put_back(moves, lines, error)
            if self._over.wait(RETRY_SECONDS):
                _log.warning("the end of run %d is not written: the next runner settles it", self.run)
                return None

    def hold(self, act: Callable[[Sequence[Move], Sequence[Entry]], Status]) -> Status:
        """Let `act` turn the run to its hold with all collected entries. Keep them if `act` fails."""
        with self._writing:
            moves, lines = self._take()
            try:
                return act(moves, lines)
            except BaseException:
                self._put_back(moves, lines)
                raise

    def note(self, messages: Sequence[str]) -> None:
        """Write the runner's own lines at once, in the open transaction. Raises the errors of `record`."""
        now = stamp(self._clock.now())
        self._states.record(self.run, (), [(now, INFO, self._mask(message)) for message in messages])

    def forget(self) -> None:
        """Drop the collected entries, since they turned out to be written."""
        with self._writing:
            self._take()

    def _is_at_work(self, refused: VfsError) -> bool:
        """Return whether this runner still owns a run after a refused write. If not, set `orphaned`."""
        try:
            run = self._reader.by_key(self.run)
        except VfsError:
            return True
        if run is not None and run.status in (Status.PROCESSING, Status.CANCELING):
            _log.error("the run store refuses the entries of run %d: %s", self.run, refused.detail)
            return True
        self.orphaned.set()
        return False

    def _add(self, time: str, severity: str, message: str) -> None:
        with self._gathering:
            self._lines.append((time, severity, self._mask(message)))
            many = len(self._lines) >= MANY
        self._dirty(self)
        if many:
            self.flush()

    def _take(self) -> tuple[list[Move], list[Entry]]:
        with self._gathering:
            moves, lines = self._moves, self._lines
            self._moves, self._lines = [], []
        return moves, lines

    def _put_back(self, moves: Sequence[Move], lines: Sequence[Entry], error: VfsError | None = None) -> None:
        """Keep what could not be written. Log only once for each run that the run store does not answer."""
        if error is not None and not self._said:
            self._said = True
            _log.warning("the entries of run %d cannot be written yet: %s", self.run, error.detail)
        with self._gathering:
            self._moves[:0] = moves
            self._lines[:0] = lines


class Flusher:
    """A thread that writes dirty journals a moment after they became dirty, many lines at a time.

    Once `over` is set, no journal waits for a run store that does not answer.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._waiting: set[Journal] = set()
        self._lock = threading.Lock()
        self._some = threading.Event()
        self.over = threading.Event()
        threading.Thread(target=self._run, name="flusher", daemon=True).start()

    def dirty(self, journal: Journal) -> None:
        """Write this journal soon."""
        with self._lock:
            self._waiting.add(journal)
        self._some.set()

    def close(self) -> None:
        """End the thread. Afterwards only the runs flush their journals, if the run store answers."""
        self.over.set()
        self._some.set()

    def _run(self) -> None:
        while not self.over.is_set():
            self._some.wait()
            self.over.wait(self._seconds)
            self._some.clear()
            with self._lock:
                journals, self._waiting = self._waiting, set()
            for journal in journals:
                try:
                    journal.flush()
                except Exception:
                    _log.exception("the log of run %d could not be written", journal.run)
