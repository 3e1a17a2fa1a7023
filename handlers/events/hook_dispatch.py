"""Dispatch of hooks: passes events to hooks with matching patterns, and sends their messages."""

from __future__ import annotations

import logging
import random
import threading
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from contextvars import copy_context
from datetime import timedelta
from functools import lru_cache, partial
from time import monotonic

from handlers.events.placed_events import Admit, PlacedEvent, may_read_event, place_event, shown_actor
from handlers.rules.event_patterns import EventPattern, parse
from handlers.rules.hook_addresses import HookAddress, HookReach, parse_address
from handlers.services.due_dispatch import DispatchLoop, answer_later, seconds_until
from handlers.services.happenings import decode
from handlers.services.mailboxes import public_origin
from handlers.services.outgoing_hooks import (
    GONE,
    HookAnswer,
    HookSecrets,
    in_form,
    notify_loss,
    pause,
    payload,
    send_hook,
    send_to,
)
from handlers.services.world import World
from vfs.access import Caller, Via
from vfs.cause import DONE, caused_by
from vfs.errors import VfsError
from vfs.ports.clock import stamp
from vfs.ports.hooks import ACTIVE, LOST, Hook, HookAttempt
from vfs.ports.mails import DeliveryAnswer, QueuedMessage

EVENTS_AT_ONCE = 50
MOST_AT_ONCE, MOST_OF_HOST, MOST_OPEN = 8, 4, 64
"""Maximum messages sent at a time, of these to one host, and including slow ones; one of an account."""
LONG = 1.0
"""Seconds after which an attempt waits for its receiver, and no longer counts as one of MOST_AT_ONCE."""
LEASE = timedelta(minutes=5)
"""Time after which a message that a process took without recording an outcome is due again."""
HOST_IS_BUSY = timedelta(seconds=5)
EVENT_MARK = b"["
"""The first byte of a stored event, whose message is made when it is sent; others are stored as sent."""

Send = Callable[[HookAddress, HookReach, Mapping[str, str], bytes], HookAnswer]
Start = Callable[[Callable[[], None]], object]

log, done = logging.getLogger("curlew"), logging.getLogger(DONE)


def in_thread(act: Callable[[], None]) -> None:
    """Run a function in a new thread."""
    threading.Thread(target=act, name="hook", daemon=True).start()


@lru_cache(1024)
def patterns_of(events: str) -> tuple[EventPattern, ...]:
    """Return the patterns of a hook's events."""
    return tuple(parse(line.strip()) for line in events.splitlines() if line.strip())


def event_payload(placed: PlacedEvent, actor: str, origin: str) -> bytes:
    """Return the message of an event in the standard form, for the account that receives it."""
    event = placed.event(actor)
    said, at = placed.happening.event_type.replace("_", " "), event["target_fqnp"]
    text = f"{said[:1].upper()}{said[1:]}: {at}{f' (by {actor})' if actor else ''}"
    data = {"text": text, "url": f"{origin}{at}", **event}
    return payload(placed.happening.event_type, placed.happening.moment, data)


