"""PatientRunFiles: files of runs whose store is waited for while it is away."""

from __future__ import annotations

from pathlib import Path

from chains.runs.retry import Patience
from chains.sharing.manifest import Manifest
from chains.sharing.run_files import RunFiles


class PatientRunFiles:
    """RunFiles over others, asked again while they are Unavailable (chains.sharing.run_files.RunFiles)."""

    def __init__(self, files: RunFiles, patiently: Patience) -> None:
        self._files = files
        self._patiently = patiently

    def store(self, folder: Path, job: int | None = None) -> str:
        """As RunFiles.store."""
        return self._patiently(lambda: self._files.store(folder, job))

    def read(self, manifest: str) -> Manifest:
        """As RunFiles.read."""
        return self._patiently(lambda: self._files.read(manifest))

    def fetch(self, manifest: str, target: Path) -> Manifest:
        """As RunFiles.fetch."""
        return self._patiently(lambda: self._files.fetch(manifest, target))
