"""The files of a run: what its trigger brought, and what is in its result."""

from __future__ import annotations

import zipfile

from chains.files.input_manifest import list_files
from chains.runs.records import Run
from handlers.services.world import World
from vfs.place import Place

ZIP = "application/zip"


def input_of(place: Place[World], run: Run) -> dict[str, object] | None:
    """The files that the trigger brought, as noted then; None where it brought nothing."""
    noted: dict[str, object] | None = place.world.code.folders.notes.read(run.input) if run.input else None
    return noted


def output_of(place: Place[World], run: Run) -> dict[str, object] | None:
    """The files in the result: the one file, or those of the archive; None where there is none."""
    if run.output is None:
        return None
    if run.output.media == ZIP:
        try:
            with place.world.blobs.open(run.output) as stream, zipfile.ZipFile(stream) as archive:
                return list_files((one.filename, one.file_size) for one in archive.infolist())
        except zipfile.BadZipFile:
            pass
    return list_files(iter([(run.output_name or "output", run.output.size)]))