class HookDispatch(DispatchLoop):
    """Sends messages to hooks, several at a time, each in a separate thread.

    A message is marked as taken before it is sent and settled once the receiver has answered: after a crash
    between the two it is due again, with the same id.
    """

    def __init__(
        self, world: World, admit: Admit, send: Send = send_hook, start: Start = in_thread,
        chance: random.Random | None = None,
    ) -> None:  # fmt: skip
        super().__init__(world.social.hooks, "hooks")
        settings = world.service.settings
        self._world, self._admit, self._send, self._start = world, admit, send, start
        self._chance = chance or random.Random()
        self._origin = public_origin(settings, f"http://{settings.bind}")
        self._reach = HookReach.parse(settings.hooks_out_hosts)
        self._lock = threading.Lock()
        self._owners = dict[str, float]()
        self._hosts = Counter[str]()

    def round(self) -> float | None:
        """Pass all events to hooks, and begin to send due messages."""
        if not self._world.service.settings.hooks_out:
            return None
        while not self._over.is_set() and self._hand_out():
            pass
        hooks, clock = self._world.social.hooks, self._world.clock
        while not self._over.is_set() and (free := self._free()) > 0:
            now = clock.now()
            taken = hooks.take(stamp(now), stamp(now + LEASE), free, self._busy())
            for message in taken:
                with caused_by(message.caused_by):
                    self._begin(message)
            if not taken:
                return seconds_until(clock, (hooks.next_due(self._busy()),))
        return LONG

    def _hand_out(self) -> bool:
        """Store messages of some events for hooks with matching patterns; return whether there were any.

        Permissions are read before the transaction, in which other processes would wait. If several processes
        read the same events, one of them removes these.
        """
        hooks = self._world.social.hooks
        with self._world.session():
            found = hooks.events(EVENTS_AT_ONCE)
            if not found:
                return False
            active = [hook for hook in hooks.everyone() if hook.state == ACTIVE]
            events = [event for event in found if event.line != LOST]
            wanted = [(hook, event) for event in events for hook in self._wanting(active, event.line)]
            with self._world.atomic():
                if hooks.drop_events([event.id for event in found]):
                    if len(events) < len(found):
                        notify_loss(self._world, {hook.owner for hook in active})
                    for hook, event in wanted:
                        with caused_by(event.caused_by):
                            send_to(self._world, hook, decode(event.line).event_type, event.line.encode())
        return True

    def _wanting(self, active: Collection[Hook], line: str) -> list[Hook]:
        placed = place_event(self._world, decode(line))
        if placed is None:
            return []
        kind = placed.happening.event_type
        return [
            hook
            for hook in active
            if any(one.fits(placed.address, kind) for one in patterns_of(hook.events))
            and self._sees(hook.owner, placed)
        ]

    def _sees(self, owner: str, placed: PlacedEvent) -> bool:
        """Return whether an account may receive an event now."""
        caller = Caller(owner, Via.TOKEN)
        return self._is_open(owner) and may_read_event(self._world, self._admit, caller, placed)

    def _is_open(self, owner: str) -> bool:
        """Return whether an account exists and is not locked."""
        user = self._world.people.users.find(owner)
        return user is not None and not user.locked

    def _free(self) -> int:
        """Return the number of messages that may be sent now; slow receivers do not delay other accounts."""
        with self._lock:
            since = monotonic() - LONG
            quick = sum(begun > since for begun in self._owners.values())
            return min(MOST_AT_ONCE - quick, MOST_OPEN - len(self._owners))

    def _busy(self) -> list[str]:
        with self._lock:
            return sorted(self._owners)

    def _begin(self, message: QueuedMessage) -> None:
        """Begin to send a message, if its host is not busy."""
        hooks, clock = self._world.social.hooks, self._world.clock
        with self._world.session():
            hook = hooks.at(message.hook or 0)
            if hook is None:
                return
            try:
                kept = HookSecrets.open(self._world, hook)
                to = parse_address(kept.url, self._reach)
            except VfsError as error:
                self._settle(hook, message, HookAnswer(None, error.detail, 0))
                return
            body = self._body(hook, message)
            if body is None:
                hooks.settle(message, DeliveryAnswer("refused"))
                return
            with self._lock:
                if self._hosts[to.host] >= MOST_OF_HOST:
                    later = DeliveryAnswer("due", stamp(clock.now() + HOST_IS_BUSY), counted=False)
                    hooks.settle(message, later)
                    return
                self._owners[hook.owner] = monotonic()
                self._hosts[to.host] += 1
        headers = kept.headers(message.message_id, body, clock.now())
        attempt = partial(self._attempt, hook, message, to, headers, body)
        # The thread logs with the cause of the message, too.
        self._start(partial(copy_context().run, attempt))

    def _body(self, hook: Hook, message: QueuedMessage) -> bytes | None:
        """Return the body to send; None if the owner is locked, or may no longer see the event."""
        if not message.message.startswith(EVENT_MARK):
            return in_form(hook.format, message.message) if self._is_open(hook.owner) else None
        placed = place_event(self._world, decode(message.message.decode()))
        if placed is None or not self._sees(hook.owner, placed):
            return None
        actor = shown_actor(self._world, Caller(hook.owner, Via.TOKEN), placed)
        return in_form(hook.format, event_payload(placed, actor, self._origin))

    def _attempt(
        self, hook: Hook, message: QueuedMessage, to: HookAddress, headers: Mapping[str, str], body: bytes
    ) -> None:
        try:
            answer = self._answer(to, headers, body)
            with self._world.session():
                self._settle(hook, message, answer)
        except VfsError as error:
            log.warning("a message to the hook %s of %s: %s", hook.name, hook.owner, error.detail)
        finally:
            with self._lock:
                self._owners.pop(hook.owner, None)
                self._hosts -= Counter([to.host])
            self.wake()

    def _answer(self, to: HookAddress, headers: Mapping[str, str], body: bytes) -> HookAnswer:
        """Send a message. An unexpected error counts as an attempt, so that retries end."""
        try:
            return self._send(to, self._reach, headers, body)
        except Exception:
            log.exception("a message to the hook at %s could not be sent", to.host)
            return HookAnswer(None, "an unexpected error of the server", 0)

    def _settle(self, hook: Hook, message: QueuedMessage, answer: HookAnswer) -> None:
        """Record the outcome of an attempt; after the last one, pause the hook."""
        settled = DeliveryAnswer("accepted" if answer.is_taken else "refused")
        if not answer.is_taken and answer.status != GONE:
            settled = answer_later(self._world.clock, self._chance, message.tries, answer.said)
        outcome = {"accepted": "delivered", "due": "waits"}.get(settled.state, "failed")
        call = HookAttempt(
            stamp(self._world.clock.now()), message.address, message.message_id, message.tries + 1,
            outcome, answer.said, answer.milliseconds,
        )  # fmt: skip
        with self._world.atomic():
            rests_until = settled.due_on if answer.status is None else ""
            self._world.social.hooks.settle(message, settled, rests_until)
            self._world.social.hooks.record(hook.id, call)
            if outcome == "failed":
                pause(self._world, hook, f"a message was not accepted: {answer.said}")
        sent = "attempt %d to send %s to the hook %s of %s: %s (%s)"
        done.info(sent, call.tries, call.message_id, hook.name, hook.owner, outcome, answer.said)
