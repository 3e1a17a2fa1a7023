"""Jobs and runs as the service tells of them, held against what they have to be."""

from __future__ import annotations

import copy
import io
import zipfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from tests.kit.client import Answer
from tests.kit.clocks import until
from tests.proof.empty_world import JOBS, PATIENCE, EmptyWorld
from tests.proof.model import Files, Part, RunModel
from tests.proof.shapes import Shape

IN_A_ROW = 10


@dataclass
class Job:
    """A job of alice's and what is known of it: who is notified of its runs' ends, whether it is enabled."""

    name: str
    shape: Shape
    public: bool
    claim: bool
    scheduled: bool
    levels: dict[str, str]
    enabled: bool = True
    notices: dict[str, Counter[str]] = field(default_factory=dict)
    ends: list[tuple[int, str]] = field(default_factory=list)

    def note(self, key: int, model: RunModel) -> None:
        """A run has ended: who is notified, and whether the job is paused."""
        if model.status == "failed":
            self._tell("failed", ("info", "important"))
        if model.status == "success":
            self._tell("success", ("important",))
        if model.trigger != "schedule":
            return
        self.ends.append((key, model.status))
        row = [status for _, status in sorted(self.ends, reverse=True) if status != "canceled"]
        failures = (row + ["success"]).index("success")
        if model.status == "failed" and failures == IN_A_ROW and self.enabled:
            self.enabled = False
            self._tell("paused", ("info", "important"))

    def _tell(self, kind: str, levels: Sequence[str]) -> None:
        for user, level in self.levels.items():
            if level in levels:
                self.notices.setdefault(user, Counter())[kind] += 1


