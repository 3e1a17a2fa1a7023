"""A simulated year of alerts, compared with a model: one notice at each start and end, none lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from random import Random
from statistics import median

import pytest

from chains.runs.records import Run
from chains.runs.states import Event
from handlers.processes.background import timer_of
from handlers.processes.world import LiveWorld, build
from tests.handlers.service_world import ServiceWorld
from tests.kit.counting.amount import points, seed
from vfs.access import Verb

pytestmark = pytest.mark.soak

DAYS = 365
DOC, JOB = "/v1/vis/docs/report", "/v1/code/jobs/nightly"
MINUTES = (1, 10, 30, 60, 100, 400)
Acts = Mapping[Callable[[], None], int]


class Simulation:
    """Two servers on one database. Each may answer or be restarted, and each may run the timer."""

    def __init__(self, service: ServiceWorld, random: Random) -> None:
        self.service, self.random = service, random
        self.servers = [service.live_world, build(service.world.service.settings, service.clock)]
        self.received: Counter[str] = Counter()
        self.expected: Counter[str] = Counter()

    @property
    def now(self) -> datetime:
        return self.service.clock.now()

    def choose(self) -> None:
        """Another server answers from here on."""
        self.service.live_world = self.random.choice(self.servers)
        self.service.world = self.service.live_world.world

    def look(self) -> None:
        """A timer that was just started looks; any server may get the lead."""
        first = self.random.choice(self.servers)
        for server in (first, *self.servers):
            timer_of(server).turn()
        if self.random.random() < 0.3:
            first.lead.release()

    def note(self) -> None:
        """Count the notices since the last call, and compare."""
        notices = self.service.world.social.notices
        found = notices.of("alice")
        self.received.update(notice.kind for notice in found)
        notices.dismiss("alice", [notice.id for notice in found])
        assert self.received == self.expected

    def live(self, acts: Acts, part: int) -> None:
        """Let time pass, with something happening now and then."""
        until = self.now + timedelta(days=points(DAYS, part))
        while self.now < until:
            self.service.clock.forward(60.0 * self.random.choice(MINUTES))
            self.choose()
            (act,) = self.random.choices(list(acts), list(acts.values()))
            act()
            self.note()


@pytest.fixture
def simulation(service_world: ServiceWorld) -> Iterator[Simulation]:
    found = Simulation(service_world, Random(seed()))
    yield found
    other: LiveWorld = found.servers[1]
    other.lead.release()
    other.close()
    service_world.live_world = found.servers[0]


@dataclass
class RuleModel:
    """The expected notices of one rule, by its definition in the manual."""

    word: str
    bar: Decimal
    state: str = "well"
    former: Decimal | None = None
    written: datetime | None = None

    def turn(self, state: str) -> list[str]:
        before, self.state = self.state, state
        return [] if state == before else ["recovered" if state == "well" else "alert"]

    def write(self, text: str, now: datetime) -> list[str]:
        if not text:
            return []
        self.written = now
        if self.word == "silent":
            return self.turn("well")
        try:
            number = Decimal(text)
        except ArithmeticError:
            return self.turn("unclear")
        before, self.former = self.former, number
        if self.word == "changes":
            is_on = before is not None and number != before
            is_on = is_on and abs(number - (before or 0)) * 100 >= self.bar * abs(before or 0)
        else:
            is_on = number < self.bar if self.word == "below" else number > self.bar
        return self.turn("on" if is_on else "well")

    def look(self, now: datetime) -> list[str]:
        if self.word != "silent" or self.written is None:
            return []
        return self.turn("on") if now - self.written >= timedelta(days=float(self.bar)) else []


RULES = {
    "below 10": ("below", "10"),
    "above 15.5": ("above", "15.5"),
    "changes by 25%": ("changes", "25"),
    "silent for 2d": ("silent", "2"),
}
VALUES = ("12", "8", "9.99", "10", "16", "15.5", "15.51", "0", "-4", "", "n/a", "1,000", "1e1", "12.5")


@dataclass
class Variable:
    """A variable with its model."""

    simulation: Simulation
    name: str = "sales"
    value: str = ""
    written: datetime | None = None
    rules: dict[str, RuleModel] = field(default_factory=dict)

    def path(self, file: str) -> str:
        return f"{DOC}/vars/{self.name}/{file}"

    def write(self) -> None:
        now, text = self.simulation.now, self.simulation.random.choice(VALUES)
        self.simulation.service.write("alice", self.path("value"), text)
        self.value, self.written = text, now
        for rule in self.rules.values():
            self.simulation.expected.update(rule.write(text, now))

    def choose_rules(self) -> None:
        random, now = self.simulation.random, self.simulation.now
        chosen = random.sample(list(RULES), random.randint(1, len(RULES)))
        self.simulation.service.write("alice", self.path("alert"), "\n".join(chosen))
        self.rules = {word: rule for word, rule in self.rules.items() if word in chosen}
        for word in chosen:
            if word in self.rules:
                continue
            kind, bar = RULES[word]
            rule = self.rules[word] = RuleModel(kind, Decimal(bar))
            if self.value:
                written = self.written or now
                self.simulation.expected.update(rule.write(self.value, written))
                self.simulation.expected.update(rule.look(now))
            rule.written = rule.written or now

    def rename(self) -> None:
        other = "total" if self.name == "sales" else "sales"
        body = f'{{"name": "{other}"}}'
        self.simulation.service.call(
            "alice", Verb.RENAME, f"{DOC}/vars/{self.name}", body, media="application/json"
        )
        self.name = other

    def look(self) -> None:
        self.simulation.look()
        for rule in self.rules.values():
            self.simulation.expected.update(rule.look(self.simulation.now))
        shown = self.simulation.service.read("alice", self.path("state"))
        assert {row["alert"]: row["state"] for row in shown} == {
            word: rule.state for word, rule in self.rules.items()
        }


def test_the_alerts_of_a_value(simulation: Simulation) -> None:
    simulation.service.call("alice", Verb.CREATE, DOC)
    simulation.service.call("alice", Verb.CREATE, f"{DOC}/vars/sales")
    variable = Variable(simulation)
    acts = {variable.write: 12, variable.look: 8, variable.choose_rules: 2, variable.rename: 1}
    simulation.live(acts, 12)
    assert simulation.received["alert"] > 10


class Nightly:
    """A job that runs every two hours, its runners, and the model of its alerts."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.job = simulation.service.job(schedule="0 */2 * * *")
        self.looked = simulation.now
        self.late = False
        self.recovered = self.looked
        self.waiting: list[datetime] = []
        self.going: dict[int, tuple[Run, datetime, float | None]] = {}
        self.slow: set[int] = set()
        self.took: list[float] = []
        simulation.look()

    def planned(self) -> list[datetime]:
        """The planned times since the last look."""
        first = self.looked.replace(minute=0, second=0, microsecond=0)
        count = int((self.simulation.now - first).total_seconds() // 3_600)
        times = (first + timedelta(hours=number) for number in range(count + 1))
        return [time for time in times if time > self.looked and time.hour % 2 == 0]

    def look(self) -> None:
        now, due = self.simulation.now, self.planned()
        if due and now - due[-1] < timedelta(hours=1):
            self.waiting.append(now)
        elif due:
            self.be_late()
        patience = timedelta(minutes=15)
        if self.waiting and now - max(self.waiting[0], self.recovered) >= patience:
            self.be_late()
        for key, (_, began, limit) in self.going.items():
            if limit is not None and (now - began).total_seconds() >= limit and key not in self.slow:
                self.slow.add(key)
                self.simulation.expected["alert"] += 1
        self.looked = now
        self.simulation.look()

    def be_late(self) -> None:
        self.simulation.expected["alert"] += not self.late
        self.late = True

    def take(self) -> None:
        runs = self.simulation.service.world.code.runs
        runs.leases.enlist(f"worker-{self.simulation.now}", "home", 1e9)
        while (run := runs.queue.take("worker")) is not None:
            self.waiting.pop(0)
            limit = max(3 * median(self.took[-20:]), 60.0) if len(self.took) >= 5 else None
            self.going[run.key] = (run, self.simulation.now, limit)
            if self.late:
                self.late, self.recovered = False, self.simulation.now
                self.simulation.expected["recovered"] += 1

    def end(self) -> None:
        for key, (run, began, _) in list(self.going.items()):
            event = self.simulation.random.choice((Event.SUCCEED, Event.SUCCEED, Event.SUCCEED, Event.FAIL))
            self.simulation.service.end(run, event)
            if event is Event.SUCCEED:
                self.took.append((self.simulation.now - began).total_seconds())
            else:
                self.simulation.expected["failed"] += 1
            if key in self.slow:
                self.simulation.expected["recovered"] += 1
            del self.going[key]


def test_the_alerts_of_a_job(simulation: Simulation) -> None:
    nightly = Nightly(simulation)
    simulation.live({nightly.look: 12, nightly.take: 4, nightly.end: 4}, 12)
    assert simulation.received["alert"] > 5
