"""EventHub: passes events to the connections of this process that may receive them."""

from __future__ import annotations

import logging
import queue
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from handlers.events.frames import AWAY, REFUSED
from handlers.events.listener import Listener
from handlers.events.placed_events import Admit, PlacedEvent, may_read_event, place_event, shown_actor
from handlers.http.long_calls import RightsWatch
from handlers.rules.event_patterns import ROOT_NAMES, EventPattern
from handlers.services.happenings import decode
from handlers.services.world import World
from vfs.access import Caller
from vfs.errors import TooMany, Unavailable, VfsError


class CredentialSession:
    """The connections of one credential; a handlers.http.long_calls.WatchedCall.

    `identify` returns its caller, and raises VfsError once the credential is invalid.
    """

    def __init__(self, caller: Caller, identify: Callable[[], Caller]) -> None:
        self._identify = identify
        self.caller = caller
        self.listeners: dict[Listener, None] = {}

    def is_good(self) -> bool:
        """Return whether the credential is valid; if not, close its connections. Raise Unavailable."""
        try:
            self.caller = self._identify()
        except Unavailable:
            raise
        except VfsError as refusal:
            for listener in list(self.listeners):
                listener.close(REFUSED, refusal.detail)
            return False
        return True

    def look_again(self) -> bool:
        """Check the credential again. Return whether it has become invalid."""
        try:
            return not self.is_good()
        except Unavailable:
            return False


Waiting = dict[EventPattern, dict[Listener, None]]


class PatternIndex:
    """The subscriptions of all connections. Any thread may use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._roots: dict[tuple[str, ...], Waiting] = {}

    def add(self, pattern: EventPattern, listener: Listener) -> None:
        with self._lock:
            self._roots.setdefault(pattern.root, {}).setdefault(pattern, {})[listener] = None

    def remove(self, pattern: EventPattern, listener: Listener) -> None:
        with self._lock:
            waiting = self._roots.get(pattern.root, {})
            listeners = waiting.get(pattern, {})
            listeners.pop(listener, None)
            if not listeners:
                waiting.pop(pattern, None)
            if not waiting:
                self._roots.pop(pattern.root, None)

    def find(self, address: Sequence[str], event_type: str) -> dict[Listener, EventPattern]:
        """Return the listeners subscribed to an event at an address, each with its first matching pattern."""
        found: dict[Listener, EventPattern] = {}
        with self._lock:
            for root in ((), tuple(address[:ROOT_NAMES])):
                for pattern, listeners in self._roots.get(root, {}).items():
                    if pattern.fits(address, event_type):
                        for listener in listeners:
                            found.setdefault(listener, pattern)
        return found


log = logging.getLogger("curlew")

MOST_WAITING = 2000
RETRY_SECONDS = 30


@dataclass(frozen=True, slots=True)
class EventSources:
    """Sources of events, and the check of who may receive them.

    `subscribe` registers a call for each message of the change signal (None: some were lost). `admit` raises
    as a read would.
    """

    world: World
    subscribe: Callable[[Callable[[str | None], object]], object]
    admit: Admit


class EventHub:
    """The connections to which events are sent: at most `most` per process, `most_account` per account.

    One thread sends all events, another one checks credentials. They start with the first connection.
    """

    def __init__(self, sources: EventSources, most: int, most_account: int) -> None:
        self._sources = sources
        self._most, self._most_account = most, most_account
        self._index = PatternIndex()
        self._watch = RightsWatch(lambda: None)
        self._queue: queue.Queue[str | None] = queue.Queue(MOST_WAITING)
        # Guards all fields below.
        self._lock = threading.RLock()
        self._sessions: dict[bytes, CredentialSession] = {}
        self._of_account: Counter[str] = Counter()
        self._is_started = self._is_stopped = self._has_lost = False

    def enter(self, key: bytes, caller: Caller, identify: Callable[[], Caller]) -> Listener:
        """Return a new connection with the credential of a key. Raise TooMany or Unavailable."""
        user = caller.name or ""
        with self._lock:
            self._admit(user)
            session = self._sessions.get(key)
            if session is None:
                session = self._sessions[key] = CredentialSession(caller, identify)
                self._watch.add(session)
            listener = Listener(user, self._index, lambda one: self._leave(key, one))
            session.listeners[listener] = None
            self._of_account[user] += 1
            starts, self._is_started = not self._is_started, True
        if starts:
            self._sources.subscribe(self._take_in)
            threading.Thread(target=self._run, name="events", daemon=True).start()
        return listener

    def stop(self) -> None:
        """End all connections, because the process is about to end."""
        self._is_stopped = True
        for listener in self._listeners():
            listener.close(AWAY, "the service stops: connect again")

    def _admit(self, user: str) -> None:
        if self._is_stopped or self._of_account.total() >= self._most:
            raise Unavailable(
                "too many connections listen to events: try again later", retry_after=RETRY_SECONDS
            )
        if self._of_account[user] >= self._most_account:
            raise TooMany(
                f"you listen to events on {self._most_account} connections already: one may have many "
                "subscriptions", retry_after=RETRY_SECONDS,
            )  # fmt: skip

    def _leave(self, key: bytes, listener: Listener) -> None:
        with self._lock:
            session = self._sessions[key]
            del session.listeners[listener]
            self._of_account[listener.user] -= 1
            if not self._of_account[listener.user]:
                del self._of_account[listener.user]
            if not session.listeners:
                del self._sessions[key]
                self._watch.remove(session)

    def _listeners(self) -> list[Listener]:
        with self._lock:
            return [one for session in self._sessions.values() for one in session.listeners]

    def _take_in(self, message: str | None) -> None:
        """Queue a message of the change signal. Runs in the thread of the signal."""
        if self._sessions:
            try:
                self._queue.put_nowait(message)
            except queue.Full:
                self._has_lost = True

    def _run(self) -> None:
        while True:
            message = self._queue.get()
            try:
                self._hand_out(message)
            except Unavailable:
                self._miss()
            except Exception:
                log.exception("an event could not be sent")
                self._miss()

    def _hand_out(self, message: str | None) -> None:
        if message is None or self._has_lost:
            self._has_lost = False
            self._miss()
        if message is None:
            return
        with self._sources.world.session():
            placed = place_event(self._sources.world, decode(message))
            if placed is None:
                return
            wanted = self._index.find(placed.address, placed.happening.event_type)
            if wanted:
                self._send(placed, wanted)

    def _send(self, placed: PlacedEvent, wanted: dict[Listener, EventPattern]) -> None:
        """Send an event to the subscribed listeners that may receive it. Check each credential once."""
        with self._lock:
            sessions = [
                (session, [one for one in session.listeners if one in wanted])
                for session in self._sessions.values()
            ]
        for session, listeners in sessions:
            if not listeners or not self._may_read(session, placed):
                continue
            actor = shown_actor(self._sources.world, session.caller, placed)
            for listener in listeners:
                listener.send(wanted[listener], placed.event(actor))

    def _may_read(self, session: CredentialSession, placed: PlacedEvent) -> bool:
        return session.is_good() and may_read_event(
            self._sources.world, self._sources.admit, session.caller, placed
        )

    def _miss(self) -> None:
        for listener in self._listeners():
            listener.miss()
