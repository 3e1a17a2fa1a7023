"""What people may use and what a run may come to by that: a model that shares no code with the service."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

BOB, CREW = "bob", "@bob~crew"
STEPS = ("a", "b", "c__x")

Action = tuple[str, ...]
"""What somebody does: ("share", thing, target, letters), ("unshare", thing, target), ("join", person),
("leave", person), ("lock", person), ("unlock", person), ("remake", thing), ("write", text).
"""


@dataclass
class Thing:
    """Something of bob's: which of those that had its name, and with whom it is shared."""

    which: int = 1
    shares: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Use:
    """A thing as it was at the trigger, by the letters that people need."""

    thing: str
    which: int
    letters: str
    people: frozenset[str]


@dataclass
class Shared:
    """Everything that decides who may use what, and the text of the space."""

    things: dict[str, Thing] = field(
        default_factory=lambda: {name: Thing() for name in ("img", "vault", "inner", "tool")}
    )
    crew: set[str] = field(default_factory=set)
    locked: set[str] = field(default_factory=set)
    text: str = ""

    def may(self, person: str, thing: str, letters: str) -> bool:
        ways = {f"@{person}", "public", *([CREW] if person in self.crew else [])}
        shares = self.things[thing].shares
        return person == BOB or set(letters) <= set("".join(shares.get(way, "") for way in ways))

    def allows(self, use: Use) -> bool:
        if self.things[use.thing].which != use.which or self.locked & use.people:
            return False
        return all(self.may(person, use.thing, use.letters) for person in use.people)

    def do(self, action: Action) -> None:
        word, name, *more = action
        match word:
            case "share":
                self.things[name].shares[more[0]] = more[1]
            case "unshare":
                self.things[name].shares.pop(more[0], None)
            case "join":
                self.crew.add(name)
            case "leave":
                self.crew.discard(name)
            case "lock":
                self.locked.add(name)
            case "unlock":
                self.locked.discard(name)
            case "remake":
                self.things[name] = Thing(self.things[name].which + 1)
            case "write":
                self.text = name


@dataclass
class RunModel:
    """A run of `a -> !b -> c`, where b may fan out and c is bob's job; `after` are actions that happen once
    the
    run has asked `left` more times.
    """

    shared: Shared
    people: frozenset[str]
    letters: str
    fans: int
    status: str = "processing"
    rows: dict[str, str] = field(default_factory=lambda: dict.fromkeys(STEPS, "pending"))
    parts: set[tuple[str, int | None]] = field(default_factory=set)
    done: set[tuple[str, int | None]] = field(default_factory=set)
    wrote: list[str] = field(default_factory=list)
    left: int | None = None
    actions: Sequence[Action] = ()

    def __post_init__(self) -> None:
        which = {name: thing.which for name, thing in self.shared.things.items()}
        self.vault = Use("vault", which["vault"], self.letters, self.people)
        image = Use("img", which["img"], "x", self.people)
        inner = Use("inner", which["inner"], "x", self.people)
        tool = Use("tool", which["tool"], "x", frozenset({BOB}))
        self.uses = {"a": [image, self.vault], "b": [image, self.vault], "c__x": [inner, tool]}

    @property
    def admitted(self) -> bool:
        """Whether the trigger is: nobody asks then who is locked."""
        free = replace(self.shared, locked=set())
        return all(free.allows(use) for uses in self.uses.values() for use in uses)

    def begin(self) -> None:
        """Somebody takes the run up, at its trigger or after its hold."""
        self.status = "processing"
        rest = [step for step in STEPS if self.rows[step] == "pending"]
        if self._asks([use for step in rest for use in self.uses[step]]):
            self._start(rest[0])
        else:
            self._end("failed")

    def finish(self, part: tuple[str, int | None], marks: str) -> None:
        """A part ended well, and left a file with marks in the space."""
        step = part[0]
        self.parts.discard(part)
        if "w" in self.letters and step != "c__x":
            if not self._asks([self.vault]):
                self._fail(step)
                return
            self.wrote.append(marks)
        if part[1] is not None:
            self.done.add(part)
        if self.parts:
            return
        self.rows[step] = "success"
        if step == "a":
            self.status = "waiting"
        elif step == "b":
            self._start("c__x")
        else:
            self._end("success")

    def settle(self) -> None:
        """What was to happen later happens."""
        for action in self.actions if self.left is not None else ():
            self.shared.do(action)
        self.left = None

    def _asks(self, uses: Sequence[Use]) -> bool:
        if self.left == 0:
            self.settle()
        elif self.left is not None:
            self.left -= 1
        return all(self.shared.allows(use) for use in uses)

    def _start(self, step: str) -> None:
        parts: list[tuple[str, int | None]] = [(step, None)]
        if step == "b" and self.fans:
            parts = [(step, number) for number in range(self.fans)]
        for _ in parts:
            if not self._asks(self.uses[step]):
                self._fail(step)
                return
        self.rows[step] = "running"
        self.parts = set(parts)

    def _fail(self, step: str) -> None:
        self.rows[step] = "failed"
        self._end("failed")

    def _end(self, status: str) -> None:
        self.status, self.parts = status, set()
        for step, row in self.rows.items():
            self.rows[step] = "canceled" if row in ("pending", "running") else row
