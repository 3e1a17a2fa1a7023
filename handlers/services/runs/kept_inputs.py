"""Inputs of runs: received, stored in a new folder, and kept so that a run can be repeated."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from chains.files.fsync import settle_all, write_durably
from chains.files.names import below
from chains.files.results import zip_files
from chains.runs.records import KeptInput, Reasons, Run
from handlers.services.run_people import input_people, run_people
from handlers.services.runs.resumed_runs import ResumedRun
from handlers.services.world import World
from vfs.body import Body
from vfs.errors import Gone, Invalid, NoSpace, NotFound, QuotaReached, TooLarge, WrongMedia, storage_error
from vfs.ports.items import Item

ALONE = "input.json"
SHORT = 4096
"""Largest `input.json`, in bytes, that is stored in the row of the run instead of a file."""

ASKED = 64 * 1024
"""Bytes above which the quota of the job's owner is checked before the input is kept."""

ZIP = "application/zip"
FILES = "multipart/form-data"
INPUTS = ("application/json", FILES)
JSON_LARGEST = 32 << 20
SENDS = "send JSON (-H \"Content-Type: application/json\" -d '{}') or files (-F file=@name)"


class StoredInput(NamedTuple):
    """The folder of a new run's input (None: no input), what of it is kept, and who sent it originally.

    `resumed`: the run from which the new one goes on.
    """

    folder: str | None
    kept: KeptInput | None
    behind: Reasons = MappingProxyType({})
    resumed: ResumedRun | None = None


NO_INPUT = StoredInput(None, None)


class EarlierInput(NamedTuple):
    """The input of an earlier run (None: it had none), for a run that repeats it, whole or from a step on."""

    run: Run
    kept: KeptInput | None
    resumed: ResumedRun | None = None


def store_input(world: World, job: Item, sent: Body | EarlierInput) -> StoredInput:
    """Store what a caller sends, or the input of an earlier run, in a new folder, and keep it.

    Raises Invalid, WrongMedia, TooLarge, Gone, NoSpace and Unavailable; nothing is stored then.
    """
    return bring_again(world, sent) if isinstance(sent, EarlierInput) else receive(world, job, sent)


def receive(world: World, job: Item, body: Body) -> StoredInput:
    """Store the body of a request. Raises as store_input does."""
    if body.media not in INPUTS:
        if body.media is None and body.empty():
            raise Invalid(f"a run needs an input, even an empty one: {SENDS}")
        raise WrongMedia(f"a run does not take {body.media or 'a body without Content-Type'}: {SENDS}")
    limit, parts = world.service.settings.input_limit, world.service.settings.input_parts
    if body.media == FILES:
        return bring_input(world, job, lambda folder: body.files(folder, limit, parts))
    return bring_document(world, job, body.document(min(JSON_LARGEST, limit)))


@contextmanager
def discarding(world: World, stored: StoredInput) -> Iterator[None]:
    """Discard an input if the block raises an exception."""
    try:
        yield
    except BaseException:
        discard(world, stored)
        raise


def discard(world: World, stored: StoredInput) -> None:
    """Remove an input that no run has taken."""
    if stored.folder is not None:
        world.code.folders.discard(stored.folder)


def bring_input(world: World, job: Item, write: Callable[[Path], object]) -> StoredInput:
    """Return a new input folder with what `write` writes into it, kept for repetitions.

    Raises what `write` does, and NoSpace and Unavailable; nothing is stored then.
    """
    return _bring(world, write, partial(keep_input, world, job))


def bring_document(world: World, job: Item, content: bytes) -> StoredInput:
    """Return a new input folder with an `input.json` alone, kept. Raises NoSpace and Unavailable."""
    return bring_input(world, job, lambda folder: write_durably(folder / ALONE, content))


def _bring(
    world: World, write: Callable[[Path], object], keep: Callable[[Path], KeptInput | None]
) -> StoredInput:
    folders = world.code.folders
    name: str = folders.new()
    try:
        folder = folders.path(name)
        write(folder)
        folders.settle(name)
        folders.notes.take(name, folder)
        return StoredInput(name, keep(folder))
    except BaseException:
        folders.discard(name)
        raise


def keep_input(world: World, job: Item, folder: Path) -> KeptInput | None:
    """Keep an input as long as the run's output; return None if it exceeds a limit or the quota."""
    files = sorted((str(path.relative_to(folder)), path) for path in folder.rglob("*") if path.is_file())
    size = sum(path.stat().st_size for _, path in files)
    if size <= SHORT and [name for name, _ in files] == [ALONE]:
        text = _text_of(files[0][1])
        if text is not None:
            return KeptInput(text)
    if size > world.service.settings.kept_input:
        return None
    try:
        if size > ASKED:
            world.service.quotas.admit_bytes(job.id, size)
        # Not compressed: the trigger's response waits for this.
        return KeptInput(files=world.blobs.add(zip_files(files, zipfile.ZIP_STORED), ZIP, job.id))
    except (NoSpace, QuotaReached, TooLarge):
        return None


def bring_again(world: World, earlier: EarlierInput) -> StoredInput:
    """Return a new input folder with a kept input. Raises Gone, NoSpace and Unavailable."""
    run, kept, resumed = earlier
    behind = input_people(run)
    if resumed is not None:
        # People behind the run are behind the outputs that the new one uses.
        behind = {**run_people(world, run), **behind}
    if kept is None:
        return NO_INPUT._replace(behind=behind, resumed=resumed)
    try:
        stored = _bring(world, partial(_unpack, world, kept), lambda _: kept)
    except NotFound:
        raise Gone(
            "the input of this run was kept, and is gone from the server's file store or damaged there: send "
            "it to the job's data again",
            run=run.id,
            run_status=str(run.status),
        ) from None
    return stored._replace(behind=behind, resumed=resumed)


def _unpack(world: World, kept: KeptInput, folder: Path) -> None:
    if kept.files is None:
        write_durably(folder / ALONE, (kept.text or "").encode())
        return
    try:
        with world.blobs.open(kept.files) as stream, zipfile.ZipFile(stream) as archive:
            for entry in archive.infolist():
                place = below(folder, entry.filename)
                place.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(entry) as source, place.open("wb") as file:
                    shutil.copyfileobj(source, file)
        settle_all(folder, folder.rglob("*"))
    except (zipfile.BadZipFile, EOFError) as error:
        raise NotFound("The kept input is damaged in the server's file store.") from error
    except OSError as error:
        raise storage_error(error, "the input") from error


def _text_of(file: Path) -> str | None:
    """Return the text of a file; None if a database cannot store it as text."""
    try:
        text = file.read_bytes().decode()
    except UnicodeDecodeError:
        return None
    return text if "\0" not in text else None
