"""The runner: takes runs and builds from the run store and executes them.

One runner per data folder.
"""

from __future__ import annotations

import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from chains.builds.run_store import AGAIN, Build, Builds
from chains.runner.cleanup import Alarm, Cleaner
from chains.runner.fair_slots import AccountTurns, FairSlots
from chains.runner.holds import HoldFolders
from chains.runner.journal import Flusher
from chains.runner.policy import RunnerSettings
from chains.runner.ports import C, EngineCare, Ports, Staff, WorkQueue
from chains.runner.recovery import Recovery, attempt
from chains.runner.run_work import CUT_OFF, Work
from chains.runs.ports import Rank
from chains.runs.records import Run
from chains.runs.states import Status
from vfs.cause import CAUSE, DONE, RUN
from vfs.errors import VfsError

_log = logging.getLogger(__name__)
_done = logging.getLogger(DONE)

MOST_SLOTS = 1024  # over all hosts: each step has a thread here while it runs


class Runner:
    """Works on runs and builds until it is stopped.

    `make(build)` makes the image of a taken build and ends the build.
    """

    def __init__(
        self,
        ports: Ports,
        builds: Builds,
        make: Callable[[Build], object],
        settings: RunnerSettings | None = None,
        care: EngineCare | None = None,
    ) -> None:
        self.name = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"
        self._ports = ports
        self._queue, self._leases = ports.runs.queue, ports.runs.leases
        self._builds = builds
        self._make = make
        self._care = care = care or EngineCare()
        self._trouble: str | None = None
        self._builder_trouble: str | None = None
        self._settings = given = settings or RunnerSettings()
        self._slots = given.slots
        most = MOST_SLOTS if care.capacity else given.slots
        self._recovery = Recovery(ports, builds, self.name, given.patience)
        self._nudge, self._over = threading.Event(), threading.Event()
        self._lock = threading.Lock()
        self._works: dict[int, Work] = {}
        self._run_turns, self._build_turns = AccountTurns(), AccountTurns()
        # Whether a run may be taken although the answer was lost, and the runs not to take again.
        self._unsure, self._spoiled, self._renewed = False, set[int](), time.monotonic()
        self._runs = ThreadPoolExecutor(most + given.accounts, "run")
        self._images = ThreadPoolExecutor(given.builds, "build")
        self._steps = ThreadPoolExecutor(most + given.spare, "step")
        cleaner = Cleaner()
        self._hold_folders = HoldFolders(ports.runs.retention, ports.folders, cleaner)
        self._staff = Staff(
            Flusher(given.live),
            cleaner,
            FairSlots(self._steps, given.slots, given.spare),
            ThreadPoolExecutor(given.slots, "ahead"),
            Alarm(),
        )

    def loop(self, stop: threading.Event, ready: Callable[[], object] = lambda: None) -> None:
        """Work until `stop` is set, then end in order. Call `ready` when the first run may be taken.

        The caller holds the lock of the folder. Leftovers of earlier runners are settled before any work.
        """
        while not attempt(self._enlist) and not stop.wait(0.5):
            pass
        self._recovery.before_work(stop)
        attempt(self._hold_folders.begin)
        fence = [self._watch_lease] if self._settings.fences else []
        for act in (self._keep_lease, self._listen, lambda: self._pass_on(stop), *fence):
            threading.Thread(target=act, name="runner", daemon=True).start()
        attempt(self._look_after_engine)
        threading.Thread(target=self._keep_engine, name="engine keeper", daemon=True).start()
        ready()
        while not stop.is_set():
            self._nudge.clear()
            attempt(self._turn)
            self._nudge.wait(self._settings.recheck)
        self._end()

    def _enlist(self) -> None:
        self._renewed = time.monotonic()
        self._leases.enlist(self.name, self._ports.folders.home(), self._settings.lease)

    def _turn(self) -> None:
        """Stop runs that are being canceled, and take new ones while there is room."""
        self._cancel()
        self._hold_folders.clear()
        if self._unsure:
            self._find_taken()
        if self._trouble is None:
            while self._has_room() and (run := self._take_next(self._queue, self._rank_run)):
                self._start(run)
        if self._builder_trouble is None:
            self._take_builds()

    def _take_builds(self) -> None:
        while self._build_turns.total < self._settings.builds and (
            build := self._take_next(self._builds, self._build_turns.rank)
        ):
            with self._lock:
                self._build_turns.begin(build.by)
            self._images.submit(self._build, build)

    def _has_room(self) -> bool:
        return self._run_turns.total < self._slots + self._settings.accounts

    def _rank_run(self, account: str) -> tuple[int, int] | None:
        """Return the rank of an account. If it has a run at work, it gets another only within the slots."""
        with self._lock:
            if self._run_turns.total >= self._slots and self._run_turns.going(account):
                return None
            return self._run_turns.rank(account)

    def _take_next(self, run_store: WorkQueue[C], rank: Rank) -> C | None:
        """Return the next item. If the run store does not answer, the item may have been taken."""
        self._unsure, unsure = True, self._unsure
        taken = run_store.take(self.name, rank)
        self._unsure = unsure
        return taken

    def _find_taken(self) -> None:
        """Start the runs, and end the builds, that were taken although the answer was lost."""
        with self._lock:
            known = {*self._works, *self._spoiled}
        for run in self._ports.runs.retention.open_runs():
            if run.worker == self.name and run.status is not Status.WAITING and run.key not in known:
                self._start(run)
        if not self._build_turns.total:
            self._builds.sweep(lambda worker: worker != self.name)
            self._unsure = False

    def _start(self, run: Run) -> None:
        self._hold_folders.release(run)
        work = Work(run, self._ports, self._staff, self._settings.policy)
        with self._lock:
            self._works[run.key] = work
            self._run_turns.begin(run.by)
        self._runs.submit(self._perform, work)

    def _cancel(self) -> None:
        if not self._works:
            return
        for key in self._queue.canceling(self.name):
            if work := self._works.get(key):
                work.cancel()

    def _perform(self, work: Work) -> None:
        CAUSE.set(f"{RUN} {(run := work.run).id}")
        try:
            if (status := work.perform()) is Status.WAITING:
                self._hold_folders.keep(run)
            _done.info("%s by %s (%s): %s", run.origin, run.by, run.trigger, status or "ended elsewhere")
        except Exception:
            _log.exception("the work on run %d failed", work.run.key)
            self._spoiled.add(work.run.key)
        finally:
            with self._lock:
                self._run_turns.end(work.run.by)
                # A continued run may already have its next work.
                if self._works.get(work.run.key) is work:
                    del self._works[work.run.key]
            self._nudge.set()

    def _build(self, build: Build) -> None:
        CAUSE.set(build.caused_by)
        try:
            self._make(build)
            if (ended := self._builds.get(build.id)) is not None:
                _done.info("build %d of %s by %s: %s", build.id, build.commit[:12], build.by, ended.status)
        except Exception:
            _log.exception("build %d failed", build.id)
            attempt(lambda: self._builds.finish(build.id, None, f"The builder itself failed. {AGAIN}."))
        finally:
            with self._lock:
                self._build_turns.end(build.by)
            self._nudge.set()

    def _listen(self) -> None:
        """Wake the loop when there may be something to take or cancel."""
        seen = 0
        while not self._over.is_set():
            try:
                seen = self._queue.await_work(seen, self._settings.recheck)
            except VfsError:
                self._over.wait(self._settings.recheck)
            self._nudge.set()

    def _pass_on(self, stop: threading.Event) -> None:
        stop.wait()
        self._nudge.set()

    def _keep_lease(self) -> None:
        """Renew the lease, and settle the runs that runners in other data folders lost."""
        swept = time.monotonic()
        try:
            while not self._over.wait(self._settings.heartbeat):
                attempt(self._renew)
                attempt(self._recovery.settle)
                if time.monotonic() - swept > self._settings.sweep:
                    attempt(self._recovery.sweep_folders)
                    swept = time.monotonic()
        finally:
            # The engine's thread does not use the run store, and would not notice that this runner has ended.
            self._over.set()

    def _keep_engine(self) -> None:
        while not self._over.wait(self._settings.heartbeat):
            attempt(self._look_after_engine)
            self._nudge.set()

    def _look_after_engine(self) -> None:
        """Check and repair the engine. The next heartbeat writes any trouble into the run store."""
        trouble = self._care.repair()
        if trouble != self._trouble:
            _log.warning("%s", f"the engine is away: {trouble}" if trouble else "the engine is back")
        self._trouble = trouble
        self._builder_trouble = repair() if (repair := self._care.repair_builder) else trouble
        if trouble is None:
            attempt(self._follow_capacity)

    def _follow_capacity(self) -> None:
        if (capacity := self._care.capacity) is not None:
            self._slots = self._staff.steps.resize(min(capacity(), MOST_SLOTS), self._settings.spare)

    def _renew(self) -> None:
        """Renew the lease. If it has ended, begin a new one and cancel runs that others ended meanwhile."""
        began = time.monotonic()
        if self._leases.heartbeat(self.name, self._settings.lease, self._trouble):
            self._renewed = began
            return
        _log.warning("the lease of this runner was ended, as if it were gone")
        self._enlist()
        for key, work in list(self._works.items()):
            run = self._ports.runs.reader.by_key(key)
            if run is None or run.status.ended:
                work.cancel()

    def _watch_lease(self) -> None:
        """Stop the runs here once the lease has expired by this host's clock: others may have ended them."""
        while not self._over.wait(self._settings.heartbeat / 2):
            if time.monotonic() - self._renewed > self._settings.lease:
                for work in list(self._works.values()):
                    work.interrupt(CUT_OFF)

    def _end(self) -> None:
        """Wait for runs to end, stop the remaining ones, and clean up."""
        self._wait_for_works(self._settings.drain)
        for work in list(self._works.values()):
            work.interrupt()
        # From now on nothing waits for an unavailable run store: the next runner ends the runs that are left.
        self._staff.flusher.close()
        self._wait_for_works(self._settings.policy.stop_grace + self._settings.drain)
        self._over.set()
        self._staff.cleaner.drain(self._settings.drain)
        for pool in (self._runs, self._images, self._steps, self._staff.ahead):
            pool.shutdown(wait=False, cancel_futures=True)
        attempt(lambda: self._leases.retire(self.name))

    def _wait_for_works(self, seconds: float) -> None:
        """Wait until nothing runs or the time is over. Cancels still take effect."""
        deadline = time.monotonic() + seconds
        while (self._works or self._build_turns.total) and (left := deadline - time.monotonic()) > 0:
            self._nudge.clear()
            attempt(self._cancel)
            self._nudge.wait(min(left, self._settings.recheck))
