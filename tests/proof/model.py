"""What a run has to be, by the interface's tables alone: the model shares no code with the service."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.proof.shapes import AFTER, BEFORE, Shape, Step, Stop

Files = dict[str, str]
Part = tuple[str, int | None]

ENDED = ("success", "failed", "canceled")
WORKING = ("processing", "canceling")


@dataclass
class Held:
    """A stop that the run came to."""

    stop: Stop
    files: Files
    outcome: str | None = None
    by: str | None = None


@dataclass
class Row:
    """A step or a replica: its status, and whether it ever started."""

    status: str = "pending"
    started: bool = False

    def run(self) -> None:
        self.status, self.started = "running", True


@dataclass
class RunModel:
    """A run of a shape: `by` triggered it, through `trigger`, with `input`."""

    shape: Shape
    by: str
    trigger: str
    input: Files
    status: str = "processing"
    holds: list[Held] = field(default_factory=list)
    rows: dict[str, Row] = field(default_factory=dict)
    replicas: dict[str, list[Row]] = field(default_factory=dict)
    outputs: dict[str, Files] = field(default_factory=dict)
    given: dict[str, Files] = field(default_factory=dict)
    gathered: dict[str, dict[int, Files]] = field(default_factory=dict)
    broken: bool = False
    halted: bool = False

    def __post_init__(self) -> None:
        self.steps = self.shape.steps()
        self.stops = self.shape.stops()
        self.rows = {step.name: Row() for step in self.steps}
        self.go_on()

    @property
    def ended(self) -> bool:
        return self.status in ENDED

    @property
    def open(self) -> Held | None:
        """The stop that it waits at."""
        return next((held for held in self.holds if held.outcome is None), None)

    def parts(self) -> list[Part]:
        """What runs: steps, and replicas instead of a fan-out step."""
        if self.ended:
            return []
        replicas = [
            (name, index)
            for name, rows in self.replicas.items()
            for index, row in enumerate(rows)
            if row.status == "running"
        ]
        alone = [
            (name, None)
            for name, row in self.rows.items()
            if row.status == "running" and name not in self.replicas
        ]
        return alone + replicas  # type: ignore[return-value]

    def reads(self, part: Part) -> Files:
        """What a part finds in /input."""
        name, replica = part
        files = self._incoming(next(step for step in self.steps if step.name == name))
        if replica is None:
            return files
        path = sorted(files)[replica]
        return {path: files[path]}

    def finish(self, part: Part, how: str, files: Files) -> None:
        """A part ended: `success` with files, `failed`, or `canceled` as it was stopped."""
        name, replica = part
        row = self.rows[name] if replica is None else self.replicas[name][replica]
        row.status = how
        if how == "failed":
            self.rows[name].status = "failed"
            self.broken = self.halted = True
        elif how == "success" and replica is None:
            self.outputs[name] = files
        elif how == "success" and replica is not None:
            self._gather(name, replica, files)
        self.go_on()

    def stop(self) -> None:
        """Everything that runs is stopped, and ends."""
        for part in self.parts():
            self.finish(part, "canceled", {})

    def cancel(self) -> None:
        """A cancel was accepted."""
        self.status = "canceling"
        self.halted = True

    def answer(self, goes_on: bool, by: str, begins: bool = True) -> None:
        """The open stop was answered; the next steps begin, or not yet."""
        held = self.open
        assert held is not None
        held.outcome, held.by = "continued" if goes_on else "declined", by
        if not goes_on:
            self._end("canceled")
            return
        self.status = "processing"
        if held.stop.phase == AFTER:
            self.outputs[held.stop.row] = held.files
        else:
            self.given[held.stop.row] = held.files
        if begins:
            self.go_on()

    def lose(self) -> None:
        """The runner is gone: what it worked on has ended, what waits does not notice."""
        if self.status in WORKING:
            self._end("failed" if self.status == "processing" else "canceled")

    def go_on(self) -> None:
        """Start what may start; end or wait when nothing runs."""
        while not self.halted and (ready := [step for step in self.steps if self._may(step)]):
            for step in ready:
                self._start(step)
        if self.parts() or self.ended or self.status == "waiting":
            return
        reached = [stop for stop in self._left() if self._is_reached(stop)]
        if self.broken:
            self._end("failed")
        elif all(row.status == "success" for row in self.rows.values()) and not self._left():
            self._end("success")
        elif self.status == "canceling":
            self._end("canceled")
        else:
            self.status = "waiting"
            self.holds.append(Held(reached[0], dict(self._parked(reached[0]))))

    def result(self) -> Files:
        """The files that it leaves; several last steps have a folder each."""
        ends = self.shape.ends()
        if len(ends) == 1:
            return self.outputs[ends[0]]
        return {f"{name}/{path}": text for name in ends for path, text in self.outputs[name].items()}

    def children(self) -> dict[str, str]:
        """The status of the child run of each step that is a job."""
        found = {}
        for job in {step.job for step in self.steps if step.job}:
            states = {self.rows[step.name].status for step in self.steps if step.job == job}
            if states & {"pending", "running"}:
                found[job] = self.status
            else:
                found[job] = next((bad for bad in ("failed", "canceled") if bad in states), "success")
        return found

    def _end(self, status: str) -> None:
        self.status = status
        for row in [*self.rows.values(), *(row for rows in self.replicas.values() for row in rows)]:
            if row.status in ("pending", "running"):
                row.status = "canceled"

    def _left(self) -> list[Stop]:
        passed = [held.stop for held in self.holds if held.outcome == "continued"]
        return [stop for stop in self.stops if stop not in passed]

    def _fed(self, step: Step) -> bool:
        """Everything before it is done, and let on."""
        kept = {stop.row for stop in self._left() if stop.phase == AFTER}
        return all(self.rows[name].status == "success" and name not in kept for name in step.predecessors)

    def _may(self, step: Step) -> bool:
        kept = {stop.row for stop in self._left() if stop.phase == BEFORE}
        return self.rows[step.name].status == "pending" and step.name not in kept and self._fed(step)

    def _is_reached(self, stop: Stop) -> bool:
        if stop.phase == AFTER:
            return self.rows[stop.row].status == "success"
        return self._fed(next(step for step in self.steps if step.name == stop.row))

    def _start(self, step: Step) -> None:
        row = self.rows[step.name]
        row.run()
        if step.fan_out:
            count = len(self._incoming(step))
            if count == 0:
                row.status, self.outputs[step.name] = "success", {}
                return
            self.replicas[step.name] = [Row("running", True) for _ in range(count)]
            self.gathered[step.name] = {}

    def _gather(self, name: str, replica: int, files: Files) -> None:
        gathered = self.gathered[name]
        gathered[replica] = files
        if len(gathered) == len(self.replicas[name]):
            self.rows[name].status = "success"
            self.outputs[name] = {path: text for one in gathered.values() for path, text in one.items()}

    def _incoming(self, step: Step) -> Files:
        if step.name in self.given:
            return self.given[step.name]
        if not step.predecessors:
            return self.input
        if len(step.predecessors) == 1:
            return self.outputs[step.predecessors[0]]
        return {
            f"{name}/{path}": text for name in step.predecessors for path, text in self.outputs[name].items()
        }

    def _parked(self, stop: Stop) -> Files:
        if stop.phase == AFTER:
            return self.outputs[stop.row]
        return self._incoming(next(step for step in self.steps if step.name == stop.row))
