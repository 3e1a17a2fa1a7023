"""The files of a run: its inputs and its results, listed and read one by one."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import BinaryIO

from chains.files.input_manifest import list_files
from chains.files.names import refusal
from chains.runs.records import Run
from handlers.rules.media import HEAD, UNKNOWN, shown_media
from handlers.services.runs.kept_inputs import ALONE
from handlers.services.world import World
from handlers.trees.code.run_rows import require_kept, run_of
from handlers.trees.code.trigger import input_again
from vfs.call import Reply, Stream
from vfs.context import Context
from vfs.errors import Conflict, Gone, NotFound, VfsError
from vfs.nodes import Named, Subtree
from vfs.param import Param
from vfs.ports.blobs import Blobs, Ref, chunks
from vfs.rules import NOBODY

ZIP = "application/zip"
PIECE = 1 << 16
MOST_FILES = 20_000
LARGEST_INDEX = 4 << 20
# Signature and size of the record at the end of an archive, and the longest comment after it.
END, END_SIZE, COMMENT = b"PK\x05\x06", 22, 0xFFFF
# The ZIP64 locator before that record: where it is present, larger numbers elsewhere apply.
LOCATOR, LOCATOR_SIZE = b"PK\x06\x07", 20
# What zipfile raises for damaged and encrypted archives, and for unknown methods.
BROKEN = (zipfile.BadZipFile, RuntimeError, ValueError, EOFError, zlib.error, OSError)


@dataclass(frozen=True, slots=True)
class ArchiveFile:
    """A file inside a stored zip: its path there and its unpacked size in bytes."""

    blob: Ref
    path: str
    size: int


def files_in(blobs: Blobs, blob: Ref) -> list[ArchiveFile] | None:
    """Return the files in a stored zip, in its order; None if it is no zip or has too many files."""
    with blobs.open(blob) as stream:
        if not _is_short(stream, blob.size):
            return None
        try:
            with zipfile.ZipFile(stream) as archive:
                # A file without a name cannot be requested.
                found = [one for one in archive.infolist() if one.filename and not one.is_dir()]
        except BROKEN:
            return None
    return (
        [ArchiveFile(blob, one.filename, one.file_size) for one in found]
        if len(found) <= MOST_FILES
        else None
    )


def unpack_file(blobs: Blobs, file: ArchiveFile, largest: int) -> Iterator[bytes]:
    """Return an iterator over the pieces of a file in a zip; the first is read at once, to detect errors.

    Raises Conflict where it cannot be unpacked, or would be larger than `largest`.
    """
    if file.size > largest:
        raise Conflict(f"the file unpacks to {file.size} bytes, which is too many: download the whole output")
    pieces = _pieces(blobs, file)
    try:
        first = next(pieces, b"")
    except BROKEN:
        raise Conflict("the file cannot be unpacked: download the whole output") from None
    return chain((first,), pieces)


def _pieces(blobs: Blobs, file: ArchiveFile) -> Iterator[bytes]:
    with (
        blobs.open(file.blob) as stream,
        zipfile.ZipFile(stream) as archive,
        archive.open(file.path) as member,
    ):
        while piece := member.read(PIECE):
            yield piece


def _is_short(stream: BinaryIO, size: int) -> bool:
    """Return whether a zip's index is short enough to read, according to the record at its end."""
    stream.seek(max(size - LOCATOR_SIZE - END_SIZE - COMMENT, 0))
    tail = stream.read()
    at = tail.rfind(END)
    if at < 0 or len(tail) - at < END_SIZE or tail[:at][-LOCATOR_SIZE:].startswith(LOCATOR):
        return False
    count, index = struct.unpack_from("<HL", tail, at + 10)
    return bool(count <= MOST_FILES and index <= LARGEST_INDEX)


@dataclass(frozen=True, slots=True)
class RunFile:
    """A file of a run by its path, or a folder of files if `open` is None; `open` starts reading."""

    path: str
    size: int
    open: Callable[[], Iterator[bytes]] | None

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.path.rpartition("/")[2]


RunFiles = Mapping[str, RunFile]
TOP = RunFile("", 0, None)
WHOLE = "input.zip"
"""The name of an input with too many files, or too long names, to be listed."""

PATH: Param[RunFile] = Param("path")


def input_of(context: Context[World], run: Run) -> dict[str, object] | None:
    """Return the names and sizes of a run's input files; None without input, or if it is gone."""
    code = context.world.code
    if run.files is not None and code.run_files is not None:
        with suppress(Gone):
            return list_files((file.path, file.size) for file in code.run_files.read(run.files).files)
    noted: dict[str, object] | None = code.folders.notes.read(run.input) if run.input else None
    return noted


