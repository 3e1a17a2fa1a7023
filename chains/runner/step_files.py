"""The files that the steps of a run read and leave, on disk."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from chains.engine.port import Mount
from chains.files.names import refusal
from chains.files.run_folders import Checked, FoundFile, RunFolder, check, outlast
from chains.language.ast import Phase
from chains.plan.frontier import Progress
from chains.plan.model import Hold, PlannedStep
from chains.runner.fan_out import merge, place_file
from chains.runner.launch import Part

INPUT = "/input"
OUTPUT = "/output"
LONGEST_NAME = 200


class StepFiles:
    """The outputs of the steps that are done, and the inputs of those that are not.

    After a hold, `_given` are the folders that a step reads instead of what comes in by the plan.
    """

    def __init__(self, folder: RunFolder, progress: Progress) -> None:
        self.outputs: dict[str, Checked] = {}
        self._folder = folder
        self._progress = progress
        self._given: dict[str, Path] = {}
        self._replicas: dict[str, dict[int, Checked | None]] = {}
        self._names: dict[str, list[str]] = {}

    def resume(self, done: Iterable[str]) -> None:
        """Take up the outputs of steps that are done."""
        for name in done:
            self.outputs[name] = check(self._folder.output(name), sys.maxsize, sys.maxsize)

    def continue_from(self, hold: Hold, fetch: Callable[[Path], None]) -> None:
        """Put the files that a hold was continued with where the next steps read them.

        After several steps at once, each one's are those in the folder of its name.
        """
        if hold.phase is Phase.AFTER and len(hold.steps) == 1:
            fetch(self._folder.empty(hold.steps[0]))
            self.resume(hold.steps)
            return
        target = self._folder.hold(hold.step, hold.phase)
        fetch(target)
        for name in hold.steps:
            if hold.phase is Phase.BEFORE:
                self._given[name] = target
            elif (target / name).is_dir():
                shutil.copytree(target / name, self._folder.empty(name), dirs_exist_ok=True)
            else:
                self._folder.empty(name)
        if hold.phase is Phase.AFTER:
            self.resume(hold.steps)

    def at_hold(self, hold: Hold) -> list[FoundFile]:
        """The files that people are shown at a hold."""
        if hold.phase is Phase.BEFORE:
            return self.incoming(self._progress.step(hold.steps[0]))
        return self._join(hold.steps)

    def outlast(self, hold: Hold) -> None:
        """Have the outputs that are read after a hold survive a power cut. Raises OSError.

        The files at the hold itself come back from where people change them.
        """
        for name in self._progress.outputs_after(hold):
            outlast(self._folder.output(name), self.outputs[name].files)

    def incoming(self, step: PlannedStep) -> list[FoundFile]:
        """The files that a step reads, by their paths in /input (decisions 19)."""
        given = self._given.get(step.name)
        if given is None and step.predecessors:
            return self._join(step.predecessors)
        found = check(
            given or self._folder.input, sys.maxsize, sys.maxsize, partial(refusal, labelled=True), INPUT
        )
        return list(found.files)

    def mounts(self, step: PlannedStep, replica: int | None) -> list[Mount]:
        """The folders of a part's /input: its one file, what it is given, or what comes in by the plan."""
        if replica is not None:
            return [Mount(self._folder.replica_input(step.name, replica), INPUT)]
        if step.name in self._given:
            return [Mount(self._given[step.name], INPUT)]
        if not step.predecessors:
            return [Mount(self._folder.input, INPUT)]
        if len(step.predecessors) == 1:
            return [Mount(self._folder.output(step.predecessors[0]), INPUT)]
        return [Mount(self._folder.output(name), f"{INPUT}/{name}") for name in step.predecessors]

    def output(self, part: Part) -> Path:
        """The folder of a part's /output."""
        return self._folder.output(part.step, part.replica)

    def fan_out(self, step: PlannedStep) -> range:
        """Make the inputs of a step's replicas, one for each file; their indexes. May raise OSError."""
        files = self.incoming(step)
        self._names[step.name] = [file.rel for file in files]
        for replica, file in enumerate(files):
            place_file(self._folder.replica_input(step.name, replica), file)
        self._replicas[step.name] = dict.fromkeys(range(len(files)))
        if not files:
            self.outputs[step.name] = Checked((), ())
        return range(len(files))

    def name_of(self, part: Part) -> str:
        """The name of a replica's file in one short line; empty for what is no replica."""
        if part.replica is None:
            return ""
        name = self._names[part.step][part.replica]
        shown = "".join(letter if letter.isprintable() else "?" for letter in name)
        return shown if len(shown) <= LONGEST_NAME else f"{shown[: LONGEST_NAME - 1]}…"

    def add(self, part: Part, output: Checked) -> bool:
        """Take in what a part left; True when its step is done: a fan-out with its last replica."""
        if part.replica is not None:
            replicas = self._replicas[part.step]
            replicas[part.replica] = output
            outputs = [one for one in replicas.values() if one is not None]
            if len(outputs) < len(replicas):
                return False
            output = merge(outputs, self._folder.output(part.step))
        self.outputs[part.step] = output
        return True

    def _join(self, steps: tuple[str, ...]) -> list[FoundFile]:
        """The outputs of steps: of one as they are, of several each in the folder of its name."""
        if len(steps) == 1:
            return list(self.outputs[steps[0]].files)
        files = (
            FoundFile(f"{name}/{file.rel}", file.path, file.size)
            for name in steps
            for file in self.outputs[name].files
        )
        return sorted(files, key=lambda file: file.rel)
