"""The input and output files of a run's steps on disk, and how replicas share them."""

from __future__ import annotations

import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePosixPath

from chains.engine.port import Mount
from chains.files.names import printable, refusal
from chains.files.removal import clear, remove
from chains.files.run_folder import RunFolder
from chains.files.run_folders import Checked, FoundFile, check, outlast
from chains.files.sizes import size_text
from chains.files.tallies import Sizes, refusal_of, require_files, require_kept, sizes_in, tally_of
from chains.language.ast import Phase
from chains.plan.frontier import Progress
from chains.plan.model import Hold, PlannedStep
from chains.runner.launch import Part
from chains.runs.records import KeptOutput, StepRow
from chains.runs.retry import Patience
from chains.sharing.run_files import RunFiles
from vfs.errors import Gone, Invalid, TooLarge


def place_file(folder: Path, file: FoundFile) -> None:
    """Put a file at its path below a folder, as a hard link if possible. Raises OSError."""
    target = folder / file.rel
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        try:
            os.link(file.path, target, follow_symlinks=False)
        except OSError:
            shutil.copyfile(file.path, target, follow_symlinks=False)


def merge(outputs: Sequence[Checked], target: Path) -> Checked:
    """Move the outputs of replicas, in order, into one folder. Return its files. Raises OSError, Invalid.

    If several outputs have a name, or if it is a file in one and a folder in another, the index of the
    replica is added before the suffix. Invalid reports a name that becomes too long.
    """
    counts = Counter(file.rel for output in outputs for file in output.files)
    folders = _folders(counts)
    taken = {rel for rel, count in counts.items() if count == 1 and rel not in folders}
    merged: list[FoundFile] = []
    for replica, output in enumerate(outputs):
        for file in output.files:
            rel = file.rel
            if counts[rel] > 1 or rel in folders:
                rel = _with_index(rel, replica)
                while rel in taken or rel in folders:
                    rel = _with_index(rel, replica)
                taken.add(rel)
            place = target / rel
            place.parent.mkdir(parents=True, exist_ok=True)
            file.path.rename(place)
            merged.append(FoundFile(rel, place, file.size))
    dropped = tuple(pair for output in outputs for pair in output.dropped)
    return Checked(tuple(sorted(merged, key=lambda file: file.rel)), dropped)


def _folders(paths: Iterable[str]) -> set[str]:
    """Return the folders above the paths."""
    folders: set[str] = set()
    for path in paths:
        while (path := path.rpartition("/")[0]) and path not in folders:
            folders.add(path)
    return folders


def _with_index(rel: str, replica: int) -> str:
    path = PurePosixPath(rel)
    longer = str(path.with_name(f"{path.stem}.{replica}{path.suffix}"))
    if why := refusal(longer):
        shown = printable(rel)
        raise Invalid(f"several replicas left /output/{shown}, which cannot be numbered: {why}")
    return longer


INPUT = "/input"
OUTPUT = "/output"
LONGEST_NAME = 200
BRIEFLY = 5.0
"""Seconds to wait for a store that is unavailable, before a run is marked as failed."""


