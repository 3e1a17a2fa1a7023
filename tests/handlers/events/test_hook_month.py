"""Forty days of hooks whose receivers fail: each message once, one notice for each pause, nothing lost."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta
from random import Random

import pytest

from handlers.rules.hook_addresses import HookAddress, HookReach
from handlers.services.outgoing_hooks import HookAnswer
from tests.handlers.events.hook_stage import PLOT, HookStage
from tests.handlers.service_world import ServiceWorld
from tests.kit.counting.amount import points, seed
from vfs.access import Verb
from vfs.ports.hooks import ACTIVE, PAUSED

pytestmark = pytest.mark.soak

DAYS = 40
LONGEST = timedelta(days=5)
"""No message is tried for longer."""


class Month:
    """Two hooks that are resumed when they were paused, changes of a plot, and restarts of the dispatcher."""

    def __init__(self, stage: HookStage, random: Random) -> None:
        self.stage, self.random, self.clock = stage, random, stage.service.clock
        self.taken = {"/alice": Counter[str](), "/bob": Counter[str]()}
        self.first: dict[str, datetime] = {}
        self.is_up = dict.fromkeys(self.taken, True)
        self.pauses = Counter[str]()
        self.is_too_long = False
        self.restart()
        for user in ("alice", "bob"):
            stage.hook(user, f"http://127.0.0.1/{user}", "/u/alice")
        stage.act("alice", Verb.CREATE, PLOT)
        item = stage.service.world.items.find("plot", "alice", "sales", "alice")
        assert item is not None
        stage.service.share(item.item.id, "bob", "r")
        # What was said so far leaves, however often a change of the database is seen late.
        while self.settle() is not None or stage.hooks.tally():
            self.clock.forward(60)
        for counts in self.taken.values():
            counts.clear()
        self.changes = 0

    def send(self, to: HookAddress, reach: HookReach, headers: Mapping[str, str], body: bytes) -> HookAnswer:
        """A receiver that is up or away; it counts what it took by what the event says."""
        first = self.first.setdefault(headers["webhook-id"], self.clock.now())
        self.is_too_long |= self.clock.now() - first > LONGEST
        if not self.is_up[to.target]:
            return HookAnswer(self.random.choice((None, 500, 404, 302)), "away", 1)
        self.taken[to.target][json.loads(body)["data"]["ts"]] += 1
        return HookAnswer(204, "204", 1)

    def change(self) -> None:
        self.stage.act("alice", Verb.WRITE, f"{PLOT}/data", f"a,{self.changes}")
        self.changes += 1

    def turn(self) -> None:
        at = self.random.choice(list(self.is_up))
        self.is_up[at] = not self.is_up[at]

    def restart(self) -> None:
        self.dispatch = self.stage.dispatch(send=self.send, chance=self.random)

    def settle(self) -> float | None:
        """Send what is due; the seconds until there is more."""
        return self.dispatch.round()

    def resume(self) -> None:
        """Resume the paused hooks, whose owners were notified once each."""
        for user in ("alice", "bob"):
            hook = self.stage.hooks.find(user, "chat")
            assert hook is not None
            if hook.state == PAUSED:
                self.pauses[user] += 1
                self.first.clear()
                assert self.stage.service.inbox(user) == ["hook"]
                for notice in self.stage.service.world.social.notices.of(user):
                    self.stage.service.world.social.notices.dismiss(user, [notice.id])
                self.stage.act(user, Verb.WRITE, "/v1/admin/hooks/chat/state", ACTIVE)
            else:
                assert self.stage.service.inbox(user) == []

    def step(self) -> None:
        left = float(self.random.choice((60, 20_000, 90_000)))
        while left > 0:
            some = min(left, self.settle() or left)
            self.clock.forward(some)
            left -= some
        (act,) = self.random.choices((self.change, self.turn, self.restart), (6, 1, 1))
        act()
        self.settle()
        assert not self.is_too_long
        assert all(count == 1 for counts in self.taken.values() for count in counts.values()), "sent twice"


def test_each_message_is_sent_once_and_each_pause_has_one_notice(service_world: ServiceWorld) -> None:
    stage = HookStage(service_world)
    month = Month(stage, Random(seed()))
    until = month.clock.now() + timedelta(days=points(DAYS, 4))
    while month.clock.now() < until:
        month.step()
        month.resume()
    month.is_up = dict.fromkeys(month.is_up, True)
    for _ in range(4_000):
        month.clock.forward(month.settle() or 3_600)
        month.resume()
        if not stage.hooks.tally():
            break
    assert stage.hooks.tally() == {}
    for at, counts in month.taken.items():
        # A pause gives up the message that was tried for three days, and those that were made meanwhile.
        lost = month.changes - len(counts)
        assert lost == 0 if not month.pauses[at[1:]] else lost >= month.pauses[at[1:]]
    assert month.changes > 8