def output_of(context: Context[World], run: Run) -> dict[str, object] | None:
    """Return the files of the result: one file, or those of the archive; None without a result."""
    if run.output is None:
        return None
    packed = files_in(context.world.blobs, run.output) if run.output.media == ZIP else None
    if packed is not None:
        return list_files((one.path, one.size) for one in packed)
    return list_files(iter([(run.output_name or "output", run.output.size)]))


def input_files(context: Context[World]) -> RunFiles:
    """Return the input files of the run, while they are kept. Raises Gone."""
    kept = input_again(context, run_of(context))
    if kept is None:
        return {}
    if kept.files is not None:
        packed = files_in(context.world.blobs, kept.files)
        return _packed_files(context, packed) if packed is not None else _one_file(context, WHOLE, kept.files)
    content = (kept.text or "").encode()
    return {ALONE: RunFile(ALONE, len(content), lambda: iter((content,)))}


def output_files(context: Context[World]) -> RunFiles:
    """Return the files of the result, while it is kept. Raises Gone."""
    run = run_of(context)
    require_kept(context, run, "output")
    output = run.output
    if output is None:
        return {}
    packed = files_in(context.world.blobs, output) if output.media == ZIP else None
    if packed is not None:
        return _packed_files(context, packed)
    return _one_file(context, (run.output_name or "output").replace("/", "_"), output)


def run_files(find: Callable[[Context[World]], RunFiles], about: str) -> Subtree[RunFile]:
    """Return the declaration of a tree of files of a run."""

    def find_all(context: Context[World]) -> RunFiles:
        return context.once(f"{about} of {run_of(context).key}", lambda: _with_folders(find(context)))

    def look(context: Context[World]) -> RunFile | None:
        path = context.segment(PATH)
        if not path:
            return TOP
        try:
            return find_all(context).get(path)
        except (Gone, NotFound) as refusal:
            # Deferred, because the caller's permission is checked after this.
            return RunFile(path, 0, partial(refuse_reading, refusal))

    def names(context: Context[World]) -> Iterator[Named]:
        base, run = context.segment(PATH), run_of(context)
        since = run.completed_on or run.created_on
        for path, file in find_all(context).items():
            if path and path.rpartition("/")[0] == base:
                extra = {"size": file.size} if file.open is not None else None
                yield Named(file.name, since, since, file, folder=file.open is None, extra=extra)

    return Subtree(
        param=PATH,
        look=look,
        folder=lambda file: file.open is None,
        names=names,
        read=_content,
        listed=NOBODY,
        about=about,
    )


def refuse_reading(refusal: VfsError) -> Iterator[bytes]:
    """Raise the reason why a file cannot be read."""
    raise refusal


def _content(context: Context[World]) -> Reply:
    """Return a file: inline for texts, images and JSON, else as a download, so that it never runs."""
    file = context[PATH]
    assert file.open is not None
    pieces = file.open()
    head = next(pieces, b"")
    media = shown_media(file.name, head[:HEAD])
    keep = media == UNKNOWN or not media.startswith(("text/", "image/", "application/json"))
    return Reply(Stream(chain((head,), pieces), media, size=file.size), filename=file.name, inline=not keep)


def _stored_bytes(world: World, blob: Ref) -> Iterator[bytes]:
    with world.blobs.open(blob) as stream:
        yield from chunks(stream)


def _one_file(context: Context[World], name: str, blob: Ref) -> RunFiles:
    return {name: RunFile(name, blob.size, lambda: _stored_bytes(context.world, blob))}


def _packed_files(context: Context[World], files: Iterable[ArchiveFile]) -> RunFiles:
    """Return files of a zip by path, without those whose paths cannot be requested."""
    largest = context.world.service.settings.output_limit
    return {
        file.path: RunFile(file.path, file.size, _opening(context.world, file, largest))
        for file in files
        if refusal(file.path, labelled=True) is None
    }


def _opening(world: World, file: ArchiveFile, largest: int) -> Callable[[], Iterator[bytes]]:
    return lambda: unpack_file(world.blobs, file, largest)


def _with_folders(files: RunFiles) -> RunFiles:
    """Return files with their folders, each folder before its contents."""
    found: dict[str, RunFile] = {"": TOP}
    for path, file in sorted(files.items()):
        parts = path.split("/")
        for count in range(1, len(parts)):
            folder = "/".join(parts[:count])
            found.setdefault(folder, RunFile(folder, 0, None))
        found.setdefault(path, file)
    return found