class StepFiles:
    """The outputs of finished steps and the inputs of the others.

    `_given`: after a hold, the folders that steps read instead of their predecessors' outputs. `_known`:
    description and file sizes of every folder that is read; folders are compared with them before use.

    With `shared` files, an output that is read after a hold is stored there, so that a runner on another host
    can continue. `stored` has the outputs of earlier runs. Bytes count for the owner of the `job`.
    """

    def __init__(
        self,
        folder: RunFolder,
        progress: Progress,
        patiently: Patience,
        shared: RunFiles | None = None,
        stored: RunFiles | None = None,
        job: int | None = None,
    ) -> None:
        self._patiently = patiently
        self._shared = shared
        self._stored = stored or shared
        self._job = job
        self._earlier: Mapping[str, StepRow] = {}
        self.outputs: dict[str, Checked] = {}
        self._folder = folder
        self._progress = progress
        self._known: dict[Path, tuple[str, Sizes]] = {
            folder.input: ("the input of the run", folder.input_sizes)
        }
        self._given: dict[str, Path] = {}
        self._replicas: dict[str, dict[int, Checked | None]] = {}
        self._names: dict[str, list[str]] = {}

    def resume(self, done: Mapping[str, StepRow], holds: Collection[Hold] = ()) -> None:
        """Load the outputs of finished steps by their tallies, and of `holds` that were continued.

        Outputs that no later step reads may be gone. Raises Gone, Unavailable, OSError.
        """
        unread = set(self._progress.unread(holds))
        self._earlier = done
        for name, row in done.items():
            self.outputs[name] = Checked((), ())
            if name in unread:
                self._bring_back(row)
                self._take_up(name)

    def _bring_back(self, row: StepRow) -> None:
        """Check a finished step's output against its tally. Fetch it from the shared files if needed."""
        folder, about = self._folder.output_path(row.name), f"the output of {row.name}"
        if row.files is not None and self._stored is not None:
            try:
                require_kept(folder, row.tally, about)
                return
            except Gone:
                remove(folder)
            files, stored = row.files, self._stored
            self._patiently(lambda: stored.fetch(files, folder))
        require_kept(folder, row.tally, about)

    def _take_up(self, name: str) -> None:
        self._note(name, check(self._folder.output_path(name), sys.maxsize, sys.maxsize))

    def _note(self, name: str, output: Checked) -> None:
        """Record the output of a step for the steps that read it."""
        self.outputs[name] = output
        self._known[self._folder.output_path(name)] = f"the output of {name}", _sizes(output)

    def require(self, step: PlannedStep, replica: int | None) -> None:
        """Check that the input files of a part are unchanged. Raises Gone, OSError."""
        for mount in self.mounts(step, replica):
            self._require(mount.source)

    def require_outputs(self, names: Iterable[str]) -> None:
        """Check that the outputs of steps are unchanged. Raises Gone, OSError."""
        for name in names:
            self._require(self._folder.output_path(name))

    def require_at(self, hold: Hold) -> None:
        """Check that the files that users are shown at a hold are there. Raises Gone, OSError."""
        if hold.phase is Phase.BEFORE:
            self.require(self._progress.step(hold.steps[0]), None)
        else:
            self.require_outputs(hold.steps)

    def _require(self, folder: Path) -> None:
        about, sizes = self._known[folder]
        require_files(folder, sizes, about)

    def keep(self, step: str) -> KeptOutput:
        """Keep a step's output if a hold may follow. Return tally and manifest. Raises VfsError, OSError."""
        if not self._progress.may_wait:
            return KeptOutput()
        folder = self._folder.output_path(step)
        tally = str(tally_of(folder, _sizes(self.outputs[step])))
        if (shared := self._shared) is None:
            return KeptOutput(tally)
        return KeptOutput(tally, self._patiently(lambda: shared.store(folder, self._job)))

    def store(self, step: str, room: int) -> tuple[KeptOutput, int]:
        """Store the output of a finished step for later runs. Return its size, too.

        It includes what was changed at holds after the step. Raises TooLarge if it is larger than `room`,
        Gone if it is no longer there, and what RunFiles.store does.
        """
        folder, stored = self._folder.output_path(step), self._stored
        assert stored is not None
        if folder not in self._known:
            row = self._earlier[step]
            if (files := row.files) is not None:
                sizes = self._patiently(lambda: stored.read(files), BRIEFLY).sizes
                return KeptOutput(row.tally, files), require_room(sizes, room)
            require_kept(folder, row.tally, f"the output of {step}")
            self._take_up(step)
        about, sizes = self._known[folder]
        require_files(folder, sizes, about)
        size = require_room(sizes, room)
        manifest = self._patiently(lambda: stored.store(folder, self._job), BRIEFLY)
        return KeptOutput(str(tally_of(folder, sizes)), manifest), size

    def continue_from(self, hold: Hold, fetch: Callable[[Path], None]) -> None:
        """Put the files of a continued hold where the next steps read them.

        After several parallel steps, each step gets the files in the folder of its name.
        """
        if hold.phase is Phase.AFTER and len(hold.steps) == 1:
            fetch(self._folder.empty(hold.steps[0]))
            self._take_up(hold.steps[0])
            return
        target = self._folder.hold(hold.step, hold.phase)
        fetch(target)
        self._known[target] = f"what the hold {hold.phase} {hold.step} handed on", sizes_in(target)
        for name in hold.steps:
            if hold.phase is Phase.BEFORE:
                self._given[name] = target
            elif (target / name).is_dir():
                shutil.copytree(target / name, self._folder.empty(name), dirs_exist_ok=True)
            else:
                self._folder.empty(name)
            if hold.phase is Phase.AFTER:
                self._take_up(name)

    def at_hold(self, hold: Hold) -> list[FoundFile]:
        """Return the files that users are shown at a hold."""
        if hold.phase is Phase.BEFORE:
            return self.incoming(self._progress.step(hold.steps[0]))
        return self._join(hold.steps)

    def outlast(self, hold: Hold) -> None:
        """Sync the outputs that are read after a hold to disk (power cut). Raises OSError.

        The files of the hold itself are fetched again from where users edit them.
        """
        for name in self._progress.outputs_after(hold):
            outlast(self._folder.output(name), self.outputs[name].files)

    def incoming(self, step: PlannedStep) -> list[FoundFile]:
        """Return the files that a step reads, by their paths in /input (decisions 19)."""
        given = self._given.get(step.name)
        if given is None and step.predecessors:
            return self._join(step.predecessors)
        found = check(
            given or self._folder.input, sys.maxsize, sys.maxsize, partial(refusal, labelled=True), INPUT
        )
        return list(found.files)

    def mounts(self, step: PlannedStep, replica: int | None) -> list[Mount]:
        """Return a part's input mounts: the file of a replica, the files of a hold, or the plan's outputs."""
        if replica is not None:
            return [Mount(self._folder.replica_input(step.name, replica), INPUT)]
        if step.name in self._given:
            return [Mount(self._given[step.name], INPUT)]
        if not step.predecessors:
            return [Mount(self._folder.input, INPUT)]
        if len(step.predecessors) == 1:
            return [Mount(self._folder.output_path(step.predecessors[0]), INPUT)]
        return [Mount(self._folder.output_path(name), f"{INPUT}/{name}") for name in step.predecessors]

    def output(self, part: Part) -> Path:
        """Return the folder of a part's /output."""
        return self._folder.output(part.step, part.replica)

    def empty_output(self, part: Part) -> None:
        """Remove what an attempt at a part left in its /output. Raises OSError.

        The folder itself stays, since containers of later steps may be prepared with it.
        """
        clear(self.output(part))

    def read_output(self, part: Part, largest: int) -> Checked:
        """Read the /output of a part. Raises Gone if it is not there, TooLarge, OSError."""
        try:
            return check(self.output(part), largest)
        except FileNotFoundError:
            raise refusal_of(f"the output of {part}", "its folder went while the step ran") from None

    def fan_out(self, step: PlannedStep) -> range:
        """Make the inputs of a step's replicas, one per file. Return their indexes. Raises Gone, OSError."""
        self.require(step, None)
        files = self.incoming(step)
        self._folder.output(step.name)
        self._names[step.name] = [file.rel for file in files]
        for replica, file in enumerate(files):
            target = self._folder.replica_input(step.name, replica)
            place_file(target, file)
            self._known[target] = f"the input of {Part(step.name, replica)}", {file.rel: file.size}
        self._replicas[step.name] = dict.fromkeys(range(len(files)))
        if not files:
            self._note(step.name, Checked((), ()))
        return range(len(files))

    def name_of(self, part: Part) -> str:
        """Return the name of a replica's file in one short line, or an empty string if it is no replica."""
        if part.replica is None:
            return ""
        name = self._names[part.step][part.replica]
        shown = "".join(letter if letter.isprintable() else "?" for letter in name)
        return shown if len(shown) <= LONGEST_NAME else f"{shown[: LONGEST_NAME - 1]}…"

    def add(self, part: Part, output: Checked) -> bool:
        """Add the output of a part. Return whether its step is done: a fan-out is with its last replica."""
        if part.replica is not None:
            replicas = self._replicas[part.step]
            replicas[part.replica] = output
            outputs = [one for one in replicas.values() if one is not None]
            if len(outputs) < len(replicas):
                return False
            output = merge(outputs, self._folder.output(part.step))
        self._note(part.step, output)
        return True

    def _join(self, steps: tuple[str, ...]) -> list[FoundFile]:
        """Return the outputs of steps; with several steps, each in the folder of its step's name."""
        if len(steps) == 1:
            return list(self.outputs[steps[0]].files)
        files = (
            FoundFile(f"{name}/{file.rel}", file.path, file.size)
            for name in steps
            for file in self.outputs[name].files
        )
        return sorted(files, key=lambda file: file.rel)


def require_room(sizes: Sizes, room: int) -> int:
    """Return the bytes of all files. Raises TooLarge if they are more than `room`."""
    size = sum(sizes.values())
    if size > room:
        raise TooLarge(f"it takes {size_text(size)}, and there is room for {size_text(max(room, 0))}")
    return size


def _sizes(output: Checked) -> Sizes:
    return {file.rel: file.size for file in output.files}