@dataclass
class Case:
    """A run under observation; `waits` is the trigger that is still open."""

    empty_world: EmptyWorld
    job: Job
    key: int
    id: str
    model: RunModel
    waits: Future[Answer] | None = None
    noted: bool = False
    loosely: bool = False

    @property
    def path(self) -> str:
        return f"{JOBS}/{self.job.name}/runs/{self.id}"

    def play(self, part: Part, how: str, files: Files) -> None:
        """Let a part of it end, in the service."""
        script = {"WRITE": ";".join(f"{name}={text}" for name, text in files.items())}
        if how == "failed":
            script["EXIT"] = "3"
        self.empty_world.stage.tell(
            (str(self.key), *part), {"STOPPED": "yes"} if how == "canceled" else script
        )

    def agree(self, *others: RunModel, loosely: bool = False) -> None:
        """Fail unless the run comes to be as its model says, or as one of the others; that is its model then.

        From then on `loosely`: when steps started, and replicas, are not compared.
        """
        self.loosely = self.loosely or loosely
        models = (*others,) or (self.model,)
        wanted = [expected(self, model) for model in models]
        seen = until(self.seen, lambda seen: seen in wanted)
        if seen not in wanted:
            self._disagree(seen, wanted)
        self._stands(models[wanted.index(seen)])

    def agree_or_lost(self, finals: Sequence[RunModel], lost: Sequence[RunModel]) -> None:
        """The same for a run whose runner died: it stands as by a final model, or it was lost on the way,
        each step as in one of the models `lost`.
        """
        self.loosely = True
        wanted = [expected(self, model) for model in finals]
        seen = until(self.seen, lambda seen: seen in wanted or self._mixed(seen, lost))
        if seen in wanted:
            self._stands(finals[wanted.index(seen)])
            return
        mixed = self._mixed(seen, lost)
        if mixed is None:
            self._disagree(seen, [*wanted, *(expected(self, model) for model in lost)])
        else:
            self._stands(mixed)

    def _mixed(self, seen: dict[str, Any], lost: Sequence[RunModel]) -> RunModel | None:
        mixed = copy.deepcopy(lost[0])
        if not mixed.ended:
            return None
        for name, _, status in seen["steps"]:
            if status not in {model.rows[name].status for model in lost}:
                return None
            mixed.rows[name].status = status
        return mixed if expected(self, mixed) == seen else None

    def _disagree(self, seen: dict[str, Any], wanted: Sequence[dict[str, Any]]) -> None:
        lines = "\n  or\n".join(difference(one, seen) for one in wanted)
        raise AssertionError(f"{self.job.shape}\n{self.id} of {self.job.name}:\n{lines}")

    def _stands(self, model: RunModel) -> None:
        """This is how the run stands now."""
        self.model = model
        if model.ended and not self.noted:
            self.noted = True
            self.job.note(self.key, model)
        self._hear()
        for part in model.parts():
            assert self.empty_world.stage.reading((str(self.key), *part)) == model.reads(part), part

    def changed(self) -> RunModel:
        """A copy of the model, to be changed."""
        return copy.deepcopy(self.model)

    def seen(self) -> dict[str, Any]:
        """What the service tells of the run."""
        steps, stats = (
            self.empty_world.data(f"{self.path}/steps"),
            self.empty_world.data(f"{self.path}/stats"),
        )
        rows = [
            (row["name"], row["replica_index"], row["status"], row["started_on"] is not None)
            for row in steps["steps"]
        ]
        holds = [
            (
                hold["step"], hold["phase"], hold["ordinal"], hold["waiting_since"] is not None,
                hold["outcome"], hold["settled_by"], hold["folder"],
            )
            for hold in steps.get("holds", [])
        ]  # fmt: skip
        return {
            "status": stats["status"],
            "output": stats["has_output"],
            "children": {child["parent_step"]: child["status"] for child in stats["children"]},
            "holds": holds,
            "steps": [row[:3] for row in rows if row[1] is None] if self.loosely else rows,
        }

    def space(self, step: str, phase: str) -> str:
        """The name of a hold's space."""
        return f"{self.job.name}-{self.id}-{step}-{phase}"

    def look(self) -> None:
        """Everything else that is shown of an ended run."""
        answer = self.empty_world.ask("alice", "GET", f"{self.path}/output")
        files = self.model.result() if self.model.status == "success" else {}
        assert answer.status == (200 if files else 204), (self.id, answer)
        assert content(answer, len(files)) == (sorted(files.values()) if files else []), (
            self.id,
            files,
            answer,
        )

    def _hear(self) -> None:
        """The answer to the trigger, once there is one."""
        if self.waits is None or self.model.status in ("processing", "canceling"):
            return
        wanted = {"waiting": 202, "failed": 422, "canceled": 409}.get(self.model.status)
        if wanted is None:
            wanted = 200 if self.model.result() else 204
        answer = self.waits.result(PATIENCE)
        assert answer.status == wanted, (self.id, answer, wanted)
        assert answer.headers["location"].endswith(self.id)
        self.waits = None


def expected(case: Case, model: RunModel) -> dict[str, Any]:
    """The expected answers about a run."""
    rows: list[tuple[Any, ...]] = []
    for name, row in model.rows.items():
        rows.append((name, None, row.status, row.started))
        replicas = model.replicas.get(name, [])
        rows += [(name, index, one.status, one.started) for index, one in enumerate(replicas)]
    came = {(held.stop.step, held.stop.phase): held for held in model.holds}
    holds = []
    for stop in model.stops:
        held = came.get((stop.step, stop.phase))
        folder = f"/u/alice/s/{case.space(stop.step, stop.phase)}" if held and not model.ended else None
        answer = (held.outcome, held.by) if held else (None, None)
        holds.append((stop.step, stop.phase, stop.ordinal, held is not None, *answer, folder))
    return {
        "status": model.status,
        "output": model.status == "success" and bool(model.result()),
        "children": model.children(),
        "holds": holds,
        "steps": [row[:3] for row in rows if row[1] is None] if case.loosely else rows,
    }


def difference(wanted: dict[str, Any], seen: dict[str, Any]) -> str:
    """What is not as it has to be."""
    return "\n".join(
        f"  {name}: {seen[name]}\n  must be {wanted[name]}" for name in wanted if seen[name] != wanted[name]
    )


def content(answer: Answer, files: int) -> list[str]:
    """The texts of a run's result, sorted."""
    if files < 2:
        return [answer.body.decode()] if answer.body else []
    with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
        return sorted(archive.read(name).decode() for name in archive.namelist())
